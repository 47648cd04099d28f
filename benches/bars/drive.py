"""The load: wrk, boardctl and ab, run once with what they said turned into numbers."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from . import build, hosts, machine
from .registry import Void

PIPELINE = machine.ROOT / "benches" / "bars" / "pipeline.lua"
UNITS_US = {"us": 1.0, "ms": 1e3, "s": 1e6, "m": 60e6}
# A load tool that is not done this long after its time is ended.
GRACE_S = 30


@dataclass
class Load:
    """What one run of a load tool brought, and what it cost the client."""

    requests: int
    requests_per_s: float
    p50_us: float
    p99_us: float
    errors: int
    client_cpu_s: float
    # Read from the wire.
    bytes: float
    raw: dict[str, Any] = field(default_factory=dict)


def _run(command: list[str], seconds: float) -> tuple[str, float]:
    """The output, and the CPU of that child alone."""
    with tempfile.TemporaryFile("w+") as output:
        child = subprocess.Popen([*hosts.current.on_laptop, "timeout", str(seconds + GRACE_S), *command], stdout=output, stderr=output)
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        output.seek(0)
        text = output.read()
    if child.returncode != 0:
        raise Void(f"`{' '.join(command)}` ended with {child.returncode}:\n{text[-800:]}")
    return text, usage.ru_utime + usage.ru_stime


def wrk(url: str, connections: int, seconds: float, threads: int = 2, pipeline: int = 1) -> Load:
    """Debian's wrk; it takes whole seconds only. Its percentiles are rewritten after the run (see README)."""
    command = ["wrk", f"-t{min(threads, connections)}", f"-c{connections}", f"-d{max(1, round(seconds))}s"]
    command += ["--latency", url]
    if pipeline > 1:
        command += ["-s", str(PIPELINE), "--", str(pipeline)]
    text, cpu_s = _run(command, seconds)
    requests = re.search(r"(\d+) requests in", text)
    rate = re.search(r"Requests/sec:\s+([\d.]+)", text)
    read = re.search(r"requests in [^,]+, ([\d.]+)([KMGT]?)B read", text)
    if not requests or not rate or not read:
        raise Void(f"wrk said nothing that can be read:\n{text[-800:]}")
    errors = sum(int(count) for line in re.findall(r"Socket errors: (.+)", text) for count in re.findall(r"\d+", line))
    errors += sum(map(int, re.findall(r"Non-2xx or 3xx responses: (\d+)", text)))
    size = float(read[1]) * 1024.0 ** " KMGT".index(read[2] or " ")
    return Load(
        int(requests[1]), float(rate[1]), _wrk_us(text, "50%"), _wrk_us(text, "99%"), errors, cpu_s, size
    )


def _wrk_us(text: str, percentile: str) -> float:
    found = re.search(rf"^\s+{percentile}\s+([\d.]+)(us|ms|s|m)$", text, re.M)
    return float(found[1]) * UNITS_US[found[2]] if found else float("nan")


def _report(path: Path) -> dict[str, Any]:
    """What boardctl wrote. It has the command in it, which is kept without the paths of this machine."""
    text = path.read_text().replace(str(build.boardctl()), "boardctl").replace(f"{path.parent}/", "")
    return json.loads(text)


def boardctl(url: str, connections: int, seconds: float, threads: int = 2, *flags: str) -> Load:
    """Our own load tester, read from its JSON."""
    with tempfile.TemporaryDirectory() as place:
        report = Path(place) / "run.json"
        command = [str(build.boardctl()), "load", url, "-c", str(connections), "-t", str(min(threads, connections))]
        _, cpu_s = _run([*command, "-d", f"{seconds:g}s", "--json", str(report), *flags], seconds)
        said = _report(report)
    latency = said["latency_us"]
    return Load(
        said["requests"],
        said["requests_per_s"],
        latency["p50"],
        latency["p99"],
        sum(said["errors"].values()),
        cpu_s,
        said["bytes"],
        said,
    )


def compare(urls: dict[str, str], seconds: float, *flags: str) -> dict[str, Any]:
    """boardctl's comparison of servers by name, which takes about so long: its JSON."""
    with tempfile.TemporaryDirectory() as place:
        report = Path(place) / "compare.json"
        named = [f"{name}={url}" for name, url in urls.items()]
        _run([str(build.boardctl()), "compare", *named, "--json", str(report), *flags], seconds)
        return _report(report)


class Background:
    """boardctl's load going on while something is done to the server; it ends when it is told to."""

    def __init__(self, url: str, connections: int, *flags: str) -> None:
        self._place = tempfile.TemporaryDirectory()
        self._report = Path(self._place.name) / "run.json"
        command = [str(build.boardctl()), "load", url, "-c", str(connections), "-t", "2", "-d", "1h"]
        self._output = tempfile.TemporaryFile("w+")
        self._child = subprocess.Popen(
            [*command, "--json", str(self._report), *flags], stdout=self._output, stderr=self._output
        )

    def end(self) -> dict[str, Any]:
        """Ctrl-C, and what it reports then."""
        self._child.send_signal(signal.SIGINT)
        try:
            self._child.wait(GRACE_S)
        except subprocess.TimeoutExpired:
            raise Void("boardctl did not end when it was told to") from None
        if not self._report.exists():
            self._output.seek(0)
            raise Void(f"boardctl reported nothing:\n{self._output.read()[-800:]}")
        return _report(self._report)

    def __enter__(self) -> "Background":
        return self

    def __exit__(self, *_: object) -> None:
        if self._child.poll() is None:
            self._child.kill()
            self._child.wait()
        self._output.close()
        self._place.cleanup()


TOOLS = {"wrk": wrk, "boardctl": boardctl}


def ab(url: str, connections: int = 100, seconds: int = 3) -> str:
    """`ab -k` once, which speaks HTTP/1.0: one phrase on what came of it. Some servers never answer it to the end."""
    command = ["timeout", str(seconds + 5), "ab", "-q", "-k", f"-c{connections}", f"-t{seconds}", "-n10000000", url]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode == 124:
        return "hangs"
    numbers = {
        key: float(found[1])
        for key, pattern in (
            ("rate", r"Requests per second:\s+([\d.]+)"),
            ("complete", r"Complete requests:\s+(\d+)"),
            ("failed", r"Failed requests:\s+(\d+)"),
            ("kept", r"Keep-Alive requests:\s+(\d+)"),
        )
        for found in [re.search(pattern, done.stdout)]
        if found
    }
    if done.returncode != 0 or "rate" not in numbers:
        last = done.stdout.strip().splitlines()[-1:] or ["nothing said"]
        return f"fails: {last[0][:60]}"
    if not numbers.get("complete"):
        return "no answer completed"
    kept = numbers.get("kept", 0) / numbers["complete"]
    return f"{numbers['rate']:,.0f}/s, {kept:.0%} kept alive, {numbers['failed']:.0f} failed"
