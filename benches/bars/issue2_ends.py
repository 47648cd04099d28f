"""The end of a server under load: nothing that it accepted is lost, and a successor on the same socket takes over."""

from __future__ import annotations

import os
import select
import socket
import subprocess
import time
from typing import Any, Optional

from . import build, drive, servers
from .context import Context
from .registry import Figure, Void, at_least, at_most, bar

CONNECTIONS = 100
# Longer than a drain may take.
END_S = 30.0
TERMS = 10
RESTARTS = 10
BETWEEN_S = 1.5
# Of the restart: fewer requests would say too little.
REQUESTS = 100_000
# systemd's first passed socket.
FIRST_PASSED = 3


def _sum(reports: list[dict[str, Any]], *path: str) -> int:
    total = 0
    for report in reports:
        value: Any = report
        for name in path:
            value = value[name]
        total += value
    return total


def _terminated(after_s: float) -> tuple[dict[str, Any], float]:
    """One load, with SIGTERM to the server in the middle of it: the report, and how long the server took to end."""
    with servers.boardd() as server, drive.Background(server.url, CONNECTIONS, "--no-retry") as load:
        time.sleep(after_s)
        begun = time.monotonic()
        server.ask_to_end()
        code = server.wait_for_end(END_S)
        took = time.monotonic() - begun
        if code is None:
            raise Void(f"boardd was still there {END_S:g} s after SIGTERM")
        # Those that come now are refused, which is what the tester has to tell from a loss.
        time.sleep(0.2)
        report = load.end()
    report["exit_code"] = code
    return report, took


@bar(issue=2, name="sigterm", about="SIGTERM under 100 connections with --no-retry: nothing fails, every close is announced")
def sigterm(ctx: Context) -> list[Figure]:
    """Refused is who came after the end; that is no request."""
    random = ctx.order("sigterm")
    times = 2 if ctx.quick else TERMS
    # At a random moment, so that it falls on all parts of an exchange.
    ends = [_terminated(random.uniform(0.5, 1.5)) for _ in range(times)]
    reports = [report for report, _ in ends]
    detail = {"reports": reports, "seconds_to_end": [took for _, took in ends]}
    return [
        Figure("failed requests", _sum(reports, "failed"), at_most(0), "", detail),
        Figure("closed without notice", _sum(reports, "connections", "closed_without_notice"), at_most(0)),
        Figure("exit codes other than 0", sum(report["exit_code"] != 0 for report in reports), at_most(0)),
        Figure("requests answered", _sum(reports, "requests")),
        Figure("refused after the end", _sum(reports, "connections", "refused")),
        Figure("slowest end", max(took for _, took in ends), None, "s"),
    ]


class Passed:
    """boardd on a socket that this process holds, handed over as systemd does it."""

    def __init__(self, listener: socket.socket) -> None:
        command = [str(build.BOARDD_STAND_IN or build.boardd()), "serve", "--workers", str(servers.WORKERS)]
        def pass_on() -> None:
            os.dup2(listener.fileno(), FIRST_PASSED)
            # A socket that had this number already keeps its mark.
            os.set_inheritable(FIRST_PASSED, True)

        # The shell's own number becomes boardd's with exec, and is what LISTEN_PID must say.
        script = 'export LISTEN_PID=$$; exec "$@"'
        self._process = subprocess.Popen(
            ["sh", "-c", script, "sh", *command],
            env={**os.environ, "LISTEN_FDS": "1"},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            # Everything else of this process is closed on exec by itself.
            close_fds=False,
            preexec_fn=pass_on,
            text=True,
        )
        self._await_start(listener.getsockname()[1])

    def _await_start(self, port: int) -> None:
        assert self._process.stdout
        ready, _, _ = select.select([self._process.stdout], [], [], servers.START_S)
        line = self._process.stdout.readline() if ready else ""
        if "listening on" not in line or int(line.rsplit(":", 1)[1]) != port:
            self.kill()
            raise Void(f"boardd did not start on the socket that it was passed; it said {line.strip()!r}")

    def end(self) -> int:
        """SIGTERM, and the exit code."""
        self._process.terminate()
        try:
            return self._process.wait(END_S)
        except subprocess.TimeoutExpired:
            raise Void(f"boardd was still there {END_S:g} s after SIGTERM") from None

    def kill(self) -> None:
        """For the way out after a failure."""
        if self._process.poll() is None:
            self._process.kill()
            self._process.wait()


@bar(issue=2, name="restart", about="boardd restarted again and again on a passed socket under load: nothing fails")
def restart(ctx: Context) -> list[Figure]:
    """Whoever comes between two of them waits in the socket's queue."""
    times, least = (2, 1000) if ctx.quick else (RESTARTS, REQUESTS)
    codes = []
    server: Optional[Passed] = None
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen(4096)
        url = f"http://127.0.0.1:{listener.getsockname()[1]}/plaintext"
        try:
            server = Passed(listener)
            with drive.Background(url, CONNECTIONS, "--no-retry", "--timeout", "10s") as load:
                for _ in range(times):
                    time.sleep(BETWEEN_S)
                    codes.append(server.end())
                    server = Passed(listener)
                time.sleep(BETWEEN_S)
                report = load.end()
            codes.append(server.end())
        finally:
            if server:
                server.kill()
    if not report["requests"]:
        raise Void("not one request was answered on the socket that was passed")
    return [
        Figure("failed requests", report["failed"], at_most(0), "", report),
        Figure("requests answered", report["requests"], at_least(least)),
        Figure("restarts", times),
        Figure("exit codes other than 0", sum(code != 0 for code in codes), at_most(0)),
        Figure("closed without notice", report["connections"]["closed_without_notice"]),
        Figure("refused", report["connections"]["refused"]),
        Figure("longest wait", report["latency_us"]["max"] / 1000, None, "ms"),
    ]
