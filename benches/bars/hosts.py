"""Where servers and clients run: on this machine, or on a board and a laptop joined by a cable (tests/lan)."""

from __future__ import annotations

import contextlib
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass

from . import machine
from .registry import Void

LAN = machine.ROOT / "tests" / "lan"


@dataclass(frozen=True)
class Hosts:
    """What goes before a server's command, before a client's, and the address of the servers."""

    address: str = "127.0.0.1"
    on_board: tuple[str, ...] = ()
    on_laptop: tuple[str, ...] = ()


current = Hosts()


def _enter(pid: str) -> tuple[str, ...]:
    return ("nsenter", "--target", pid, "--user", "--net", "--mount", "--preserve-credentials")


@contextlib.contextmanager
def lan(rate: str) -> Iterator[None]:
    """For as long as it is open, servers run on a board and clients on a laptop with a cable of this speed between them."""
    global current
    with subprocess.Popen([str(LAN), rate], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as script:
        assert script.stdin and script.stdout
        sides = {}
        for line in script.stdout:
            if line == "ready\n":
                break
            name, pid, address = line.split()
            sides[name] = (pid, address)
        if len(sides) != 2:
            raise Void("tests/lan made no cable; its error output says why")
        before = current
        current = Hosts(sides["board"][1], _enter(sides["board"][0]), _enter(sides["laptop"][0]))
        try:
            yield
        finally:
            current = before
            script.stdin.close()
