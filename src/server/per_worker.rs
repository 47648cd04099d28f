//! State that handlers change without a lock.

use std::any::Any;
use std::cell::RefCell;
use std::rc::Rc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// A value of which each worker has its own, made on the worker when a handler first asks for it. No lock, no shared cache
/// line; what all workers should agree on belongs elsewhere. In a `static` it stands in a `LazyLock`.
///
/// ```
/// use std::cell::Cell;
/// use boardkit::server::{PerWorker, Routes};
///
/// let visits = PerWorker::new(|| Cell::new(0_u64));
/// let routes = Routes::new().get("/", move |_, reply| {
///     let count = visits.with(|visits| visits.replace(visits.get() + 1));
///     reply.text(&format!("{count} before you, on this core\n"))
/// });
/// # let _ = routes;
/// ```
pub struct PerWorker<T> {
    /// Its place in each worker's list.
    place: usize,
    make: Box<dyn Fn() -> T + Send + Sync>,
}

thread_local! {
    static VALUES: RefCell<Vec<Option<Rc<dyn Any>>>> = const { RefCell::new(Vec::new()) };
}

impl<T: 'static> PerWorker<T> {
    /// A value that each worker makes for itself.
    pub fn new(make: impl Fn() -> T + Send + Sync + 'static) -> Self {
        static NEXT: AtomicUsize = AtomicUsize::new(0);
        Self { place: NEXT.fetch_add(1, Ordering::Relaxed), make: Box::new(make) }
    }

    /// Uses the calling worker's value.
    pub fn with<R>(&self, f: impl FnOnce(&T) -> R) -> R {
        f(&self.mine())
    }

    /// The calling worker's value, for a handler that awaits.
    #[must_use]
    pub fn mine(&self) -> Rc<T> {
        let known = VALUES.with_borrow(|values| values.get(self.place).cloned().flatten());
        let value = known.and_then(|value| value.downcast().ok());
        value.unwrap_or_else(|| self.fill())
    }

    #[cold]
    fn fill(&self) -> Rc<T> {
        // Outside the list: it may ask for other values itself.
        let value = Rc::new((self.make)());
        VALUES.with_borrow_mut(|values| {
            if values.len() <= self.place {
                values.resize(self.place + 1, None);
            }
            values[self.place] = Some(Rc::clone(&value) as Rc<dyn Any>);
        });
        value
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;
    use std::sync::Arc;
    use std::thread;

    #[test]
    fn each_thread_has_its_own() {
        let (count, other) = (Arc::new(PerWorker::new(|| Cell::new(0))), PerWorker::new(|| "other"));
        let add = |count: &PerWorker<Cell<u32>>| count.with(|count| count.replace(count.get() + 1));
        assert_eq!((add(&count), add(&count)), (0, 1));
        let theirs = Arc::clone(&count);
        assert_eq!(thread::spawn(move || (add(&theirs), add(&theirs))).join().expect("no panic"), (0, 1));
        assert_eq!((add(&count), *other.mine()), (2, "other"));
    }
}
