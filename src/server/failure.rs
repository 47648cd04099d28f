//! Why a handler has no better answer.

use std::io;

use crate::http::Status;

use super::flow::BodyError;
use super::log::{Level, say};
use super::pool::Refused;
use super::response::Response;

/// Why a handler that awaits has no better answer, so that `?` works in it: each kind of error with its status.
///
/// ```
/// use boardkit::server::{Failure, OwnedRequest, Response, Status, blocking};
///
/// async fn note(request: OwnedRequest) -> Result<Response, Failure> {
///     let number: u32 = request.param("number").and_then(|text| text.parse().ok()).ok_or(Status::BAD_REQUEST)?;
///     // Two `?`: no thread had time for it, 503; the file could not be read, 404 or 500.
///     let text = blocking(move || std::fs::read_to_string(format!("notes/{number}.txt"))).await??;
///     Ok(Response::text(text))
/// }
/// # let _ = boardkit::server::Routes::new().get_async("/notes/{number}", note);
/// ```
#[derive(Debug)]
pub struct Failure(Response);

impl From<BodyError> for Failure {
    /// 413, 400 or 408, and the connection ends.
    fn from(error: BodyError) -> Self {
        let status = match error {
            BodyError::TooLarge(_) => Status::CONTENT_TOO_LARGE,
            BodyError::Malformed | BodyError::Ended => Status::BAD_REQUEST,
            BodyError::Late => Status::REQUEST_TIMEOUT,
        };
        let text = format!("{}: {error}\n", status.text());
        Self(Response::text(text).with_status(status).as_last())
    }
}

impl From<Refused> for Failure {
    /// 503 with Retry-After.
    fn from(refused: Refused) -> Self {
        Self(refused.response())
    }
}

impl From<io::Error> for Failure {
    /// 404 for a file that is not there, else 500. What went wrong is nobody's business outside: the server's log has it.
    fn from(error: io::Error) -> Self {
        if error.kind() == io::ErrorKind::NotFound {
            return Status::NOT_FOUND.into();
        }
        say(Level::Error, "a handler failed", &error.to_string());
        Status::INTERNAL_SERVER_ERROR.into()
    }
}

impl From<Status> for Failure {
    /// [`Response::error`].
    fn from(status: Status) -> Self {
        Self(Response::error(status))
    }
}

impl From<Response> for Failure {
    /// That answer.
    fn from(response: Response) -> Self {
        Self(response)
    }
}

impl From<Failure> for Response {
    fn from(failure: Failure) -> Self {
        failure.0
    }
}
