//! The README against the programs: every flag that it names is in a help text, every file that it links is there.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn readme() -> String {
    fs::read_to_string(root().join("README.md")).expect("README.md")
}

/// The program of that name: the boardd that ships where the environment says which, else the one that cargo built.
fn program(name: &str) -> PathBuf {
    match name {
        "boardd" => std::env::var_os("BOARDD").map_or(env!("CARGO_BIN_EXE_boardd").into(), PathBuf::from),
        _ => env!("CARGO_BIN_EXE_boardctl").into(),
    }
}

/// What `<program> [verb] --help` prints; a verb that is unknown has no help.
fn help(name: &str, verb: Option<&str>) -> String {
    let output = Command::new(program(name)).args(verb).arg("--help").output().expect("the program starts");
    if output.status.success() { String::from_utf8_lossy(&output.stdout).into_owned() } else { String::new() }
}

/// A command of ours as the README writes it: program, verb and flags.
#[derive(Debug, PartialEq)]
struct Usage<'a> {
    program: &'a str,
    verb: Option<&'a str>,
    flags: Vec<&'a str>,
}

/// All code in a Markdown text: fenced blocks line by line, and spans between single backticks.
fn code(markdown: &str) -> Vec<&str> {
    let (mut found, mut fenced) = (Vec::new(), false);
    for line in markdown.lines() {
        if line.trim_start().starts_with("```") {
            fenced = !fenced;
        } else if fenced {
            found.push(line.trim());
        } else {
            found.extend(line.split('`').skip(1).step_by(2));
        }
    }
    found
}

/// The command in one piece of code, if it runs one of our programs; `cargo run … -- ` runs boardctl, and with `--example`
/// what has boardd's flags.
fn usage(code: &str) -> Option<Usage<'_>> {
    let code = code.split(" #").next()?.trim_start_matches("$ ");
    let mut words = code.split_whitespace();
    let first = words.next()?.rsplit('/').next()?;
    let program = match first {
        "boardd" | "boardctl" => first,
        "cargo" if words.next() == Some("run") => {
            let of_cargo: Vec<&str> = words.by_ref().take_while(|word| *word != "--").collect();
            if of_cargo.contains(&"--example") { "boardd" } else { "boardctl" }
        }
        _ => return None,
    };
    let rest: Vec<&str> = words.collect();
    let verb = rest.first().copied().filter(|word| !word.starts_with('-'));
    Some(Usage { program, verb, flags: rest.into_iter().filter_map(flag).collect() })
}

/// The flag at the start of `--workers`, `[--workers`, `--duration=3s`, `--duration 3s` or `-c`.
fn flag(word: &str) -> Option<&str> {
    let word = word.trim_start_matches('[');
    let name = word.split(['=', ']', ',', ' ']).next()?;
    let letters = name.trim_start_matches('-');
    (letters.len() < name.len() && letters.starts_with(char::is_alphabetic)).then_some(name)
}

fn names_flag(help: &str, flag: &str) -> bool {
    help.split(|c: char| !(c.is_alphanumeric() || c == '-')).any(|word| word == flag)
}

#[test]
fn every_flag_in_the_readme_is_in_the_help() {
    let text = readme();
    let usages: Vec<Usage<'_>> = code(&text).into_iter().filter_map(usage).collect();
    assert!(usages.iter().any(|usage| usage.verb == Some("try")), "the README shows `try`");
    let mut all_help = help("boardd", None) + &help("boardctl", None);
    for Usage { program, verb, flags } in &usages {
        let help = help(program, *verb);
        let command = [program, verb.unwrap_or_default()].join(" ");
        assert!(!help.is_empty(), "README names `{command}`, which has no help");
        for flag in flags {
            assert!(
                names_flag(&help, flag),
                "README names `{command} {flag}`, which its help does not:\n{help}"
            );
        }
        all_help.push_str(&help);
    }
    for flag in code(&text).into_iter().filter(|code| code.starts_with('-')).filter_map(flag) {
        assert!(names_flag(&all_help, flag), "README names `{flag}`, which no help does");
    }
}

#[test]
fn every_file_that_is_linked_is_there() {
    for markdown in ["README.md", "CONTRIBUTING.md", "CHANGELOG.md"] {
        let text = fs::read_to_string(root().join(markdown)).expect(markdown);
        let links = text.split("](").skip(1).filter_map(|rest| rest.split([')', '#']).next());
        for link in links.filter(|link| !link.is_empty() && !link.contains("://")) {
            assert!(root().join(link).exists(), "{markdown} links {link}, which is not there");
        }
    }
}

#[test]
fn the_server_of_your_own_is_the_example() {
    let text = readme();
    let quoted = text.split("```rust\n").nth(1).and_then(|rest| rest.split("```").next()).expect("a quote");
    let file = fs::read_to_string(root().join("examples/thermometer.rs")).expect("the example");
    let code = file.split_once("\n\n").expect("its comment ends").1;
    assert_eq!(quoted, code);
}

#[test]
fn the_search_itself_finds_commands_and_flags() {
    let text = "Run `boardd serve --listen 0.0.0.0:8080 [--workers 2]`.\n```sh\n$ cargo run --release -- try --json=x # -z\n\
                cargo build --bin boardd\ncargo run --example own -- serve --drain 5\n```\n";
    let usages: Vec<Usage<'_>> = code(text).into_iter().filter_map(usage).collect();
    assert_eq!(
        usages,
        [
            Usage { program: "boardd", verb: Some("serve"), flags: vec!["--listen", "--workers"] },
            Usage { program: "boardctl", verb: Some("try"), flags: vec!["--json"] },
            Usage { program: "boardd", verb: Some("serve"), flags: vec!["--drain"] },
        ]
    );
    assert!(names_flag("  -d, --duration <TIME>", "--duration") && !names_flag("--durations", "--duration"));
}
