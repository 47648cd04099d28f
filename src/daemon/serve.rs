//! `boardd serve`: from what was typed to a running server, and back to a line that says what it did.

use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use super::access::Writer;
use super::control::Control;
use super::follow::Follower;
use super::log::Logger;
use super::notify::{Notifier, Watchdog};
use super::signals::Signals;
use super::style::Style;
use super::{DaemonError, ServeArgs, limit, listen, print};
use crate::board::{BoardFacts, SysRoot};
use crate::server::{Blocking, Config, Files, Level, Listener, Log, Routes, Server, Snapshot};
use crate::tune::{Plan, own_descriptors, plan};

/// How long what was logged at last may take to be written, if nobody reads it.
const FLUSH_TIME: Duration = Duration::from_secs(1);

/// Serves until a signal, or until the server cannot go on.
pub(super) fn serve(
    args: &ServeArgs,
    routes: impl FnOnce(Option<Files>) -> Routes,
) -> Result<(), DaemonError> {
    let files = args.root.as_deref().map(files).transpose()?;
    // First of all: what is opened from here on could take the number of a descriptor that was promised and is not there.
    let passed = listen::passed()?;
    let style = args.log.unwrap_or_else(Style::detect);
    let log = Logger::start(style, args.log_level).map_err(system("cannot start a thread"))?;
    let result = prepare(args, routes(files), passed, &log);
    log.flush(FLUSH_TIME);
    result
}

fn system(what: &'static str) -> impl Fn(std::io::Error) -> DaemonError {
    move |error| DaemonError::System { what, error }
}

/// The folder of `--root`, if it is one.
fn files(root: &Path) -> Result<Files, DaemonError> {
    Files::new(root).map_err(|error| DaemonError::Root { path: root.display().to_string(), error })
}

fn prepare(
    args: &ServeArgs,
    routes: Routes,
    passed: Vec<std::os::fd::OwnedFd>,
    log: &Arc<Logger>,
) -> Result<(), DaemonError> {
    let signals = Signals::new().map_err(system("cannot listen for signals"))?;
    let notifier = Notifier::from_env().map_err(system("cannot reach NOTIFY_SOCKET"))?;
    let limit = limit::raise();
    let root = args.sysfs.as_ref().map_or_else(SysRoot::live, SysRoot::at);
    let facts = BoardFacts::read_for_plan(&root);
    let plan = plan(&facts, &args.wanted);
    let config = configure(args, &plan, limit)?;
    let listeners = listeners(args, passed, config.backlog, log)?;
    let workers = config.workers;
    let access = args.access_log.as_deref().map(|path| Writer::start(path, workers, log)).transpose()?;
    say_plan(log, &facts, &plan, &config);
    let mut server = Server::new(config, listeners, routes)
        .map_err(system("cannot open what the workers need"))?
        .with_log(Arc::clone(log) as Arc<dyn Log>);
    if let Some(access) = &access {
        server = server.with_access_log(access.lines());
    }
    let handle = server.start().map_err(system("cannot start the workers"))?;
    let (mut lines, mut status) = (String::new(), String::new());
    for address in handle.addresses() {
        lines += &format!("listening on {address}\n");
        status += &format!("listening on {address}; ");
    }
    print(&lines)?;
    let control = Control {
        signals,
        handle: &handle,
        notifier,
        watchdog: Watchdog::from_env(),
        log,
        access: access.as_ref(),
        follower: (!args.no_follow).then(|| Follower::new(root, &facts, &plan.workers)),
        status: status + &format!("workers: {workers}"),
    };
    let ended = control.run();
    let served = match &ended {
        // The workers have not ended, and are not waited for.
        Err(DaemonError::AtOnce { .. }) => handle.stats(),
        // One that failed has said so itself.
        _ => handle.join().map_err(|_| DaemonError::Broken)?,
    };
    if let Some(access) = &access {
        access.finish(FLUSH_TIME);
    }
    say_end(log, &served);
    ended
}

/// The configuration that a plan and what was typed come to.
fn configure(args: &ServeArgs, plan: &Plan, limit: Option<u64>) -> Result<Config, DaemonError> {
    let workers = NonZeroUsize::new(plan.workers.len()).unwrap_or(NonZeroUsize::MIN);
    let cores: Option<Vec<usize>> =
        plan.workers.iter().map(|worker| worker.core.and_then(|core| usize::try_from(core).ok())).collect();
    let own = own_descriptors(workers.get());
    Ok(Config {
        listen: args.listen.clone(),
        workers,
        pin: cores.unwrap_or_default(),
        shares: plan.workers.iter().map(|worker| worker.share_ppm).collect(),
        backlog: i32::try_from(plan.backlog).unwrap_or(i32::MAX),
        max_connections: limit::connections(args.max_connections, plan.max_connections, limit, own)?,
        deadlines: args.deadlines,
        blocking: Blocking::beside(workers),
        drain: args.drain,
    })
}

/// Passed sockets before anything that was typed: the unit that passes them says where to listen.
fn listeners(
    args: &ServeArgs,
    passed: Vec<std::os::fd::OwnedFd>,
    backlog: i32,
    log: &Logger,
) -> Result<Vec<Listener>, DaemonError> {
    if passed.is_empty() {
        return listen::bind(&args.listen, backlog);
    }
    if !args.listen.is_empty() {
        log.say(Level::Notice, "--listen is not looked at: sockets were passed with LISTEN_FDS");
    }
    listen::take_over(passed, backlog)
}

fn say_plan(log: &Logger, facts: &BoardFacts, plan: &Plan, config: &Config) {
    facts.notes.iter().for_each(|note| log.say(Level::Debug, note));
    plan.to_string().lines().for_each(|line| log.say(Level::Info, line));
    if (config.max_connections as usize) < plan.max_connections {
        let text = format!("max_connections is {} instead of that", config.max_connections);
        log.say(Level::Notice, &text);
    }
}

fn say_end(log: &Logger, served: &Snapshot) {
    log.tell_held();
    let open = served.counters.open();
    if open > 0 {
        log.say(Level::Warning, &format!("connections cut off when the drain was over: {open}"));
    }
    log.say(Level::Info, &summary(served));
}

/// What was served, in one line.
fn summary(served: &Snapshot) -> String {
    let micros = |permille| match served.server_time_nanos(permille) {
        Some(nanos) => format!("{} µs", nanos / 1000),
        None => "-".to_owned(),
    };
    let c = &served.counters;
    format!(
        "served {} requests on {} connections; server time p50 {}, p99 {}; {} errors 4xx, {} errors 5xx, \
         {} refused, {} timed out, {} reset",
        c.requests,
        c.accepted,
        micros(500),
        micros(990),
        c.client_errors,
        c.server_errors,
        c.shed + served.refused_jobs,
        c.timed_out,
        c.reset
    )
}
