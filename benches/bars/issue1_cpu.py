"""CPU per request and requests per second, against the ceiling and the peers."""

from __future__ import annotations

import dataclasses
from typing import Optional

from . import drive, servers
from .context import Context
from .registry import Figure, Limit, at_least, at_most, bar
from .rounds import Rounds, cpu_us, rate, take


def _wrk(ctx: Context, name: str, others: list[servers.Server], connections: int, pipeline: int = 1) -> Rounds:
    ours = [servers.boardd(), servers.ceiling()]
    return take(
        ctx, name, ours + others, lambda server: drive.wrk(server.url, connections, ctx.seconds, pipeline=pipeline)
    )


def _gate(run: Rounds) -> Figure:
    return Figure("ceiling / nginx, CPU", run.check_ceiling(), at_most(0.94), "x")


def _against(ctx: Context, run: Rounds, other: str, limit: Optional[Limit]) -> Figure:
    detail = {**ctx.conditions(), "ratios": run.ratios("boardd", other, cpu_us), "samples": run.detail()}
    return Figure(f"boardd / {other}, CPU", run.ratio("boardd", other, cpu_us), limit, "x", detail)


@bar(issue=1, name="cpu-100", about="server CPU per request at 100 connections")
def cpu_100(ctx: Context) -> list[Figure]:
    """Against the ceiling, the best C server and the best Go one."""
    run = _wrk(ctx, "cpu-100", [servers.PEERS["nginx"](), servers.PEERS["fasthttp"]()], 100)
    return [
        _gate(run),
        _against(ctx, run, "ceiling", at_most(1.05)),
        _against(ctx, run, "nginx", at_most(0.96)),
        _against(ctx, run, "fasthttp", at_most(0.85)),
        Figure("boardd, CPU", run.median("boardd", cpu_us), None, "us"),
    ]


def _few(ctx: Context, connections: int) -> list[Figure]:
    run = _wrk(ctx, f"cpu-{connections}", [servers.PEERS["nginx"]()], connections)
    return [_gate(run), _against(ctx, run, "ceiling", at_most(1.15)), _against(ctx, run, "nginx", None)]


@bar(issue=1, name="cpu-10", about="server CPU per request at 10 connections")
def cpu_10(ctx: Context) -> list[Figure]:
    """Small batches: the fixed cost of a wait shows."""
    return _few(ctx, 10)


@bar(issue=1, name="cpu-1", about="server CPU per request at 1 connection")
def cpu_1(ctx: Context) -> list[Figure]:
    """A wait for each request."""
    return _few(ctx, 1)


@bar(issue=1, name="rate-100", about="requests per second at 100 connections, against the ceiling and the best peer")
def rate_100(ctx: Context) -> list[Figure]:
    """The best peer is whoever is fastest in this run."""
    # Ten servers: more rounds would take longer than all the other bars.
    ctx = dataclasses.replace(ctx, rounds=min(ctx.rounds, 9))
    run = _wrk(ctx, "rate-100", [start() for start in servers.PEERS.values()], 100)
    best = max(servers.PEERS, key=lambda name: run.median(name, rate))
    detail = {**ctx.conditions(), "best": best, "samples": run.detail()}
    return [
        _gate(run),
        Figure("boardd / ceiling, rate", run.ratio("boardd", "ceiling", rate), at_least(0.97), "x", detail),
        Figure(f"boardd / {best}, rate", run.ratio("boardd", best, rate), at_least(0.97), "x"),
        Figure("boardd, rate", run.median("boardd", rate), None, "/s"),
    ]


@bar(issue=1, name="pipeline-16", about="requests per second, 16 deep pipelines on 100 connections")
def pipeline_16(ctx: Context) -> list[Figure]:
    """All answers of one read leave in one write, or this shows it."""
    run = _wrk(ctx, "pipeline-16", [], 100, pipeline=16)
    detail = {**ctx.conditions(), "samples": run.detail()}
    return [
        Figure("boardd / ceiling, rate", run.ratio("boardd", "ceiling", rate), at_least(0.95), "x", detail),
        Figure("boardd / ceiling, CPU", run.ratio("boardd", "ceiling", cpu_us), None, "x"),
        Figure("boardd, rate", run.median("boardd", rate), None, "/s"),
    ]
