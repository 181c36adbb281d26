"""Sets of cards as the bits of a word, for the kernels of all searches."""

from dealmill.kernels import count_bits, inlined, int64, lowest_bit


@inlined
def bit_of(card: int) -> int:
    """Return the set of one card."""
    return int64(1) << card


@inlined
def first_of(cards: int) -> int:
    """Return the lowest card of a set that is not empty."""
    return int64(lowest_bit(cards))  # type: ignore[arg-type]


@inlined
def count_of(cards: int) -> int:
    """Return the number of cards of a set."""
    return int64(count_bits(cards))  # type: ignore[arg-type]
