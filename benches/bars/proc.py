"""What the kernel says of processes: CPU used, memory, sockets held by an epoll. All read from outside."""

from __future__ import annotations

import os
import re
from pathlib import Path

TICK_S = 1 / os.sysconf("SC_CLK_TCK")
ESTABLISHED = "01"


def group(pgid: int) -> list[int]:
    """Every process of a process group. Fields are counted after the name, which may hold anything."""
    members = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                fields = (entry / "stat").read_text().rsplit(")", 1)[1].split()
            except OSError:
                continue
            if int(fields[2]) == pgid and fields[0] != "Z":
                members.append(int(entry.name))
    return members


def cpu_s(pids: list[int]) -> float:
    """User and system time of all threads of these processes, in seconds, in steps of a tick (10 ms).

    The kernel accounts the sum exactly; only its split into user and system is sampled.
    """
    total = 0
    for pid in pids:
        fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
        total += int(fields[11]) + int(fields[12])
    return total * TICK_S


def rss_kib(pids: list[int]) -> int:
    """Resident memory, summed. Pages that processes of one server share are counted once for each."""
    total = 0
    for pid in pids:
        found = re.search(r"^VmRSS:\s+(\d+) kB", Path(f"/proc/{pid}/status").read_text(), re.M)
        total += int(found[1]) if found else 0
    return total


def descriptors(pid: int) -> int:
    """Open files of a process; 0 when it has ended."""
    try:
        return len(os.listdir(f"/proc/{pid}/fd"))
    except OSError:
        return 0


def established(port: int) -> set[str]:
    """Inodes of the established TCP sockets whose local port is this one: the server's side of its connections."""
    inodes = set()
    for line in Path("/proc/net/tcp").read_text().splitlines()[1:]:
        fields = line.split()
        if fields[3] == ESTABLISHED and int(fields[1].rsplit(":", 1)[1], 16) == port:
            inodes.add(fields[9])
    return inodes


def connections_per_epoll(pid: int, port: int) -> list[int]:
    """How many of the server's connections each of its epolls holds, most first.

    `tfd` in an epoll's fdinfo is the number of a watched descriptor; its link names the socket's inode. Listeners,
    eventfds and timers are no established connections and drop out.
    """
    links = {}
    for entry in Path(f"/proc/{pid}/fd").iterdir():
        try:
            links[int(entry.name)] = os.readlink(entry)
        except OSError:
            continue
    ours = established(port)
    counts = []
    for number, link in links.items():
        if link != "anon_inode:[eventpoll]":
            continue
        try:
            info = Path(f"/proc/{pid}/fdinfo/{number}").read_text()
        except OSError:
            continue
        watched = (links.get(int(tfd), "") for tfd in re.findall(r"^tfd:\s*(\d+)", info, re.M))
        counts.append(sum(link.startswith("socket:[") and link[8:-1] in ours for link in watched))
    return sorted(counts, reverse=True)
