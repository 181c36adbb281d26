"""Bit operations on 64-bit words, for sets in kernels. Importing this module needs the cache folder of kernels."""

from collections.abc import Callable
from typing import Any, cast

import numpy as np
from numba import types
from numba.extending import intrinsic

from dealmill.pipeline.games.kernels import inlined

int64 = cast(Callable[[int], int], np.int64)
"""Makes a variable of a constant: a function would be compiled again for each constant that it is called with."""


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
    """Return the index of the lowest set bit of a word, which must not be 0; compiles to a single instruction."""
    number: np.uint64 = _count_trailing_zeros(word)  # type: ignore[call-arg]
    return number


@inlined
def count_bits(word: np.uint64) -> np.uint64:
    """Return the number of set bits of a word."""
    count: np.uint64 = _count_ones(word)  # type: ignore[call-arg]
    return count
