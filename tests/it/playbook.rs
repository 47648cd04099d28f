//! The Ansible playbook that loads from several hosts: two of them that are this one, against the real boardd.

use std::path::Path;
use std::process::{Command, Output};

use serde_json::Value;

use crate::scratch::Scratch;
use crate::support::boardctl::BOARDCTL;
use crate::support::boardd::Boardd;

/// Seconds until the start, more each time: how long a busy machine takes to hear of it is not known.
const LEADS: [u32; 5] = [4, 8, 16, 32, 64];

const INVENTORY: &str = "[generators]\none\nother\n[generators:vars]\nansible_connection=local\n\
                         ansible_python_interpreter=/usr/bin/python3\n";

/// `ansible-playbook` on the playbook with these variables, and what it writes in `folder`.
fn play(folder: &Scratch, variables: &[String]) -> Output {
    let mut command = Command::new("ansible-playbook");
    let playbook = Path::new(env!("CARGO_MANIFEST_DIR")).join("ansible/load.yml");
    command.arg("-i").arg(folder.0.join("inventory.ini")).arg(playbook);
    for variable in variables {
        command.arg("-e").arg(variable);
    }
    for (name, of) in
        [("ANSIBLE_HOME", "home"), ("ANSIBLE_ASYNC_DIR", "jobs"), ("ANSIBLE_REMOTE_TEMP", "remote")]
    {
        command.env(name, folder.0.join(of));
    }
    // Ansible wants a locale with UTF-8, whatever this machine's is.
    command
        .env("LC_ALL", "C.UTF-8")
        .current_dir(&folder.0)
        .output()
        .expect("ansible-playbook: Debian's ansible-core, which ./test installs")
}

#[test]
fn two_hosts_load_at_once_and_their_results_are_added() {
    let (boardd, folder) = (Boardd::start(&[]), Scratch::new());
    folder.write("inventory.ini", INVENTORY.as_bytes());
    let results = folder.0.join("results");
    let attempt = |lead: u32| {
        let variables = [
            format!("url=http://{}/plaintext", boardd.address),
            format!("results={}", results.display()),
            format!("boardctl={BOARDCTL} boardctl_here={BOARDCTL} lead={lead} duration=1 connections=3"),
            r#"{"flags": ["--rate", "100", "-H", "X-Two: two words"]}"#.to_owned(),
        ];
        let output = play(&folder, &variables);
        let said = String::from_utf8_lossy(&[output.stdout.as_slice(), &output.stderr].concat()).into_owned();
        if output.status.success() {
            return true;
        }
        // The host says so itself.
        assert!(said.contains("s away: set the clock right"), "{said}");
        false
    };
    assert!(LEADS.into_iter().any(attempt), "a minute is not enough to tell two hosts of the start");
    let read = |name: &str| -> Value {
        let text = std::fs::read(results.join(name)).expect("a result");
        serde_json::from_slice(&text).expect("JSON")
    };
    let [one, other, all] = ["one.json", "other.json", "all.json"].map(read);
    let count = |report: &Value| report["requests"].as_u64().expect("a count");
    assert_eq!(count(&all), count(&one) + count(&other));
    assert_eq!(
        (all["connections"]["asked"].as_u64(), count(&one) > 0, count(&other) > 0),
        (Some(6), true, true)
    );
    // Both heard of one second, and neither began before it.
    let begun = [&one, &other].map(|report| report["started_unix_s"].as_f64().expect("a time"));
    assert!((begun[0] - begun[1]).abs() < 60.0, "{begun:?}");
    assert!(
        all["merged"]["sequential"] == false || begun[0].floor() != begun[1].floor(),
        "{}",
        all["merged"]
    );
}

#[test]
fn one_host_is_refused() {
    let folder = Scratch::new();
    folder.write("inventory.ini", INVENTORY.replace("other\n", "").as_bytes());
    let output = play(&folder, &["url=http://127.0.0.1:1/".to_owned()]);
    let said = String::from_utf8_lossy(&[output.stdout.as_slice(), &output.stderr].concat()).into_owned();
    assert!(!output.status.success() && said.contains("name two hosts or more"), "{said}");
    assert!(!folder.0.join("results").exists());
}
