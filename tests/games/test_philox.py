"""The generator of deals against NumPy's Philox and whole numbers of Python: a second implementation of its text."""

import numpy as np
import pytest

from dealmill.pipeline.games.memory.deal import LETTERS
from dealmill.pipeline.games.philox import below, next_word, open_stream
from tests.doing import dealer

deal_hi_q = dealer("hi-q")
deal_memory = dealer("memory")

PAIRS = [(0, 0), (1, 1), (7, 2**32), (2**64 - 1, 2**63 + 5), (2**63, 2**64 - 1)]


class Plain:
    """The stream of one deal, from NumPy, which counts up before it makes a block."""

    def __init__(self, seed: int, deal: int) -> None:
        before = ((deal << 64) - 1) % 2**256
        counter = np.array([(before >> shift) % 2**64 for shift in (0, 64, 128, 192)], dtype=np.uint64)
        self.generator = np.random.Philox(counter=counter, key=np.array([seed, 0], dtype=np.uint64))

    def word(self) -> int:
        return int(self.generator.random_raw())

    def below(self, bound: int) -> int:
        while True:
            product = self.word() * bound
            if product % 2**64 >= 2**64 % bound:
                return product >> 64

    def shuffled(self, cards: list[str]) -> list[str]:
        for last in range(len(cards) - 1, 0, -1):
            other = self.below(last + 1)
            cards[last], cards[other] = cards[other], cards[last]
        return cards


@pytest.mark.parametrize(("seed", "deal"), PAIRS)
def test_words_are_those_of_numpy(seed: int, deal: int) -> None:
    stream = np.zeros(8, dtype=np.uint64)
    open_stream(stream, np.uint64(seed), np.uint64(deal))
    plain = Plain(seed, deal)
    assert [int(next_word(stream)) for _ in range(50)] == [plain.word() for _ in range(50)]


@pytest.mark.parametrize("bound", [1, 2, 3, 52, 2**32 + 1, 2**62 + 1, 2**63 - 1])
def test_bounded_numbers_are_as_documented(bound: int) -> None:
    stream = np.zeros(8, dtype=np.uint64)
    open_stream(stream, np.uint64(5), np.uint64(6))
    plain = Plain(5, 6)
    assert [below(stream, bound) for _ in range(100)] == [plain.below(bound) for _ in range(100)]


@pytest.mark.parametrize(("seed", "number"), [(1, 1), (3, 17), (2**64 - 1, 2**63 - 1)])
def test_deals_can_be_made_from_the_documentation_alone(seed: int, number: int) -> None:
    assert deal_memory(seed, number, 1) == ["".join(Plain(seed, number).shuffled(sorted(LETTERS[:25] * 2)))]
    holes = Plain(seed, number).shuffled(list(map(str, range(33))))[:16]
    [board] = deal_hi_q(seed, number, 1)
    assert {index for index, sign in enumerate(board.replace("/", "")) if sign == "X"} == set(map(int, holes))
