"""The random numbers of a deal a second time: NumPy's Philox and Python's integers, from the documentation alone."""

from collections.abc import Iterable
from typing import TypeVar

import numpy as np

Card = TypeVar("Card")


class PlainStream:
    """The stream of one deal. NumPy increments the counter before it makes a block."""

    def __init__(self, seed: int, deal: int) -> None:
        before = ((deal << 64) - 1) % 2**256
        counter = np.array([(before >> shift) % 2**64 for shift in (0, 64, 128, 192)], dtype=np.uint64)
        self._generator = np.random.Philox(counter=counter, key=np.array([seed, 0], dtype=np.uint64))

    def word(self) -> int:
        return int(self._generator.random_raw())

    def below(self, bound: int) -> int:
        while True:
            product = self.word() * bound
            if product % 2**64 >= 2**64 % bound:
                return product >> 64

    def shuffled(self, cards: Iterable[Card]) -> list[Card]:
        shuffled = list(cards)
        for last in range(len(shuffled) - 1, 0, -1):
            pick = self.below(last + 1)
            shuffled[last], shuffled[pick] = shuffled[pick], shuffled[last]
        return shuffled
