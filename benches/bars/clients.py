"""Connections held by the bench itself, where a load tool can't do what is asked: close these, keep those idle."""

from __future__ import annotations

import selectors
import socket
import time

from .registry import Void

REQUEST = b"GET /plaintext HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
BODY = b"Hello, World!"
PATIENCE_S = 10.0


def connect(port: int) -> socket.socket:
    """A connection that has sent nothing yet."""
    one = socket.create_connection(("127.0.0.1", port), PATIENCE_S)
    one.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return one


def answer(one: socket.socket) -> None:
    """Reads one answer to its end; Void when there is none."""
    seen = b""
    while not seen.endswith(BODY):
        try:
            part = one.recv(4096)
        except OSError as error:
            raise Void(f"a request got no answer: {error}") from None
        if not part:
            raise Void("a connection was closed before its answer came")
        seen += part


def opened(port: int, count: int) -> list[socket.socket]:
    """That many connections, each after one request that was answered. Connected a hundred at a time."""
    everyone: list[socket.socket] = []
    while len(everyone) < count:
        some = [connect(port) for _ in range(min(100, count - len(everyone)))]
        for one in some:
            one.sendall(REQUEST)
        for one in some:
            answer(one)
        everyone += some
    return everyone


class Loop:
    """Keeps one request under way on every connection, and notices any that is lost."""

    def __init__(self, connections: list[socket.socket]) -> None:
        self.answered = 0
        self.lost = 0
        self._seen: dict[socket.socket, bytes] = {}
        self._closing: set[socket.socket] = set()
        self._selector = selectors.DefaultSelector()
        for one in connections:
            one.setblocking(False)
            self._selector.register(one, selectors.EVENT_READ)
            self._ask(one)

    def _ask(self, one: socket.socket) -> None:
        self._seen[one] = b""
        try:
            one.send(REQUEST)
        except OSError:
            self._drop(one, lost=True)

    def _drop(self, one: socket.socket, lost: bool) -> None:
        self.lost += lost
        self._seen.pop(one, None)
        self._closing.discard(one)
        self._selector.unregister(one)
        one.close()

    def close(self, connections: list[socket.socket]) -> None:
        """These are closed as soon as what they asked is answered, so that nothing is lost by our doing."""
        self._closing.update(connections)

    @property
    def closing(self) -> int:
        """How many of these are still open."""
        return len(self._closing)

    def run(self, seconds: float) -> None:
        """Goes on for that long."""
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            for key, _ in self._selector.select(0.05):
                self._read(key.fileobj)  # type: ignore[arg-type]

    def _read(self, one: socket.socket) -> None:
        try:
            part = one.recv(4096)
        except BlockingIOError:
            return
        except OSError:
            part = b""
        if not part:
            self._drop(one, lost=True)
            return
        self._seen[one] += part
        if self._seen[one].endswith(BODY):
            self.answered += 1
            if one in self._closing:
                self._drop(one, lost=False)
            else:
                self._ask(one)

    def finish(self) -> None:
        """Waits for what is under way; what does not come was lost. Closes all."""
        self._closing = set(self._seen)
        until = time.monotonic() + PATIENCE_S
        while self._seen and time.monotonic() < until:
            self.run(0.05)
        for one in list(self._seen):
            self._drop(one, lost=True)
