//! Sockets that are passed on, as systemd does for a .socket unit.

use std::fs::File;
use std::net::{TcpListener, UdpSocket};
use std::os::fd::OwnedFd;
use std::process::{Command, Stdio};

use socket2::{Domain, Socket, Type};

use crate::support::boardd::{Boardd, program, until};
use crate::support::client::{Client, GET};

/// boardd with `socket` as descriptor 3 and these variables; `$$` is its process.
fn command(socket: impl Into<OwnedFd>, variables: &str, flags: &str) -> Command {
    let mut command = Command::new("sh");
    let line = format!("exec 3<&0 0</dev/null; {variables} exec \"$0\" serve --workers 2 {flags}");
    command.args(["-c", &line]).arg(program()).stdin(Stdio::from(socket.into())).stderr(Stdio::piped());
    command
}

fn start(listener: &TcpListener, flags: &str) -> Boardd {
    let socket = listener.try_clone().expect("a descriptor");
    Boardd::spawn_as_is(&mut command(socket, "LISTEN_PID=$$ LISTEN_FDS=1 LISTEN_FDNAMES=web", flags))
}

fn listener() -> TcpListener {
    TcpListener::bind("127.0.0.1:0").expect("a free port")
}

#[test]
fn a_passed_socket_is_served_and_outlives_boardd_with_all_who_wait_at_it() {
    let listener = listener();
    let first = start(&listener, "");
    assert_eq!(first.address, listener.local_addr().expect("bound"));
    let mut kept = first.connect();
    kept.expect_greeting();
    first.terminate();
    kept.expect_end();
    let (status, said) = first.wait();
    assert!(status.success(), "{said}");
    // Nobody serves now, and nobody notices.
    let mut waiting: Vec<_> =
        (0..50).map(|_| Client::connect(listener.local_addr().expect("bound"))).collect();
    waiting.iter_mut().for_each(|client| client.send(GET));
    let _second = start(&listener, "");
    for client in &mut waiting {
        assert_eq!(client.answer().text(), "Hello, World!");
    }
}

#[test]
fn a_restart_under_load_loses_no_request() {
    let listener = listener();
    let address = listener.local_addr().expect("bound");
    let mut server = start(&listener, "");
    std::thread::scope(|scope| {
        let asking: Vec<_> = (0..4)
            .map(|_| {
                scope.spawn(move || {
                    for _ in 0..300 {
                        let mut client = Client::connect(address);
                        client.expect_greeting();
                    }
                })
            })
            .collect();
        while !asking.iter().all(std::thread::ScopedJoinHandle::is_finished) {
            let next = start(&listener, "");
            server.terminate();
            assert!(std::mem::replace(&mut server, next).wait().0.success());
        }
    });
}

#[test]
fn what_was_typed_gives_way_and_that_is_said() {
    let server = start(&listener(), "--listen 127.0.0.1:1");
    server.expect_alive();
    server.terminate();
    let (status, said) = server.wait();
    assert!(status.success() && said.contains("--listen is not looked at"), "{said}");
}

#[test]
fn variables_that_are_meant_for_another_process_are_not_looked_at() {
    for variables in ["LISTEN_PID=1 LISTEN_FDS=1", "LISTEN_FDS=1", "LISTEN_PID=$$ LISTEN_FDS=0"] {
        let listener = listener();
        let socket = listener.try_clone().expect("a descriptor");
        let server = Boardd::spawn_as_is(&mut command(socket, variables, "--listen 127.0.0.1:0"));
        assert_ne!(server.address, listener.local_addr().expect("bound"), "{variables}");
        server.expect_alive();
    }
}

#[test]
fn what_cannot_be_served_is_refused_in_one_line() {
    let stream = || Socket::new(Domain::IPV4, Type::STREAM, None).expect("a socket");
    let null = || File::open("/dev/null").expect("it is everywhere");
    let udp = UdpSocket::bind("127.0.0.1:0").expect("loopback");
    let cases: [(OwnedFd, &str, &str); 7] = [
        (stream().into(), "1", "descriptor 3 does not listen"),
        (udp.into(), "1", "descriptor 3 is no stream socket"),
        (null().into(), "1", "descriptor 3 is no stream socket"),
        (listener().into(), "9", "descriptor 4, which is not open"),
        (listener().into(), "x", "LISTEN_FDS=x"),
        (listener().into(), "-1", "LISTEN_FDS=-1"),
        (listener().into(), "4000000000", "LISTEN_FDS=4000000000"),
    ];
    for (socket, count, why) in cases {
        let variables = format!("exec 4<&-; LISTEN_PID=$$ LISTEN_FDS={count}");
        let output = command(socket, &variables, "").output().expect("sh starts");
        let said = String::from_utf8(output.stderr).expect("text");
        assert_eq!((output.status.code(), said.lines().count()), (Some(2), 1), "{why}: {said}");
        assert!(said.contains(why), "{why}: {said}");
    }
}

#[test]
fn a_passed_socket_is_not_held_open_for_programs_that_come_after() {
    let listener = listener();
    let server = start(&listener, "");
    until("it serves", || !server.deal().is_empty());
    let flags =
        std::fs::read_to_string(format!("/proc/{}/fdinfo/3", server.pid().as_raw_pid())).expect("it runs");
    let line = flags.lines().find_map(|line| line.strip_prefix("flags:")).expect("a line flags").trim();
    let flags = u32::from_str_radix(line, 8).expect("octal");
    // O_CLOEXEC and O_NONBLOCK.
    assert_eq!(flags & 0o2_004_000, 0o2_004_000);
}
