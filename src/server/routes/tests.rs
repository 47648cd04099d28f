use std::borrow::Cow;

use super::*;

fn routes() -> Routes {
    Routes::new()
        .get("/", |_, reply| reply.text("root"))
        .get("/a/{x}/b/{y}", |_, reply| reply.text("pattern"))
        .get("/a/x/b/exact", |_, reply| reply.text("exact"))
}

fn params<'p>(routes: &'p Routes, path: &'p str) -> Option<Vec<(&'p str, Cow<'p, str>)>> {
    match routes.find(Method::Get, path) {
        Found::Handler(_, params) => Some(params.iter().collect()),
        _ => None,
    }
}

#[test]
fn exact_paths_win_over_patterns() {
    let routes = routes();
    assert_eq!(params(&routes, "/"), Some(vec![]));
    assert_eq!(params(&routes, "/a/x/b/exact"), Some(vec![]));
    assert_eq!(params(&routes, "/a/1/b/2"), Some(vec![("x", "1".into()), ("y", "2".into())]));
    assert_eq!(
        params(&routes, "/a/%2f%252f/b/+"),
        Some(vec![("x", "/%2f".into()), ("y", "+".into())]),
        "once"
    );
    for path in ["/a/1/b/", "/a/1/b", "/a/1/b/2/", "/a//b/2", "/x", "*", ""] {
        assert_eq!(params(&routes, path), None, "{path}");
    }
}

#[test]
fn get_answers_head_and_the_rest_is_not_allowed() {
    let routes = routes();
    assert!(matches!(routes.find(Method::Head, "/"), Found::Handler(..)));
    match routes.find(Method::Post, "/") {
        Found::WrongMethod(allowed) => assert_eq!(allowed.allow(), "GET, HEAD, OPTIONS"),
        _ => panic!("POST has no handler"),
    }
    assert_eq!(routes.all_methods().allow(), "GET, HEAD, OPTIONS");
}

#[test]
fn methods_of_a_path_may_come_from_several_routes() {
    let routes = Routes::new()
        .get("/keys/{key}", |_, reply| reply.text("got"))
        .on(Method::Put, "/keys/{name}", |_, reply| reply.text("put"))
        .on(Method::Post, "/keys/first", |_, reply| reply.text("posted"));
    let names = |method, path| match routes.find(method, path) {
        Found::Handler(_, params) => params.iter().map(|(name, _)| name.to_owned()).collect(),
        _ => vec!["none".to_owned()],
    };
    assert_eq!(
        (names(Method::Get, "/keys/a"), names(Method::Put, "/keys/a")),
        (vec!["key".into()], vec!["name".into()])
    );
    assert_eq!(
        (names(Method::Post, "/keys/first"), names(Method::Put, "/keys/first")),
        (vec![], vec!["name".into()])
    );
    let allowed = |path| match routes.find(Method::Delete, path) {
        Found::WrongMethod(allowed) => allowed.allow(),
        _ => String::new(),
    };
    assert_eq!(allowed("/keys/a"), "GET, HEAD, PUT, OPTIONS");
    assert_eq!(allowed("/keys/first"), "GET, HEAD, POST, PUT, OPTIONS");
    assert_eq!(allowed("/keys"), "");
}

#[test]
#[should_panic(expected = "a parameter is a whole segment")]
fn a_parameter_in_the_middle_of_a_segment_is_a_mistake() {
    let _ = Routes::new().get("/files/{name}.json", |_, reply| reply.empty());
}
