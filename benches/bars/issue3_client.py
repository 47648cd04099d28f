"""What boardctl itself costs, with all that issue 3 has it keep."""

from __future__ import annotations

import dataclasses
import statistics

from .context import Context
from .drive import Load
from .issue1_load import CONNECTIONS, FEW, pairs_of, ratio_of
from .registry import Figure, Void, at_most, bar


@bar(issue=3, name="client-cpu", about="CPU of boardctl with seconds, histograms and JSON against wrk's, whole processes")
def client_cpu(ctx: Context) -> list[Figure]:
    """Runs of five seconds, so that the report is written several times meanwhile; all of it is in the process's time."""
    long = dataclasses.replace(ctx, seconds=ctx.seconds if ctx.quick else max(ctx.seconds, 5.0))
    order = ctx.order("client-cpu")
    figures = []
    for connections in (CONNECTIONS, FEW):
        pairs = pairs_of(long, order, connections)

        def cpu_us(load: Load) -> float:
            return load.client_cpu_s / load.requests * 1e6

        rows = min(len(ours.raw["series"]) for ours, _ in pairs)
        if rows < round(long.seconds) or not all(row["histogram"] for ours, _ in pairs for row in ours.raw["series"]):
            raise Void(f"a run of {long.seconds:g} s has only {rows} seconds in its report, or some without histogram")
        detail = {
            **long.conditions(),
            "boardctl": [round(cpu_us(ours), 3) for ours, _ in pairs],
            "wrk": [round(cpu_us(its), 3) for _, its in pairs],
        }
        # At ten connections neither is busy all the time, and what an idle wait costs is printed, not judged.
        limit = at_most(1.1) if connections == CONNECTIONS else None
        figures += [
            Figure(f"client CPU per request at {connections}", ratio_of(pairs, cpu_us), limit, "x", detail),
            Figure(f"boardctl's at {connections}", statistics.median(cpu_us(ours) for ours, _ in pairs), None, "us"),
            Figure(f"wrk's at {connections}", statistics.median(cpu_us(its) for _, its in pairs), None, "us"),
        ]
    return figures
