//! One of the servers that are compared: asked once, warmed up, loaded in its turns.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use anyhow::{Result, bail};
use boardkit::board::{Serving, SysRoot};
use boardkit::load::{self, LoadPlan, Outcome, ProbeAnswer, Url, probe};
use boardkit::report::compare::{Answer, Server, Turn};
use boardkit::report::{Environment, RunReport};
use boardkit::telemetry::{Holder, Link};

use crate::Nothing;
use crate::args::{LoadFlags, NamedUrl};
use crate::load::{pinned, plan};

/// A server and what is known of it.
pub(super) struct Candidate {
    pub(super) name: String,
    /// As typed.
    url: Url,
    /// How it is loaded: at the address that answered, so that no turn has to look its name up.
    pub(super) plan: LoadPlan,
    answer: Option<ProbeAnswer>,
    /// Its processes, if they are on this machine and may be looked at.
    serving: Option<Serving>,
    /// Why they are not known.
    unseen: Option<Unseen>,
}

/// Why the processes of a server are not known.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Unseen {
    Elsewhere,
    Here(String),
}

impl Candidate {
    pub(super) fn new(server: &NamedUrl, flags: &LoadFlags) -> Result<Self> {
        let plan = LoadPlan { warmup: Duration::ZERO, ..plan(server.url.clone(), flags)? };
        let (name, url) = (server.name.clone(), server.url.clone());
        Ok(Self { name, url, plan, answer: None, serving: None, unseen: None })
    }

    /// Asks it once, and looks for its processes.
    pub(super) fn meet(&mut self, root: &SysRoot) -> Result<()> {
        let answer = match probe(&self.plan.url, &self.plan.request, self.plan.timeout) {
            Ok(answer) => answer,
            Err(error) => {
                bail!(Nothing(format!("no answer from {} ({}): {error}", self.name, self.url)))
            }
        };
        let address = answer.address;
        self.answer = Some(answer);
        self.plan.url = pinned(&self.url, address);
        if Link::towards(address).is_none_or(|link| !link.loopback) {
            self.unseen = Some(Unseen::Elsewhere);
            return Ok(());
        }
        match Holder::find(root, address) {
            Holder::Server { .. } => self.serving = Serving::at(root, address),
            Holder::Tunnel { .. } => self.unseen = Some(Unseen::Elsewhere),
            other => self.unseen = other.missing(address).map(Unseen::Here),
        }
        Ok(())
    }

    /// How long its one answer took.
    pub(super) fn answer_time(&self) -> Duration {
        self.answer.as_ref().map_or(Duration::ZERO, |answer| answer.answer_time)
    }

    /// Loads it for a while without counting: pages touched, heaps grown, code compiled.
    pub(super) fn warm_up(&self, duration: Duration, stop: &AtomicBool) -> Result<()> {
        if duration.is_zero() || stop.load(Ordering::Relaxed) {
            return Ok(());
        }
        let plan = LoadPlan { duration, ..self.plan.clone() };
        let outcome = load::run(&plan, stop, &mut ())?;
        if let Some(why) = why_nothing(&plan, &outcome).filter(|_| !stop.load(Ordering::Relaxed)) {
            bail!(Nothing(format!("no request to {} ({}) finished: {why}", self.name, self.url)));
        }
        Ok(())
    }

    /// Loads it once, and reads its processor time before and after.
    pub(super) fn turn(&mut self, root: &SysRoot, stop: &AtomicBool) -> Result<Turn> {
        let before = self.serving.as_ref().and_then(|serving| serving.cpu(root));
        let outcome = load::run(&self.plan, stop, &mut ())?;
        let after = self.serving.as_ref().and_then(|serving| serving.cpu(root));
        let cpu_ns = after.as_ref().zip(before.as_ref()).and_then(|(after, before)| after.since(before));
        if self.serving.is_some() && after.is_none() {
            // One of its processes has ended: the next turn is of those that are there then.
            self.serving =
                outcome.address.and_then(|address| Serving::at(root, address)).or(self.serving.take());
        }
        Ok(Turn::new(&outcome, cpu_ns))
    }

    /// What is known of it before the rounds.
    pub(super) fn server(&self) -> Server {
        Server {
            name: self.name.clone(),
            url: self.url.to_string(),
            process: self.serving.as_ref().map(Serving::title),
            answer: self.answer.as_ref().map(Answer::new),
            ..Server::default()
        }
    }
}

fn why_nothing(plan: &LoadPlan, outcome: &Outcome) -> Option<String> {
    RunReport::new(plan, outcome, Environment::default()).why_nothing()
}

/// Whose processor time is not known, and why, one sentence each.
pub(super) fn unseen(candidates: &[Candidate]) -> Vec<String> {
    if candidates.iter().all(|candidate| candidate.unseen == Some(Unseen::Elsewhere)) {
        let why = "the processor time of the servers is not known, since they are on another machine";
        return vec![why.to_owned()];
    }
    let told = |candidate: &Candidate| {
        let name = &candidate.name;
        Some(match candidate.unseen.as_ref()? {
            Unseen::Elsewhere => {
                format!("the processor time of {name} is not known, since it is on another machine")
            }
            Unseen::Here(why) => format!("{name}: {why}"),
        })
    };
    candidates.iter().filter_map(told).collect()
}
