//! The writer of the access log: a thread that takes the workers' lines and is the only one that waits for the disk.

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::num::NonZeroUsize;
use std::os::fd::AsFd;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::DaemonError;
use super::log::Logger;
use crate::server::{AccessLog, Level, Log, spawn};

/// How often lines are taken. Often enough for who watches the file, and seldom enough for a card that wears by writes.
const EVERY: Duration = Duration::from_millis(100);

/// Who may read the file: it holds the addresses of people.
const MODE: u32 = 0o640;

/// The running writer.
pub(super) struct Writer {
    lines: Arc<AccessLog>,
    /// The file's name; `None` is the output.
    path: Option<PathBuf>,
    orders: Arc<Orders>,
}

/// What the writer is told, and what it tells.
#[derive(Default)]
struct Orders {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    /// Go on in this file.
    next: Option<File>,
    /// Write what is left and end.
    finish: bool,
    finished: bool,
}

impl Writer {
    /// Opens the file, or the output for `-`, and starts the thread.
    ///
    /// # Errors
    /// When the file cannot be written, or there is no thread to be had.
    pub(super) fn start(path: &Path, workers: NonZeroUsize, log: &Arc<Logger>) -> Result<Self, DaemonError> {
        let path = (path.as_os_str() != "-").then(|| path.to_owned());
        let file = open(path.as_deref()).map_err(|error| {
            let path = path.as_deref().unwrap_or(Path::new("to the output"));
            DaemonError::AccessLog { path: path.to_string_lossy().into_owned(), error }
        })?;
        let writer = Self { lines: AccessLog::new(workers.get()), path, orders: Arc::default() };
        let (lines, orders, log) = (Arc::clone(&writer.lines), Arc::clone(&writer.orders), Arc::clone(log));
        spawn("boardd-access".into(), Box::new(move || write(&lines, &orders, file, &log)))
            .map_err(|error| DaemonError::System { what: "cannot start a thread", error })?;
        Ok(writer)
    }

    /// Where the workers' lines wait.
    pub(super) fn lines(&self) -> Arc<AccessLog> {
        Arc::clone(&self.lines)
    }

    /// Goes on in a file of the same name: what has it now may have been renamed. When it cannot be opened the old one is
    /// kept, and that is said.
    pub(super) fn reopen(&self, log: &Logger) {
        if self.path.is_none() {
            return;
        }
        match open(self.path.as_deref()) {
            Ok(file) => self.orders.lock().next = Some(file),
            Err(error) => log.say(Level::Error, &format!("the access log cannot be opened anew: {error}")),
        }
    }

    /// Has the rest written, and waits for that at most for `time`.
    pub(super) fn finish(&self, time: Duration) {
        let mut state = self.orders.lock();
        state.finish = true;
        self.orders.changed.notify_all();
        drop(self.orders.changed.wait_timeout_while(state, time, |state| !state.finished));
    }
}

fn open(path: Option<&Path>) -> io::Result<File> {
    match path {
        Some(path) => OpenOptions::new().append(true).create(true).mode(MODE).open(path),
        None => Ok(File::from(io::stdout().as_fd().try_clone_to_owned()?)),
    }
}

impl Orders {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The thread.
fn write(lines: &AccessLog, orders: &Orders, mut file: File, log: &Logger) {
    // A buffer for each worker: it comes back empty with the next exchange.
    let mut buffers: Vec<Vec<u8>> = Vec::new();
    loop {
        let waited = orders.changed.wait_timeout_while(orders.lock(), EVERY, |state| !state.finish);
        let (mut state, _) = waited.unwrap_or_else(PoisonError::into_inner);
        let finish = state.finish;
        if let Some(next) = state.next.take() {
            file = next;
        }
        drop(state);
        let lost = take_and_write(lines, &mut buffers, &mut file);
        if lost.lines > 0 {
            let why = lost.error.map_or_else(|| "written too slowly".to_owned(), |error| error.to_string());
            log.log(Level::Warning, "access log", &format!("{} lines were lost: {why}", lost.lines));
        }
        if finish {
            orders.lock().finished = true;
            return orders.changed.notify_all();
        }
    }
}

/// Lines that are not in the file.
struct Lost {
    lines: u64,
    error: Option<io::Error>,
}

/// Writes what waits of every worker.
fn take_and_write(lines: &AccessLog, buffers: &mut Vec<Vec<u8>>, file: &mut impl Write) -> Lost {
    let mut lost = Lost { lines: lines.take_lost(), error: None };
    for worker in 0.. {
        if buffers.len() == worker {
            buffers.push(Vec::new());
        }
        let buffer = &mut buffers[worker];
        buffer.clear();
        if !lines.take(worker, buffer) {
            break;
        }
        if let Err(error) = file.write_all(buffer) {
            lost.lines += buffer.iter().filter(|byte| **byte == b'\n').count() as u64;
            lost.error = Some(error);
        }
    }
    lost
}
