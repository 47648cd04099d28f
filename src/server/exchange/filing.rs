//! Requests that no route answers, if there are files.

use std::rc::Rc;
use std::sync::Arc;

use crate::http::{BodyReader, Method, MethodSet, RequestHead};

use super::super::conn::{Conn, Rest};
use super::super::files::{Known, Lookup};
use super::super::flow::body_of;
use super::super::reply::Terms;
use super::super::request::Request;
use super::super::routes::{Found, Params};
use super::Exchange;
use super::answering::no_handler;

impl Exchange {
    /// Answers with a file: from memory if it is at hand, else from a task that has it looked at.
    pub(super) fn answer_file(
        &mut self,
        conn: &mut Conn,
        head: &RequestHead<'_, '_>,
        terms: Terms,
        rest: Rest,
    ) {
        let (Some(cache), Some(files)) = (&self.files, &self.routes.files) else { return };
        if !matches!(head.method, Method::Get | Method::Head) {
            let found = Found::WrongMethod(MethodSet::GET_HEAD_OPTIONS);
            no_handler(&self.routes, head, &found, self.renderer.reply(terms));
            return self.answered_in_place(conn, head, terms, rest);
        }
        let known = cache.borrow_mut().find(head.path, self.tick);
        let known = match known {
            Known::Fresh(entry) => {
                let names = head.headers.iter().map(|header| header.name);
                if let Some(plain) = entry.plain(names) {
                    self.renderer.reply(terms).with_lines(plain.lines).shared(plain.media_type, plain.bytes);
                } else {
                    let headers: Vec<_> =
                        head.headers.iter().map(|header| (header.name, header.value)).collect();
                    self.renderer.reply(terms).response(entry.answer(head.method, &headers), None);
                }
                return self.answered_in_place(conn, head, terms, rest);
            }
            Known::Stale(entry) => Some(entry),
            Known::Unknown => None,
        };
        let lookup =
            Lookup { root: Arc::clone(&files.root), cache: Rc::clone(cache), known, tick: self.tick };
        let (body, arriving) = body_of(&self.tasks, conn.ticket, BodyReader::new(head.framing));
        let request = Request::new(head, Params::NONE, conn.peer).to_owned(body);
        self.begin_task(conn, head, Box::pin(lookup.answer(request)), arriving, terms);
    }
}
