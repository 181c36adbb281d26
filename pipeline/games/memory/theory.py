"""The exact mean numbers of flips of the strategies over all orders of the cards."""

from fractions import Fraction
from functools import cache


def mean_flips(strategy: str, pairs: int) -> Fraction:
    """Return the mean number of flips of a strategy, by its name, with a number of pairs.

    Two passes flip each pair twice, except those that lie side by side, which are n/(2n − 1) of n pairs on average. To
    know the last card without looking saves a move, unless the last two cards are a pair, with a chance of 1/(2n − 1).
    """
    two_passes = 4 * pairs - Fraction(2 * pairs, 2 * pairs - 1)
    match strategy:
        case "two-pass":
            return two_passes
        case "two-pass-last-card":
            return two_passes - 2 * (1 - Fraction(1, 2 * pairs - 1))
    return 2 * _incremental_moves(0, pairs)


@cache
def _incremental_moves(singles: int, pairs: int) -> Fraction:
    """Return the mean moves if `singles` cards are known without their partners, and `pairs` pairs are unseen.

    The first card of a move is an unseen one. If it is the partner of a single, they are collected. Otherwise, the
    second card, also unseen, is its partner, the partner of a single, which is collected next, or neither.
    """
    unseen = singles + 2 * pairs
    if not unseen:
        return Fraction(0)
    moves = Fraction(0)
    if singles:
        moves += Fraction(singles, unseen) * (1 + _incremental_moves(singles - 1, pairs))
    if pairs:
        second = 1 + _incremental_moves(singles, pairs - 1)
        if singles:
            second += singles * (2 + _incremental_moves(singles, pairs - 1))
        if pairs > 1:
            second += (2 * pairs - 2) * (1 + _incremental_moves(singles + 2, pairs - 2))
        moves += Fraction(2 * pairs, unseen) * second / (unseen - 1)
    return moves
