//! Files in, files out: what is no result is refused in one line, and nothing is left half written.

use std::fs;

use crate::scratch::Scratch;
use crate::support::boardctl::{Run, boardctl, command};
use crate::support::scripted::answering;

use super::sample;

/// A folder with a sound result in it.
fn folder() -> Scratch {
    let folder = Scratch::new();
    folder.write("run.json", &serde_json::to_vec(&sample::hot(20, 1.0)).expect("JSON"));
    folder
}

fn report(folder: &Scratch, arguments: &[&str]) -> Run {
    let here = |argument: &&str| match argument.strip_prefix("./") {
        Some(name) => folder.0.join(name).to_str().expect("a plain name").to_owned(),
        None => (*argument).to_owned(),
    };
    let arguments: Vec<String> =
        std::iter::once("report".to_owned()).chain(arguments.iter().map(here)).collect();
    boardctl(&arguments.iter().map(String::as_str).collect::<Vec<_>>())
}

fn names(folder: &Scratch) -> Vec<String> {
    let entries =
        fs::read_dir(&folder.0).expect("a folder").map(|entry| entry.expect("an entry").file_name());
    let mut names: Vec<String> = entries.map(|name| name.to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

#[test]
fn a_page_and_pictures_are_written_where_they_are_wanted() {
    let folder = folder();
    let run = report(
        &folder,
        &["./run.json", "-o", "./page.html", "--svg", "./pictures", "--png", "./pictures", "--narrow"],
    );
    assert_eq!((run.code, run.stderr.as_str()), (0, ""));
    assert_eq!(names(&folder), ["page.html", "pictures", "run.json"]);
    let written =
        run.stdout.lines().filter(|line| fs::metadata(line).is_ok_and(|meta| meta.len() > 1000)).count();
    assert_eq!(written, 7, "{}", run.stdout);
    // Without -o there is no page beside the pictures.
    let only = report(&folder, &["./run.json", "--svg", "./more"]);
    assert_eq!((only.code, only.stdout.lines().count()), (0, 3), "{}", only.stdout);
    let out = report(&folder, &["./run.json", "-o", "/dev/stdout"]);
    assert!(out.code == 0 && out.stdout.starts_with("<!DOCTYPE html>") && out.stdout.ends_with("</html>\n"));
}

#[test]
fn what_is_no_result_is_refused_in_one_line() {
    let folder = folder();
    let whole = fs::read(folder.0.join("run.json")).expect("written");
    let text = String::from_utf8(whole.clone()).expect("JSON is text");
    let with = |from: &str, to: &str| text.replacen(from, to, 1).into_bytes();
    let table: [(&str, Vec<u8>, &str); 9] = [
        ("empty.json", b" \n".to_vec(), "is empty"),
        ("cut.json", whole[..whole.len() / 2].to_vec(), "ends in the middle"),
        ("text.json", b"Running 10s test @ http://x".to_vec(), "is no JSON"),
        ("other.json", b"{\"requests\":3}".to_vec(), "no result of a load"),
        ("array.json", b"[1]".to_vec(), "no result of a load"),
        ("number.json", b"{\"form\":7}".to_vec(), "no result of a load"),
        ("compare.json", with("boardkit-run-1", "boardkit-compare-1"), "of the form `boardkit-compare-1`"),
        ("type.json", with("\"requests\":", "\"requests\":\"x\",\"was\":"), "not as boardctl writes it"),
        ("histogram.json", with("\"latency\":\"", "\"latency\":\"broken"), "latencies"),
    ];
    for (name, content, expected) in table {
        folder.write(name, &content);
        let path = format!("./{name}");
        let run = report(&folder, &["./run.json", &path, "-o", "./page.html"]);
        assert_eq!(
            (run.code, run.stdout.as_str(), run.stderr.lines().count()),
            (2, "", 1),
            "{name}: {}",
            run.stderr
        );
        let stem = name.trim_end_matches(".json");
        assert!(run.stderr.contains(stem) && run.stderr.contains(expected), "{name}: {}", run.stderr);
        assert!(!folder.0.join("page.html").exists(), "{name}: nothing is written");
    }
}

#[test]
fn what_cannot_be_read_or_written_is_named() {
    let folder = folder();
    let before = fs::read(folder.0.join("run.json")).expect("written");
    folder.write("file", b"");
    for (arguments, expected) in [
        (&["./missing.json"][..], "missing.json"),
        (&["./run.json", "-o", "./run.json"], "give the page another name"),
        (&["./run.json", "-o", "./file/page.html"], "file"),
        (&["./run.json", "-o", "./none/page.html"], "there is no folder"),
        (&["./run.json", "--svg", "./none/pictures"], "there is no folder"),
        (&["./run.json", "--png", "./file"], "file"),
        (&["-", "-"], "name it once"),
        (&["-"], "standard input is empty"),
        (&["./run.json", "--dark"], "--png"),
        (&["./run.json", "--narrow"], "--svg"),
        (&[], "RUN.JSON"),
    ] {
        let run = report(&folder, arguments);
        assert_eq!((run.code, run.stderr.lines().count()), (2, 1), "{arguments:?}: {}", run.stderr);
        assert!(run.stderr.contains(expected), "{arguments:?}: {}", run.stderr);
    }
    assert_eq!(fs::read(folder.0.join("run.json")).expect("still there"), before);
    assert_eq!(names(&folder), ["file", "run.json"]);
}

#[test]
fn a_page_goes_from_standard_input_to_standard_output() {
    let folder = folder();
    let input = fs::File::open(folder.0.join("run.json")).expect("written");
    let mut command = command(&["report", "-", "-o", "-", "--svg", "new"]);
    let output = command.current_dir(&folder.0).stdin(input).output().expect("boardctl starts");
    let page = String::from_utf8(output.stdout).expect("text");
    assert!(output.status.success() && page.starts_with("<!DOCTYPE html>") && page.ends_with("</html>\n"));
    assert_eq!(names(&folder), ["new", "run.json"]);
}

#[test]
fn what_a_header_and_a_body_hold_is_in_no_result() {
    let server = answering("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
    let (folder, url) = (Scratch::new(), format!("http://{server}/"));
    for (name, secrets) in [
        ("one", &["-H", "Authorization: Bearer SECRET", "--body", "SECRET"][..]),
        ("other", &["-HAuthorization: SECRET", "--header=Cookie: SECRET", "--body=SECRET"][..]),
    ] {
        let file = format!("{name}.json");
        let mut command = command(&["load", "-d", "1200ms", "-c", "1", "--json", &file, &url]);
        let output = command.args(secrets).current_dir(&folder.0).output().expect("boardctl starts");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }
    for arguments in [
        &["merge", "one.json", "other.json", "--sequential", "--force", "--json", "sum.json"][..],
        &["report", "one.json", "other.json"],
    ] {
        let output = command(arguments).current_dir(&folder.0).output().expect("boardctl starts");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }
    for name in names(&folder) {
        let text = fs::read_to_string(folder.0.join(&name)).expect("text");
        assert!(!text.contains("SECRET"), "{name}");
        assert!(
            name == "sum.json" || text.contains("Authorization: …"),
            "{name} has the rest of the command"
        );
    }
    assert_eq!(names(&folder).len(), 4);
}

#[test]
fn the_result_of_a_trial_makes_a_page() {
    let folder = Scratch::new();
    let path = folder.0.join("try.json");
    let path = path.to_str().expect("a plain name");
    assert_eq!(boardctl(&["try", "--duration", "300ms", "-c", "4", "--json", path]).code, 0);
    let run = report(&folder, &["./try.json", "-o", "./try.html"]);
    assert_eq!((run.code, run.stderr.as_str()), (0, ""));
    let page = fs::read_to_string(folder.0.join("try.html")).expect("written");
    assert!(page.contains("<h1>Load test of") && page.contains("Latency by percentile"));
}
