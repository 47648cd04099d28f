"""boardctl compare: whether it tells apart what is different, and keeps quiet where nothing is."""

from __future__ import annotations

import math
import statistics
import time
from typing import Any, Callable

from . import drive, servers
from .context import Context
from .registry import Figure, Limit, Void, at_least, at_most, bar, below
from .rounds import Rounds, Sample, cpu_us, rate, sample, take
from .servers import Server

RUNS = 20
RUN_S = 60.0
# boardctl's own default, so that what is calibrated is what is compared.
CONNECTIONS = 10
# What a handler may do. Between a server that spins and one that does not, more is different than the spin: while it spins
# requests come, more of them are answered at once, and each costs less. Between two that spin there is only the spin.
WORK_NS = 2000
DEARER = 1.05
SLOWER = 0.90
# Of one load that a server is calibrated with.
CALIBRATION_S = 5.0


def _plain(name: str) -> Server:
    return servers.ceiling(name=name)


def _working(name: str, more_ns: int = 0) -> Server:
    return servers.ceiling("--spin", str(WORK_NS + more_ns), name=name)


def _calibrate(ctx: Context) -> Sample:
    """One server alone under the load that it is compared with."""
    seconds = ctx.seconds if ctx.quick else CALIBRATION_S
    with _working("usual") as server:
        drive.boardctl(server.url, CONNECTIONS, 1)
        return sample(server, lambda one: drive.boardctl(one.url, CONNECTIONS, seconds))


def _runs(ctx: Context, name: str, pair: Callable[[], tuple[Server, Server]]) -> tuple[list[dict[str, Any]], float]:
    """What each run found of the second server against the first, by metric, and how long the longest took."""
    found, longest = [], 0.0
    flags = ("--rounds", "10", "-d", "50ms") if ctx.quick else ()
    for run in range(2 if ctx.quick else RUNS):
        # Servers of their own for each run: where the kernel puts their threads is a part of the noise.
        one, two = pair()
        with one, two:
            begun = time.monotonic()
            seed = str(ctx.order(f"{name}/{run}").getrandbits(32))
            report = drive.compare({one.name: one.url, two.name: two.url}, RUN_S, "--seed", seed, *flags)
            longest = max(longest, time.monotonic() - begun)
        found.append(report["pairs"][0]["metrics"])
        print(f"  run {run + 1}: {report['pairs'][0]['conclusion']}", flush=True)
    return found, longest


def _count(found: list[dict[str, Any]], metric: str, verdict: str) -> int:
    return sum(one[metric]["verdict"] == verdict for one in found)


def _told(found: list[dict[str, Any]], metric: str) -> list[dict[str, float]]:
    """The ratios of the runs that found one; a run with too few rounds did not."""
    told = [one[metric]["ratio"] for one in found if one[metric]["ratio"]]
    if not told:
        raise Void(f"no run found a ratio of {metric}")
    return told


def _enough(ctx: Context, wanted: int) -> Limit:
    return at_least(wanted if not ctx.quick else 0)


def _detail(found: list[dict[str, Any]], **more: Any) -> dict[str, Any]:
    ratios = {metric: [one[metric]["ratio"] for one in found] for metric in ("requests_per_s", "server_cpu_us")}
    return {"runs": len(found), "ratios": ratios, **more}


def _truth(ctx: Context, name: str, pair: tuple[Server, Server]) -> Rounds:
    """Long loads by another tool, with the processor time from the kernel's clock ticks."""
    return take(ctx, f"{name}/truth", pair, lambda server: drive.wrk(server.url, CONNECTIONS, ctx.seconds))


def _ratio(run: Rounds, pair: tuple[str, str], what: Callable[[Sample], float]) -> tuple[float, float]:
    """The geometric mean of the rounds' ratios, and its standard error in percent."""
    logs = [math.log(ratio) for ratio in run.ratios(pair[1], pair[0], what)]
    error = statistics.stdev(logs) / math.sqrt(len(logs)) if len(logs) > 1 else float("nan")
    return math.exp(statistics.fmean(logs)), error * 100


def _told_apart(
    ctx: Context, name: str, more_ns: int, metric: str, what: Callable[[Sample], float], target: float
) -> list[Figure]:
    """A server that spins longer for each request than the other one, which by `what` is to make it `target` times as much.

    A larger difference would be an easier bar: by how much it is larger than asked for, beyond its error, is limited too.
    """

    def pair() -> tuple[Server, Server]:
        return _working("usual"), _working("changed", more_ns)

    truth, error = _ratio(_truth(ctx, name, pair()), ("usual", "changed"), what)
    print(f"  {more_ns} ns more for each request; in long loads the ratio is {truth:.3f} +- {error:.1f} %", flush=True)
    found, longest = _runs(ctx, name, pair)
    ratios = [ratio["value"] for ratio in _told(found, metric)]
    effect, asked = abs(math.log(truth)) - 2 * error / 100, abs(math.log(target))
    detail = _detail(found, more_ns=more_ns, truth=truth, truth_error_percent=error)
    return [
        Figure("told apart, runs", _count(found, metric, "worse"), _enough(ctx, 18), "", detail),
        Figure("longest run", longest, below(RUN_S), "s"),
        Figure("ratio in long loads", truth, None, "x"),
        Figure("difference in long loads / asked for", effect / asked, at_most(1.2 if not ctx.quick else math.inf)),
        Figure("ratio found, median of the runs", statistics.median(ratios), None, "x"),
    ]


@bar(issue=3, name="compare-same", about="20 comparisons of two copies of one server: no difference")
def compare_same(ctx: Context) -> list[Figure]:
    """An interval of 95 % misses in one of twenty runs, by each figure."""
    found, longest = _runs(ctx, "compare-same", lambda: (_plain("one"), _plain("other")))
    both = sum(all(one[key]["verdict"] == "no_difference" for key in ("requests_per_s", "server_cpu_us")) for one in found)
    widths = [math.log(ratio["high"] / ratio["low"]) / 2 for ratio in _told(found, "requests_per_s")]
    return [
        # What the tool concludes is "no difference" only where both figures say so.
        Figure("no difference by both", both, _enough(ctx, 17), "", _detail(found)),
        Figure("no difference by requests/s", _count(found, "requests_per_s", "no_difference")),
        Figure("no difference by CPU per request", _count(found, "server_cpu_us", "no_difference")),
        Figure("interval by requests/s, half its width", statistics.median(widths) * 100, None, "%"),
        Figure("longest run", longest, below(RUN_S), "s"),
    ]


@bar(issue=3, name="compare-dearer", about="20 comparisons with a server that takes 5 % more CPU for each request: told apart")
def compare_dearer(ctx: Context) -> list[Figure]:
    """By the processor time of its process."""
    more_ns = round(_calibrate(ctx).cpu_us * 1000 * (DEARER - 1))
    return _told_apart(ctx, "compare-dearer", more_ns, "server_cpu_us", cpu_us, DEARER)


@bar(issue=3, name="compare-slower", about="20 comparisons with a server that serves 10 % fewer requests per second: told apart")
def compare_slower(ctx: Context) -> list[Figure]:
    """Server and client keep all cores busy: what both spend on a request is what the rate follows from."""
    base = _calibrate(ctx)
    spent_us = base.cpu_us + base.load.client_cpu_s / base.load.requests * 1e6
    more_ns = round(spent_us * 1000 * (1 / SLOWER - 1))
    return _told_apart(ctx, "compare-slower", more_ns, "requests_per_s", rate, SLOWER)
