#!/usr/bin/env python3
"""Runs boardd, the ceiling and every peer in turn and prints the table of the README.

`./bars 1 --only peers` calls this and keeps what it printed in target/bars/peers.md. By itself:
`benches/peers/table.py --help`.
"""

from __future__ import annotations

import argparse
import resource
import socket
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from bars import build, clients, drive, machine, servers  # noqa: E402
from bars.context import Context  # noqa: E402
from bars.registry import Void  # noqa: E402
from bars.rounds import Rounds, cpu_us, rate, take  # noqa: E402

CONNECTIONS = (100, 1000)
HEAD = ("server", "requests/s", "CPU µs/request", "× ceiling", "p99 ms", "errors", "memory MiB", "answer bytes")


def _answer_bytes(port: int) -> int:
    """Length of one whole answer, head and body."""
    with socket.create_connection(("127.0.0.1", port), 5) as one:
        one.sendall(clients.REQUEST)
        seen = b""
        while not seen.endswith(clients.BODY):
            part = one.recv(4096)
            if not part:
                break
            seen += part
    return len(seen)


def everyone() -> list[servers.Server]:
    """boardd, the mark, and the peers; fresh, not started."""
    return [servers.boardd(), servers.ceiling(), *(peer() for peer in servers.PEERS.values())]


def _row(name: str, run: Rounds, length: int) -> str:
    samples = run.samples[name]
    errors = sum(one.load.errors for one in samples)
    p99_ms = run.median(name, lambda one: one.load.p99_us) / 1000
    memory = max(one.rss_kib for one in samples) / 1024
    cells = (
        f"**{name}**" if name == "boardd" else name,
        f"{run.median(name, rate):,.0f}",
        f"{run.median(name, cpu_us):.2f}",
        f"{run.ratio(name, 'ceiling', cpu_us):.2f}",
        f"{p99_ms:.2f}",
        str(errors),
        f"{memory:.1f}",
        str(length),
    )
    return "| " + " | ".join(cells) + " |"


def _section(ctx: Context, tool: str, connections: int, lengths: dict[str, int]) -> tuple[list[str], Rounds]:
    """One table, cheapest server first."""
    drive_one = drive.TOOLS[tool]
    run = take(
        ctx, f"peers-{tool}-{connections}", everyone(), lambda server: drive_one(server.url, connections, ctx.seconds)
    )
    by_cost = sorted(run.samples, key=lambda name: run.ratio(name, "ceiling", cpu_us))
    lines = [
        f"{connections:,} keep-alive connections, driven by `{tool}`:",
        "",
        "| " + " | ".join(HEAD) + " |",
        "|---|" + "---:|" * (len(HEAD) - 1),
        *(_row(name, run, lengths[name]) for name in by_cost),
        "",
    ]
    return lines, run


def _apache_bench(seconds: int) -> tuple[list[str], dict[str, int]]:
    """`ab -k` once against each, and the length of each one's answer on the way."""
    lines = ["`ab -k` (HTTP/1.0 with keep-alive), 100 connections, once:", ""]
    lines += ["| server | what came of it |", "|---|---|"]
    lengths = {}
    for server in everyone():
        with server:
            lengths[server.name] = _answer_bytes(server.port)
            lines.append(f"| {server.name} | {drive.ab(server.url, seconds=seconds)} |")
    return [*lines, ""], lengths


def table(ctx: Context, tools: tuple[str, ...] = tuple(drive.TOOLS)) -> tuple[str, dict[str, Rounds]]:
    """The Markdown, and the samples it was made from."""
    about = machine.describe()
    lines = [
        f"{about['cpu']}, {about['cores']} cores, {about['kernel']}; commit {machine.commit()[:12]}; "
        f"medians of {ctx.rounds} interleaved rounds of {ctx.seconds:g} s; two workers each.",
        "",
    ]
    ab_lines, lengths = _apache_bench(1 if ctx.quick else 3)
    runs = {}
    for connections in CONNECTIONS:
        for tool in tools:
            section, run = _section(ctx, tool, connections, lengths)
            lines += section
            runs[f"{tool}-{connections}"] = run
    return "\n".join(lines + ab_lines), runs


def main() -> int:
    """Prints the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--seconds", type=float, default=2.0, help="length of one load")
    parser.add_argument("--quick", action="store_true", help="one short round, to try")
    parser.add_argument("--wrk-only", action="store_true", help="leave out boardctl")
    arguments = parser.parse_args()
    installed = build.install()
    if installed:
        return installed
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    ctx = Context(arguments.rounds, arguments.seconds, quick=arguments.quick)
    if ctx.quick:
        ctx.rounds, ctx.seconds = 1, 1.0
    try:
        print(table(ctx, ("wrk",) if arguments.wrk_only else tuple(drive.TOOLS))[0])
    except Void as reason:
        print(f"VOID: {reason}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
