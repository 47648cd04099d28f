"""What the tables of http_client share."""

import http.client
import json
import sys

# Their addresses, what process is to be stopped, and the folder that the library's server serves.
SERVERS = json.loads(sys.argv[1])
# Longer than any answer takes, in seconds; only a hang comes here.
HANG = 30
LINE = b"0123456789abcdefghijklmnopqrstuvwxyz-ABCDEFGHIJKLMNOPQRSTUVWXYZ\n"
ROWS = []


def row(name):
    def register(function):
        ROWS.append((name, function))
        return function

    return register


def filler(length):
    """The bytes of /bytes/N."""
    return (LINE * (length // len(LINE) + 1))[:length]


def connect(server="boardd"):
    """A connection that is never opened again by itself."""
    connection = http.client.HTTPConnection(SERVERS[server], timeout=HANG)
    connection.connect()
    connection.auto_open = False
    return connection


class Answer:
    def __init__(self, response):
        self.status = response.status
        self.header = response.headers.get
        self.closes = response.will_close
        self.body = response.read()


def ask(connection, method, path, body=None, headers={}, **options):
    connection.request(method, path, body, headers, **options)
    return Answer(connection.getresponse())


def get(connection, path, headers={}):
    return ask(connection, "GET", path, None, headers)


def equal(value, expected):
    if value != expected:
        raise AssertionError(f"{str(value)[:300]} is not {str(expected)[:300]}")


def expect_last(answer, status):
    equal((answer.status, answer.header("connection"), answer.closes), (status, "close", True))
    equal(answer.body[:4], b"%d " % status)
