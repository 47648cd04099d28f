"""Requests without bodies, and what connections do between them."""

import json
import os
import signal
import threading
import urllib.parse

from client import SERVERS, Answer, ask, connect, equal, expect_last, filler, get, row


@row("kept")
def _():
    connection = connect("library")
    ports = [get(connection, "/port").body for _ in range(3)]
    ports.append(str(connection.sock.getsockname()[1]).encode())
    equal(ports, ports[:1] * 4)
    connection = connect()
    for _ in range(3):
        equal(get(connection, "/plaintext").body, b"Hello, World!")
        equal(ask(connection, "POST", "/echo", b"sent back").body, b"sent back")


@row("head")
def _():
    connection = connect()
    for path, status, length in [("/json", 200, "27"), ("/bytes/1000000", 200, "1000000"), ("/nothing", 404, "14")]:
        answer = ask(connection, "HEAD", path)
        equal((answer.status, answer.header("content-length"), answer.body), (status, length, b""))
    connection = connect("library")
    equal(ask(connection, "HEAD", "/letters/20").header("transfer-encoding"), "chunked")
    equal(get(connection, "/page.html").status, 200)


@row("errors")
def _():
    connection = connect()
    for method, path, status in [
        ("GET", "/nothing", 404), ("GET", "/bytes/many", 400), ("DELETE", "/json", 405), ("BREW", "/json", 501),
        ("OPTIONS", "/json", 204), ("GET", "/json", 200),
    ]:
        answer = ask(connection, method, path)
        equal((answer.status, answer.closes), (status, False))
        equal(answer.header("allow"), "GET, HEAD, OPTIONS" if status in (405, 204) else None)


@row("errors/400")
def _():
    for headers in [
        [], [("Host", "a"), ("Host", "b")], [("Host", "a b")], [("Host", "a"), ("Content-Length", "5"), ("Content-Length", "6")],
        [("Host", "a"), ("Content-Length", "5"), ("Transfer-Encoding", "chunked")], [("Host", "a"), ("X ", "y")],
    ]:
        connection = connect()
        connection.putrequest("POST", "/echo", skip_host=True)
        for name, value in headers:
            # putheader refuses some of these names itself.
            connection._buffer.append(f"{name}: {value}".encode())
        connection.endheaders()
        expect_last(Answer(connection.getresponse()), 400)


@row("query")
def _():
    query = urllib.parse.urlencode({"name": '<b>Jürgen + Co & "x"</b>', "x": "%41"}) + "&broken=%zz"
    page = get(connect(), "/hello?" + query).body.decode()
    for line in [
        "<dt>name<dd>&lt;b&gt;Jürgen + Co &amp; &quot;x&quot;&lt;/b&gt;\n", "<dt>x<dd>%41\n", "<dt>broken<dd>%zz\n"
    ]:
        equal(line in page, True)


@row("bytes")
def _():
    connection = connect()
    for length in [0, 1, 4096, 65537, 1000000]:
        equal(get(connection, f"/bytes/{length}").body, filler(length))


@row("json")
def _():
    answer = get(connect(), "/json")
    equal(answer.header("content-type"), "application/json")
    equal(json.loads(answer.body), {"message": "Hello, World!"})


@row("large-head")
def _():
    for headers in [{"X": "y" * 17000}, {"X": "y" * 70000}, {f"X{number}": "y" for number in range(200)}]:
        expect_last(get(connect(), "/", headers), 431)


@row("long-target")
def _():
    for length in [8192, 70000]:
        expect_last(get(connect(), "/" + "a" * length), 414)


@row("close")
def _():
    connection = connect()
    answer = get(connection, "/json", {"Connection": "close"})
    equal((answer.status, answer.header("connection"), connection.sock), (200, "close", None))


def old(server="boardd"):
    """A connection that speaks HTTP/1.0."""
    connection = connect(server)
    connection._http_vsn, connection._http_vsn_str = 10, "HTTP/1.0"
    return connection


@row("http-1.0")
def _():
    equal(get(old(), "/bytes/5").closes, True)
    answer = get(old("library"), "/letters/4")
    equal((answer.header("transfer-encoding"), len(answer.body), answer.closes), (None, 6000, True))
    equal(ask(old(), "POST", "/echo", b"hello").body, b"hello")


@row("http-1.0-kept")
def _():
    connection = old("library")
    answers = [get(connection, "/port", {"Connection": "keep-alive"}) for _ in range(3)]
    equal([answer.header("connection") for answer in answers], ["keep-alive"] * 3)
    equal(len({answer.body for answer in answers}), 1)


@row("parallel")
def _():
    answers = []
    paths = ["/slow?ms=30", "/work?us=1000"] * 10
    threads = [threading.Thread(target=lambda path=path: answers.append(get(connect(), path).body)) for path in paths]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    equal(answers, [b"done\n"] * 20)


@row("drain")
def _():
    kept, busy = connect("draining"), connect("draining")
    for connection in [kept, busy]:
        get(connection, "/plaintext")
    busy.request("GET", "/slow?ms=800")
    os.kill(SERVERS["draining_pid"], signal.SIGTERM)
    while not get(kept, "/plaintext").closes:
        pass
    # Who came in time is answered; everybody else is refused, and nobody is left without a word.
    try:
        while True:
            equal(get(connect("draining"), "/plaintext").status, 200)
    except ConnectionRefusedError:
        pass
    answer = Answer(busy.getresponse())
    equal((answer.body, answer.closes), (b"done\n", True))
