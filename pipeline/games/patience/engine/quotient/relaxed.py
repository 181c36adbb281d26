"""Positions of the quotient that are lost, since not even a relaxed game is won: see docs/proofs/klondike.md."""

from dealmill.kernels import inlined, int64, routine
from dealmill.pipeline.games.patience.engine.bits import bit_of
from dealmill.pipeline.games.patience.engine.quotient import words as k
from dealmill.pipeline.games.patience.engine.quotient.words import Words, black_ranks, cards_of, red_ranks


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
def _begin_columns(q: Words, leaving: int) -> int:
    """Let cards of the reserve begin columns that others have left, if these cards leave as soon as they can: write
    those that began one, and those that were offered. Return how many cards begin a column then, or wait for one."""
    q[k.BEGUN], q[k.UNCOVERED], before = 0, 0, int64(0)
    for at in range(q[k.BEGINNING_COUNT]):
        card, column = q[k.WAITING] & bit_of(q[k.BEGINNING + at]), q[k.BEGUN_COLUMN + at]
        if card == 0:
            continue
        if column >= 0:
            before += q[k.REACHED + column] > q[k.BLOCKS + column]
            continue
        if card & q[k.DEALT] == 0:
            if before < q[k.COLUMNS]:
                q[k.BEGUN] |= card
            elif before == q[k.COLUMNS]:
                q[k.UNCOVERED] |= card
        before += not (before <= q[k.COLUMNS] and card & leaving)
    return before


@inlined
def _turned_up(q: Words, leaving: int) -> int:
    """Let cards leave the tops of blocks; return the cards that come to the columns, or can move, after that."""
    came = int64(0)
    for column in range(q[k.COLUMNS]):
        row = q[k.REACHED + column]
        while q[k.LOWEST + row] & leaving:
            came |= q[k.HIDDEN + row] & ~q[k.HIDDEN + row - 1]
            row -= 1
            q[k.EMPTIED] += row == q[k.BLOCKS + column] and q[k.HIDDEN + row + 1] == 0
        q[k.REACHED + column] = row
    return came


@routine
def is_refuted(q: Words) -> bool:
    """Return whether not all cards get up if what could be done once can always be done: whether the position, which
    was surveyed, is lost for that reason."""
    up, shown, stock = q[k.UP], q[k.SHOWN], q[k.STOCK]
    kings = int64(k.LOWEST_CARDS) << (q[k.RANKS] - 1)
    came, risen, offered = int64(0), up, q[k.OFFERED]
    bare, free = _alike(q[k.BARE]), q[k.FREE]
    q[k.EMPTIED] = 0
    for column in range(q[k.COLUMNS]):
        q[k.REACHED + column] = q[k.ROWS + column]
    while True:
        before, before_came, before_offered, before_emptied = risen, came, offered, q[k.EMPTIED]
        gone = q[k.MOVED] & risen
        bare |= _alike(came) | _below(gone)
        free |= _that_fit(came) | _alike(gone & ~kings)
        if q[k.TO_SPACES] == k.KINGS and (q[k.EMPTIED] or (risen & ~up) & kings):
            free |= kings
        if q[k.TO_SPACES] == k.ANY_CARD:
            begun = _begin_columns(q, free | risen)
            came |= q[k.BEGUN]
            offered |= q[k.UNCOVERED]
            if begun <= q[k.COLUMNS] and (came or risen != up):
                free, bare = q[k.DECK], q[k.DECK]
        available = (shown | came) & bare | offered
        while True:
            rising = available & (risen << 1 | int64(k.LOWEST_CARDS)) & q[k.DECK] & ~risen
            if rising == 0:
                break
            risen |= rising
        if risen == q[k.DECK]:
            return False
        came |= offered & free
        if stock & (came | risen):
            offered |= stock
        came |= _turned_up(q, free | risen)
        if q[k.REMOVABLE]:
            back = up & free & ~(int64(k.LOWEST_CARDS) * q[k.LEAST_UP])
            came |= back & (((q[k.NEXT] | came) & ~int64(k.LOWEST_CARDS)) >> 1 | kings)
        if risen == before and came == before_came and offered == before_offered and q[k.EMPTIED] == before_emptied:
            return True
