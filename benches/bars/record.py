"""Where figures go: the state that makes a run resumable, and the results that are kept."""

from __future__ import annotations

import datetime
import json
import os
from pathlib import Path
from typing import Any

from . import machine
from .registry import Bar, Figure

STATE = machine.ROOT / "target" / "bars" / "state.json"
RESULTS = machine.ROOT / machine.RESULTS
# What is long in a report and follows from a run that can be made again.
BULK = {"series", "histograms"}


def _lean(value: Any) -> Any:
    """A detail without each second and each histogram of the reports in it: a soak has ten thousand of them."""
    if isinstance(value, dict):
        return {key: _lean(one) for key, one in value.items() if key not in BULK}
    return [_lean(one) for one in value] if isinstance(value, list) else value


def _load(path: Path, empty: Any) -> Any:
    return json.loads(path.read_text()) if path.exists() else empty


def _save(path: Path, value: Any) -> None:
    """In one step, so that a run that is cut short leaves the old file or the new one."""
    path.parent.mkdir(parents=True, exist_ok=True)
    fresh = path.with_suffix(".tmp")
    fresh.write_text(json.dumps(value, indent=1, ensure_ascii=False) + "\n")
    os.replace(fresh, path)


class State:
    """The bars finished for this commit, with the lines they printed."""

    def __init__(self, key: str) -> None:
        self.key = key

    def finished(self) -> dict[str, dict[str, Any]]:
        """By name of the bar; nothing of another commit."""
        return dict(_load(STATE, {}).get(self.key, {}))

    def finish(self, bar: Bar, lines: list[str], met: bool) -> None:
        """Remembers it and drops what belongs to other commits."""
        done = self.finished()
        done[bar.name] = {"lines": lines, "met": met}
        _save(STATE, {self.key: done})

    def forget(self, names: list[str]) -> None:
        """These are to be measured again."""
        _save(STATE, {self.key: {k: v for k, v in self.finished().items() if k not in names}})


def append(bar: Bar, figures: list[Figure]) -> None:
    """Adds the figures to the results, with all that they depend on."""
    common = {
        "commit": machine.commit(),
        "dirty": bool(machine.changes()),
        "date": datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds"),
        "machine": machine.describe(),
    }
    results = _load(RESULTS, [])
    for figure in figures:
        results.append({
            "bar": f"{bar.name}/{figure.name}",
            "figure": round(figure.value, 6),
            "limit": str(figure.limit) if figure.limit else None,
            "met": figure.met if figure.limit else None,
            "unit": figure.unit,
            **common,
            "detail": _lean(figure.detail),
        })
    _save(RESULTS, results)
