"""Ten minutes of everything: memory stays where it is after the first, and every descriptor comes back."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor

from . import drive, servers
from .context import Context
from .issue2_static import root
from .mix import Mix
from .registry import Figure, at_most, bar

SECONDS = 600.0
SAMPLE_S = 5.0
# From here on memory has to be flat.
SETTLED_S = 60.0
RELEASE_S = 20.0
# Path, connections, flags of the loads that keep the server busy and leave the machine time for the others.
LOADS = (
    ("/plaintext", 50, ("--rate", "2000")),
    ("/json", 20, ("--rate", "200", "--no-keepalive")),
    ("/index.html", 10, ("--rate", "200")),
    ("/work?us=200", 10, ("--rate", "100")),
)


@bar(issue=2, name="soak", about="10 minutes of kept, short, aborted, pipelined, bad, file and echo clients: memory is flat")
def soak(ctx: Context) -> list[Figure]:
    """Resident memory is sampled each 5 s; the one after a minute is what the later ones are held against."""
    seconds, settled_s, sample_s = (20.0, 5.0, 1.0) if ctx.quick else (SECONDS, SETTLED_S, SAMPLE_S)
    samples: list[tuple[float, int]] = []
    with servers.boardd("--root", str(root())) as server:
        mix = Mix(server.port, ctx.seed)
        # Often enough for each worker to have its large file open, which stays so: what it keeps is part of the base.
        for _ in range(8):
            mix.once()
        for path, connections, _ in LOADS:
            drive.boardctl(server.at(path), connections, 0.5)
        time.sleep(1)
        base = server.descriptors()
        begun = time.monotonic()
        with ThreadPoolExecutor(len(LOADS)) as pool, mix:
            loads = [
                pool.submit(drive.boardctl, server.at(path), connections, seconds, 1, "--timeout", "10s", *flags)
                for path, connections, flags in LOADS
            ]
            while (elapsed := time.monotonic() - begun) < seconds:
                samples.append((round(elapsed, 1), server.rss_kib()))
                time.sleep(sample_s)
            reports = [load.result() for load in loads]
        until = time.monotonic() + RELEASE_S
        while server.descriptors() > base and time.monotonic() < until:
            time.sleep(0.1)
        left = server.descriptors()
    later = [rss for elapsed, rss in samples if elapsed >= settled_s]
    drift = max((abs(rss / later[0] - 1) for rss in later), default=0.0)
    errors = sum(load.errors + load.raw["unfinished"] for load in reports)
    for wrong in mix.wrong[:5]:
        print(f"  wrong: {wrong}", flush=True)
    detail = {"samples_kib": samples, "done": dict(mix.done), "loads": [load.raw for load in reports]}
    return [
        Figure("memory: largest change after a minute", drift * 100, at_most(5), "%", detail),
        Figure("descriptors left over", left - base, at_most(0), "", {"base": base}),
        Figure("errors of the well-behaved", errors, at_most(0)),
        Figure("wrong answers to the others", len(mix.wrong), at_most(0), "", {"wrong": mix.wrong[:100]}),
        Figure("requests", sum(load.requests for load in reports) + sum(mix.done.values())),
        Figure("memory at the end", samples[-1][1] / 1024, None, "MiB"),
    ]
