"""Slow-loris: clients that send a byte every few seconds may not cost the others their rate, nor the server its files."""

from __future__ import annotations

import statistics
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager

from . import build, drive, servers
from .context import Context
from .registry import Figure, Void, at_least, at_most, bar
from .servers import Server

LORISES = 10_000
EVERY_S = 5.0
SECONDS = 30.0
GOOD_CONNECTIONS = 50
# As many loads with the lorises as fit, and as many without, half before and half after.
LOAD_S = 4.0
# A server may take as long as its deadlines are to notice that the last of them are gone.
RELEASE_S = 20.0
GRACE_S = 60.0


@contextmanager
def flock(server: Server, count: int, seconds: float) -> Iterator[subprocess.Popen[str]]:
    """That many lorises, all connected."""
    command = [str(build.loris()), f"127.0.0.1:{server.port}", "--connections", str(count)]
    command += ["--every", f"{EVERY_S:g}", "--seconds", f"{seconds:g}"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as clients:
        try:
            assert clients.stdout
            said = clients.stdout.readline().split()
            if said[:1] != ["open"]:
                raise Void("the lorises could not be opened; do the limits allow so many files?")
            yield clients
        finally:
            clients.kill()


def _good(server: Server, seconds: float) -> float:
    return drive.boardctl(server.url, GOOD_CONNECTIONS, seconds).requests_per_s


def _until_released(server: Server, base: int) -> int:
    """Open files once they are at the base again, or what they are when the time is over."""
    until = time.monotonic() + RELEASE_S
    while server.descriptors() > base and time.monotonic() < until:
        time.sleep(0.1)
    return server.descriptors()


@bar(issue=2, name="slow-loris", about="10,000 connections that send a byte each 5 s: the others keep their rate")
def slow_loris(ctx: Context) -> list[Figure]:
    """Their rate is that of the same clients before and after, in the same minute."""
    count, seconds, each_s = (1000, 4.0, 1.0) if ctx.quick else (LORISES, SECONDS, LOAD_S)
    loads = max(1, int(seconds / each_s) - 1)
    with servers.boardd() as server:
        _good(server, 1)
        time.sleep(1)
        base = server.descriptors()
        alone = [_good(server, each_s) for _ in range((loads + 1) // 2)]
        with flock(server, count, seconds) as clients:
            meanwhile = [_good(server, each_s) for _ in range(loads)]
            most = server.descriptors()
            told, _ = clients.communicate(timeout=GRACE_S)
        left = _until_released(server, base)
        alone += [_good(server, each_s) for _ in range((loads + 1) // 2)]
    detail = {"alone": alone, "meanwhile": meanwhile, "lorises": told.strip(), "connections": count}
    print(f"  lorises: {told.strip()}", flush=True)
    ratio = statistics.median(meanwhile) / statistics.median(alone)
    return [
        Figure("rate with them / without", ratio, at_least(0.9), "x", detail),
        Figure("descriptors left over", left - base, at_most(0), "", {"base": base, "most": most}),
        Figure("descriptors meanwhile", most),
    ]
