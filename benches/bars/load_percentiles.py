#!/usr/bin/env python3
"""Hold the percentiles of `boardctl load` against a server whose delays are known.

Usage: load_percentiles.py BOARDCTL DELAYS [--duration 20s] [--connections 50]

Starts DELAYS (the bench `delays`), loads it, and compares each percentile that both report. Prints one line per
percentile and exits with 1 if one is off by more than 1 %.
"""

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path

# The bar: each percentile within this of the truth.
BAR = 0.01


def measure(boardctl: str, delays: str, duration: str, connections: int) -> tuple[dict, dict]:
    """One run: the report and the truth."""
    with subprocess.Popen([delays], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as server:
        address = server.stdout.readline().strip()
        with tempfile.TemporaryDirectory() as folder:
            report = Path(folder) / "report.json"
            command = [boardctl, "load", f"http://{address}/", "-d", duration, "-c", str(connections), "-t", "2"]
            subprocess.run([*command, "--json", str(report)], check=True, stdout=subprocess.DEVNULL)
            found = json.loads(report.read_text())
        # Closing standard input asks the server for the truth.
        truth, _ = server.communicate()
    return found, json.loads(truth)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("boardctl")
    parser.add_argument("delays")
    parser.add_argument("--duration", default="20s")
    parser.add_argument("--connections", type=int, default=50)
    options = parser.parse_args()
    found, truth = measure(options.boardctl, options.delays, options.duration, options.connections)
    print(f"{found['requests']} requests measured, {truth['served']} served, errors {found['errors']}")
    worst = 0.0
    for name, right in sorted(truth["latency_us"].items(), key=lambda item: item[1]):
        got = found["latency_us"][name]
        off = got / right - 1
        worst = max(worst, abs(off))
        print(f"{name:>5}  truth {right / 1000:9.3f} ms  found {got / 1000:9.3f} ms  {off:+.3%}")
    met = worst <= BAR
    print(f"worst {worst:.3%}, bar {BAR:.0%}: {'met' if met else 'MISSED'}")
    return 0 if met else 1


if __name__ == "__main__":
    sys.exit(main())
