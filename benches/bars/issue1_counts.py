"""What a request costs in system calls and in instructions, and that deadlines cost neither."""

from __future__ import annotations

import statistics

from . import drive, servers
from .context import Context
from .counting import instructions_per_request, syscalls_per_request
from .registry import Figure, at_most, bar
from .rounds import cpu_us, take

NO_DEADLINES = ("--idle-timeout", "0", "--head-timeout", "0", "--write-timeout", "0")


@bar(issue=1, name="instructions", about="user instructions per request, one worker, 10 connections")
def instructions(ctx: Context) -> list[Figure]:
    """Counted by callgrind in the shipped code with its symbols left in."""
    repeats = 1 if ctx.quick else 3
    ours, its = [], []
    for _ in range(repeats):
        its.append(instructions_per_request(lambda: servers.ceiling(1), quick=ctx.quick))
        ours.append(instructions_per_request(lambda: servers.boardd(workers=1, profile="symbols"), quick=ctx.quick))
    ratio = statistics.median(ours) / statistics.median(its)
    detail = {"boardd": ours, "ceiling": its}
    return [
        Figure("boardd / ceiling", ratio, at_most(2), "x", detail),
        Figure("boardd", statistics.median(ours), None, "Ir"),
        Figure("ceiling", statistics.median(its), None, "Ir"),
    ]


@bar(issue=1, name="deadline-calls", about="system calls per request with deadlines and without, 100 connections")
def deadline_calls(ctx: Context) -> list[Figure]:
    """The alarm of the wheel stands for seconds: it may not show here."""
    rounds = 50 if ctx.quick else 300
    pairs = []
    for _ in range(1 if ctx.quick else 5):
        on = syscalls_per_request(servers.boardd, 100, rounds)
        off = syscalls_per_request(lambda: servers.boardd(*NO_DEADLINES), 100, rounds)
        pairs.append((on, off))
    more = statistics.median(on["total"] - off["total"] for on, off in pairs)
    detail = {"on": [on for on, _ in pairs], "off": [off for _, off in pairs]}
    return [
        Figure("on less off", more, at_most(0.02), "calls", detail),
        Figure("on", statistics.median(on["total"] for on, _ in pairs), None, "calls"),
    ]


@bar(issue=1, name="deadline-instructions", about="user instructions per request with deadlines over without")
def deadline_instructions(ctx: Context) -> list[Figure]:
    """One worker, 10 connections, as for `instructions`. The CPU ratio beside it is no bar: a clock is too coarse."""
    on, off = [], []
    for _ in range(1 if ctx.quick else 3):
        on.append(instructions_per_request(lambda: servers.boardd(workers=1, profile="symbols"), quick=ctx.quick))
        off.append(
            instructions_per_request(
                lambda: servers.boardd(*NO_DEADLINES, workers=1, profile="symbols"), quick=ctx.quick
            )
        )
    both = [servers.boardd(), servers.boardd(*NO_DEADLINES, name="without")]
    run = take(ctx, "deadline-cpu", both, lambda server: drive.wrk(server.url, 100, ctx.seconds))
    ratio = statistics.median(on) / statistics.median(off)
    return [
        Figure("on / off, instructions", ratio, at_most(1.01), "x", {"on": on, "off": off}),
        Figure("on / off, CPU", run.ratio("boardd", "without", cpu_us), None, "x", {"samples": run.detail()}),
    ]
