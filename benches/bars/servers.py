"""The servers under test: each is a process group of its own that is started, looked at and stopped by its id."""

from __future__ import annotations

import getpass
import os
import select
import shutil
import signal
import socket
import subprocess
import time
from pathlib import Path
from typing import Callable, Optional

from . import build, hosts, proc
from .registry import Void

START_S = 20.0
STOP_S = 5.0
# As many as the machines have cores that these benches are made for, and as many for everyone.
WORKERS = 2


class Server:
    """A running server. `wrapper` goes before its command: strace, valgrind."""

    def __init__(self, name: str, command: list[str], port: Optional[int] = None) -> None:
        self.name = name
        self.hosts = hosts.current
        # Every command says loopback where it means the board.
        self.command = [part.replace("127.0.0.1", self.hosts.address) for part in command]
        # None: it says itself where it listens.
        self.port = port or 0
        self._says_port = port is None
        self._process: Optional[subprocess.Popen[str]] = None

    def start(self, wrapper: tuple[str, ...] = ()) -> "Server":
        """Starts it and waits until it can be reached."""
        self._process = subprocess.Popen(
            [*self.hosts.on_board, *wrapper, *self.command],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE if self._says_port else subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            text=True,
            start_new_session=True,
        )
        try:
            if self._says_port:
                self.port = self._read_port()
            self._wait_until_open()
        except BaseException:
            self.stop()
            raise
        return self

    def _read_port(self) -> int:
        assert self._process and self._process.stdout
        ready, _, _ = select.select([self._process.stdout], [], [], START_S)
        line = self._process.stdout.readline() if ready else ""
        if "listening on" not in line:
            raise Void(f"{self.name} did not say where it listens")
        return int(line.rsplit(":", 1)[1])

    def _wait_until_open(self) -> None:
        until = time.monotonic() + START_S
        while True:
            if self._is_open():
                return
            if time.monotonic() > until or (self._process and self._process.poll() is not None):
                raise Void(f"{self.name} can't be reached")
            time.sleep(0.05)

    def _is_open(self) -> bool:
        if self.hosts.on_laptop:
            probe = [*self.hosts.on_laptop, "bash", "-c", f"exec 3<>/dev/tcp/{self.hosts.address}/{self.port}"]
            return subprocess.run(probe, capture_output=True, check=False).returncode == 0
        try:
            socket.create_connection((self.hosts.address, self.port), 1).close()
            return True
        except OSError:
            return False

    @property
    def url(self) -> str:
        """What is asked of every server."""
        return self.at("/plaintext")

    def at(self, path: str) -> str:
        """Something else to ask for."""
        return f"http://{self.hosts.address}:{self.port}{path}"

    @property
    def pid(self) -> int:
        """The process that was started, which leads its group."""
        assert self._process
        return self._process.pid

    def pids(self) -> list[int]:
        """All processes of this server."""
        return proc.group(self.pid)

    def cpu_s(self) -> float:
        """CPU used so far by all of them."""
        return proc.cpu_s(self.pids())

    def rss_kib(self) -> int:
        """Memory resident now."""
        return proc.rss_kib(self.pids())

    def descriptors(self) -> int:
        """Open files of all of them now."""
        return sum(map(proc.descriptors, self.pids()))

    def ask_to_end(self) -> None:
        """SIGTERM to the process that was started, and nothing more."""
        os.kill(self.pid, signal.SIGTERM)

    def wait_for_end(self, seconds: float) -> Optional[int]:
        """Its exit code once it has ended by itself; None when it has not by then."""
        assert self._process
        try:
            return self._process.wait(seconds)
        except subprocess.TimeoutExpired:
            return None

    def stop(self) -> None:
        """Asks all of the group to end, then makes them."""
        if self._process is None:
            return
        for signum in (signal.SIGTERM, signal.SIGKILL):
            try:
                os.killpg(self._process.pid, signum)
                self._process.wait(STOP_S)
                break
            except (ProcessLookupError, subprocess.TimeoutExpired):
                continue
        if self._process.stdout:
            self._process.stdout.close()
        self._process = None

    def __enter__(self) -> "Server":
        return self if self._process else self.start()

    def __exit__(self, *_: object) -> None:
        self.stop()


def boardd(*flags: str, workers: int = WORKERS, profile: str = "release", name: str = "boardd") -> Server:
    """The server that all of this is about. A stand-in is called as the ceiling is."""
    if build.BOARDD_STAND_IN:
        return Server(name, [build.BOARDD_STAND_IN, "--listen", "127.0.0.1:0", "--workers", str(workers)])
    command = [str(build.boardd(profile)), "serve", "--listen", "127.0.0.1:0", "--workers", str(workers)]
    return Server(name, [*command, *flags])


def ceiling(*flags: str, workers: int = WORKERS, profile: str = "bench", name: str = "ceiling") -> Server:
    """The 100 % mark."""
    command = [str(build.ceiling(profile)), "--listen", "127.0.0.1:0", "--workers", str(workers)]
    return Server(name, [*command, *flags])


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _configured(
    name: str,
    command: Callable[[Path, Path], list[str]],
    template: Optional[str] = None,
    marks: Optional[dict[str, str]] = None,
) -> Server:
    """A server with a configuration file: the template with its place, port, user and `marks` filled in."""
    port = _free_port()
    place = build.TARGET / "bars" / "run" / name.replace(" ", "-")
    shutil.rmtree(place, ignore_errors=True)
    (place / "files").mkdir(parents=True)
    (place / "files" / "plaintext").write_bytes(b"Hello, World!")
    text = (build.PEERS / "conf" / f"{template or name}.conf").read_text()
    common = {"@DIR@": str(place), "@PORT@": str(port), "@USER@": getpass.getuser()}
    for mark, value in {**common, **(marks or {})}.items():
        text = text.replace(mark, value)
    text = text.replace("127.0.0.1", hosts.current.address)
    config = place / "server.conf"
    config.write_text(text)
    return Server(name, command(place, config), port)


def _sbin(name: str) -> str:
    """Debian puts servers where a user's PATH does not look."""
    return shutil.which(name, path=os.environ["PATH"] + ":/usr/sbin:/sbin") or name


def nginx_static(root: Path, cached: bool = False) -> Server:
    """nginx serving the files of a folder; with its cache of open files, which is off by default, if wanted."""
    name = "nginx with open_file_cache" if cached else "nginx"
    cache = "open_file_cache max=1000 inactive=3600s;\n    open_file_cache_valid 3600s;" if cached else ""
    marks = {"@ROOT@": str(root), "@CACHE@": cache}
    return _configured(name, _nginx, "nginx-static", marks)


def nginx_fastcgi() -> Server:
    """nginx and as many FastCGI responders as it has workers, all in one group."""
    script = '"$1" "$2/responders" "$3" & shift 3; exec "$@"'

    def command(place: Path, conf: Path) -> list[str]:
        responders = [str(build.c_peers() / "fcgi"), str(place), str(WORKERS)]
        return ["sh", "-c", script, "sh", *responders, *_nginx(place, conf)]

    return _configured("nginx + FastCGI", command, "nginx-fastcgi")


def _nginx(place: Path, conf: Path) -> list[str]:
    return [_sbin("nginx"), "-p", str(place), "-c", str(conf)]


PEERS: dict[str, Callable[[], Server]] = {
    "nginx": lambda: _configured("nginx", _nginx),
    "lighttpd": lambda: _configured("lighttpd", lambda _, conf: [_sbin("lighttpd"), "-D", "-f", str(conf)]),
    "h2o": lambda: _configured("h2o", lambda _, conf: [_sbin("h2o"), "-c", str(conf)]),
    "may_minihttp": lambda: Server("may_minihttp", [str(build.rust_peers() / "peer-may"), "127.0.0.1:0"]),
    "hyper": lambda: Server("hyper", [str(build.rust_peers() / "peer-hyper"), "127.0.0.1:0"]),
    "actix-web": lambda: Server("actix-web", [str(build.rust_peers() / "peer-actix"), "127.0.0.1:0"]),
    "fasthttp": lambda: Server("fasthttp", [str(build.go_peers() / "fasthttp"), "127.0.0.1:0"]),
    "Go net/http": lambda: Server("Go net/http", [str(build.go_peers() / "nethttp"), "127.0.0.1:0"]),
}
