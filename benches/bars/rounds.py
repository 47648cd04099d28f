"""Interleaved rounds: every server in turn within seconds of the others, compared within the round.

Whatever slows the machine for longer than a round slows all of them, and drops out of the ratio.
"""

from __future__ import annotations

import statistics
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass

from .context import Context
from .drive import Load
from .registry import Void
from .servers import Server

# The ceiling must cost at most this share of nginx's CPU per request, or it is none and the run is void.
CEILING_OF_NGINX = 0.94


@dataclass
class Sample:
    """One server in one round."""

    load: Load
    cpu_s: float
    rss_kib: int

    @property
    def rate(self) -> float:
        """Requests per second."""
        return self.load.requests_per_s

    @property
    def cpu_us(self) -> float:
        """Server CPU per request, in microseconds."""
        return self.cpu_s / self.load.requests * 1e6


def sample(server: Server, drive: Callable[[Server], Load]) -> Sample:
    """Loads a running server once and reads what it spent on it."""
    before = server.cpu_s()
    load = drive(server)
    spent = server.cpu_s() - before
    if load.requests == 0:
        raise Void(f"{server.name} answered nothing")
    return Sample(load, spent, server.rss_kib())


def cpu_us(one: Sample) -> float:
    """Server CPU per request."""
    return one.cpu_us


def rate(one: Sample) -> float:
    """Requests per second."""
    return one.rate


def requests_per_cpu_s(one: Sample) -> float:
    """Requests per second of server CPU."""
    return one.load.requests / one.cpu_s


def bytes_per_cpu_s(one: Sample) -> float:
    """Bytes, as the client read them, per second of server CPU."""
    return one.load.bytes / one.cpu_s


class Rounds:
    """The samples of all servers, round by round."""

    def __init__(self, samples: dict[str, list[Sample]]) -> None:
        self.samples = samples

    def values(self, name: str, what: Callable[[Sample], float]) -> list[float]:
        """One server's value in each round."""
        return [what(one) for one in self.samples[name]]

    def median(self, name: str, what: Callable[[Sample], float]) -> float:
        """The usual value of one server."""
        return statistics.median(self.values(name, what))

    def ratios(self, name: str, other: str, what: Callable[[Sample], float]) -> list[float]:
        """One server's value over another's, round by round."""
        return [mine / its for mine, its in zip(self.values(name, what), self.values(other, what))]

    def ratio(self, name: str, other: str, what: Callable[[Sample], float]) -> float:
        """The median of these."""
        return statistics.median(self.ratios(name, other, what))

    def detail(self) -> dict[str, dict[str, list[float]]]:
        """Everything measured, for the record."""
        return {
            name: {
                "cpu_us_per_request": [round(one.cpu_us, 3) for one in samples],
                "requests_per_s": [round(one.rate) for one in samples],
                "p50_us": [one.load.p50_us for one in samples],
                "p99_us": [one.load.p99_us for one in samples],
                "errors": [one.load.errors for one in samples],
            }
            for name, samples in self.samples.items()
        }

    def check_ceiling(self) -> float:
        """The gate: the ceiling's CPU over nginx's, if it is low enough to call it one."""
        share = self.ratio("ceiling", "nginx", cpu_us)
        if share > CEILING_OF_NGINX:
            raise Void(f"the ceiling cost {share:.3f} of nginx's CPU per request, more than {CEILING_OF_NGINX}")
        return share


def take(ctx: Context, name: str, servers: Sequence[Server], drive: Callable[[Server], Load]) -> Rounds:
    """All servers, all rounds, each round in an order of its own. Every server runs all the time, idle out of turn."""
    shuffle = ctx.order(name).shuffle
    samples: dict[str, list[Sample]] = {server.name: [] for server in servers}
    with ExitStack() as stack:
        for server in servers:
            stack.enter_context(server)
        for server in servers:
            drive(server)  # Warm: pages touched, heap grown.
        for _ in range(ctx.rounds):
            order = list(servers)
            shuffle(order)
            for server in order:
                samples[server.name].append(sample(server, drive))
    return Rounds(samples)
