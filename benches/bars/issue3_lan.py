"""A cable of 100 Mbit/s, as the small boards have it: what passes, beside loopback and beside what the wire can carry."""

from __future__ import annotations

import math
from pathlib import Path

from . import drive, hosts, machine, servers
from .context import Context
from .drive import Load
from .registry import Figure, bar
from .rounds import Rounds, rate, take
from .servers import Server

CONNECTIONS = 100
CABLE = "100mbit"
# Bytes per second of the cable.
WIRE = 100e6 / 8
# What a segment carries with timestamps on, and what it has around it: link, IP and TCP headers, and preamble, checksum, gap.
SEGMENT = 1448
AROUND = 14 + 20 + 32 + 24
WHAT = {"Hello, World!": "/plaintext", "16 KiB": "/16k.bin"}


def _servers() -> list[Server]:
    files = machine.ROOT / "target" / "bars" / "lan-files"
    files.mkdir(parents=True, exist_ok=True)
    (files / "plaintext").write_bytes(b"Hello, World!")
    (files / "16k.bin").write_bytes(bytes(16 * 1024))
    return [servers.boardd("--root", str(files)), servers.nginx_static(Path(files))]


def _rounds(ctx: Context, path: str) -> Rounds:
    def load(server: Server) -> Load:
        return drive.boardctl(server.at(path), CONNECTIONS, ctx.seconds)

    return take(ctx, f"lan{path}", _servers(), load)


def _limit(one: Load) -> float:
    """Answers per second that the wire can carry, each in segments of its own."""
    answer = one.bytes / one.requests
    return WIRE / (answer + math.ceil(answer / SEGMENT) * AROUND)


@bar(issue=3, name="lan", about="boardd and nginx over a cable of 100 Mbit/s, beside loopback and the wire's own limit")
def lan(ctx: Context) -> list[Figure]:
    """Not judged: it says what a figure over such a link can be at most, whatever the server."""
    figures, rows = [], []
    for label, path in WHAT.items():
        here = _rounds(ctx, path)
        with hosts.lan(CABLE):
            there = _rounds(ctx, path)
        for name in here.samples:
            limit = _limit(there.samples[name][0].load)
            local, remote = here.median(name, rate), there.median(name, rate)
            detail = {**ctx.conditions(), "loopback": here.detail()[name], "cable": there.detail()[name]}
            figures.append(Figure(f"{name}, {label}: of the wire", remote / limit * 100, None, "%", detail))
            rows.append(f"| {name} | {label} | {local:,.0f} | {remote:,.0f} | {limit:,.0f} | {remote / limit:.0%} |")
    print("| server | answer | loopback, requests/s | 100 Mbit/s, requests/s | the wire's limit | of it |")
    print("|---|---|---:|---:|---:|---:|")
    print("\n".join(rows))
    return figures
