"""Counts that no clock disturbs: system calls under strace, instructions under callgrind."""

from __future__ import annotations

import os
import re
import signal
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from . import clients, drive, proc
from .registry import Void
from .servers import Server

FINISH_S = 30.0


def _lockstep(server: Server, connections: int, rounds: int) -> None:
    """A request on every connection, then all the answers, then a pause.

    Under strace a server is so slow that a closed loop would always have the next request there already, and calls
    that are wasted on an empty socket would never show. The pause empties all sockets first.
    """
    everyone = [clients.connect(server.port) for _ in range(connections)]
    for _ in range(rounds):
        for one in everyone:
            one.sendall(clients.REQUEST)
        for one in everyone:
            clients.answer(one)
        time.sleep(0.003)
    for one in everyone:
        one.close()


def _end(server: Server, tracer: bool) -> None:
    """Ends the server itself and waits for whoever watches it to write its count."""
    target = [pid for pid in server.pids() if not tracer or pid != server.pid]
    for pid in target:
        os.kill(pid, signal.SIGTERM)
    until = time.monotonic() + FINISH_S
    while proc.group(server.pid) and time.monotonic() < until:
        time.sleep(0.05)


def _calls(start: Callable[[], Server], connections: int, rounds: int) -> dict[str, int]:
    """System calls of one whole run of a server, by name."""
    with tempfile.TemporaryDirectory() as place:
        counts = Path(place) / "counts"
        server = start().start(("strace", "-f", "-c", "-qq", "-U", "calls,name", "-o", str(counts)))
        try:
            _lockstep(server, connections, rounds)
            _end(server, tracer=True)
        finally:
            server.stop()
        rows = re.findall(r"^\s*(\d+)\s+(\w+)$", counts.read_text(), re.M)
    return {name: int(count) for count, name in rows if name != "total"}


def syscalls_per_request(start: Callable[[], Server], connections: int, rounds: int) -> dict[str, float]:
    """By name and in all (`total`). A short run is taken off a long one, so that start, accept and end cancel."""
    few = max(1, rounds // 10)
    short, long = _calls(start, connections, few), _calls(start, connections, rounds)
    requests = connections * (rounds - few)
    spent = {name: (long[name] - short.get(name, 0)) / requests for name in long}
    spent = {name: round(value, 4) for name, value in spent.items() if abs(value) >= 0.001}
    return {**spent, "total": (sum(long.values()) - sum(short.values())) / requests}


def _instructions(start: Callable[[], Server], connections: int, seconds: float) -> tuple[int, int]:
    """User instructions and requests of one whole run of a server."""
    with tempfile.TemporaryDirectory() as place:
        log = Path(place) / "log"
        valgrind = ("valgrind", "--tool=callgrind", f"--callgrind-out-file={place}/out", f"--log-file={log}")
        server = start().start(valgrind)
        try:
            requests = drive.wrk(server.url, connections, seconds, threads=1).requests
            _end(server, tracer=False)
        finally:
            server.stop()
        found = re.search(r"Collected : (\d+)", log.read_text())
        if not found:
            raise Void(f"callgrind counted nothing:\n{log.read_text()[-400:]}")
    return int(found[1]), requests


def instructions_per_request(start: Callable[[], Server], connections: int = 10, quick: bool = False) -> float:
    """User instructions per request; start and end cancel as for system calls."""
    short, few = _instructions(start, connections, 1)
    long, many = _instructions(start, connections, 2 if quick else 4)
    return (long - short) / (many - few)
