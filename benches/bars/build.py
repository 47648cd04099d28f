"""Builds what is measured: our programs in the target folder, the peers in a cache keyed by their sources."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
from functools import lru_cache
from pathlib import Path

from . import machine
from .registry import Void

TARGET = machine.ROOT / "target"
PEERS = machine.ROOT / "benches" / "peers"
CACHE = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "boardkit"


# Programs to try the benches with in place of ours. Nothing measured with them is recorded.
BOARDD_STAND_IN = os.environ.get("BARS_BOARDD")
BOARDCTL_STAND_IN = os.environ.get("BARS_BOARDCTL")


def _run(command: list[str], where: Path, env: dict[str, str]) -> str:
    done = subprocess.run(
        command, cwd=where, env={**os.environ, **env}, stdout=subprocess.PIPE, text=True
    )
    if done.returncode != 0:
        raise Void(f"`{' '.join(command)}` failed")
    return done.stdout


def _cargo(target: Path, kind: str, name: str, *flags: str) -> Path:
    """Builds one target and finds the program from what cargo reports, wherever it put it."""
    command = ["cargo", "build", "--quiet", "--locked", "--message-format=json-render-diagnostics"]
    output = _run([*command, f"--{kind}", name, *flags], machine.ROOT, {"CARGO_TARGET_DIR": str(target)})
    for line in output.splitlines():
        message = json.loads(line)
        if message.get("executable") and message["target"]["name"] == name:
            return Path(message["executable"])
    raise Void(f"cargo reported no program {name}")


@lru_cache(maxsize=None)
def boardd(profile: str = "release") -> Path:
    """The boardd that ships: no default features, its own target folder."""
    return _cargo(TARGET / "boardd", "bin", "boardd", "--no-default-features", "--profile", profile)


@lru_cache(maxsize=None)
def boardctl() -> Path:
    """The load tester as users get it."""
    if BOARDCTL_STAND_IN:
        return Path(BOARDCTL_STAND_IN)
    return _cargo(TARGET, "bin", "boardctl", "--release")


@lru_cache(maxsize=None)
def ceiling(profile: str = "bench") -> Path:
    """The 100 % mark, with boardd's dependencies and settings."""
    return _cargo(TARGET / "boardd", "bench", "ceiling", "--no-default-features", "--profile", profile)


@lru_cache(maxsize=None)
def loris() -> Path:
    """The clients that never finish asking."""
    return _cargo(TARGET, "bench", "loris", "--profile", "bench")


@lru_cache(maxsize=None)
def delays() -> Path:
    """The server whose every delay is known."""
    return _cargo(TARGET, "bench", "delays", "--profile", "bench")


@lru_cache(maxsize=None)
def paced() -> Path:
    """The open loop by wrk2's method."""
    return _cargo(TARGET, "bench", "paced", "--profile", "bench")


def _hash(folder: Path) -> str:
    """Of all sources in a folder, leaving out what a build made there."""
    digest = hashlib.sha256()
    for path in sorted(folder.rglob("*")):
        if path.is_file() and "target" not in path.relative_to(folder).parts:
            digest.update(str(path.relative_to(folder)).encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()[:16]


@lru_cache(maxsize=None)
def rust_peers() -> Path:
    """The folder with the programs of benches/peers/rust."""
    sources = PEERS / "rust"
    place = CACHE / f"peers-rust-{_hash(sources)}"
    if not (place / ".done").exists():
        print("building the Rust peers (a few minutes, once)", flush=True)
        _run(["cargo", "build", "--quiet", "--locked", "--release"], sources, {"CARGO_TARGET_DIR": str(place)})
        (place / ".done").touch()
    return place / "release"


@lru_cache(maxsize=None)
def go_peers() -> Path:
    """The folder with the programs of benches/peers/go, built from Debian's packages alone."""
    sources = PEERS / "go"
    place = CACHE / f"peers-go-{_hash(sources)}"
    offline = {"GO111MODULE": "off", "GOFLAGS": "", "GOPATH": "/usr/share/gocode", "GOPROXY": "off"}
    for source in sorted(sources.glob("*.go")):
        if not (place / source.stem).exists():
            place.mkdir(parents=True, exist_ok=True)
            _run(["go", "build", "-o", str(place / source.stem), source.name], sources, offline)
    return place


@lru_cache(maxsize=None)
def c_peers() -> Path:
    """The folder with the programs of benches/peers/c."""
    sources = PEERS / "c"
    place = CACHE / f"peers-c-{_hash(sources)}"
    for source in sorted(sources.glob("*.c")):
        if not (place / source.stem).exists():
            place.mkdir(parents=True, exist_ok=True)
            _run(["cc", "-O2", "-Wall", "-o", str(place / source.stem), source.name, "-lfcgi"], sources, {})
    return place


def install() -> int:
    """Installs what is missing; the exit code of the script that does it."""
    return subprocess.run([str(PEERS / "install")]).returncode
