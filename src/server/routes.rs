//! Which handler answers which path and method.

mod pattern;

use std::future::Future;
use std::sync::Arc;

use crate::http::{Method, MethodSet};

use super::files::Files;
use super::reply::{Reply, Sent};
use super::request::{OwnedRequest, Request};
use super::response::Response;
use super::tasks::Answer;
pub(super) use pattern::Params;
use pattern::{Segment, matches};

type InPlace = dyn Fn(&Request<'_>, Reply<'_>) -> Sent + Send + Sync;
type Awaiting = dyn Fn(OwnedRequest) -> Answer + Send + Sync;

/// What answers a request.
pub(super) enum Handler {
    /// Called on the worker between two reads: must not wait for anything.
    InPlace(Box<InPlace>),
    /// Becomes a task on the worker's executor.
    Awaiting(Box<Awaiting>),
}

/// What a look-up found.
pub(super) enum Found<'r, 'p> {
    Handler(&'r Handler, Params<'p>),
    /// The path exists, the method does not.
    WrongMethod(MethodSet),
    Nothing,
}

#[derive(Default)]
struct Methods {
    allowed: MethodSet,
    handlers: Vec<(Method, Handler)>,
}

/// The routes of a server: exact paths first, then patterns in the order in which they were added; of those that fit, the
/// first with the request's method.
///
/// A pattern names whole segments of the path in braces: `/keys/{key}` takes `/keys/a`, and neither `/keys/` nor
/// `/keys/a/b`. Paths are compared as they were sent, byte by byte; what a parameter takes is decoded. GET answers HEAD too,
/// OPTIONS is answered for every path from what it has, and another method with 405 and what the path has. What is added
/// twice stays what it was first.
///
/// ```
/// use boardkit::server::{Method, Reply, Request, Routes, Sent, Status};
///
/// fn shelf(request: &Request<'_>, reply: Reply<'_>) -> Sent {
///     let page = request.query_value("page").and_then(|page| page.parse().ok()).unwrap_or(1_u32);
///     reply.text(&format!("shelf {}, page {page}\n", request.param("name").unwrap_or_default()))
/// }
///
/// let routes = Routes::new()
///     .get("/", |_, reply| reply.html("<h1>The shop</h1>"))
///     .get("/shelves/{name}", shelf)
///     .on(Method::Delete, "/shelves/{name}", |_, reply| reply.error(Status::FORBIDDEN));
/// # let _ = routes;
/// ```
#[derive(Default)]
pub struct Routes {
    exact: Vec<(String, Methods)>,
    patterns: Vec<(Vec<Segment>, Methods)>,
    pub(super) files: Option<Files>,
}

impl Routes {
    /// No routes: every path is 404.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Answers GET and HEAD on `pattern` in place: the handler runs on the worker between two reads and must not wait for
    /// anything, as all connections of that worker wait with it.
    ///
    /// # Panics
    /// When the pattern does not start with `/`, or has a brace that is not around a whole segment: a mistake in the
    /// program.
    #[must_use]
    pub fn get<F>(self, pattern: &str, handler: F) -> Self
    where
        F: Fn(&Request<'_>, Reply<'_>) -> Sent + Send + Sync + 'static,
    {
        self.on(Method::Get, pattern, handler)
    }

    /// Answers a method on `pattern` in place, whatever the request's body: it is skipped. A handler that wants the body
    /// awaits it: [`Routes::on_async`].
    ///
    /// # Panics
    /// As [`Routes::get`].
    #[must_use]
    pub fn on<F>(self, method: Method, pattern: &str, handler: F) -> Self
    where
        F: Fn(&Request<'_>, Reply<'_>) -> Sent + Send + Sync + 'static,
    {
        self.add(method, pattern, Handler::InPlace(Box::new(handler)))
    }

    /// Answers GET and HEAD on `pattern` from a future, which stays on the worker that took the request.
    ///
    /// # Panics
    /// As [`Routes::get`].
    #[must_use]
    pub fn get_async<F, A>(self, pattern: &str, handler: F) -> Self
    where
        F: Fn(OwnedRequest) -> A + Send + Sync + 'static,
        A: Future<Output: Into<Response>> + 'static,
    {
        self.on_async(Method::Get, pattern, handler)
    }

    /// Answers POST on `pattern` from a future.
    ///
    /// # Panics
    /// As [`Routes::get`].
    #[must_use]
    pub fn post_async<F, A>(self, pattern: &str, handler: F) -> Self
    where
        F: Fn(OwnedRequest) -> A + Send + Sync + 'static,
        A: Future<Output: Into<Response>> + 'static,
    {
        self.on_async(Method::Post, pattern, handler)
    }

    /// Answers PUT on `pattern` from a future.
    ///
    /// # Panics
    /// As [`Routes::get`].
    #[must_use]
    pub fn put_async<F, A>(self, pattern: &str, handler: F) -> Self
    where
        F: Fn(OwnedRequest) -> A + Send + Sync + 'static,
        A: Future<Output: Into<Response>> + 'static,
    {
        self.on_async(Method::Put, pattern, handler)
    }

    /// Answers DELETE on `pattern` from a future.
    ///
    /// # Panics
    /// As [`Routes::get`].
    #[must_use]
    pub fn delete_async<F, A>(self, pattern: &str, handler: F) -> Self
    where
        F: Fn(OwnedRequest) -> A + Send + Sync + 'static,
        A: Future<Output: Into<Response>> + 'static,
    {
        self.on_async(Method::Delete, pattern, handler)
    }

    /// Answers a method on `pattern` from a future, which stays on the worker that took the request and ends when its
    /// client goes away. It gives a [`Response`], or a `Result` whose error is one too: [`Failure`](super::Failure) is.
    ///
    /// # Panics
    /// As [`Routes::get`].
    #[must_use]
    pub fn on_async<F, A>(self, method: Method, pattern: &str, handler: F) -> Self
    where
        F: Fn(OwnedRequest) -> A + Send + Sync + 'static,
        A: Future<Output: Into<Response>> + 'static,
    {
        let handler = Arc::new(handler);
        let handler = move |request| -> Answer {
            let handler = Arc::clone(&handler);
            // Called inside the task, where a panic is caught.
            Box::pin(async move { handler(request).await.into() })
        };
        self.add(method, pattern, Handler::Awaiting(Box::new(handler)))
    }

    /// Answers GET and HEAD from files, on every path that has no route of its own.
    #[must_use]
    pub fn files(self, files: Files) -> Self {
        Self { files: Some(files), ..self }
    }

    fn add(mut self, method: Method, pattern: &str, handler: Handler) -> Self {
        assert!(pattern.starts_with('/'), "a route starts with a slash: {pattern}");
        let methods = self.methods_of(pattern);
        methods.allowed = methods.allowed.with(method).with(Method::Options);
        if method == Method::Get {
            methods.allowed = methods.allowed.with(Method::Head);
        }
        methods.handlers.push((method, handler));
        self
    }

    fn methods_of(&mut self, pattern: &str) -> &mut Methods {
        if pattern.contains('{') {
            let segments: Vec<_> = pattern.split('/').skip(1).map(Segment::parse).collect();
            return &mut self.patterns.push_mut((segments, Methods::default())).1;
        }
        match self.exact.iter().position(|(known, _)| known == pattern) {
            Some(index) => &mut self.exact[index].1,
            None => &mut self.exact.push_mut((pattern.to_owned(), Methods::default())).1,
        }
    }

    /// Finds what answers this method and path.
    #[inline]
    pub(super) fn find<'r, 'p>(&'r self, method: Method, path: &'p str) -> Found<'r, 'p>
    where
        'r: 'p,
    {
        let mut allowed = MethodSet::default();
        if let Some((_, methods)) = self.exact.iter().find(|(known, _)| known == path) {
            if let Some(handler) = methods.handler(method) {
                return Found::Handler(handler, Params::NONE);
            }
            allowed = methods.allowed;
        }
        for (segments, methods) in &self.patterns {
            if matches(segments, path) {
                if let Some(handler) = methods.handler(method) {
                    return Found::Handler(handler, Params::new(segments, path));
                }
                allowed = allowed.union(methods.allowed);
            }
        }
        if allowed == MethodSet::default() { Found::Nothing } else { Found::WrongMethod(allowed) }
    }

    /// Every method that any path has, for `OPTIONS *`.
    pub(super) fn all_methods(&self) -> MethodSet {
        let exact = self.exact.iter().map(|(_, methods)| methods.allowed);
        exact
            .chain(self.patterns.iter().map(|(_, methods)| methods.allowed))
            .fold(MethodSet::default().with(Method::Options), MethodSet::union)
    }
}

impl Methods {
    #[inline]
    fn handler(&self, method: Method) -> Option<&Handler> {
        let wanted = if method == Method::Head { Method::Get } else { method };
        self.handlers.iter().find(|(known, _)| *known == wanted).map(|(_, handler)| handler)
    }
}

#[cfg(test)]
mod tests;
