//! What is not a comparison is said in one line.

use crate::support::boardctl::{boardctl, expect_usage_errors};

#[test]
fn wrong_usage_is_named_in_one_line() {
    let (a, b) = ("a=http://127.0.0.1:1/", "b=http://127.0.0.1:1/");
    let long = format!("{}=http://127.0.0.1:1/", "n".repeat(25));
    let cases: &[(&[&str], &str)] = &[
        (&["compare"], "<NAME=URL>"),
        (&["compare", a], "at least two servers"),
        (&["compare", a, a], "two servers are called a"),
        (&["compare", a, "http://127.0.0.1:1/?x=y"], "must be NAME=URL"),
        (&["compare", a, "=http://127.0.0.1:1/"], "must be NAME=URL"),
        (&["compare", a, "b|c=http://127.0.0.1:1/"], "must be NAME=URL"),
        (&["compare", a, &long], "longer than 24"),
        (&["compare", a, "b=https://board/"], "https is not supported"),
        (&["compare", a, b, "--rounds", "9"], "must be at least 10"),
        (&["compare", a, b, "--rounds", "many"], "--rounds"),
        (&["compare", a, b, "--rounds", "100001"], "from 10 to 100000"),
        (&["compare", a, b, "--json", "/tmp/one", "--markdown", "/tmp/./../tmp/one"], "two different files"),
        (&["compare", a, b, "-d", "0s"], "--duration"),
        (&["compare", a, b, "--seed", "x"], "--seed"),
        (&["compare", a, b, "--rate", "10..20"], "too short for a ramp"),
        (&["compare", a, b, "--rate", "max"], "--rate max"),
        (&["compare", a, b, "--json", "/does/not/exist/c.json"], "--json"),
        (&["compare", a, b, "--markdown", "/does/not/exist/c.md"], "--markdown"),
        (&["compare", a, b, "-H", "no colon"], "--header"),
    ];
    expect_usage_errors(cases);
}

#[test]
fn help_says_what_the_flags_of_a_load_mean_here() {
    let run = boardctl(&["compare", "--help"]);
    assert_eq!(run.code, 0);
    for said in
        ["in a round, such as 500ms [default: 175ms]", "before the first round [default: 1s]", "Examples:"]
    {
        let one_line = run.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(one_line.contains(said), "no {said:?} in {}", run.stdout);
    }
}
