//! `boardctl compare`: several servers, loaded in turn, and what may be said of them.

mod candidate;
mod shape;

use std::collections::HashSet;
use std::fs;
use std::path::Path;
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use boardkit::board::SysRoot;
use boardkit::report::compare::{Comparison, Round, markdown, text};
use boardkit::report::{Environment, Settings, json};
use boardkit::units::Span;
use fastrand::Rng;

use crate::args::{CompareArgs, Rate};
use crate::load::print;
use crate::{Nothing, files, progress, recorder, signals};
use candidate::Candidate;
use shape::Shape;

/// A server that takes no connections in so many rounds in a row is gone. One that takes them and finishes nothing is so
/// when all that time is longer than an answer may take.
const GONE_AFTER: usize = 3;

/// How often the report is written meanwhile: so much is lost at most when this program is killed.
const SAVE_EVERY: Duration = Duration::from_secs(1);

/// How often the time that is left is drawn.
const DRAW_EVERY: Duration = Duration::from_millis(250);

/// Runs the verb. The exit code says whether all servers finished something.
pub(crate) fn run(args: &CompareArgs) -> Result<ExitCode> {
    check(args)?;
    let (json_path, markdown_path) = (args.flags.json.as_deref(), args.markdown.as_deref());
    let in_markdown = markdown_path == Some(Path::new("-"));
    let markdown_path = markdown_path.filter(|_| !in_markdown);
    files::check_two(("--json", json_path), ("--markdown", markdown_path))?;
    let root = SysRoot::live();
    let candidates = args.servers.iter().map(|server| Candidate::new(server, &args.flags));
    let mut candidates = candidates.collect::<Result<Vec<_>>>()?;
    let stop = signals::stop_flag().context("can't listen for Ctrl-C")?;
    candidates.iter_mut().try_for_each(|candidate| candidate.meet(&root))?;
    let shape = Shape::of(args, &candidates);
    candidates.iter_mut().for_each(|candidate| candidate.plan.duration = shape.turn);
    if !in_markdown {
        print(&headline(args, &shape))?;
    }
    candidates.iter().try_for_each(|candidate| candidate.warm_up(args.flags.warmup(), stop))?;
    let mut contest = Contest::new(args, shape, candidates);
    let ended = contest.run(&root, stop);
    if contest.comparison.rounds.is_empty() {
        let stopped = || Nothing("stopped before the first round was complete".to_owned()).into();
        return Err(ended.err().unwrap_or_else(stopped));
    }
    let comparison = &contest.comparison;
    let saved = files::save("--json", json_path, |path| json::write(comparison, path));
    let told = files::save("--markdown", markdown_path, |path| fs::write(path, markdown(comparison)));
    // Printed also when a file could not be written: the minutes of a comparison are not to be lost.
    print(&if in_markdown { markdown(comparison) } else { text(comparison) })?;
    saved.and(told)?;
    ended.map(|()| ExitCode::SUCCESS)
}

fn check(args: &CompareArgs) -> Result<()> {
    ensure!(args.servers.len() > 1, "compare needs at least two servers, each as NAME=URL");
    let mut names = HashSet::new();
    let twice = args.servers.iter().map(|server| &server.name).find(|name| !names.insert(*name));
    ensure!(
        twice.is_none(),
        "two servers are called {}: give each a name of its own",
        twice.map_or("", |name| name)
    );
    let ramp = matches!(args.flags.rate, Some(Rate::Ramp(..)));
    ensure!(!ramp, "--rate takes one number here: a turn is too short for a ramp");
    Ok(())
}

fn headline(args: &CompareArgs, shape: &Shape) -> String {
    let names: Vec<&str> = args.servers.iter().map(|server| server.name.as_str()).collect();
    let Shape { rounds, turn } = shape;
    let seconds = shape.length(names.len(), args.flags.warmup()).as_secs_f64().ceil();
    format!(
        "Comparing {}: {rounds} rounds of {} for each, in random order; takes about {seconds} s\n\n",
        names.join(", "),
        Span(*turn)
    )
}

/// A comparison under way.
struct Contest<'a> {
    candidates: Vec<Candidate>,
    rng: Rng,
    comparison: Comparison,
    notes: Vec<String>,
    json: Option<&'a Path>,
}

impl<'a> Contest<'a> {
    fn new(args: &'a CompareArgs, shape: Shape, candidates: Vec<Candidate>) -> Self {
        // Short enough to be typed again.
        let seed = args.seed.unwrap_or_else(|| u64::from(fastrand::u32(..)));
        let comparison = Comparison {
            servers: candidates.iter().map(Candidate::server).collect(),
            rounds_asked: shape.rounds,
            turn_s: shape.turn.as_secs_f64(),
            seed,
            settings: Settings::of(&candidates[0].plan),
            environment: Environment::of_this_machine(progress::command_line()),
            ..Comparison::default()
        };
        let notes = candidate::unseen(&candidates);
        let json = args.flags.json.as_deref().filter(|path| json::is_replaceable(path));
        Self { candidates, rng: Rng::with_seed(seed), comparison, notes, json }
    }

    /// Round after round, until all are done or it is to stop.
    ///
    /// # Errors
    /// When a server is gone, or a turn could not start. The rounds before that are there.
    fn run(&mut self, root: &SysRoot, stop: &AtomicBool) -> Result<()> {
        let bar = progress::rounds(self.comparison.rounds_asked);
        bar.enable_steady_tick(DRAW_EVERY);
        self.comparison.started_unix_s = recorder::unix_now();
        let (mut ended, mut saved) = (Ok(()), Instant::now());
        while self.comparison.rounds.len() < self.comparison.rounds_asked && ended.is_ok() {
            match self.round(root, stop) {
                Ok(Some(round)) => self.comparison.rounds.push(round),
                Ok(None) => break,
                Err(error) => {
                    ended = Err(error);
                    break;
                }
            }
            ended = self.gone().map_or(Ok(()), |gone| Err(gone.into()));
            bar.inc(1);
            if let Some(path) = self.json.filter(|_| saved.elapsed() >= SAVE_EVERY) {
                self.comparison.conclude(&self.notes);
                // Whether the file can be written shows at the end, where all is printed whatever comes of it.
                let _ = json::write_unsynced(&self.comparison, path);
                saved = Instant::now();
            }
        }
        self.comparison.conclude(&self.notes);
        bar.finish_and_clear();
        ended
    }

    /// One round; `None` when it was stopped before its end.
    fn round(&mut self, root: &SysRoot, stop: &AtomicBool) -> Result<Option<Round>> {
        let mut order: Vec<usize> = (0..self.candidates.len()).collect();
        self.rng.shuffle(&mut order);
        let mut turns = vec![None; order.len()];
        for place in &order {
            turns[*place] = Some(self.candidates[*place].turn(root, stop)?);
            if stop.load(Ordering::Relaxed) {
                return Ok(None);
            }
        }
        Ok(Some(Round { order, turns: turns.into_iter().flatten().collect() }))
    }

    /// A server that is gone.
    fn gone(&self) -> Option<Nothing> {
        self.candidates.iter().enumerate().find_map(|(place, candidate)| {
            let turns = self.comparison.rounds.iter().rev().map(|round| &round.turns[place]);
            let empty: Vec<_> = turns.take_while(|turn| turn.requests == 0).collect();
            // The latest: while it went, one may have been taken and dropped.
            let refused = empty.iter().take(GONE_AFTER).all(|turn| turn.errors.connect > 0);
            let seconds: f64 = empty.iter().map(|turn| turn.duration_s).sum();
            let gone =
                empty.len() >= GONE_AFTER && (refused || seconds > candidate.plan.timeout.as_secs_f64());
            let (name, rounds) = (&candidate.name, empty.len());
            gone.then(|| {
                Nothing(format!("{name} finished nothing in the last {rounds} rounds: ended before the time"))
            })
        })
    }
}
