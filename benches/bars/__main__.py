"""`./bars [N]`: measures issue N's bars, all of them without N, and goes on where it stopped."""

from __future__ import annotations

import argparse
import importlib
import pkgutil
import resource
import sys

import bars

from . import build, machine
from .context import Context
from .record import State, append
from .registry import BARS, Bar, Void


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="./bars", description=__doc__)
    parser.add_argument("issue", nargs="?", type=int, help="only the bars of this issue")
    parser.add_argument("--only", action="append", default=[], metavar="NAME", help="only this bar (may be repeated)")
    parser.add_argument("--again", action="store_true", help="measure again what this commit has already")
    parser.add_argument("--list", action="store_true", help="print the bars and exit")
    parser.add_argument("--rounds", type=int, default=Context.rounds, help=f"interleaved rounds (default {Context.rounds})")
    parser.add_argument("--seconds", type=float, default=Context.seconds, help=f"length of one load (default {Context.seconds:g})")
    parser.add_argument("--seed", type=int, default=1, help="of the random orders")
    parser.add_argument("--quick", action="store_true", help="two short rounds, to try: nothing is recorded")
    return parser.parse_args()


def _chosen(arguments: argparse.Namespace) -> list[Bar]:
    for module in sorted(pkgutil.iter_modules(bars.__path__), key=lambda found: found.name):
        if module.name != "__main__":
            importlib.import_module(f"bars.{module.name}")
    unknown = set(arguments.only) - {bar.name for bar in BARS}
    if unknown:
        sys.exit(f"bars: no bar is called {', '.join(sorted(unknown))}; see ./bars --list")
    return [
        bar
        for bar in sorted(BARS, key=lambda bar: bar.issue)
        if arguments.issue in (None, bar.issue) and (not arguments.only or bar.name in arguments.only)
    ]


def _measure(bar: Bar, ctx: Context, state: State) -> bool:
    """Measures, prints and records one bar. True when it is met."""
    print(f"{bar.name}: {bar.about}", flush=True)
    try:
        figures = bar.measure(ctx)
    except Void as reason:
        print(f"  VOID: {reason}", flush=True)
        return False
    lines = [figure.line() for figure in figures]
    print("\n".join(lines), flush=True)
    met = all(figure.met for figure in figures)
    if ctx.recorded:
        append(bar, figures)
        state.finish(bar, lines, met)
    return met


def main() -> int:
    """0 when all bars are met, 1 when one is missed or void, 2 when the machine lacks something."""
    arguments = _arguments()
    chosen = _chosen(arguments)
    if arguments.list:
        for bar in chosen:
            print(f"{bar.issue}  {bar.name:24} {bar.about}")
        return 0
    installed = build.install()
    if installed != 0:
        return installed
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    state = State(machine.state_key())
    if arguments.again:
        state.forget([bar.name for bar in chosen])
    tried = arguments.quick or build.BOARDD_STAND_IN or build.BOARDCTL_STAND_IN
    ctx = Context(arguments.rounds, arguments.seconds, arguments.seed, arguments.quick, recorded=not tried)
    if ctx.quick:
        ctx.rounds, ctx.seconds = 2, 1.0
    if machine.load_average() > 0.5:
        print(f"note: load average {machine.load_average():.2f}: others are at work, the figures are rough")
    missed = []
    finished = state.finished() if ctx.recorded else {}
    for bar in chosen:
        if bar.name in finished:
            print(f"{bar.name}: {bar.about} (measured before, --again measures anew)")
            print("\n".join(finished[bar.name]["lines"]), flush=True)
            met = finished[bar.name]["met"]
        else:
            met = _measure(bar, ctx, state)
        if not met:
            missed.append(bar.name)
    print(f"{len(chosen) - len(missed)} met, {len(missed)} missed" + (": " + ", ".join(missed) if missed else ""))
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
