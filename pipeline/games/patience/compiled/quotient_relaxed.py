"""The relaxed game by which the compiled referee refutes positions of the quotient: whatever was possible once stays
possible, and a position in which not all cards go up even so is lost."""

from dealmill.kernels import inlined, int64, routine
from dealmill.pipeline.games.patience.compiled.keys import Words, bit_of, first_of
from dealmill.pipeline.games.patience.compiled.quotient_words import (
    AFTER,
    ANY_FILLS,
    BARE,
    CAME,
    COLUMNS,
    COMING,
    DECK,
    EMPTIED,
    EVER_BARE,
    EVER_OFFERED,
    EVER_PLACES,
    FIELDS,
    FIRST_COLUMN,
    HEIGHTS,
    IN_STOCK,
    LAST,
    LEAST,
    LEFT_OVER,
    LOWEST,
    MOVED,
    OFFERED,
    PLACES,
    REMOVABLE,
    RESERVE,
    RESERVE_CARDS,
    RISEN,
    SHOWN,
    STACKED,
    STARTS,
    STAYED,
    SUIT,
    TOPS,
    UP,
    cards_of,
    kinds_below,
    kinds_of,
    kinds_that_fit,
    kings_to_spaces,
)


@inlined
def _rise(t: Words) -> None:
    """Let cards go up in the relaxed game, as many of each suit as are available in turn. A moved card leaves its place
    to others, and bares a card; a king leaves a column."""
    available = (t[SHOWN] | t[CAME]) & cards_of(t[EVER_BARE]) | t[EVER_OFFERED]
    for suit in range(4):
        height = t[HEIGHTS + suit]
        coming = first_of(~((available >> 13 * suit & SUIT) >> height))
        t[RISEN] |= (bit_of(coming) - 1) << 13 * suit + height
        t[HEIGHTS + suit] += coming
    risen, kings = t[RISEN] & ~t[UP], int64(LOWEST) << t[LAST]
    left = kinds_of(risen & t[MOVED])
    t[EVER_BARE] |= kinds_below(t, left)
    t[EVER_PLACES] |= left & ~kings
    if kinds_of(risen) & kings:
        t[EVER_PLACES] |= kings_to_spaces(t)


@inlined
def _come(t: Words, cards: int) -> None:
    """Let cards come to the columns: they can be bared, and others have places on them."""
    t[CAME] |= cards
    t[EVER_BARE] |= kinds_of(cards)
    t[EVER_PLACES] |= kinds_that_fit(kinds_of(cards))


@inlined
def _leave_columns(t: Words) -> None:
    """Let dealt cards leave their columns, and those come that are turned up, or can move, after that."""
    for column in range(t[COLUMNS]):
        left = t[LEFT_OVER + column]
        while left:
            row = t[STARTS + column] + left
            if t[TOPS + row] & (t[RISEN] | cards_of(t[EVER_PLACES])) == 0:
                break
            _come(t, t[COMING + row])
            if left == 1:
                t[EVER_PLACES] |= kings_to_spaces(t)
                t[EMPTIED] += 1
            left = t[AFTER + row]
        t[LEFT_OVER + column] = left


@inlined
def _come_back(t: Words) -> None:
    """Let cards come back from foundations."""
    for suit in range(4 * t[REMOVABLE]):
        while t[STAYED + suit] > t[LEAST]:
            card = bit_of(13 * suit + t[STAYED + suit] - 1)
            if card & cards_of(t[EVER_PLACES]) == 0:
                break
            _come(t, card)
            t[STAYED + suit] -= 1


@routine
def _begin_columns(t: Words) -> None:
    """Let cards of a reserve begin columns that others have left. As soon as none is left in the reserve, and anything
    has happened, any card can move."""
    begun, rest = int64(0), t[FIELDS + RESERVE] * t[STACKED]
    for column in range(t[COLUMNS]):
        begun += t[LEFT_OVER + column] > 0
    while rest:
        card = t[RESERVE_CARDS + first_of(rest)]
        rest &= rest - 1
        if t[SHOWN] & bit_of(card) == 0:
            if begun < t[COLUMNS]:
                _come(t, bit_of(card))
            elif begun == t[COLUMNS]:
                t[EVER_OFFERED] |= bit_of(card)
        if begun > t[COLUMNS] or not (t[RISEN] & bit_of(card) or t[EVER_PLACES] & bit_of(card % 26)):
            begun += 1
    if begun <= t[COLUMNS] and (t[CAME] or t[RISEN] != t[UP]):
        t[EVER_PLACES], t[EVER_BARE] = kinds_of(t[DECK]), kinds_of(t[DECK])


@routine
def is_refuted(t: Words) -> bool:
    """Return whether not all cards go up in the relaxed game."""
    t[EMPTIED] = 0
    t[RISEN], t[EVER_BARE], t[EVER_PLACES], t[EVER_OFFERED], t[CAME] = t[UP], t[BARE], t[PLACES], t[OFFERED], 0
    for suit in range(4):
        t[HEIGHTS + suit] = t[STAYED + suit] = t[FIELDS + suit]
    for column in range(t[COLUMNS]):
        t[LEFT_OVER + column] = t[FIELDS + FIRST_COLUMN + column]
    while True:
        risen, came, places = t[RISEN], t[CAME], t[EVER_PLACES]
        offered, emptied = t[EVER_OFFERED], t[EMPTIED]
        _rise(t)
        if t[RISEN] == t[DECK]:
            return False
        if t[ANY_FILLS]:
            _begin_columns(t)
        _come(t, t[EVER_OFFERED] & cards_of(t[EVER_PLACES]))
        _leave_columns(t)
        _come_back(t)
        if t[IN_STOCK] & (t[CAME] | t[RISEN]):
            t[EVER_OFFERED] |= t[IN_STOCK]
        is_same = t[RISEN] == risen and t[CAME] == came and t[EVER_PLACES] == places
        if is_same and t[EVER_OFFERED] == offered and t[EMPTIED] == emptied:
            return True
