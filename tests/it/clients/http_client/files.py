"""Files: conditions, parts, codings."""

import gzip
import os

from client import SERVERS, connect, equal, get, row


@row("file")
def _():
    connection = connect("library")
    first = get(connection, "/page.html")
    equal((first.status, first.header("content-type")), (200, "text/html; charset=utf-8"))
    for name, value in [("If-None-Match", first.header("etag")), ("If-Modified-Since", first.header("last-modified"))]:
        again = get(connection, "/page.html", {name: value})
        equal((again.status, again.header("etag"), again.body), (304, first.header("etag"), b""))
    equal(get(connection, "/page.html", {"If-None-Match": '"another"'}).body, first.body)


def content(name):
    """What is in a file of the served folder."""
    with open(os.path.join(SERVERS["folder"], name), "rb") as file:
        return file.read()


@row("range")
def _():
    connection, whole = connect("library"), content("large.bin")
    for asked, first, last in [("0-99", 0, 99), ("5000000-", 5000000, 9999999), ("-5", 9999995, 9999999)]:
        answer = get(connection, "/large.bin", {"Range": "bytes=" + asked})
        equal((answer.status, answer.header("content-range")), (206, f"bytes {first}-{last}/10000000"))
        equal(answer.body, whole[first : last + 1])
    answer = get(connection, "/large.bin", {"Range": "bytes=10000000-"})
    equal((answer.status, answer.header("content-range")), (416, "bytes */10000000"))


@row("precompressed")
def _():
    connection = connect("library")
    for coding, suffix in [("gzip", ".gz"), ("br", ".br"), ("zstd", ".zst")]:
        answer = get(connection, "/coded.txt", {"Accept-Encoding": coding})
        equal((answer.header("content-encoding"), answer.header("vary")), (coding, "Accept-Encoding"))
        equal(answer.body, content("coded.txt" + suffix))
        if coding == "gzip":
            equal(gzip.decompress(answer.body), b"by gzip\n")
    # http.client itself asks for the plain one.
    equal(get(connection, "/coded.txt").header("content-encoding"), None)


@row("large-file")
def _():
    connection, whole = connect("library"), content("large.bin")
    for _ in range(2):
        equal(get(connection, "/large.bin").body, whole)
