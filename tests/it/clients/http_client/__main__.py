"""What Python's http.client sends and what must come back. Started with a JSON object of addresses; prints `ok NAME` or
`FAILED NAME: why` for each row."""

import os
import traceback

from client import ROWS

import bodies  # noqa: F401: these fill ROWS
import files  # noqa: F401
import requests  # noqa: F401


def place(error):
    """The line of a table in which something was wrong."""
    here = os.path.dirname(os.path.abspath(__file__))
    frames = [(os.path.split(os.path.abspath(frame.filename)), frame.lineno) for frame in traceback.extract_tb(error.__traceback__)]
    return [f"{name} {line}" for (folder, name), line in frames if folder == here and name not in ("client.py", "__main__.py")][-1]


for name, function in ROWS:
    try:
        function()
    except Exception as error:
        print(f"FAILED {name}: {place(error)}: {type(error).__name__}: {' '.join(str(error).split())}")
    else:
        print("ok", name)
