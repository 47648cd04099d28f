//! What systemd is told, by a stand-in for its socket.

use std::os::linux::net::SocketAddrExt;
use std::os::unix::net::{SocketAddr, UnixDatagram};
use std::process::Command;

use rustix::process::Signal;
use rustix::time::{ClockId, clock_gettime};

use crate::support::boardctl::TempFile;
use crate::support::boardd::{Boardd, program};
use crate::support::client::HANG;

fn microseconds() -> i64 {
    let now = clock_gettime(ClockId::Monotonic);
    now.tv_sec * 1_000_000 + now.tv_nsec / 1000
}

/// boardd with this socket to tell, and further variables.
fn start(name: &str, variables: &[(&str, &str)]) -> Boardd {
    let mut command = Command::new(program());
    command.args(["serve", "--listen", "127.0.0.1:0", "--workers", "2"]);
    Boardd::spawn({
        command.env("NOTIFY_SOCKET", name).envs(variables.iter().copied());
        command
    })
}

/// The next message.
fn next(socket: &UnixDatagram) -> String {
    let mut bytes = [0; 4096];
    let length = socket.recv(&mut bytes).expect("a message within the time");
    String::from_utf8(bytes[..length].to_vec()).expect("text")
}

/// The next message that is no sign of life.
fn next_state(socket: &UnixDatagram) -> String {
    loop {
        let message = next(socket);
        if message != "WATCHDOG=1" {
            return message;
        }
    }
}

#[test]
fn readiness_signs_of_life_reloading_and_the_end_are_told() {
    let file = TempFile::new("notify");
    let path = file.0.to_str().expect("a plain name").to_owned();
    let name = format!("boardkit-test-{}", std::process::id());
    let abstract_name = SocketAddr::from_abstract_name(&name).expect("short");
    let sockets = [
        (path.clone(), UnixDatagram::bind(&path).expect("a socket file")),
        (format!("@{name}"), UnixDatagram::bind_addr(&abstract_name).expect("a free name")),
    ];
    for (name, socket) in sockets {
        socket.set_read_timeout(Some(HANG)).expect("a socket takes options");
        let server = start(&name, &[("WATCHDOG_USEC", "100000")]);
        let ready = format!("READY=1\nSTATUS=listening on {}; workers: 2", server.address);
        assert_eq!(next(&socket), ready);
        assert_eq!([next(&socket), next(&socket)], ["WATCHDOG=1"; 2]);
        let before = microseconds();
        server.signal(Signal::HUP);
        let reloading = next_state(&socket);
        let time = reloading.strip_prefix("RELOADING=1\nMONOTONIC_USEC=").expect("with the time");
        let time: i64 = time.parse().expect("a number");
        assert!((before..=microseconds()).contains(&time), "{before} {time}");
        assert_eq!(next_state(&socket), ready);
        let mut client = server.connect();
        client.expect_greeting();
        server.terminate();
        assert_eq!(next_state(&socket), "STOPPING=1");
        assert_eq!(next_state(&socket), "STATUS=stopping; open connections: 1");
        client.expect_end();
        assert!(server.wait().0.success());
    }
}

#[test]
fn a_watchdog_that_is_meant_for_another_process_gets_no_sign_of_life() {
    let file = TempFile::new("notify");
    let socket = UnixDatagram::bind(&file.0).expect("a socket file");
    socket.set_read_timeout(Some(HANG)).expect("a socket takes options");
    let server =
        start(file.0.to_str().expect("a plain name"), &[("WATCHDOG_USEC", "1000"), ("WATCHDOG_PID", "1")]);
    assert!(next(&socket).starts_with("READY=1"));
    // Many times as long as the watchdog's time.
    (0..20).for_each(|_| server.expect_alive());
    server.terminate();
    assert_eq!(next(&socket), "STOPPING=1");
}

#[test]
fn a_service_manager_that_is_gone_is_not_missed() {
    let server = start("/nonexistent/notify", &[("WATCHDOG_USEC", "10000")]);
    server.expect_alive();
    server.terminate();
    assert!(server.wait().0.success());
}
