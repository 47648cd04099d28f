use super::*;
use crate::server::BodyError;

fn body(response: &Response) -> String {
    match &response.body {
        Body::Bytes(bytes) => String::from_utf8_lossy(bytes).into_owned(),
        other => panic!("no bytes: {other:?}"),
    }
}

#[test]
fn errors_become_answers() {
    let too_large: Response = Failure::from(BodyError::TooLarge(9)).into();
    assert_eq!(too_large.status(), Status::CONTENT_TOO_LARGE);
    assert_eq!(body(&too_large), "413 Content Too Large: the body is longer than 9 bytes\n");
    let result: Result<Response, Failure> = Err(io::Error::other("the disk's serial number").into());
    let failed = Response::from(result);
    assert_eq!(
        (failed.status(), &*body(&failed)),
        (Status::INTERNAL_SERVER_ERROR, "500 Internal Server Error\n")
    );
}

#[test]
fn a_header_cannot_start_another_or_move_the_end_of_the_body() {
    for (name, value, line) in [
        ("X-\r\nName: ", "a\r\nSet-Cookie: b", "X-Name: aSet-Cookie: b\r\n"),
        ("X-Tab", "ä\tb\u{7f}", "X-Tab: äb\r\n"),
        ("content-length", "1", ""),
        (" Transfer-Encoding\n", "chunked", ""),
        ("Connection", "close", ""),
        (":", "a", ""),
    ] {
        let response = Response::empty().with_header(name, value);
        assert_eq!(String::from_utf8_lossy(&response.extra), line);
    }
    let response = Response::new("text/plain\r\nX: y", "");
    assert_eq!(response.content_type.as_deref(), Some("text/plainX: y"));
}

#[test]
fn events_have_a_line_of_data_for_each_line() {
    let response = Response::events(smol::stream::iter(["one".to_owned(), "two\r\nlines".to_owned()]));
    let Body::Pieces(Pieces(pieces)) = response.body else { panic!("no pieces") };
    let wire: Vec<u8> = smol::block_on(pieces.map(Result::unwrap_or_default).collect::<Vec<_>>()).concat();
    assert_eq!(String::from_utf8_lossy(&wire), "data: one\n\ndata: two\ndata: lines\n\n");
}
