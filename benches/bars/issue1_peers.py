"""The table of all peers, kept as Markdown and as figures."""

from __future__ import annotations

import dataclasses
import importlib.util

from . import build
from .context import Context
from .registry import Figure, at_most, bar
from .rounds import cpu_us

ROUNDS = 7
TABLE = build.TARGET / "bars" / "peers.md"


@bar(issue=1, name="peers", about="boardd, the ceiling and every peer, by wrk and by boardctl (takes a quarter of an hour)")
def peers(ctx: Context) -> list[Figure]:
    """Prints the README's table; only the gate is judged here, the bars have runs of their own."""
    # Ten servers, two loads, two tools: more rounds would take the hour.
    ctx = dataclasses.replace(ctx, rounds=min(ctx.rounds, ROUNDS))
    found = importlib.util.spec_from_file_location("table", build.PEERS / "table.py")
    assert found and found.loader
    script = importlib.util.module_from_spec(found)
    found.loader.exec_module(script)
    markdown, runs = script.table(ctx)
    TABLE.parent.mkdir(parents=True, exist_ok=True)
    TABLE.write_text(markdown)
    print(markdown, flush=True)
    run = runs["wrk-100"]
    figures = [Figure("ceiling / nginx, CPU", run.check_ceiling(), at_most(0.94), "x")]
    for load, samples in runs.items():
        for name in samples.samples:
            if name != "ceiling":
                detail = {**ctx.conditions(), "samples": {name: samples.detail()[name]}}
                ratio = samples.ratio(name, "ceiling", cpu_us)
                figures.append(Figure(f"{load}: {name} / ceiling, CPU", ratio, None, "x", detail))
    return figures
