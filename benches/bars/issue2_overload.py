"""Twice as much work as the cores can do, in an open loop: what is served, what is refused, and how soon."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

from . import build, drive, servers
from .context import Context
from .drive import Load
from .registry import Figure, Void, at_least, at_most, bar
from .servers import Server

WORK = "/work?us=2000"
SECONDS = 20.0
# Enough to keep all cores at work, few enough that none is refused.
PEAK_CONNECTIONS = 16
PEAK_S = 5.0
# No arrival waits for a connection unless a server lets thousands of them queue.
CONNECTIONS = 2000
# Longer than any queue that a user would wait in: whoever answers later than this has not answered.
PATIENCE = "10s"
# What goes on beside it: a client that asks for little.
BESIDE_PER_S = 100
BESIDE_CONNECTIONS = 10


@dataclass
class Overload:
    """What came of it, in the terms of the bar."""

    peak: float
    goodput: float
    admitted_p99_ms: float
    refusal_ms: float
    refused: int
    other: int
    lost: int
    beside_p99_ms: float
    beside_errors: int
    raw: dict[str, Any]


def _served(load: Load) -> dict[str, Any]:
    """The 2xx answers; Void when there are none."""
    served = load.raw["classes"].get("2xx")
    if not served:
        raise Void(f"not one 2xx answer: {load.raw['statuses']}")
    return served


def _peak(server: Server, seconds: float) -> float:
    """Requests per second that the cores can do: a closed loop finds it."""
    load = drive.boardctl(server.at(WORK), PEAK_CONNECTIONS, seconds, 1, "--warmup", "1s", "--timeout", PATIENCE)
    return _served(load)["count"] / load.raw["duration_s"]


def measure(server: Server, seconds: float, peak_s: float) -> Overload:
    """Peak, then twice the peak, and a small load beside it."""
    peak = _peak(server, peak_s)
    wanted = ("--rate", f"{2 * peak:.1f}", "--timeout", PATIENCE)
    little = ("--rate", str(BESIDE_PER_S), "--timeout", PATIENCE)
    with ThreadPoolExecutor(2) as both:
        work = both.submit(drive.boardctl, server.at(WORK), CONNECTIONS, seconds, 1, *wanted)
        beside = both.submit(drive.boardctl, server.url, BESIDE_CONNECTIONS, seconds, 1, *little)
        load, small = work.result(), beside.result()
    served, statuses, open_loop = _served(load), load.raw["statuses"], load.raw["open_loop"]
    refused = statuses.get("503", {"count": 0, "latency_us": {"max": 0}})
    return Overload(
        peak=peak,
        # What came after the last arrival was served from a queue, and is not what the cores could do meanwhile.
        goodput=(served["count"] - served["after_end"]) / load.raw["duration_s"],
        admitted_p99_ms=served["latency_us"]["p99"] / 1000,
        refusal_ms=refused["latency_us"]["max"] / 1000,
        refused=refused["count"],
        other=open_loop["answered"] - served["count"] - refused["count"],
        lost=open_loop["unanswered"] + open_loop["failed"],
        beside_p99_ms=small.p99_us / 1000,
        beside_errors=small.errors + small.raw["open_loop"]["unanswered"],
        raw={"work": load.raw, "beside": small.raw},
    )


def _judged(found: Overload) -> list[Figure]:
    client = found.raw["work"]["open_loop"]["start_delay_us"]
    return [
        Figure("boardd: goodput / peak", found.goodput / found.peak, at_least(0.9), "x", found.raw),
        Figure("boardd: p99 of the admitted", found.admitted_p99_ms, at_most(250), "ms"),
        Figure("boardd: slowest 503", found.refusal_ms, at_most(50), "ms"),
        Figure("boardd: neither 2xx nor 503", found.other, at_most(0)),
        Figure("boardd: unanswered or failed", found.lost, at_most(0)),
        Figure("boardd: /plaintext beside it, p99", found.beside_p99_ms, at_most(20), "ms"),
        Figure("boardd: /plaintext, errors", found.beside_errors, at_most(0)),
        Figure("boardd: peak", found.peak, None, "/s"),
        Figure("boardd: refused with 503", found.refused),
        Figure("client's own late starts, p99", (client["p99"] or 0) / 1000, None, "ms"),
    ]


def _beside(name: str, found: Overload) -> list[Figure]:
    return [
        Figure(f"{name}: goodput / peak", found.goodput / found.peak, None, "x", found.raw),
        Figure(f"{name}: p99 of 2xx", found.admitted_p99_ms, None, "ms"),
        Figure(f"{name}: 503s", found.refused),
        Figure(f"{name}: other errors", found.other),
        Figure(f"{name}: unanswered or failed", found.lost),
        Figure(f"{name}: /plaintext, p99", found.beside_p99_ms, None, "ms"),
    ]


# Not judged. Their names are short, since they go before each figure.
OTHERS: dict[str, Callable[[], Server]] = {
    "Go": lambda: Server("Go net/http", [str(build.go_peers() / "nethttp"), "127.0.0.1:0"]),
    "FastCGI": servers.nginx_fastcgi,
}


@bar(issue=2, name="overload", about="/work?us=2000 at twice the peak, open loop, /plaintext beside it; Go and FastCGI beside")
def overload(ctx: Context) -> list[Figure]:
    """Admission is worth what the admitted get, and how soon the others know."""
    seconds, peak_s = (3.0, 1.0) if ctx.quick else (SECONDS, PEAK_S)
    with servers.boardd() as server:
        figures = _judged(measure(server, seconds, peak_s))
    for name, start in OTHERS.items():
        with start() as server:
            try:
                figures += _beside(name, measure(server, seconds, peak_s))
            except Void as reason:
                # Nothing but a printed line depends on it.
                print(f"  {name}: {reason}", flush=True)
    return figures
