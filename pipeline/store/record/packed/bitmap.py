"""Verdicts of many deals in as few bits as they take.

A byte says how many kinds of verdicts occur, and a byte each says which, in ascending order. Then follow as many
bitmaps as it takes to tell the kinds apart: bitmap b holds bit b of the place of each verdict's kind among these, a bit
a deal, the first in the lowest bit of the first byte. So a deal that is won or lost takes one bit, and one whose
verdict is that of all others takes none.
"""

import numpy as np

from dealmill.pipeline.games.batch import Codes
from dealmill.pipeline.games.verdict import Verdict


def pack(verdicts: Codes) -> bytes:
    """Verdicts as bits."""
    kinds = [code for code in map(int, Verdict) if (verdicts == code).any()]
    maps = []
    for bit in range(_bits(len(kinds))):
        one = [verdicts == kind for place, kind in enumerate(kinds) if place >> bit & 1]
        maps.append(np.packbits(np.logical_or.reduce(one), bitorder="little").tobytes())
    return bytes([len(kinds), *kinds]) + b"".join(maps)


def unpack(packed: bytes, count: int) -> Codes | None:
    """Bits as verdicts; None if they are not those of so many verdicts (at least one)."""
    kinds = np.frombuffer(packed[1 : 1 + packed[0]], dtype=np.int8) if packed else np.zeros(0, dtype=np.int8)
    size = (count + 7) // 8
    if len(packed) != 1 + len(kinds) + size * _bits(len(kinds)) or not len(kinds) or not count:
        return None
    maps = np.frombuffer(packed[1 + len(kinds) :], dtype=np.uint8).reshape(-1, size)
    bits = np.unpackbits(maps, axis=1, count=count, bitorder="little")
    places = np.zeros(count, dtype=np.uint8)
    for bit, each in enumerate(bits):
        places += each << bit
    return None if places.max() >= len(kinds) or not set(kinds.tolist()) <= set(Verdict) else kinds[places]


def _bits(kinds: int) -> int:
    return max(kinds - 1, 0).bit_length()
