use std::net::{TcpListener, TcpStream, UdpSocket};
use std::os::unix::net::UnixListener;
use std::time::Duration;

use super::*;

fn address(text: &str) -> SocketAddr {
    text.parse().expect("address")
}

fn bind(text: &str) -> Listener {
    Listener::bind(address(text), true, 16).expect("loopback")
}

#[test]
fn only_a_broken_listener_is_broken() {
    for error in [Errno::CONNABORTED, Errno::INTR, Errno::PROTO, Errno::NETDOWN, Errno::HOSTUNREACH] {
        assert!(matches!(Accepted::of(error), Accepted::Again), "{error}");
    }
    for error in [Errno::MFILE, Errno::NFILE, Errno::NOMEM, Errno::NOBUFS] {
        assert!(matches!(Accepted::of(error), Accepted::Exhausted(_)), "{error}");
    }
    assert!(matches!(Accepted::of(Errno::AGAIN), Accepted::Empty));
    assert!(matches!(Accepted::of(Errno::BADF), Accepted::Broken(_)));
}

#[test]
fn a_free_port_is_found_and_nobody_waits() {
    let listener = bind("127.0.0.1:0");
    assert_ne!(listener.address().port(), 0);
    assert!(matches!(listener.accept(), Accepted::Empty));
}

#[test]
fn both_families_share_a_port_when_both_are_asked_for() {
    // Taken for IPv4 first, so that the number is free for both more often than not.
    let port = bind("0.0.0.0:0").address().port();
    let both = [address(&format!("[::]:{port}")), address(&format!("0.0.0.0:{port}"))];
    let Ok(listeners) = Listener::bind_all(&both, 16) else { return no_ipv6() };
    for (index, to) in ["[::1]", "127.0.0.1"].iter().enumerate() {
        let client = TcpStream::connect(format!("{to}:{port}")).expect("both listen");
        let Accepted::Connection(_, peer) = listeners[index].accept() else { panic!("{to} waits elsewhere") };
        assert_eq!(peer, client.local_addr().expect("connected"));
    }
}

#[test]
fn the_ipv6_wildcard_alone_takes_ipv4_clients_under_their_own_address() {
    let Ok(listeners) = Listener::bind_all(&[address("[::]:0")], 16) else { return no_ipv6() };
    let client = TcpStream::connect(("127.0.0.1", listeners[0].address().port())).expect("dual stack");
    let Accepted::Connection(_, peer) = listeners[0].accept() else { panic!("nobody waits") };
    assert_eq!(peer, client.local_addr().expect("connected"));
}

/// Fails the test unless it is the machine that has no IPv6.
fn no_ipv6() {
    TcpListener::bind("[::1]:0").expect_err("IPv6 works for others");
}

#[test]
fn what_is_passed_must_be_a_tcp_socket_that_listens() {
    let socket = || Socket::new(Domain::IPV4, Type::STREAM, None).expect("a socket");
    let dir = std::env::temp_dir().join(format!("boardkit-passed-{}", std::process::id()));
    let unix = UnixListener::bind(&dir).expect("a socket file");
    let udp = UdpSocket::bind("127.0.0.1:0").expect("loopback");
    let file = std::fs::File::open("/dev/null").expect("it is everywhere");
    let cases: [(OwnedFd, &str); 4] = [
        (socket().into(), "does not listen"),
        (unix.into(), "no IPv4 or IPv6"),
        (udp.into(), "no stream socket"),
        (file.into(), "no stream socket"),
    ];
    let _ = std::fs::remove_file(dir);
    for (passed, why) in cases {
        let error = Listener::passed(passed, 16).expect_err(why).to_string();
        assert!(error.contains(why), "{why}: {error}");
    }
}

#[test]
fn a_passed_socket_is_served_as_ours_are_and_never_shut() {
    let theirs = TcpListener::bind("127.0.0.1:0").expect("loopback");
    let ours = Listener::passed(theirs.try_clone().expect("a descriptor").into(), 16).expect("it listens");
    assert_eq!(ours.address(), theirs.local_addr().expect("bound"));
    assert!(matches!(ours.accept(), Accepted::Empty), "it must not block");
    ours.turn_away();
    ours.bar();
    ours.shut();
    drop(TcpStream::connect(ours.address()).expect("they still listen"));
    assert!(matches!(ours.accept(), Accepted::Connection(..)));
}

#[test]
fn who_waits_when_new_ones_are_turned_away_is_still_taken_and_then_everybody_refused() {
    let listener = bind("127.0.0.1:0");
    let connect = || TcpStream::connect_timeout(&listener.address(), Duration::from_millis(50));
    let _waiting = connect().expect("it listens");
    listener.turn_away();
    connect().expect_err("its packets are dropped");
    listener.bar();
    assert!(matches!(listener.accept(), Accepted::Connection(..)));
    assert!(matches!(listener.accept(), Accepted::Empty));
    listener.shut();
    assert_eq!(connect().expect_err("it is shut").kind(), io::ErrorKind::ConnectionRefused);
    assert!(matches!(listener.accept(), Accepted::Broken(_)));
}
