//! Handlers that await: tasks on the worker's own executor, which wake the worker through its mailbox.

use std::cell::{Cell, RefCell};
use std::future::Future;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, Wake, Waker};

use smol::{LocalExecutor, Task};

use crate::http::Status;

use super::flow::{Link, Outbound, drive};
use super::mailbox::Mailbox;
use super::response::Response;

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
pub(super) struct Done {
    pub(super) ticket: Ticket,
    pub(super) response: Response,
    /// Where the pieces of the answer will be, if it comes in pieces.
    pub(super) outbound: Option<Rc<RefCell<Outbound>>>,
}

/// What a task is asked to answer.
pub(super) type Answer = Pin<Box<dyn Future<Output = Response>>>;

/// The tasks of one worker.
pub(super) struct Tasks {
    executor: Rc<LocalExecutor<'static>>,
    /// Runs the executor for ever; polled only when something in it was woken.
    run: Pin<Box<dyn Future<Output = ()>>>,
    signal: Arc<Signal>,
    waker: Waker,
    done: Rc<RefCell<Vec<Done>>>,
    /// Connections for which a task has something besides an answer.
    touched: Rc<RefCell<Vec<Ticket>>>,
    live: Rc<Cell<usize>>,
}

/// Counts a task for as long as it is there: it may end by itself or with its connection.
struct Live(Rc<Cell<usize>>);

impl Live {
    fn new(count: &Rc<Cell<usize>>) -> Self {
        count.set(count.get() + 1);
        Self(Rc::clone(count))
    }
}

impl Drop for Live {
    fn drop(&mut self) {
        self.0.set(self.0.get() - 1);
    }
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
        let (done, touched, live) = (Rc::default(), Rc::default(), Rc::default());
        Self { executor, run, signal, waker, done, touched, live }
    }

    /// How a task tells the worker of its connection.
    pub(super) fn link(&self, ticket: Ticket) -> Link {
        Link::new(ticket, Rc::clone(&self.touched))
    }

    /// Starts a task whose answer will come out of [`Tasks::run`]; pieces that it makes after that are `chunked` if the
    /// client understands it. The task ends when what is returned is dropped.
    pub(super) fn spawn(&self, ticket: Ticket, answer: Answer, chunked: bool) -> Task<()> {
        let (done, link) = (Rc::clone(&self.done), self.link(ticket));
        self.spawn_boxed(Box::pin(async move {
            let mut response = Guarded(answer).await;
            let pieces = response.body.take_pieces();
            let outbound = pieces.as_ref().map(|_| Rc::new(RefCell::new(Outbound::new(chunked))));
            done.borrow_mut().push(Done { ticket, response, outbound: outbound.clone() });
            if let Some((pieces, outbound)) = pieces.zip(outbound) {
                drive(pieces, outbound, link).await;
            }
        }))
    }

    /// Does something on the worker's thread that no answer waits for yet, and then has the worker look at the connection.
    pub(super) fn spawn_aside(&self, ticket: Ticket, work: impl Future<Output = ()> + 'static) -> Task<()> {
        let link = self.link(ticket);
        self.spawn_boxed(Box::pin(async move {
            work.await;
            link.touch();
        }))
    }

    /// One type of future for the executor, whose code is compiled for each.
    fn spawn_boxed(&self, work: Pin<Box<dyn Future<Output = ()>>>) -> Task<()> {
        let live = Live::new(&self.live);
        self.executor.spawn(async move {
            let _live = live;
            work.await;
        })
    }

    /// Runs what was woken; false if there was nothing. Nothing but a test when no task lives.
    #[inline]
    pub(super) fn run(&mut self) -> bool {
        if self.live.get() == 0 || !self.signal.woken.swap(false, Ordering::SeqCst) {
            return false;
        }
        let mut context = Context::from_waker(&self.waker);
        // The run never ends; it returns when every task waits, or after a few hundred steps, then woken again.
        let _never = self.run.as_mut().poll(&mut context);
        true
    }

    /// The answers that have become ready.
    pub(super) fn take_done(&self) -> Vec<Done> {
        std::mem::take(&mut *self.done.borrow_mut())
    }

    /// The connections for which there is something besides answers.
    pub(super) fn take_touched(&self) -> Vec<Ticket> {
        std::mem::take(&mut *self.touched.borrow_mut())
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

/// A handler's future, whose panic becomes an answer where panics unwind: the worker has other connections.
struct Guarded(Answer);

impl Future for Guarded {
    type Output = Response;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Response> {
        let poll = AssertUnwindSafe(|| self.0.as_mut().poll(context));
        catch_unwind(poll).unwrap_or_else(|_| Poll::Ready(Response::error(Status::INTERNAL_SERVER_ERROR)))
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
        let answer = Box::pin(async move {
            receiver.recv().await.expect("sender lives");
            Response::text("late")
        });
        let task = tasks.spawn(TICKET, answer, true);
        assert!(tasks.run() && tasks.take_done().is_empty());
        assert!(!tasks.before_sleep(), "the task waits");
        sender.try_send(()).expect("room");
        assert!(tasks.before_sleep(), "the task was woken");
        tasks.after_sleep();
        assert!(tasks.run());
        let done = tasks.take_done();
        assert_eq!(done.len(), 1);
        assert_eq!(done[0].ticket, TICKET);
        assert!(!tasks.before_sleep(), "no task lives");
        drop(task);
    }

    #[test]
    fn a_task_ends_with_its_connection() {
        let mut tasks = Tasks::new(Arc::new(Mailbox::new().expect("eventfd")));
        let task = tasks.spawn(TICKET, Box::pin(std::future::pending()), true);
        tasks.run();
        assert_eq!(tasks.live.get(), 1);
        drop(task);
        tasks.run();
        assert_eq!(tasks.live.get(), 0);
    }
}
