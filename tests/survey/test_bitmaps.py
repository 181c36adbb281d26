"""What a survey keeps of its verdicts: bitmaps."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from dealmill.pipeline.games.verdict import Verdict
from dealmill.pipeline.store.storages.bitmaps import decode, encode

CODES = st.sampled_from([int(verdict) for verdict in Verdict])


@given(st.lists(CODES, min_size=1, max_size=70))
def test_verdicts_come_out_of_a_bitmap_as_they_went_in(codes: list[int]) -> None:
    encoded = encode(np.array(codes, dtype=np.int8))
    read = decode(encoded, len(codes))
    assert read is not None and read.tolist() == codes
    kinds = len(set(codes))
    assert len(encoded) == 1 + kinds + (len(codes) + 7) // 8 * {1: 0, 2: 1, 3: 2, 4: 2, 5: 3}[kinds]


def test_a_bitmap_is_as_it_is_documented() -> None:
    codes = np.array([1, 2, 2, 1, 1, 1, 1, 1, 2], dtype=np.int8)
    assert encode(codes) == bytes([2, 1, 2, 0b00000110, 0b00000001])
    assert encode(np.full(9, 3, dtype=np.int8)) == bytes([1, 3])
    assert encode(np.array([1, 2, 4], dtype=np.int8)) == bytes([3, 1, 2, 4, 0b010, 0b100])


@given(st.binary(max_size=12), st.integers(1, 40))
def test_a_damaged_bitmap_is_none_or_verdicts_of_so_many_deals(encoded: bytes, count: int) -> None:
    read = decode(encoded, count)
    assert read is None or len(read) == count
