"""What Python's http.client sends and what must come back. Started with a JSON object of addresses; prints `ok NAME` or
`FAILED NAME: why` for each row."""

import gzip
import http.client
import json
import os
import signal
import sys
import threading
import traceback
import urllib.parse

SERVERS = json.loads(sys.argv[1])
# Longer than any answer takes; only a hang comes here.
HANG = 30
# Many times the deadline of the hasty servers.
MANY_DEADLINES = 3
LINE = b"0123456789abcdefghijklmnopqrstuvwxyz-ABCDEFGHIJKLMNOPQRSTUVWXYZ\n"
ROWS = []


def row(name):
    def register(function):
        ROWS.append((name, function))
        return function

    return register


def filler(length):
    """The bytes of /bytes/N."""
    return (LINE * (length // len(LINE) + 1))[:length]


def connect(server="boardd"):
    """A connection that is never opened again by itself."""
    connection = http.client.HTTPConnection(SERVERS[server], timeout=HANG)
    connection.connect()
    connection.auto_open = False
    return connection


class Answer:
    def __init__(self, response):
        self.status = response.status
        self.header = response.headers.get
        self.closes = response.will_close
        self.body = response.read()


def ask(connection, method, path, body=None, headers={}, **options):
    connection.request(method, path, body, headers, **options)
    return Answer(connection.getresponse())


def get(connection, path, headers={}):
    return ask(connection, "GET", path, None, headers)


def equal(value, expected):
    if value != expected:
        raise AssertionError(f"{str(value)[:300]} is not {str(expected)[:300]}")


def expect_last(answer, status):
    equal((answer.status, answer.header("connection"), answer.closes), (status, "close", True))
    equal(answer.body[:4], b"%d " % status)


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


@row("file")
def _():
    connection = connect("library")
    first = get(connection, "/page.html")
    equal((first.status, first.header("content-type")), (200, "text/html; charset=utf-8"))
    for name, value in [("If-None-Match", first.header("etag")), ("If-Modified-Since", first.header("last-modified"))]:
        again = get(connection, "/page.html", {name: value})
        equal((again.status, again.header("etag"), again.body), (304, first.header("etag"), b""))
    equal(get(connection, "/page.html", {"If-None-Match": '"another"'}).body, first.body)


def large():
    with open(os.path.join(SERVERS["folder"], "large.bin"), "rb") as file:
        return file.read()


@row("range")
def _():
    connection, whole = connect("library"), large()
    for asked, first, last in [("0-99", 0, 99), ("5000000-", 5000000, 9999999), ("-5", 9999995, 9999999)]:
        answer = get(connection, "/large.bin", {"Range": "bytes=" + asked})
        equal((answer.status, answer.header("content-range")), (206, f"bytes {first}-{last}/10000000"))
        equal(answer.body, whole[first : last + 1])
    answer = get(connection, "/large.bin", {"Range": "bytes=10000000-"})
    equal((answer.status, answer.header("content-range")), (416, "bytes */10000000"))


@row("precompressed")
def _():
    connection = connect("library")
    for coding, suffix in [("gzip", ".gz"), ("br", ".br"), ("zstd", ".zst")]:
        answer = get(connection, "/coded.txt", {"Accept-Encoding": coding})
        equal((answer.header("content-encoding"), answer.header("vary")), (coding, "Accept-Encoding"))
        with open(os.path.join(SERVERS["folder"], "coded.txt" + suffix), "rb") as file:
            equal(answer.body, file.read())
        if coding == "gzip":
            equal(gzip.decompress(answer.body), b"by gzip\n")
    # http.client itself asks for the plain one.
    equal(get(connection, "/coded.txt").header("content-encoding"), None)


@row("large-file")
def _():
    connection, whole = connect("library"), large()
    for _ in range(2):
        equal(get(connection, "/large.bin").body, whole)


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


@row("drain")
def _():
    kept, busy = connect("draining"), connect("draining")
    for connection in [kept, busy]:
        get(connection, "/plaintext")
    busy.request("GET", "/slow?ms=1500")
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


for name, function in ROWS:
    try:
        function()
    except Exception as error:
        # Of the lines of this script, the one that was run last.
        at = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == __file__][-1]
        print(f"FAILED {name}: line {at}: {type(error).__name__}: {' '.join(str(error).split())}")
    else:
        print("ok", name)
