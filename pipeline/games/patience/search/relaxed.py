"""Positions that are lost, since not even a relaxed game is won from there."""

from dealmill.kernels import inlined, routine
from dealmill.pipeline.games.patience.search import words as k
from dealmill.pipeline.games.patience.search.moves import is_offered
from dealmill.pipeline.games.patience.search.settling import move_together
from dealmill.pipeline.games.patience.search.words import Words, bit_of, first_of, word


@inlined
def _push(s: Words, top: int, count: int, down: int, base: int, stacks: int) -> int:
    """Add a stack of the relaxed game; `base` is 1 if it stands on an empty place."""
    at = k.STACKS + k.STACK_FIELDS * stacks
    s[at], s[at + 1], s[at + 2], s[at + 3] = top, count, down, base
    return stacks + 1


@inlined
def _count(cards: int, rank: int) -> int:
    """Return how many of these cards have a rank."""
    return (cards >> rank & 1) + (cards >> (rank + 13) & 1) + (cards >> (rank + 26) & 1) + (cards >> (rank + 39) & 1)


@inlined
def _ranks(cards: int) -> int:
    """Return the ranks of cards."""
    return (cards | cards >> 13 | cards >> 26 | cards >> 39) & k.SUIT


@routine
def _lacks_neighbours(s: Words) -> bool:
    """Return whether the cards that wait for the hole cannot all be put on a neighbour, even if all of them were free.

    Each needs another card before it, of a rank beside its own: one that waits, or the top of the hole. Cards of the
    stock need none, if they go to the hole. Absent cards can be played again and again. The ranks that wait must be
    joined to one that is there.
    """
    gone = s[k.IDLE] | s[k.ABSENT]
    free = s[k.IN_STOCK] * s[k.TO_HOLE]
    needy = s[k.WAITING] & ~(gone | free)
    last, wrap = s[k.RANKS] - 1, s[k.WRAP] and s[k.RANKS] > 2
    often = _ranks(gone)
    missing = _ranks(needy)
    reached = bit_of(s[k.HOLE_TOP] % 13) | _ranks(s[k.WAITING] & free) | often
    while True:
        beside = reached << 1 | reached >> 1
        if wrap:
            beside |= reached >> last | reached << last
        grown = reached | (beside & missing)
        if grown == reached:
            break
        reached = grown
    if missing & ~reached:
        return True
    top = s[k.HOLE_TOP] % 13
    first_taken, last_taken = word(0), word(0)
    while True:
        before = _count(s[k.WAITING], last) + (top == last) + 60 * (often >> last & 1) - last_taken
        here = _count(s[k.WAITING], word(0)) + (top == 0) + 60 * (often & 1) - first_taken
        if before < 0 or here < 0:
            return True
        if not wrap:
            before = word(0)
        need = word(0)
        was_first, was_last = first_taken, last_taken
        for rank in range(last + 1):
            need = max(_count(needy, rank) - before, word(0))
            after = word(0)
            if rank < last:
                after = _count(s[k.WAITING], rank + 1) + (top == rank + 1) + 60 * (often >> (rank + 1) & 1) - need
                if after < 0:
                    return True
                if rank == last - 1:
                    last_taken = need
            before, here = here, after
        first_taken = need
        if not wrap:
            return bool(need > 0)
        if first_taken == was_first and last_taken == was_last:
            return False


@routine
def is_lost(s: Words) -> bool:
    """Return whether not even the relaxed game is won, in which a card that was uncovered once stays uncovered.

    `shown` are the cards that are uncovered, and `up` those that can go to their foundations. A card can leave if it
    goes up, fits a card that is shown, or there is an empty place for it. A stack, a column or a run that was split off
    one, is taken apart from its top; a run whose lowest card can leave splits off.

    In a game with a hole, cards need only be there as neighbours of others; see `_lacks_neighbours`.
    """
    if s[k.HOLE]:
        return _lacks_neighbours(s)
    every = word(0)
    up = word(0)
    for suit in range(4):
        every |= ((word(1) << s[k.RANKS]) - 1) << (13 * suit)
        up |= ((word(1) << s[k.UP + suit]) - 1) << (13 * suit)
    shown = s[k.TOPS] | up | s[k.ABSENT]
    stacks = word(0)
    space = word(0)
    for column in range(s[k.COLUMNS]):
        if s[k.LENGTH + column]:
            stacks = _push(s, s[k.TOP + column], s[k.LENGTH + column], s[k.DOWN + column], word(1), stacks)
        else:
            space = word(1)
    piled = word(0)
    if s[k.STACKED]:
        piled = s[k.RESERVE_COUNT]
        if piled:
            shown |= bit_of(s[k.RESERVE_CARDS + piled - 1])
    else:
        shown |= s[k.RESERVE]
    rest, index, stock, offered = s[k.REST], word(0), word(0), word(0)
    while rest:
        card = s[k.STOCK_CARDS + first_of(rest)]
        rest &= rest - 1
        index += 1
        stock |= bit_of(card)
        if s[k.TO_COLUMNS] or is_offered(s, index):
            offered |= bit_of(card)
    shown |= offered
    again = True
    while again:
        again = False
        rising = True
        while rising:
            rising = False
            for suit in range(4):
                have = (up >> (13 * suit)) & k.SUIT
                bit = (have + 1) << (13 * suit)
                if have != (word(1) << s[k.RANKS]) - 1 and shown & bit:
                    up |= bit
                    rising = True
        if up == every:
            return False
        places = s[k.SPACES] * space | s[k.IDLE]
        if stock & ~shown:
            cards = stock & shown
            while cards:
                card = first_of(cards)
                cards &= cards - 1
                if (up | places) & bit_of(card) or s[k.PARENTS + card] & shown:
                    shown |= stock
                    again = True
                    break
        while piled > 0:
            card = s[k.RESERVE_CARDS + piled - 1]
            if not ((up | places) & bit_of(card) or s[k.PARENTS + card] & shown or (s[k.FILLS] and space)):
                break
            piled -= 1
            again = True
            if piled:
                shown |= bit_of(s[k.RESERVE_CARDS + piled - 1])
        for number in range(stacks):
            at = k.STACKS + k.STACK_FIELDS * number
            top, count, down = s[at], s[at + 1], s[at + 2]
            while count > 0 and ((up | places) & bit_of(top) or s[k.PARENTS + top] & shown):
                again = True
                count -= 1
                if count == 0:
                    if s[at + 3]:
                        space = word(1)
                        places |= s[k.SPACES]
                else:
                    top = s[k.UNDER + top]
                    shown |= bit_of(top)
                    down = min(down, count - 1)
            s[at], s[at + 1], s[at + 2] = top, count, down
            if count == 0 or s[k.MOVING] == k.ONE_CARD:
                continue
            card, size = top, word(1)
            while size < count - down and move_together(s, card, s[k.UNDER + card]):
                card = s[k.UNDER + card]
                size += 1
                whole = size == count
                leaves = (s[k.PARENTS + card] & shown) | (s[k.IDLE] & bit_of(card))
                if leaves or (places & bit_of(card) and not (whole and s[at + 3])):
                    if whole:
                        if s[at + 3]:
                            space = word(1)
                            places |= s[k.SPACES]
                            s[at + 3] = 0
                            again = True
                    elif stacks < 60:
                        stacks = _push(s, top, size, word(0), word(0), stacks)
                        top, count = s[k.UNDER + card], count - size
                        down = min(down, count - 1)
                        shown |= bit_of(top)
                        s[at], s[at + 1], s[at + 2] = top, count, down
                        again = True
                    else:
                        return False
                    break
    return True
