"""Clients of all sorts, well-behaved and not, each at a bounded rate: what a server meets in a day."""

from __future__ import annotations

import http.client
import random
import socket
import struct
import threading
import time
from collections import Counter
from collections.abc import Callable

PATIENCE_S = 10.0
HOST = b"Host: mix\r\n"
# Closing with this sends a reset at once and forgets what was on its way.
RESET = struct.pack("ii", 1, 0)
# Each gets an answer and a close, or just a close.
BAD = (
    b"GET / HTTP/1.1\r\n\r\n",
    b"GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
    b"GET /%zz HTTP/1.1\r\n" + HOST + b"\r\n",
    b"GET / HTTP/3.0\r\n" + HOST + b"\r\n",
    b"POST /echo HTTP/1.1\r\n" + HOST + b"Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n",
    b"POST /echo HTTP/1.1\r\n" + HOST + b"Content-Length: +5\r\n\r\nhello",
    b"POST /echo HTTP/1.1\r\n" + HOST + b"Transfer-Encoding: chunked\r\n\r\nzz\r\n",
    b"GET / HTTP/1.1\r\nHost : a\r\n\r\n",
    b"GET / HTTP/1.1\r\n" + HOST + b"X: " + b"y" * 70_000 + b"\r\n\r\n",
    b"GET / HTTP/1.1\r\n" + HOST + b"X: y\r\n" * 500 + b"\r\n",
    b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
    b"\r\n\r\n\r\n\r\n\r\n\r\n",
)


class Wrong(Exception):
    """The server did what it should not."""


def _connect(port: int) -> socket.socket:
    return socket.create_connection(("127.0.0.1", port), PATIENCE_S)


def _reset(one: socket.socket) -> None:
    one.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET)
    one.close()


def _to_the_end(one: socket.socket) -> bytes:
    seen = bytearray()
    while part := one.recv(65536):
        seen += part
    return bytes(seen)


def _ask(port: int, request: bytes) -> bytes:
    """The whole answer of a request that asks for a close."""
    with _connect(port) as one:
        one.sendall(request)
        return _to_the_end(one)


def _expect(answer: bytes, status: bytes, body: bytes) -> None:
    if not answer.startswith(b"HTTP/1.1 " + status) or not answer.endswith(body):
        raise Wrong(f"{answer[:80]!r} and {len(answer)} bytes in all, not {status!r}")


def _get(path: bytes, *fields: bytes) -> bytes:
    return b"GET " + path + b" HTTP/1.1\r\n" + HOST + b"".join(fields) + b"Connection: close\r\n\r\n"


def pipelined(port: int, _: random.Random) -> None:
    """Sixteen requests in one piece."""
    with _connect(port) as one:
        one.sendall((b"GET /plaintext HTTP/1.1\r\n" + HOST + b"\r\n") * 15 + _get(b"/plaintext"))
        seen = _to_the_end(one)
    if seen.count(b"HTTP/1.1 200 OK") != 16 or seen.count(b"Hello, World!") != 16:
        raise Wrong(f"{seen.count(b'Hello, World!')} of 16 pipelined answers")


def aborted_request(port: int, choice: random.Random) -> None:
    """Gone in the middle of a head or of a body."""
    request = b"POST /echo HTTP/1.1\r\n" + HOST + b"Content-Length: 100000\r\n\r\n" + b"x" * 50_000
    one = _connect(port)
    one.sendall(request[: choice.randrange(1, len(request))])
    if choice.random() < 0.5:
        _reset(one)
    else:
        one.close()


def aborted_answer(port: int, choice: random.Random) -> None:
    """Gone in the middle of an answer that no buffer holds."""
    one = _connect(port)
    one.sendall(choice.choice((_get(b"/bytes/8000000"), _get(b"/10m.bin"))))
    one.recv(choice.randrange(1, 100_000))
    if choice.random() < 0.5:
        _reset(one)
    else:
        one.close()


def bad(port: int, choice: random.Random) -> None:
    """No HTTP, or nearly."""
    with _connect(port) as one:
        try:
            one.sendall(choice.choice(BAD))
            one.shutdown(socket.SHUT_WR)
            _to_the_end(one)
        except (ConnectionResetError, BrokenPipeError):
            # It has closed before it was told everything.
            pass


def echo(port: int, choice: random.Random) -> None:
    """A body there and back, with a length or in chunks."""
    body = choice.randbytes(choice.randrange(1, 200_000))
    chunked = choice.random() < 0.5
    client = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE_S)
    try:
        # An iterable has no length, and so is sent in chunks.
        client.request("POST", "/echo", body=iter((body[:1000], body[1000:])) if chunked else body)
        answer = client.getresponse()
        if answer.status != 200 or answer.read() != body:
            raise Wrong(f"{answer.status} and not the {len(body)} bytes that were sent")
    except http.client.HTTPException as error:
        raise Wrong(repr(error)) from None
    finally:
        client.close()


def file(port: int, choice: random.Random) -> None:
    """A file, a piece of one, and one that is known already."""
    whole = _ask(port, _get(b"/16k.bin"))
    _expect(whole, b"200", b"")
    begin = choice.randrange(0, 10_000_000)
    _expect(_ask(port, _get(b"/10m.bin", b"Range: bytes=%d-%d\r\n" % (begin, begin + 99_999))), b"206", b"")
    tag = next((line for line in whole.split(b"\r\n") if line.lower().startswith(b"etag: ")), None)
    if tag:
        _expect(_ask(port, _get(b"/16k.bin", b"If-None-Match: " + tag[6:] + b"\r\n")), b"304", b"\r\n\r\n")


# What they do, and how often a second.
KINDS: dict[Callable[[int, random.Random], None], float] = {
    pipelined: 20,
    aborted_request: 20,
    aborted_answer: 10,
    bad: 20,
    echo: 20,
    file: 10,
}


class Mix:
    """All of them at once, a thread for each, until the end."""

    def __init__(self, port: int, seed: int) -> None:
        self.done: Counter[str] = Counter()
        self.wrong: list[str] = []
        self._port = port
        self._ended = threading.Event()
        self._threads = [
            threading.Thread(target=self._go_on, args=(kind, rate, random.Random(f"{seed}/{kind.__name__}")))
            for kind, rate in KINDS.items()
        ]

    def once(self) -> None:
        """Each of them once, so that whatever they make the server set up is there."""
        for kind in KINDS:
            self._try(kind, random.Random(0))

    def _try(self, kind: Callable[[int, random.Random], None], choice: random.Random) -> None:
        try:
            kind(self._port, choice)
            self.done[kind.__name__] += 1
        except (Wrong, OSError) as error:
            self.wrong.append(f"{kind.__name__}: {error!r}")

    def _go_on(self, kind: Callable[[int, random.Random], None], rate: float, choice: random.Random) -> None:
        due = time.monotonic()
        while not self._ended.is_set():
            self._try(kind, choice)
            # Not more often than that, and nothing is made up for.
            due = max(due + 1 / rate, time.monotonic())
            self._ended.wait(due - time.monotonic())

    def __enter__(self) -> "Mix":
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        for thread in self._threads:
            thread.join()
