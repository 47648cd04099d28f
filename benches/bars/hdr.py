"""HdrHistogram's own form read without its library: V2, deflated, in base64, with three digits from 1 up."""

from __future__ import annotations

import base64
import struct
import zlib
from collections.abc import Iterator

DEFLATED, PLAIN = 0x1C849314, 0x1C849313
# For three digits: so many values in each doubling are told apart, and twice as many below the first.
HALF = 1024


def counts(text: str) -> Iterator[tuple[int, int]]:
    """Each value that was recorded, as the lowest of those that are the same to three digits, and how often."""
    if not text:
        return
    packed = base64.b64decode(text)
    cookie, length = struct.unpack(">II", packed[:8])
    assert cookie == DEFLATED, hex(cookie)
    plain = zlib.decompress(packed[8 : 8 + length])
    cookie, length, _, digits, lowest, _, _ = struct.unpack(">IIIIQQd", plain[:40])
    assert (cookie, digits, lowest) == (PLAIN, 3, 1), (hex(cookie), digits, lowest)
    index = 0
    for number in _numbers(plain[40 : 40 + length]):
        if number < 0:
            index -= number
            continue
        yield _value(index), number
        index += 1


def _numbers(data: bytes) -> Iterator[int]:
    """LEB128 of at most nine bytes, zigzag: a negative one is a run of zeros."""
    at = 0
    while at < len(data):
        number = shift = 0
        while True:
            byte = data[at]
            at += 1
            if shift == 56:
                number |= byte << shift
                break
            number |= (byte & 0x7F) << shift
            shift += 7
            if not byte & 0x80:
                break
        yield (number >> 1) ^ -(number & 1)


def _value(index: int) -> int:
    doubling = index // HALF - 1
    return index if doubling < 0 else (index % HALF + HALF) << doubling
