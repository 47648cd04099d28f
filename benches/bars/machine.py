"""The conditions of a figure: commit, machine, kernel. A number without them is worthless."""

from __future__ import annotations

import hashlib
import os
import platform
import re
import subprocess
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
# Written by the runs themselves, so it does not make a tree dirty.
RESULTS = "benches/results.json"


def _git(*words: str) -> str:
    return subprocess.run(
        ["git", "-C", str(ROOT), *words], check=True, capture_output=True, text=True
    ).stdout


def commit() -> str:
    """The commit checked out."""
    return _git("rev-parse", "HEAD").strip()


def changes() -> str:
    """All that differs from the commit: empty when nothing does."""
    where = ("--", ".", f":!{RESULTS}")
    return _git("status", "--porcelain", *where) + _git("diff", "HEAD", *where)


def state_key() -> str:
    """What a finished bar counts for: this commit, and these changes to it."""
    changed = changes()
    mark = "+" + hashlib.sha256(changed.encode()).hexdigest()[:12] if changed else ""
    return commit() + mark


def _cpu_model() -> str:
    info = Path("/proc/cpuinfo").read_text()
    found = re.search(r"^(?:model name|Model|Hardware)\s*:\s*(.+)$", info, re.M)
    return found[1] if found else platform.machine()


def describe() -> dict[str, Any]:
    """CPU, cores this process may use, kernel, memory."""
    memory = re.search(r"^MemTotal:\s+(\d+) kB", Path("/proc/meminfo").read_text(), re.M)
    return {
        "cpu": _cpu_model(),
        "cores": len(os.sched_getaffinity(0)),
        "kernel": f"{platform.system()} {platform.release()} {platform.machine()}",
        "memory_mib": int(memory[1]) // 1024 if memory else None,
    }


def load_average() -> float:
    """Of the last minute: whether others were at work."""
    return os.getloadavg()[0]
