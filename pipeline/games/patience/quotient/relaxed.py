"""Positions of the quotient that are lost, since not even a relaxed game is won: see docs/proofs/klondike.md."""

from dealmill.kernels import inlined, routine
from dealmill.pipeline.games.patience.quotient import words as k
from dealmill.pipeline.games.patience.quotient.words import (
    Words,
    black_ranks,
    cards_of,
    red_ranks,
    word,
)


@inlined
def _that_fit(cards: int) -> int:
    """Return the cards that may lie on one of these."""
    return cards_of(red_ranks(cards) >> 1, black_ranks(cards) >> 1)


@inlined
def _below(cards: int) -> int:
    """Return the cards on which one of these may lie."""
    return cards_of(red_ranks(cards) << 1 & k.SUIT, black_ranks(cards) << 1 & k.SUIT)


@inlined
def _alike(cards: int) -> int:
    """Return the cards of the rank and the colour of one of these."""
    return cards_of(black_ranks(cards), red_ranks(cards))


@routine
def is_refuted(q: Words) -> bool:
    """Return whether not all cards get up if what could be done once can always be done: whether the position, which
    was surveyed, is lost for that reason."""
    up, shown, stock = q[k.UP], q[k.SHOWN], q[k.STOCK]
    kings = word(k.LOWEST_CARDS) << (q[k.RANKS] - 1)
    came, risen, offered = word(0), up, q[k.OFFERED]
    bare, free, space = _alike(q[k.BARE]), q[k.FREE], word(0)
    for column in range(q[k.COLUMNS]):
        q[k.REACHED + column] = q[k.BLOCKS + column] + q[k.VALUES + k.COLUMN_DIGIT + column]
    while True:
        before, before_came, before_offered, before_space = risen, came, offered, space
        gone = q[k.MOVED] & risen
        bare |= _alike(came) | _below(gone)
        free |= _that_fit(came) | _alike(gone & ~kings)
        if q[k.TO_SPACES] and (space or (risen & ~up) & kings):
            free |= kings
        available = (shown | came) & bare | offered
        while True:
            rising = available & (risen << 1 | word(k.LOWEST_CARDS)) & q[k.DECK] & ~risen
            if rising == 0:
                break
            risen |= rising
        if risen == q[k.DECK]:
            return False
        came |= offered & free
        if stock & (came | risen):
            offered |= stock
        leaving = free | risen
        for column in range(q[k.COLUMNS]):
            row = q[k.REACHED + column]
            while q[k.LOWEST + row] & leaving:
                came |= q[k.HIDDEN + row] & ~q[k.HIDDEN + row - 1]
                row -= 1
                space |= word(row == q[k.BLOCKS + column])
            q[k.REACHED + column] = row
        if q[k.REMOVABLE]:
            back = up & free & ~(word(k.LOWEST_CARDS) * q[k.LEAST_UP])
            came |= back & (((q[k.NEXT] | came) & ~word(k.LOWEST_CARDS)) >> 1 | kings)
        if risen == before and came == before_came and offered == before_offered and space == before_space:
            return True
