"""What a survey keeps of its verdicts: bitmaps, and the text that digests are made of."""

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.fingerprint import block_digest, digest
from pipeline.games import find_engine, games
from pipeline.games.batch import Solved, listed, pack
from pipeline.games.block_text import block_text
from pipeline.games.contract import Verdict
from pipeline.solve import load
from pipeline.store import bitmap
from tests.doing import deal

CODES = st.sampled_from([int(verdict) for verdict in Verdict])
ENGINES = [game.full_name(engine) for game in games().values() for engine in game.engines]


@given(st.lists(CODES, min_size=1, max_size=70))
def test_verdicts_come_out_of_a_bitmap_as_they_went_in(codes: list[int]) -> None:
    packed = bitmap.pack(np.array(codes, dtype=np.int8))
    read = bitmap.unpack(packed, len(codes))
    assert read is not None and read.tolist() == codes
    kinds = len(set(codes))
    assert len(packed) == 1 + kinds + (len(codes) + 7) // 8 * {1: 0, 2: 1, 3: 2, 4: 2, 5: 3}[kinds]


def test_a_bitmap_is_as_it_is_documented() -> None:
    codes = np.array([1, 2, 2, 1, 1, 1, 1, 1, 2], dtype=np.int8)
    assert bitmap.pack(codes) == bytes([2, 1, 2, 0b00000110, 0b00000001])
    assert bitmap.pack(np.full(9, 3, dtype=np.int8)) == bytes([1, 3])
    assert bitmap.pack(np.array([1, 2, 4], dtype=np.int8)) == bytes([3, 1, 2, 4, 0b010, 0b100])


@given(st.binary(max_size=12), st.integers(1, 40))
def test_a_damaged_bitmap_is_none_or_verdicts_of_so_many_deals(packed: bytes, count: int) -> None:
    read = bitmap.unpack(packed, count)
    assert read is None or len(read) == count


@pytest.mark.parametrize("engine", ENGINES)
def test_the_text_of_a_block_is_the_one_that_runs_have(engine: str) -> None:
    game, _ = find_engine(engine)
    layouts = deal(game, 8, 5_001, 300)
    for limit in (0, 3, 10**9):
        solved = load(engine)(pack(layouts), limit)
        said = listed(solved)
        written = block_text(5_001, pack(layouts), solved)
        whole = [5_001, layouts, [int(verdict) for verdict in said.verdicts], said.values, said.evidence]
        assert json.loads(written) == whole
        assert digest(written) == block_digest(5_001, layouts, said.verdicts, said.values, said.evidence)


@settings(deadline=None)  # the first one compiles
@given(st.lists(st.tuples(CODES, st.integers(-(2**62), 2**62)), max_size=6), st.integers(1, 2**62))
def test_numbers_of_any_size_and_sign_are_written(said: list[tuple[int, int]], first: int) -> None:
    verdicts = np.array([code for code, _ in said], dtype=np.int8)
    values = np.array([value for _, value in said], dtype=np.int64)
    solved = Solved(verdicts, values, values, pack(["x"] * len(said)))
    lists = listed(solved)
    written = block_text(first, pack(["AA"] * len(said)), solved)
    assert digest(written) == block_digest(first, ["AA"] * len(said), lists.verdicts, lists.values, lists.evidence)
