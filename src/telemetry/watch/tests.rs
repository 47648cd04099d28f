use super::*;
use crate::board::tree::Tree;
use crate::telemetry::remote::tests::{answer, serve};
use std::net::TcpListener;
use std::thread;

#[test]
fn a_server_of_this_machine_is_watched_with_it() {
    let listener = TcpListener::bind("127.0.0.1:0").expect("loopback");
    let address = listener.local_addr().expect("bound");
    let mut watch = Watch::start(address, None, None).expect("nothing is asked for over the network");
    let observed = watch.tick();
    assert_eq!(observed.board.as_ref(), Some(&observed.laptop), "laptop and board are one");
    let server = observed.laptop.server.as_ref().expect("this very process listens");
    assert_eq!(server.pid, std::process::id());
    assert!(server.threads >= 2 && server.cpu_s > 0.0, "{server:?}");
    assert!(observed.laptop.held_back.is_some_and(|share| (0.0..=1.0).contains(&share)));
    assert!(observed.laptop.interval_s > 0.0 && observed.laptop.uptime_s > Some(0.0));
    assert!(observed.laptop.others.iter().all(|other| other.pid != std::process::id()));
    let told = watch.describe();
    assert!(told.local && told.link.as_ref().is_some_and(|link| link.loopback));
    assert_eq!(told.server.map(|server| server.pid), Some(std::process::id()));
    assert!(told.board.is_some_and(|facts| facts.get("model").is_some()));
    assert!(!told.missing.iter().any(|line| line.contains("telemetry")), "{:?}", told.missing);
}

#[test]
fn what_is_elsewhere_is_missing_and_how_to_get_it_is_told() {
    let tree = Tree::new(&[]);
    // An address for documents (RFC 5737): no machine has it, and none is asked.
    let address = ([192, 0, 2, 1], 80).into();
    let mut watch = Watch::with_root(tree.root(), address, None, None).expect("nothing is asked for");
    assert_eq!(watch.tick().board, None);
    let told = watch.describe();
    assert!(!told.local && told.board.is_none() && told.server.is_none());
    assert_eq!(told.missing[0], NO_TELEMETRY);
    assert!(told.missing.iter().all(|line| !line.contains('\n')), "{:?}", told.missing);
}

#[test]
fn a_tunnel_is_not_this_machine() {
    let tcp = "h\n 0: 0100007F:1F90 00000000:0000 0A 0:0 0:0 0 0 0 222 1\n";
    let tree =
        Tree::new(&[("proc/net/tcp", tcp.as_bytes()), ("proc/7/comm", b"ssh\n"), ("proc/7/fd/x", b"")]);
    std::os::unix::fs::symlink("socket:[222]", tree.path("proc/7/fd/3")).expect("a link");
    let address = ([127, 0, 0, 1], 8080).into();
    let mut watch = Watch::with_root(tree.root(), address, None, None).expect("nothing is asked for");
    assert_eq!(watch.tick().board, None);
    let told = watch.describe();
    assert!(!told.local && told.server.is_none());
    assert!(told.missing.iter().any(|line| line.contains("held by ssh")), "{:?}", told.missing);
}

#[test]
fn a_board_elsewhere_is_known_by_its_telemetry() {
    let base = serve(|number, head| match (head, number) {
        ("GET /board", _) => answer("200 OK", r#"{"model":"Board 4"}"#),
        // Lost at the seventh sample, and back.
        (_, 8) => answer("503 Service Unavailable", ""),
        _ => answer("200 OK", &format!(r#"{{"interval_s":9999,"uptime_s":{number},"cpu_temp_c":55.5}}"#)),
    });
    let every = Duration::from_millis(1);
    let remote = Remote::start_asking(&base, None, every).expect("it answers");
    let mut watch = Watch::new(SysRoot::live(), ([192, 0, 2, 1], 80).into(), Some(remote));
    let (mut told, mut samples) = (Vec::new(), Vec::new());
    while told.len() < 2 || samples.is_empty() {
        let observed = watch.tick();
        told.extend(observed.news);
        samples.extend(observed.board);
        thread::sleep(every);
    }
    assert!(told[0].contains("is lost") && told[0].contains("503"), "{told:?}");
    assert_eq!(told[1], "the board's telemetry is back");
    assert!(samples.iter().all(|sample| sample.cpu_temp_c == Some(55.5) && sample.uptime_s > Some(2.0)));
    assert!(samples.iter().all(|sample| sample.early), "the test is shorter than an interval: {samples:?}");
    assert!(samples.is_sorted_by(|a, b| a.uptime_s < b.uptime_s), "each once, and in order");
    let told = watch.describe();
    assert_eq!(told.board.expect("facts")["model"], "Board 4");
    assert!(!told.local && told.server.is_none());
    assert!(
        told.missing.iter().any(|line| line.starts_with("the board's load per core")),
        "{:?}",
        told.missing
    );
    assert!(!told.missing.iter().any(|line| line.contains("temperature")), "{:?}", told.missing);
}

#[test]
fn telemetry_of_this_machine_makes_no_other_program_of_the_load_tester() {
    let own = std::process::id();
    let others =
        format!(r#"[{{"pid":{own},"name":"boardctl","cores":0.5}},{{"pid":0,"name":"apt","cores":0.1}}]"#);
    let base = serve(move |number, asked| match asked {
        "GET /board" => answer("200 OK", "{}"),
        _ => answer("200 OK", &format!(r#"{{"interval_s":1,"uptime_s":{number},"others":{others}}}"#)),
    });
    let here = TcpListener::bind("127.0.0.1:0").expect("loopback").local_addr().expect("bound");
    let every = Duration::from_millis(1);
    for (address, expected) in [(here, &["apt"][..]), (([192, 0, 2, 1], 80).into(), &["boardctl", "apt"])] {
        let remote = Remote::start_asking(&base, None, every).expect("it answers");
        let mut watch = Watch::new(SysRoot::live(), address, Some(remote));
        let board = loop {
            if let Some(board) = watch.tick().board {
                break board;
            }
            thread::sleep(every);
        };
        let names: Vec<_> = board.others.iter().map(|other| other.name.as_str()).collect();
        assert_eq!(names, expected, "{address}");
    }
}
