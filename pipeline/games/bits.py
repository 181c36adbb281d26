"""Sets as bits of a word, in kernels."""

from typing import Any

import numpy as np
from numba import types
from numba.extending import intrinsic

from dealmill.pipeline.games.kernel import inlined


@intrinsic
def _count_trailing_zeros(_: Any, word: Any) -> Any:
    def generate(context: Any, builder: Any, _: Any, words: Any) -> Any:
        return builder.cttz(words[0], context.get_constant(types.boolean, True))

    return word(word), generate


@intrinsic
def _count_ones(_: Any, word: Any) -> Any:
    def generate(_: Any, builder: Any, __: Any, words: Any) -> Any:
        return builder.ctpop(words[0])

    return word(word), generate


@inlined
def lowest_bit(word: np.uint64) -> np.uint64:
    """The number of the lowest bit in a word that has one: a single instruction."""
    number: np.uint64 = _count_trailing_zeros(word)  # type: ignore[call-arg]
    return number


@inlined
def count_bits(word: np.uint64) -> np.uint64:
    """The number of bits set in a word."""
    count: np.uint64 = _count_ones(word)  # type: ignore[call-arg]
    return count
