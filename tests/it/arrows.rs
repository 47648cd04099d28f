//! The arrows between the modules, the length of files, and who may end the process: held by reading the source.

use std::fs;
use std::path::{Path, PathBuf};

/// Each module of the library and what it may use. A new module needs a row here.
const MAY_USE: [(&str, &[&str]); 9] = [
    ("units", &[]),
    ("board", &["units"]),
    ("tune", &["units", "board"]),
    ("http", &["units"]),
    ("server", &["units", "board", "tune", "http"]),
    ("daemon", &["units", "board", "tune", "http", "server"]),
    ("load", &["units", "http"]),
    ("telemetry", &["units", "board"]),
    ("report", &["units", "load", "board", "tune", "telemetry"]),
];

/// What turns bytes into messages knows no socket, no clock and no runtime.
const NOT_IN_HTTP: [&str; 7] =
    ["smol", "async_io", "rustix", "socket2", "std::net", "Instant::now", "SystemTime::now"];

/// A file that is longer has two subjects.
const MAX_LINES: usize = 300;

struct Source {
    /// Path below src.
    path: PathBuf,
    /// Without lines that are comments.
    code: String,
    lines: usize,
}

impl Source {
    /// The module of the library that the file belongs to; none for lib.rs and the programs.
    fn module(&self) -> Option<String> {
        let first = self.path.iter().next()?.to_str()?;
        let module = first.strip_suffix(".rs").unwrap_or(first);
        (!matches!(module, "lib" | "bin")).then(|| module.to_owned())
    }
}

fn sources() -> Vec<Source> {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut found = Vec::new();
    let mut folders = vec![src.clone()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).expect("src").map(|entry| entry.expect("entry").path()) {
            if entry.is_dir() {
                folders.push(entry);
            } else if entry.extension().is_some_and(|extension| extension == "rs") {
                let text = fs::read_to_string(&entry).expect("UTF-8");
                let code = text.lines().filter(|line| !line.trim_start().starts_with("//"));
                found.push(Source {
                    code: code.collect::<Vec<_>>().join("\n"),
                    lines: text.lines().count(),
                    path: entry.strip_prefix(&src).expect("below src").to_owned(),
                });
            }
        }
    }
    assert!(found.len() > 10, "found only {} files", found.len());
    found
}

fn is_name(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// Where `word` stands as a whole word (or path) in `code`.
fn has_word(code: &str, word: &str) -> bool {
    code.match_indices(word)
        .any(|(at, _)| !code[..at].ends_with(is_name) && !code[at + word.len()..].starts_with(is_name))
}

/// The first names after each `crate::`, `boardkit::` and `super::super::`: `x` of `crate::x::y`, `x` and `z` of
/// `crate::{x::y, z}`.
fn uses(code: &str) -> Vec<&str> {
    let mut names = Vec::new();
    for root in ["crate::", "boardkit::", "super::super::"] {
        for (at, _) in code.match_indices(root).filter(|(at, _)| !code[..*at].ends_with(is_name)) {
            let path = &code[at + root.len()..];
            match path.strip_prefix('{') {
                Some(group) => names.extend(group_names(group)),
                None => names.extend(path.split(|c| !is_name(c)).next()),
            }
        }
    }
    names
}

/// The first name of each path in `a::b, c::{d, e}}`, up to the brace that closes the group.
fn group_names(group: &str) -> Vec<&str> {
    let (mut depth, mut start, mut names) = (0, 0, Vec::new());
    let first_name = |part: &'_ str| part.trim_start().len();
    let mut push = |start: usize, end: usize| {
        let part = &group[start..end];
        let part = &part[part.len() - first_name(part)..];
        names.push(part.split(|c| !is_name(c)).next().unwrap_or_default());
    };
    for (at, c) in group.char_indices() {
        match c {
            '{' => depth += 1,
            '}' if depth == 0 => {
                push(start, at);
                break;
            }
            '}' => depth -= 1,
            ',' if depth == 0 => {
                push(start, at);
                start = at + 1;
            }
            _ => {}
        }
    }
    names
}

/// Uses of other modules that the table does not allow.
fn forbidden<'a>(module: &str, code: &'a str) -> Vec<&'a str> {
    let allowed = MAY_USE.iter().find(|(name, _)| *name == module).map(|(_, allowed)| *allowed);
    let Some(allowed) = allowed else {
        return vec!["(no row in MAY_USE)"];
    };
    let is_module = |name: &&str| MAY_USE.iter().any(|(module, _)| module == name);
    let is_fine = |name: &&str| *name == module || allowed.contains(name);
    uses(code).into_iter().filter(is_module).filter(|name| !is_fine(name)).collect()
}

#[test]
fn modules_use_only_what_the_arrows_allow() {
    for source in sources() {
        let Some(module) = source.module() else { continue };
        let wrong = forbidden(&module, &source.code);
        assert!(wrong.is_empty(), "src/{}: {module} must not use {wrong:?}", source.path.display());
    }
}

#[test]
fn the_protocol_knows_no_socket_no_clock_and_no_runtime() {
    for source in sources().iter().filter(|source| source.module().as_deref() == Some("http")) {
        for word in NOT_IN_HTTP {
            assert!(!has_word(&source.code, word), "src/{}: http must not use {word}", source.path.display());
        }
    }
}

#[test]
fn only_the_programs_end_the_process() {
    for source in sources().iter().filter(|source| !source.path.starts_with("bin")) {
        let path = source.path.display();
        assert!(!source.code.contains("process::exit"), "src/{path}: only src/bin may end the process");
        assert!(!source.code.contains("process::abort"), "src/{path}: only src/bin may end the process");
    }
}

#[test]
fn files_are_short() {
    for Source { path, lines, .. } in sources() {
        assert!(lines <= MAX_LINES, "src/{} has {lines} lines, more than {MAX_LINES}", path.display());
    }
}

#[test]
fn the_search_itself_finds_what_it_should() {
    let code = "use crate::{server::Worker, tune,\n board::{http, x}};\nlet a = crate::load::run();\nmycrate::report::x";
    assert_eq!(uses(code), ["server", "tune", "board", "load"]);
    assert_eq!(forbidden("board", code), ["server", "tune", "load"]);
    assert_eq!(
        forbidden("http", "boardkit::board::X; super::super::tune::y; crate::units::Z"),
        ["board", "tune"]
    );
    assert_eq!(forbidden("new", ""), ["(no row in MAY_USE)"]);
    assert!(has_word("use smol::X;", "smol") && !has_word("let smoll = 1;", "smol"));
}
