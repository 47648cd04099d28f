"""The open loop: on time, and telling the truth, about known delays, about a stall, and beside wrk2's method.

There is no package of wrk2; `benches/paced.rs` computes by its method. It and boardctl get more connections than requests
are under way: wrk2 binds each request to a connection, and one that waits for its own waits for another reason.
"""

from __future__ import annotations

import contextlib
import json
import math
import statistics
import subprocess
from collections.abc import Iterator
from typing import Any

from . import build, drive, hdr, servers
from .context import Context
from .registry import Figure, at_most, bar

# Capacity is what so many connections get out of a server in a closed loop.
CLOSED = 50
OPEN = 400
SECONDS = 20.0
ROUNDS = 3
STALL_S = 1.0
# The same for all: after the stall many requests come at once, and which of them the server reads first is not known.
STALL_DELAY_S = 0.05
PERCENTILES = {"p50": 50, "p66": 66, "p75": 75, "p80": 80, "p90": 90, "p95": 95, "p98": 98, "p99": 99, "p999": 99.9}
# A request of a stall of a second takes longer than this when it was due in its first half; no delay takes as long.
HALF_STALL_US = STALL_S / 2 * 1e6


class Delays:
    """A server with known delays, while it runs; what it did, once it has ended."""

    def __init__(self, address: str) -> None:
        self.url = f"http://{address}/"
        self.address = address
        self.log: list[tuple[int, int]] = []


@contextlib.contextmanager
def _delays(*flags: str) -> Iterator[Delays]:
    command = [str(build.delays()), *flags]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        server = Delays(process.stdout.readline().strip())
        yield server
        # Closing standard input asks the server for what it did.
        said, _ = process.communicate()
        server.log = sorted(tuple(times) for times in json.loads(said)["log"])


def _paced(address: str, path: str, connections: int, rate: float, seconds: float) -> dict[str, Any]:
    command = [str(build.paced()), address, path, str(connections), f"{rate}", f"{seconds}"]
    said = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
    return json.loads(said)


def _truth(log: list[tuple[int, int]], rate: float) -> list[float]:
    """Latencies in microseconds from when each request was to start, by the server's own clock.

    It sees when requests come, and the schedule says when they were due: number n at n over the rate after the first. The
    start of that schedule is where no request comes before it is due.
    """
    period = 1e9 / rate
    start = min(read - number * period for number, (read, _) in enumerate(log))
    return sorted((sent - start - number * period) / 1000 for number, (_, sent) in enumerate(log))


def _at(values: list[float], percent: float) -> float:
    """The percentile by nearest rank."""
    return values[max(1, math.ceil(percent / 100 * len(values))) - 1]


def _off(found: dict[str, float], truth: list[float]) -> dict[str, float]:
    return {name: found[name] / _at(truth, percent) - 1 for name, percent in PERCENTILES.items()}


def _worst(off: dict[str, float]) -> str:
    return max(off, key=lambda name: abs(off[name]))


def _came(log: list[tuple[int, int]]) -> float:
    """Requests per second as the server saw them come."""
    return (len(log) - 1) / ((log[-1][0] - log[0][0]) / 1e9)


@bar(issue=3, name="open-half", about="an open loop at half of capacity: rate, known delays, wrk2's method on the same server")
def open_half(ctx: Context) -> list[Figure]:
    """Each run has a server of its own, which has the same delays in the same order. Medians over the runs."""
    seconds, rounds = (4.0, 1) if ctx.quick else (SECONDS, ROUNDS)
    with _delays() as server:
        closed = drive.boardctl(server.url, CLOSED, seconds / 4)
    rate = round(closed.requests_per_s / 2, 1)
    runs, others, came, lost = [], [], [], 0
    off: dict[str, list[float]] = {name: [] for name in PERCENTILES}
    for _ in range(rounds):
        with _delays() as server:
            ours = drive.boardctl(server.url, OPEN, seconds, 2, "--rate", str(rate))
        with _delays() as other:
            others.append(_paced(other.address, "/", OPEN, rate, seconds)["latency_us"])
        runs.append(ours.raw)
        came.append(_came(server.log) / rate - 1)
        lost += ours.errors + ours.raw["unfinished"] + abs(len(server.log) - ours.requests)
        for name, value in _off(ours.raw["latency_us"], _truth(server.log, rate)).items():
            off[name].append(value)

    def against(name: str) -> float:
        return statistics.median(abs(ours["latency_us"][name] / its[name] - 1) for ours, its in zip(runs, others))

    # Of what each run is off by, whichever way: errors that cancel out are errors all the same.
    usual = {name: statistics.median(map(abs, values)) for name, values in off.items()}
    worst = _worst(usual)
    detail = {"rate": rate, "came": came, "off": off, "ours": [run["latency_us"] for run in runs], "wrk2": others}
    return [
        Figure("rate offered, off by", max(map(abs, came)), at_most(0.005), "", detail),
        Figure(f"percentile furthest off ({worst})", usual[worst], at_most(0.01)),
        Figure("p50 / wrk2's, off by", against("p50"), at_most(0.05)),
        Figure("p99 / wrk2's, off by", against("p99"), at_most(0.05)),
        Figure("errors", lost, at_most(0)),
        Figure("started late", sum(run["open_loop"]["late"] for run in runs)),
        Figure("half of capacity", rate, None, "/s"),
    ]


@bar(issue=3, name="open-stall", about="a stall of a second in an open loop: the wait of all that should have started in it")
def open_stall(ctx: Context) -> list[Figure]:
    """More are due in the stall than there are connections: the others wait for one, and their wait counts as well."""
    # No percentile is where the ordinary waits end and those of the stall begin: a millisecond is much of a wait there.
    seconds, rate = (8.0 if ctx.quick else 16.0), 1000.0
    with _delays(str(seconds / 2), str(STALL_S), str(STALL_DELAY_S)) as server:
        ours = drive.boardctl(server.url, OPEN, seconds, 2, "--rate", str(rate))
    truth = _truth(server.log, rate)
    off = _off(ours.raw["latency_us"], truth)
    worst = _worst(off)
    held_up = sum(latency > HALF_STALL_US for latency in truth)
    answered = ours.raw["histograms"]["statuses"]["200"]["latency"]
    seen = sum(count for ns, count in hdr.counts(answered) if ns > HALF_STALL_US * 1000)
    detail = {"report": ours.raw, "off": off, "held_up": held_up, "seen": seen}
    return [
        Figure(f"percentile furthest off ({worst})", abs(off[worst]), at_most(0.01), "", detail),
        Figure("longest, off by", abs(ours.raw["latency_us"]["max"] / truth[-1] - 1), at_most(0.01)),
        Figure("held up half a second, off by", abs(seen / held_up - 1), at_most(0.02)),
        Figure("held up half a second", held_up),
        Figure("waited for a connection", ours.raw["open_loop"]["waited"]),
        Figure("errors", ours.errors + ours.raw["unfinished"] + abs(len(server.log) - ours.requests), at_most(0)),
    ]


@bar(issue=3, name="open-boardd", about="an open loop at half of boardd's capacity, beside wrk2's method")
def open_boardd(ctx: Context) -> list[Figure]:
    """A tenth of a millisecond is mostly the client's own way; so the rate is judged, and the latencies are printed."""
    seconds = 2.0 if ctx.quick else 10.0
    with servers.boardd() as server:
        rate = round(drive.boardctl(server.url, CLOSED, seconds / 2).requests_per_s / 2)
        ours = drive.boardctl(server.url, CLOSED, seconds, 2, "--rate", str(rate), "--warmup", "500ms")
        its = _paced(f"127.0.0.1:{server.port}", "/plaintext", CLOSED, rate, seconds)
    open_loop, theirs = ours.raw["open_loop"], its["latency_us"]
    # What came after the last arrival was due did not keep up with the rate.
    met = (open_loop["answered"] - open_loop["answered_after_end"]) / seconds
    detail = {"rate": rate, "report": ours.raw, "wrk2": its}
    return [
        Figure("rate met, off by", abs(met / rate - 1), at_most(0.005), "", detail),
        Figure("errors", ours.errors + ours.raw["unfinished"], at_most(0)),
        Figure("p50", ours.p50_us, None, "us"),
        Figure("p50 by wrk2's method", theirs["p50"], None, "us"),
        Figure("p99", ours.p99_us, None, "us"),
        Figure("p99 by wrk2's method", theirs["p99"], None, "us"),
        Figure("started late", open_loop["late"] / open_loop["arrivals"] * 100, None, "%"),
        Figure("half of capacity", rate, None, "/s"),
    ]
