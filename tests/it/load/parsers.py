"""Patterns by which people's scripts read the output of wrk, ab and httpress.

Reads two files, the output of TOOL and one that should be like it, or one alone: each pattern must find its figures in
every file. Prints what it did not find; exit code 1 if there was any.
"""

import re
import sys

NUMBER = r"([\d.]+)"
COUNT = r"(\d+)"
TIME = r"([\d.]+)(us|ms|s|m|h)"

PATTERNS = {
    "wrk": [
        r"^Running (\d+[smh]) test @ (\S+)$",
        rf"^  {COUNT} threads and {COUNT} connections$",
        rf"Latency\s+{TIME}\s+{TIME}\s+{TIME}\s+{NUMBER}%",
        rf"Latency\s+([0-9.]+\w+)\s+([0-9.]+\w+)\s+([0-9.]+\w+)",
        r"Req/Sec\s+([\d.]+[kMG]?)\s+([\d.]+[kMG]?)\s+([\d.]+[kMG]?)\s+([\d.]+)%",
        rf"^\s+50%\s+{TIME}\s*$",
        rf"^\s+75%\s+{TIME}\s*$",
        rf"^\s+90%\s+{TIME}\s*$",
        rf"^\s+99%\s+{TIME}\s*$",
        rf"{COUNT} requests in {TIME}, ([\d.]+)(K|M|G|T)?B read",
        rf"^Requests/sec:\s+{NUMBER}",
        r"^Transfer/sec:\s+([\d.]+)([KMGT]?B)",
    ],
    "ab": [
        r"^Server Software:\s+(\S+)",
        r"^Server Hostname:\s+(\S+)",
        rf"^Server Port:\s+{COUNT}",
        r"^Document Path:\s+(\S+)",
        rf"^Document Length:\s+{COUNT} bytes",
        rf"^Concurrency Level:\s+{COUNT}",
        rf"Time taken for tests:\s+{NUMBER}\s+seconds",
        rf"Complete requests:\s+{COUNT}",
        rf"Failed requests:\s+{COUNT}",
        rf"Keep-Alive requests:\s+{COUNT}",
        rf"Total transferred:\s+{COUNT} bytes",
        rf"HTML transferred:\s+{COUNT} bytes",
        rf"Requests per second:\s+{NUMBER} \[#/sec\] \(mean\)",
        rf"Time per request:\s+{NUMBER}\s+\[ms\]\s+\(mean\)",
        rf"Time per request:\s+{NUMBER} \[ms\] \(mean, across all concurrent requests\)",
        rf"Transfer rate:\s+{NUMBER} \[Kbytes/sec\] received",
        *(
            rf"^{row}:\s+(\d+)\s+(\d+)\s+([\d.]+)\s+(\d+)\s+(\d+)$"
            for row in ["Connect", "Processing", "Waiting", "Total"]
        ),
        *(rf"^\s*{percent}%\s+(\d+)" for percent in [50, 66, 75, 80, 90, 95, 98, 99]),
        r"100%\s+(\d+)\s+\(longest request\)",
    ],
    "httpress": [
        r"TOTALS:  (\d+) connect, (\d+) requests, (\d+) success, (\d+) fail, (\d+) \((\d+)\) real concurrency$",
        r"TRAFFIC: (\d+) avg bytes, (\d+) avg overhead, (\d+) bytes, (\d+) overhead$",
        r"TIMING:  (\d+\.\d+) seconds, (\d+) rps, (\d+) kbps, (\d+\.\d+) ms avg req time$",
    ],
}


def main(tool, *names):
    missing = 0
    for name in names:
        with open(name, encoding="utf-8") as file:
            text = file.read()
        for pattern in PATTERNS[tool]:
            if not re.search(pattern, text, re.MULTILINE):
                print(f"{name}: {pattern}")
                missing += 1
    return 1 if missing or not names else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
