//! Handlers that await: tasks on the worker's own executor, which wake the worker through its mailbox.

use std::cell::{Cell, RefCell};
use std::future::Future;
use std::pin::Pin;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Wake, Waker};

use smol::LocalExecutor;

use super::mailbox::Mailbox;
use super::reply::Response;

/// Names a connection even after its slot was given to another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Ticket {
    pub(super) key: u32,
    pub(super) serial: u32,
}

impl Ticket {
    /// Serial numbers in use: one bit short of 32, so that no ticket equals a reserved epoll key.
    pub(super) const SERIALS: u32 = u32::MAX >> 1;

    /// The ticket as epoll carries it.
    #[inline]
    pub(super) const fn to_u64(self) -> u64 {
        (self.serial as u64) << 32 | self.key as u64
    }

    /// The ticket that epoll brought back.
    #[inline]
    #[expect(clippy::cast_possible_truncation, reason = "two halves of a word")]
    pub(super) const fn from_u64(word: u64) -> Self {
        Self { key: word as u32, serial: (word >> 32) as u32 }
    }
}

/// A task's answer and the connection that waits for it.
pub(super) type Done = (Ticket, Response);

/// The tasks of one worker.
pub(super) struct Tasks {
    executor: Rc<LocalExecutor<'static>>,
    /// Runs the executor for ever; polled only when something in it was woken.
    run: Pin<Box<dyn Future<Output = ()>>>,
    signal: Arc<Signal>,
    waker: Waker,
    done: Rc<RefCell<Vec<Done>>>,
    live: Rc<Cell<usize>>,
}

/// Tells the worker that a task can go on.
struct Signal {
    woken: AtomicBool,
    /// The worker is about to sleep, or sleeps: only then is the bell worth its system call.
    asleep: AtomicBool,
    mailbox: Arc<Mailbox>,
}

impl Wake for Signal {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        self.woken.store(true, Ordering::SeqCst);
        if self.asleep.load(Ordering::SeqCst) {
            self.mailbox.ring();
        }
    }
}

impl Tasks {
    pub(super) fn new(mailbox: Arc<Mailbox>) -> Self {
        let executor = Rc::new(LocalExecutor::new());
        let runner = Rc::clone(&executor);
        let run = Box::pin(async move { runner.run(std::future::pending()).await });
        // Woken from the start: the first poll is what makes the executor know whom to wake.
        let signal =
            Arc::new(Signal { woken: AtomicBool::new(true), asleep: AtomicBool::new(false), mailbox });
        let waker = Waker::from(Arc::clone(&signal));
        Self { executor, run, signal, waker, done: Rc::default(), live: Rc::default() }
    }

    /// Starts a task whose answer will come out of [`Tasks::run`].
    pub(super) fn spawn(&self, ticket: Ticket, answer: Pin<Box<dyn Future<Output = Response>>>) {
        let (done, live) = (Rc::clone(&self.done), Rc::clone(&self.live));
        live.set(live.get() + 1);
        let task = self.executor.spawn(async move {
            let response = answer.await;
            live.set(live.get() - 1);
            done.borrow_mut().push((ticket, response));
        });
        task.detach();
    }

    /// Runs what was woken and returns the answers that are ready. Nothing but a test when no task lives.
    #[inline]
    pub(super) fn run(&mut self) -> Vec<Done> {
        if self.live.get() == 0 || !self.signal.woken.swap(false, Ordering::SeqCst) {
            return Vec::new();
        }
        let mut context = Context::from_waker(&self.waker);
        // The run never ends; it returns when every task waits, or after a few hundred steps, then woken again.
        let _never = self.run.as_mut().poll(&mut context);
        std::mem::take(&mut *self.done.borrow_mut())
    }

    /// Whether [`Tasks::run`] has something to do now. Called before sleeping: a wake after it rings the bell.
    #[inline]
    pub(super) fn before_sleep(&self) -> bool {
        if self.live.get() == 0 {
            return false;
        }
        self.signal.asleep.store(true, Ordering::SeqCst);
        self.signal.woken.load(Ordering::SeqCst)
    }

    /// Notes that the worker is up, so that wakes cost no system call.
    #[inline]
    pub(super) fn after_sleep(&self) {
        if self.live.get() > 0 {
            self.signal.asleep.store(false, Ordering::SeqCst);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TICKET: Ticket = Ticket { key: 7, serial: 1 };

    #[test]
    fn an_answer_comes_out_once_it_is_ready() {
        let mut tasks = Tasks::new(Arc::new(Mailbox::new().expect("eventfd")));
        let (sender, receiver) = smol::channel::bounded::<()>(1);
        tasks.spawn(
            TICKET,
            Box::pin(async move {
                receiver.recv().await.expect("sender lives");
                Response::text("late")
            }),
        );
        assert!(tasks.run().is_empty());
        assert!(!tasks.before_sleep(), "the task waits");
        sender.try_send(()).expect("room");
        assert!(tasks.before_sleep(), "the task was woken");
        tasks.after_sleep();
        let done = tasks.run();
        assert_eq!(done.len(), 1);
        assert_eq!(done[0].0, TICKET);
        assert!(!tasks.before_sleep(), "no task lives");
    }
}
