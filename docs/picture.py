#!/usr/bin/env python3
"""Makes docs/try.svg from what `boardctl try` prints.

Usage: target/release/boardctl try | docs/picture.py > docs/try.svg
"""

import sys
from html import escape

FONT_PX = 14
LINE_PX = 18
CHAR_PX = 8.43  # The width of a character in the usual monospace fonts at 14 px.
PAD_PX = 20


def main() -> None:
    """One text element per line, in a frame that follows the reader's light or dark setting."""
    lines = ["$ cargo run --release -- try", *sys.stdin.read().rstrip("\n").split("\n")]
    width = round(max(len(line) for line in lines) * CHAR_PX) + 2 * PAD_PX
    height = len(lines) * LINE_PX + 2 * PAD_PX
    print(f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}"')
    print('     role="img" aria-label="What boardctl try prints">')
    print("<style>")
    print("  rect { fill: #f6f8fa; stroke: #d0d7de } text { fill: #1f2328 }")
    print(f"  text {{ font: {FONT_PX}px ui-monospace, 'DejaVu Sans Mono', Menlo, Consolas, monospace; white-space: pre }}")
    print("  @media (prefers-color-scheme: dark) { rect { fill: #161b22; stroke: #30363d } text { fill: #e6edf3 } }")
    print("</style>")
    print(f'<rect x="0.5" y="0.5" width="{width - 1}" height="{height - 1}" rx="8"/>')
    for number, line in enumerate(lines):
        y = PAD_PX + (number + 1) * LINE_PX - 5
        print(f'<text x="{PAD_PX}" y="{y}" xml:space="preserve">{escape(line)}</text>')
    print("</svg>")


if __name__ == "__main__":
    main()
