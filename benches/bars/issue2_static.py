"""Files: what a second of CPU serves, against nginx on the same files."""

from __future__ import annotations

import dataclasses
import random
import urllib.error
import urllib.request
from collections.abc import Callable
from pathlib import Path

from . import build, drive, servers
from .context import Context
from .drive import Load
from .registry import Figure, Void, at_least, at_most, bar
from .rounds import Sample, bytes_per_cpu_s, rate, requests_per_cpu_s, take
from .servers import Server

CONNECTIONS = 100
# What is asked for, and how long it is: nginx's own page of welcome, a picture, a download.
FILES = {"/index.html": 612, "/16k.bin": 16 * 1024, "/10m.bin": 10 * 1024 * 1024}
# A download is long: with fewer seconds what is under way at the end would count.
LONG_S = 5.0


def root() -> Path:
    """The folder that all servers serve, the same bytes in each run."""
    place = build.TARGET / "bars" / "files"
    place.mkdir(parents=True, exist_ok=True)
    source = random.Random(1)
    for path, length in FILES.items():
        (place / path[1:]).write_bytes(source.randbytes(length))
    return place


def _check(server: Server, path: str, content: bytes) -> None:
    """That it serves the file, so that nobody is measured who does something else."""
    try:
        with urllib.request.urlopen(server.at(path), timeout=10) as answer:
            if answer.read() != content:
                raise Void(f"{server.name} serves something else as {path}")
    except (urllib.error.URLError, OSError) as error:
        raise Void(f"{server.name} does not serve {path}: {error}") from None


def _measure(
    ctx: Context,
    path: str,
    per_cpu_s: Callable[[Sample], float],
    bound: float,
    load: Callable[[str, int, float], Load],
) -> list[Figure]:
    place = root()
    everyone = [
        servers.boardd("--root", str(place)),
        servers.nginx_static(place),
        servers.nginx_static(place, cached=True),
    ]
    for server in everyone:
        with server:
            _check(server, path, (place / path[1:]).read_bytes())
    run = take(ctx, f"static{path}", everyone, lambda server: load(server.at(path), CONNECTIONS, ctx.seconds))
    detail = {**ctx.conditions(), "ratios": run.ratios("boardd", "nginx", per_cpu_s), "samples": run.detail()}
    cached = everyone[2].name
    errors = sum(one.load.errors for samples in run.samples.values() for one in samples)
    return [
        Figure("boardd / nginx, per CPU-second", run.ratio("boardd", "nginx", per_cpu_s), at_least(bound), "x", detail),
        Figure("errors", errors, at_most(0)),
        Figure("boardd / nginx, rate", run.ratio("boardd", "nginx", rate), None, "x"),
        Figure("open_file_cache: boardd / nginx", run.ratio("boardd", cached, per_cpu_s), None, "x"),
        Figure("boardd, per CPU-second", run.median("boardd", per_cpu_s), None, "/s"),
        Figure("nginx, per CPU-second", run.median("nginx", per_cpu_s), None, "/s"),
    ]


@bar(issue=2, name="static-612", about="612 bytes of index.html: requests per CPU-second against nginx, 100 connections")
def static_612(ctx: Context) -> list[Figure]:
    """Small files are all overhead: opening, asking for the length, heads."""
    return _measure(ctx, "/index.html", requests_per_cpu_s, 1.1, drive.wrk)


@bar(issue=2, name="static-16k", about="a file of 16 KiB: requests per CPU-second against nginx, 100 connections")
def static_16k(ctx: Context) -> list[Figure]:
    """Copying begins to count."""
    return _measure(ctx, "/16k.bin", requests_per_cpu_s, 1.0, drive.wrk)


@bar(issue=2, name="static-10m", about="a file of 10 MiB: bytes per CPU-second against nginx, 100 connections")
def static_10m(ctx: Context) -> list[Figure]:
    """Driven by boardctl, which reads in large pieces: wrk reads 8 KiB at a time and would be measured itself."""
    long = dataclasses.replace(ctx, seconds=max(ctx.seconds, 1.0 if ctx.quick else LONG_S))
    return _measure(long, "/10m.bin", bytes_per_cpu_s, 0.95, _download)


def _download(url: str, connections: int, seconds: float) -> Load:
    """A download that takes more than boardctl's 2 s, while a hundred share two cores, has not failed."""
    return drive.boardctl(url, connections, seconds, 2, "--timeout", "10s")
