"""Requests with bodies, and answers that are made while they are sent."""

import http.client

from client import Answer, ask, connect, equal, expect_last, filler, get, row

# Many times the deadline of the hasty servers, in seconds.
MANY_DEADLINES = 3


@row("echo-length")
def _():
    connection = connect()
    for length in [0, 5, 1000000]:
        equal(ask(connection, "POST", "/echo", filler(length)).body, filler(length))


@row("echo-chunked")
def _():
    connection = connect()
    for pieces in [[], [b"he", b"llo"], [b"x", filler(700000), filler(299999)]]:
        # An iterable has no length: http.client makes each of its pieces a chunk.
        equal(ask(connection, "POST", "/echo", iter(pieces)).body, b"".join(pieces))


@row("echo-slow")
def _():
    connection = connect()
    connection.putrequest("POST", "/echo")
    connection.putheader("Transfer-Encoding", "chunked")
    connection.endheaders()
    connection.send(b"3\r\none\r\n")
    response = connection.getresponse()
    equal(response.read(3), b"one")
    for piece in [b"and two", b"and three"]:
        connection.send(b"%x\r\n%s\r\n" % (len(piece), piece))
        equal(response.read(len(piece)), piece)
    connection.send(b"0\r\n\r\n")
    equal(response.read(), b"")
    equal(get(connection, "/plaintext").body, b"Hello, World!")


def begin_expecting(server, path, length):
    connection = connect(server)
    connection.putrequest("POST", path)
    connection.putheader("Content-Length", str(length))
    connection.putheader("Expect", "100-continue")
    connection.endheaders()
    return connection


def expect_continue(server, path, body, expected):
    connection = begin_expecting(server, path, len(body))
    # By hand: http.client passes over interim answers when it looks for the answer.
    interim = b"HTTP/1.1 100 Continue\r\n\r\n"
    got = b""
    while len(got) < len(interim) and interim.startswith(got):
        got += connection.sock.recv(len(interim) - len(got))
    equal(got, interim)
    connection.send(body)
    equal(Answer(connection.getresponse()).body, expected)
    equal(get(connection, "/nothing").status, 404)


@row("continue")
def _():
    expect_continue("library", "/length", filler(1000000), b"1000000")


@row("continue/echo")
def _():
    expect_continue("boardd", "/echo", filler(1000000), filler(1000000))


@row("continue/refused")
def _():
    expect_last(Answer(begin_expecting("boardd", "/echo", 32000000).getresponse()), 413)


@row("large-body")
def _():
    connection = connect()
    try:
        connection.request("POST", "/echo", b"x" * 32000000)
    except BrokenPipeError:
        # What the libraries above http.client do: the server has ended the connection, and the answer may be there.
        pass
    expect_last(Answer(connection.getresponse()), 413)


@row("large-body/whole")
def _():
    # What who uses http.client itself does: ask, then look at the answer.
    expect_last(ask(connect(), "POST", "/echo", b"x" * 32000000), 413)


@row("large-body/unwanted")
def _():
    for length in [5, 60000, 1000000]:
        connection = connect()
        answer = ask(connection, "POST", "/json", b"x" * length)
        equal((answer.status, answer.closes), (405, length == 1000000))
        if not answer.closes:
            equal(get(connection, "/json").status, 200)


@row("events")
def _():
    connection, publisher = connect("library"), connect("library")
    connection.request("GET", "/events")
    response = connection.getresponse()
    equal(response.headers.get("content-type"), "text/event-stream")
    for word in ["one", "two"]:
        ask(publisher, "POST", "/publish/" + word)
        equal([response.readline(), response.readline()], [f"data: {word}\n".encode(), b"\n"])
    ask(publisher, "POST", "/publish/end")
    equal(response.read(), b"")


@row("chunked")
def _():
    answer = get(connect("library"), "/letters/20")
    equal(answer.header("transfer-encoding"), "chunked")
    equal(answer.body, b"".join(bytes([97 + at]) * (at * 1000) for at in range(20)))


@row("stalled")
def _():
    connection, other = connect("hasty_library"), connect("hasty_library")
    connection.putrequest("POST", "/watched")
    connection.putheader("Content-Length", "9")
    connection.endheaders(b"half")
    # The handler has it, and waits for more.
    equal(get(other, "/received").body, b"4")
    connection.send(b"more")
    connection.sock.settimeout(MANY_DEADLINES)
    expect_last(Answer(connection.getresponse()), 408)


@row("stalled/echo")
def _():
    connection = connect("hasty")
    connection.putrequest("POST", "/echo")
    connection.putheader("Content-Length", "9")
    connection.endheaders(b"half")
    try:
        raise AssertionError(f"an end of {Answer(connection.getresponse()).body}")
    except http.client.IncompleteRead as error:
        equal(error.partial, b"half")
