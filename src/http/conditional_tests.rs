//! Conditions, alone and together. The dates: what is there changed on 6 November 1994, 08:49:37.

use super::ConditionOutcome::{NotModified, PreconditionFailed, Proceed};
use super::*;

const MODIFIED: u64 = 784_111_777;
const SAME: &str = "Sun, 06 Nov 1994 08:49:37 GMT";
const BEFORE: &str = "Sun, 06 Nov 1994 08:49:36 GMT";
const AFTER: &str = "Sun, 06 Nov 1994 08:49:38 GMT";

const NONE_MATCH: &str = "If-None-Match";
const MATCH: &str = "If-Match";
const MODIFIED_SINCE: &str = "If-Modified-Since";
const UNMODIFIED_SINCE: &str = "If-Unmodified-Since";

type Headers<'a> = [(&'a str, &'a str)];

fn conditions<'a>(etag: &'a str, headers: &Headers<'a>) -> Conditions<'a> {
    let mut conditions = Conditions::new(etag, Some(MODIFIED));
    for (name, value) in headers {
        conditions.see(name, value.as_bytes());
    }
    conditions
}

fn outcome(method: Method, headers: &Headers<'_>) -> ConditionOutcome {
    conditions("\"a,b\"", headers).outcome(method)
}

#[test]
fn none_match_compares_weakly_through_lists() {
    let cases = [
        ("\"a,b\"", NotModified),
        ("W/\"a,b\"", NotModified),
        ("*", NotModified),
        ("\"x\", \"a,b\"", NotModified),
        ("\"x\",W/\"a,b\",\"y\"", NotModified),
        (" , ,\"x\"\t, \"a,b\"", NotModified),
        ("\"a\", \"b\"", Proceed),
        ("\"x\"", Proceed),
        ("\"A,B\"", Proceed),
        ("a,b", Proceed),
        ("\"a,b", Proceed),
        ("'a,b'", Proceed),
        ("w/\"a,b\"", Proceed),
        ("**", Proceed),
        ("", Proceed),
        ("x, \"a,b\"", Proceed),
    ];
    for (value, expected) in cases {
        assert_eq!(outcome(Method::Get, &[(NONE_MATCH, value)]), expected, "{value}");
        assert_eq!(outcome(Method::Head, &[(NONE_MATCH, value)]), expected, "{value}");
        let expected = if expected == NotModified { PreconditionFailed } else { Proceed };
        assert_eq!(outcome(Method::Put, &[(NONE_MATCH, value)]), expected, "{value}");
    }
    let weak = conditions("W/\"x\"", &[(NONE_MATCH, "\"x\"")]);
    assert_eq!(weak.outcome(Method::Get), NotModified);
}

#[test]
fn match_compares_strongly() {
    for (value, expected) in [
        ("\"a,b\"", Proceed),
        ("*", Proceed),
        ("\"x\", \"a,b\"", Proceed),
        ("W/\"a,b\"", PreconditionFailed),
        ("\"x\"", PreconditionFailed),
        ("nonsense", PreconditionFailed),
    ] {
        assert_eq!(outcome(Method::Get, &[(MATCH, value)]), expected, "{value}");
    }
    let weak = conditions("W/\"x\"", &[(MATCH, "W/\"x\"")]);
    assert_eq!(weak.outcome(Method::Get), PreconditionFailed);
}

#[test]
fn dates_count_in_whole_seconds() {
    for (name, value, expected) in [
        (MODIFIED_SINCE, SAME, NotModified),
        (MODIFIED_SINCE, AFTER, NotModified),
        (MODIFIED_SINCE, BEFORE, Proceed),
        (MODIFIED_SINCE, "Sunday, 06-Nov-94 08:49:37 GMT", NotModified),
        (MODIFIED_SINCE, "Sun Nov  6 08:49:37 1994", NotModified),
        (UNMODIFIED_SINCE, SAME, Proceed),
        (UNMODIFIED_SINCE, AFTER, Proceed),
        (UNMODIFIED_SINCE, BEFORE, PreconditionFailed),
    ] {
        assert_eq!(outcome(Method::Get, &[(name, value)]), expected, "{name}: {value}");
    }
    assert_eq!(outcome(Method::Post, &[(MODIFIED_SINCE, SAME)]), Proceed, "only for what reads");
}

#[test]
fn dates_that_are_none_are_ignored() {
    for value in [
        "",
        "0",
        "now",
        "784111777",
        "Sun, 06 Nov 1994",
        "Sun, 32 Nov 1994 08:49:37 GMT",
        "\u{e9}",
        "Sun, 06 Nov 1994 08:49:37 GMT, x",
    ] {
        for name in [MODIFIED_SINCE, UNMODIFIED_SINCE] {
            assert_eq!(outcome(Method::Get, &[(name, value)]), Proceed, "{name}: {value}");
        }
    }
    assert_eq!(
        outcome(Method::Get, &[(MODIFIED_SINCE, SAME), (MODIFIED_SINCE, SAME)]),
        Proceed,
        "one of two"
    );
    let undated = || Conditions::new("\"x\"", None);
    for (name, value) in [(MODIFIED_SINCE, AFTER), (UNMODIFIED_SINCE, BEFORE)] {
        let mut undated = undated();
        undated.see(name, value.as_bytes());
        assert_eq!(undated.outcome(Method::Get), Proceed, "{name}");
    }
}

#[test]
fn tags_win_over_dates_and_match_over_none_match() {
    let (ours, other) = ("\"a,b\"", "\"x\"");
    let cases: [(&Headers<'_>, ConditionOutcome); 9] = [
        (&[(NONE_MATCH, other), (MODIFIED_SINCE, AFTER)], Proceed),
        (&[(MODIFIED_SINCE, BEFORE), (NONE_MATCH, ours)], NotModified),
        (&[(MATCH, ours), (UNMODIFIED_SINCE, BEFORE)], Proceed),
        (&[(UNMODIFIED_SINCE, AFTER), (MATCH, other)], PreconditionFailed),
        (&[(NONE_MATCH, ours), (MATCH, other)], PreconditionFailed),
        (&[(MATCH, ours), (NONE_MATCH, ours)], NotModified),
        (&[(UNMODIFIED_SINCE, SAME), (MODIFIED_SINCE, SAME)], NotModified),
        (&[(NONE_MATCH, other), (NONE_MATCH, ours)], NotModified),
        (&[("if-none-MATCH", ours), (NONE_MATCH, other)], NotModified),
    ];
    for (headers, expected) in cases {
        assert_eq!(outcome(Method::Get, headers), expected, "{headers:?}");
    }
    assert_eq!(outcome(Method::Get, &[("X-If-Match", other), ("Cookie", ours)]), Proceed);
}

#[test]
fn a_range_is_given_only_of_what_the_client_has_the_beginning_of() {
    let range = |method, headers: &Headers<'_>| conditions("\"a,b\"", headers).range(method, 100);
    let part = ByteRange::Part { first: 5, last: 99 };
    let asked = ("Range", "bytes=5-");
    assert_eq!(range(Method::Get, &[asked]), part);
    assert_eq!(range(Method::Head, &[asked]), ByteRange::Whole);
    assert_eq!(range(Method::Get, &[]), ByteRange::Whole);
    assert_eq!(range(Method::Get, &[asked, asked]), ByteRange::Whole);
    for (validator, expected) in [
        ("\"a,b\"", part),
        (SAME, part),
        ("W/\"a,b\"", ByteRange::Whole),
        ("\"x\"", ByteRange::Whole),
        ("\"a,b\", \"x\"", ByteRange::Whole),
        ("*", ByteRange::Whole),
        (BEFORE, ByteRange::Whole),
        (AFTER, ByteRange::Whole),
        ("", ByteRange::Whole),
    ] {
        assert_eq!(range(Method::Get, &[("If-Range", validator), asked]), expected, "{validator}");
        assert_eq!(range(Method::Get, &[asked, ("if-range", validator)]), expected, "{validator}");
    }
    let weak = conditions("W/\"x\"", &[asked, ("If-Range", "W/\"x\"")]);
    assert_eq!(weak.range(Method::Get, 100), ByteRange::Whole);
    let mut undated = Conditions::new("\"x\"", None);
    undated.see("Range", b"bytes=5-");
    undated.see("If-Range", b"no date");
    assert_eq!(undated.range(Method::Get, 100), ByteRange::Whole);
}
