"""The bitmap encoding of verdicts.

One byte holds the number k of distinct verdicts, followed by one byte for each of them, in ascending order. Then follow
⌈log₂ k⌉ bitmaps. Bitmap b holds bit b of the index of each verdict in that list: one bit per deal, the first deal in
the lowest bit of the first byte. So if all deals are winnable or unwinnable, each takes one bit, and if all have the
same verdict, they take none.
"""

import numpy as np

from dealmill.pipeline.games.batch import Codes
from dealmill.pipeline.games.verdict import Verdict


def pack(verdicts: Codes) -> bytes:
    """Encode verdicts."""
    kinds = [code for code in map(int, Verdict) if (verdicts == code).any()]
    maps = []
    for bit in range(_bits(len(kinds))):
        one = [verdicts == kind for place, kind in enumerate(kinds) if place >> bit & 1]
        maps.append(np.packbits(np.logical_or.reduce(one), bitorder="little").tobytes())
    return bytes([len(kinds), *kinds]) + b"".join(maps)


def unpack(packed: bytes, count: int, first: int = 0, stop: int | None = None) -> Codes | None:
    """Decode the verdicts `[first, stop)` of `count`, by default all; return None if `packed` is not a valid encoding
    of that many, or `count` is 0."""
    kinds = np.frombuffer(packed[1 : 1 + packed[0]], dtype=np.int8) if packed else np.zeros(0, dtype=np.int8)
    size = (count + 7) // 8
    if len(packed) != 1 + len(kinds) + size * _bits(len(kinds)) or not len(kinds) or not count:
        return None
    stop = count if stop is None else stop
    maps = np.frombuffer(packed[1 + len(kinds) :], dtype=np.uint8).reshape(-1, size)[:, first // 8 : (stop + 7) // 8]
    bits = np.unpackbits(maps, axis=1, bitorder="little")[:, first % 8 : first % 8 + stop - first]
    places = np.zeros(stop - first, dtype=np.uint8)
    for bit, each in enumerate(bits):
        places += each << bit
    return None if places.max() >= len(kinds) or not set(kinds.tolist()) <= set(Verdict) else kinds[places]


def _bits(kinds: int) -> int:
    return max(kinds - 1, 0).bit_length()
