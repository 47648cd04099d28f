"""boardctl's load against wrk's: as fast, as cheap, and telling the same."""

from __future__ import annotations

import importlib
import importlib.util
import random
import statistics
from collections.abc import Callable

from . import build, drive, servers
from .context import Context
from .drive import Load
from .registry import Figure, Void, at_least, at_most, bar

CONNECTIONS = 100
# So few that neither tool's own queue is in its latencies: at 100 on shared cores, the tool that is faster finds a
# shorter queue (Little's law), and the two cannot agree.
FEW = 10


def pairs_of(ctx: Context, shuffle: random.Random, connections: int) -> list[tuple[Load, Load]]:
    """boardctl's load and wrk's in each round, against one ceiling, in random order."""
    pairs = []
    with servers.ceiling() as server:
        for tool in drive.TOOLS.values():
            tool(server.url, connections, 1)
        for _ in range(ctx.rounds):
            names = list(drive.TOOLS)
            shuffle.shuffle(names)
            # wrk takes whole seconds, so both get them.
            loads = {name: drive.TOOLS[name](server.url, connections, max(1, round(ctx.seconds))) for name in names}
            pairs.append((loads["boardctl"], loads["wrk"]))
    return pairs


def ratio_of(pairs: list[tuple[Load, Load]], what: Callable[[Load], float]) -> float:
    """The median of boardctl's value over wrk's in the same round."""
    return statistics.median(what(ours) / what(its) for ours, its in pairs)


@bar(issue=1, name="load-wrk", about="boardctl load against wrk, 100 connections on the ceiling")
def load_wrk(ctx: Context) -> list[Figure]:
    """wrk rewrites its histogram after the run, which moves the tail: its p99 is printed and not judged."""
    order = ctx.order("load-wrk")
    pairs, few = pairs_of(ctx, order, CONNECTIONS), pairs_of(ctx, order, FEW)

    def client_cpu(load: Load) -> float:
        return load.client_cpu_s / load.requests * 1e6

    detail = {
        **ctx.conditions(),
        "boardctl": [{**vars(ours), "raw": None} for ours, _ in pairs],
        "wrk": [{**vars(its), "raw": None} for _, its in pairs],
    }
    p50 = ratio_of(pairs, lambda load: load.p50_us)
    p50_few = ratio_of(few, lambda load: load.p50_us)
    return [
        Figure("rate", ratio_of(pairs, lambda load: load.requests_per_s), at_least(0.95), "x", detail),
        Figure("client CPU per request", ratio_of(pairs, client_cpu), at_most(1.1), "x"),
        Figure("client CPU per request, wrk", statistics.median(client_cpu(its) for _, its in pairs), None, "us"),
        Figure(f"p50 / wrk's at {FEW}, off by", abs(p50_few - 1), at_most(0.1), "", {"ratio": p50_few}),
        Figure(f"p50 / wrk's at {CONNECTIONS}, off by", abs(p50 - 1), at_most(0.1), "", {"ratio": p50}),
        Figure("p99", ratio_of(pairs, lambda load: load.p99_us), None, "x"),
        Figure("errors", sum(ours.errors for ours, _ in pairs), at_most(0), ""),
    ]


@bar(issue=1, name="load-delays", about="boardctl load's percentiles against scripted delays")
def load_delays(ctx: Context) -> list[Figure]:
    """The truth is the server's own: it knows how long it held each answer back."""
    if not importlib.util.find_spec("bars.load_percentiles"):
        raise Void("benches/bars/load_percentiles.py is missing")
    script = importlib.import_module("bars.load_percentiles")
    duration = "5s" if ctx.quick else "20s"
    found, truth = script.measure(str(build.boardctl()), str(build.delays()), duration, 50)
    # The maximum is one request, and may be one of those still under way at the end.
    off = {
        name: found["latency_us"][name] / right - 1 for name, right in truth["latency_us"].items() if name != "max"
    }
    worst = max(off, key=lambda name: abs(off[name]))
    return [
        Figure(f"percentile furthest off ({worst})", abs(off[worst]), at_most(0.01), "", {"off": off}),
        Figure("errors", sum(found["errors"].values()), at_most(0)),
    ]
