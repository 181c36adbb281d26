"""Positions that are lost, since not even a relaxed game is won from there."""

from dealmill.kernels import inlined, routine
from dealmill.pipeline.games.patience.search.moves import (
    is_ahead,
)
from dealmill.pipeline.games.patience.search.settling import (
    move_together,
)
from dealmill.pipeline.games.patience.search.words import (
    ABSENT,
    COLUMNS,
    DOWN,
    DRAW,
    FILLS,
    IDLE,
    LENGTH,
    MOVING,
    ONE_CARD,
    PARENTS,
    PASSES,
    PASSES_LEFT,
    RANKS,
    RESERVE,
    RESERVE_CARDS,
    RESERVE_COUNT,
    REST,
    SPACES,
    STACK_FIELDS,
    STACKED,
    STACKS,
    STOCK_CARDS,
    STOCK_COUNT,
    SUIT,
    TO_COLUMNS,
    TOP,
    TOPS,
    UNDER,
    UP,
    Words,
    bit_of,
    first_of,
    word,
)


@inlined
def _push(s: Words, top: int, count: int, down: int, base: int, stacks: int) -> int:
    """Add a stack of the relaxed game; `base` is 1 if it stands on an empty place."""
    at = STACKS + STACK_FIELDS * stacks
    s[at], s[at + 1], s[at + 2], s[at + 3] = top, count, down, base
    return stacks + 1


@routine
def is_lost(s: Words) -> bool:
    """Return whether not even the relaxed game is won, in which a card that was uncovered once stays uncovered.

    `shown` are the cards that are uncovered, and `up` those that can go to their foundations. A card can leave if it
    goes up, fits a card that is shown, or there is an empty place for it. A stack, a column or a run that was split off
    one, is taken apart from its top; a run whose lowest card can leave splits off.
    """
    every = word(0)
    up = word(0)
    for suit in range(4):
        every |= ((word(1) << s[RANKS]) - 1) << (13 * suit)
        up |= ((word(1) << s[UP + suit]) - 1) << (13 * suit)
    shown = s[TOPS] | up | s[ABSENT]
    stacks = word(0)
    space = word(0)
    for column in range(s[COLUMNS]):
        if s[LENGTH + column]:
            stacks = _push(s, s[TOP + column], s[LENGTH + column], s[DOWN + column], word(1), stacks)
        else:
            space = word(1)
    piled = word(0)
    if s[STACKED]:
        piled = s[RESERVE_COUNT]
        if piled:
            shown |= bit_of(s[RESERVE_CARDS + piled - 1])
    else:
        shown |= s[RESERVE]
    rest, index, stock, offered = s[REST], word(0), word(0), word(0)
    while rest:
        card = s[STOCK_CARDS + first_of(rest)]
        rest &= rest - 1
        index += 1
        stock |= bit_of(card)
        if (
            s[TO_COLUMNS]
            or is_ahead(s, index, s[STOCK_COUNT])
            or (index % s[DRAW] == 0 and (s[PASSES] == 0 or s[PASSES_LEFT] > 0))
        ):
            offered |= bit_of(card)
    shown |= offered
    again = True
    while again:
        again = False
        rising = True
        while rising:
            rising = False
            for suit in range(4):
                have = (up >> (13 * suit)) & SUIT
                bit = (have + 1) << (13 * suit)
                if have != (word(1) << s[RANKS]) - 1 and shown & bit:
                    up |= bit
                    rising = True
        if up == every:
            return False
        places = s[SPACES] * space | s[IDLE]
        if stock & ~shown:
            cards = stock & shown
            while cards:
                card = first_of(cards)
                cards &= cards - 1
                if (up | places) & bit_of(card) or s[PARENTS + card] & shown:
                    shown |= stock
                    again = True
                    break
        while piled > 0:
            card = s[RESERVE_CARDS + piled - 1]
            if not ((up | places) & bit_of(card) or s[PARENTS + card] & shown or (s[FILLS] and space)):
                break
            piled -= 1
            again = True
            if piled:
                shown |= bit_of(s[RESERVE_CARDS + piled - 1])
        for number in range(stacks):
            at = STACKS + STACK_FIELDS * number
            top, count, down = s[at], s[at + 1], s[at + 2]
            while count > 0 and ((up | places) & bit_of(top) or s[PARENTS + top] & shown):
                again = True
                count -= 1
                if count == 0:
                    if s[at + 3]:
                        space = word(1)
                        places |= s[SPACES]
                else:
                    top = s[UNDER + top]
                    shown |= bit_of(top)
                    down = min(down, count - 1)
            s[at], s[at + 1], s[at + 2] = top, count, down
            if count == 0 or s[MOVING] == ONE_CARD:
                continue
            card, size = top, word(1)
            while size < count - down and move_together(s, card, s[UNDER + card]):
                card = s[UNDER + card]
                size += 1
                whole = size == count
                leaves = (s[PARENTS + card] & shown) | (s[IDLE] & bit_of(card))
                if leaves or (places & bit_of(card) and not (whole and s[at + 3])):
                    if whole:
                        if s[at + 3]:
                            space = word(1)
                            places |= s[SPACES]
                            s[at + 3] = 0
                            again = True
                    elif stacks < 60:
                        stacks = _push(s, top, size, word(0), word(0), stacks)
                        top, count = s[UNDER + card], count - size
                        down = min(down, count - 1)
                        shown |= bit_of(top)
                        s[at], s[at + 1], s[at + 2] = top, count, down
                        again = True
                    else:
                        return False
                    break
    return True
