"""Any bytes for what turns bytes into messages: the targets of fuzz/, ten minutes each, without a crash."""

from __future__ import annotations

import os
import re
import subprocess
from functools import lru_cache
from pathlib import Path

from . import build, machine
from .context import Context
from .registry import Figure, Void, at_most, bar

TARGETS = {
    "head": "request heads",
    "chunked": "chunked bodies",
    "query": "queries",
    "range": "ranges, conditions and codings",
    "path": "paths of files",
}
SECONDS = 600
QUICK_SECONDS = 10
# One input may take this long: a hundred thousand times what it usually does.
HANG_S = 5
VERSION = "0.13.2"


@lru_cache(maxsize=None)
def _environment() -> dict[str, str]:
    """That of a stable toolchain which lends its coverage counters, with cargo-fuzz in the path."""
    place = build.CACHE / f"cargo-fuzz-{VERSION}"
    if not (place / "bin" / "cargo-fuzz").exists():
        print("building cargo-fuzz (a minute or two, once)", flush=True)
        command = ["cargo", "install", "--quiet", "--locked", "--version", VERSION, "--root", str(place), "cargo-fuzz"]
        if subprocess.run(command).returncode != 0:
            raise Void("cargo-fuzz could not be installed")
    return {
        **os.environ,
        "PATH": f"{place / 'bin'}:{os.environ['PATH']}",
        "RUSTC_BOOTSTRAP": "1",
        "CARGO_TARGET_DIR": str(build.TARGET / "fuzz"),
    }


def _cargo_fuzz(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Sanitizers need a nightly toolchain. They watch memory, which code without `unsafe` cannot spoil."""
    command = ["cargo", "fuzz", *arguments]
    where = machine.ROOT / "fuzz"
    return subprocess.run(command, cwd=where, env=_environment(), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


def _fuzz(ctx: Context, target: str) -> list[Figure]:
    """What it finds interesting stays in target/fuzz, and is where the next run begins."""
    built = _cargo_fuzz("build", target, "--sanitizer", "none")
    if built.returncode != 0:
        print(built.stdout)
        raise Void(f"the target {target} could not be built")
    found = build.TARGET / "fuzz" / "corpus" / target
    crashes = build.TARGET / "fuzz" / "crashes" / target
    for folder in (found, crashes):
        folder.mkdir(parents=True, exist_ok=True)
    known = set(crashes.iterdir())
    seconds = QUICK_SECONDS if ctx.quick else SECONDS
    limits = [f"-max_total_time={seconds}", f"-timeout={HANG_S}", f"-artifact_prefix={crashes}/"]
    run = _cargo_fuzz("run", target, "--sanitizer", "none", str(found), f"corpus/{target}", "--", *limits)
    new = sorted(set(crashes.iterdir()) - known)
    done = re.search(r"^Done (\d+) runs in (\d+) second", run.stdout, re.MULTILINE)
    if new:
        print("\n".join(f"  crashes with {path}" for path in new))
    elif run.returncode != 0 or not done:
        print(run.stdout[-4000:])
        raise Void("the fuzzer ended without a verdict")
    runs = int(done[1]) if done else 0
    return [
        Figure("crashes and hangs", len(new), at_most(0)),
        Figure("inputs", runs, None, "", {"seconds": seconds}),
        Figure("kept for what they reach", _files(found) + _files(machine.ROOT / "fuzz" / "corpus" / target)),
    ]


def _files(folder: Path) -> int:
    return sum(1 for _ in folder.iterdir())


def _register(target: str, about: str) -> None:
    @bar(issue=2, name=f"fuzz-{target}", about=f"any bytes for {about}, ten minutes")
    def measure(ctx: Context) -> list[Figure]:
        return _fuzz(ctx, target)


for _target, _about in TARGETS.items():
    _register(_target, _about)
