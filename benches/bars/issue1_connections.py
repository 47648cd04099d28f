"""Many connections: a fair share for each, dealt evenly over the workers, cheap while idle."""

from __future__ import annotations

import time

from . import build, clients, drive, proc, servers
from .context import Context
from .registry import Figure, Void, at_least, at_most, bar, below

CONNECTIONS = 100
CLOSED = 50
# The dealer has this long to level out what closing left.
LEVEL_S = 1.0


@bar(issue=1, name="thousand", about="1,000 connections for 10 s: no error, no starved connection")
def thousand(ctx: Context) -> list[Figure]:
    """Driven by boardctl, whose histogram is true."""
    with servers.boardd() as server:
        load = drive.boardctl(server.url, 1000, 2 if ctx.quick else 10)
    fairness = load.raw["fairness"]
    return [
        Figure("errors", load.errors, at_most(0), "", load.raw["errors"]),
        Figure("p99 / p50", load.p99_us / load.p50_us, at_most(3), "x", load.raw["latency_us"]),
        Figure("slowest / fastest connection", fairness["slowest"] / fairness["fastest"], at_least(0.5), "x", fairness),
    ]


def _spread(server: servers.Server, workers: int, expected: int) -> int:
    """Connections of the fullest worker less those of the emptiest, counted from outside."""
    counts = proc.connections_per_epoll(server.pid, server.port)
    # An epoll that is no worker's holds no connection, so the fullest ones are the workers'.
    counts = (counts + [0] * workers)[:workers]
    if sum(counts) != expected:
        raise Void(f"the epolls hold {counts}, not {expected} connections in all")
    return counts[0] - counts[-1]


def _deal(ctx: Context, workers: int) -> list[Figure]:
    dealt, levelled, lost, answered = [], [], 0, 0
    random = ctx.order(f"deal-{workers}")
    for _ in range(ctx.rounds):
        with servers.boardd(workers=workers) as server:
            everyone = clients.opened(server.port, CONNECTIONS)
            dealt.append(_spread(server, workers, CONNECTIONS))
            loop = clients.Loop(everyone)
            loop.run(0.3)
            loop.close(random.sample(everyone, CLOSED))
            while loop.closing:
                loop.run(0.001)
            loop.run(LEVEL_S)
            levelled.append(_spread(server, workers, CONNECTIONS - CLOSED))
            loop.finish()
            lost += loop.lost
            answered += loop.answered
    return [
        Figure("spread when dealt, worst", max(dealt), at_most(1), "", {"rounds": dealt}),
        Figure("spread 1 s after 50 closed, worst", max(levelled), at_most(1), "", {"rounds": levelled}),
        Figure("requests lost", lost, at_most(0), "", {"answered": answered}),
    ]


@bar(issue=1, name="deal-2", about="100 connections on 2 workers: dealt and levelled within one")
def deal_2(ctx: Context) -> list[Figure]:
    """As many workers as cores."""
    return _deal(ctx, 2)


@bar(issue=1, name="deal-4", about="100 connections on 4 workers: dealt and levelled within one")
def deal_4(ctx: Context) -> list[Figure]:
    """As on a board with four cores."""
    return _deal(ctx, 4)


@bar(issue=1, name="memory", about="resident memory, idle and per idle keep-alive connection")
def memory(ctx: Context) -> list[Figure]:
    """A connection that waits holds no buffer. Each has been answered once, so that all it ever needed was there."""
    count = 1000 if ctx.quick else 10_000
    with servers.boardd() as server:
        time.sleep(1)
        idle = server.rss_kib()
        for one in clients.opened(server.port, 1):
            one.close()
        before = server.rss_kib()
        held = clients.opened(server.port, count)
        after = server.rss_kib()
        for one in held:
            one.close()
    detail = {"connections": count, "before_kib": before, "after_kib": after}
    return [
        Figure("idle", idle / 1024, at_most(3), "MiB"),
        Figure("per idle connection", (after - before) / count, at_most(1.5), "KiB", detail),
    ]


@bar(issue=1, name="size", about="boardd as it ships on this machine")
def size(_: Context) -> list[Figure]:
    """No default features, release profile, stripped."""
    return [Figure("boardd", build.boardd().stat().st_size / 1024, below(600), "KiB")]
