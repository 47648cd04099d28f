//! The fuzzer's corpora, replayed: what it found once must never come back.

use std::fs;
use std::panic::catch_unwind;
use std::path::Path;

#[path = "../../fuzz/src/lib.rs"]
#[expect(unreachable_pub, reason = "it is a library to the fuzzer")]
mod checks;

/// Calls `check` with every file of a corpus and names those that fail.
fn replay(target: &str, check: fn(&[u8])) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz/corpus").join(target);
    let mut files: Vec<_> =
        fs::read_dir(&folder).expect("a corpus").map(|file| file.expect("file").path()).collect();
    files.sort();
    assert!(files.len() >= 20, "only {} files in {}", files.len(), folder.display());
    let fails = |file: &std::path::PathBuf| {
        let bytes = fs::read(file).expect("readable");
        catch_unwind(|| check(&bytes)).is_err()
    };
    let failing: Vec<_> = files.into_iter().filter(fails).collect();
    assert!(failing.is_empty(), "{failing:?}");
}

/// The version of a package in a Cargo.lock.
fn locked(lock: &str, name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(lock);
    let text = fs::read_to_string(path).expect("a lock file");
    let (_, rest) = text.split_once(&format!("name = \"{name}\"\nversion = \"")).expect("it depends on that");
    rest.split('"').next().expect("a version").to_owned()
}

#[test]
fn what_is_fuzzed_is_what_ships() {
    for parser in ["httparse", "httpdate"] {
        let fuzzed = locked("fuzz/Cargo.lock", parser);
        assert_eq!(
            fuzzed,
            locked("Cargo.lock", parser),
            "{parser}: run `cargo update` in fuzz/ with that version"
        );
    }
}

#[test]
fn heads() {
    replay("head", checks::head::check);
}

#[test]
fn chunked_bodies() {
    replay("chunked", checks::chunked::check);
}

#[test]
fn queries() {
    replay("query", checks::query::check);
}

#[test]
fn ranges() {
    replay("range", checks::range::check);
}

#[test]
fn paths() {
    replay("path", checks::path::check);
}
