"""Positions that are lost, since not even a relaxed game is won from there."""

from dealmill.kernels import inlined, int64, routine
from dealmill.pipeline.games.patience.engine.bits import bit_of, count_of, first_of
from dealmill.pipeline.games.patience.engine.plain import words as k
from dealmill.pipeline.games.patience.engine.plain.moves import cards_on_foundations, offered_numbers, top_of_reserve
from dealmill.pipeline.games.patience.engine.plain.settling import below_in_run
from dealmill.pipeline.games.patience.engine.plain.words import Words, that_fit


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
    first_taken, last_taken = int64(0), int64(0)
    while True:
        before = _count(s[k.WAITING], last) + (top == last) + 60 * (often >> last & 1) - last_taken
        current = _count(s[k.WAITING], int64(0)) + (top == 0) + 60 * (often & 1) - first_taken
        if before < 0 or current < 0:
            return True
        if not wrap:
            before = int64(0)
        need = int64(0)
        was_first, was_last = first_taken, last_taken
        for rank in range(last + 1):
            need = max(_count(needy, rank) - before, int64(0))
            after = int64(0)
            if rank < last:
                after = _count(s[k.WAITING], rank + 1) + (top == rank + 1) + 60 * (often >> (rank + 1) & 1) - need
                if after < 0:
                    return True
                if rank == last - 1:
                    last_taken = need
            before, current = current, after
        first_taken = need
        if not wrap:
            return bool(need > 0)
        if first_taken == was_first and last_taken == was_last:
            return False


@inlined
def _offered_cards(s: Words) -> int:
    """Return the cards of the stock that can be uncovered without moving another of them."""
    cards = int64(0)
    if s[k.TO_COLUMNS] or s[k.STOCK_IS_OPEN]:
        cards |= s[k.STOCK_LEFT]
    else:
        rest, offered = s[k.REST], offered_numbers(s)
        while rest:
            offered >>= 1
            if offered & 1:
                cards |= bit_of(s[k.STOCK_CARDS + first_of(rest)])
            rest &= rest - 1
    return cards


@inlined
def _risen(s: Words, up: int, shown: int) -> int:
    """Return the cards that are up, with the shown ones that can follow them."""
    every = (bit_of(s[k.RANKS]) - 1) * int64(k.LOWEST)
    rising = shown & (up << 1 | int64(k.LOWEST)) & every & ~up
    while rising:
        up |= rising
        rising = shown & (up << 1 | int64(k.LOWEST)) & every & ~up
    if s[k.DOWNWARD]:
        last = int64(k.LOWEST) << (s[k.RANKS] - 1)
        rising = shown & (up >> 1 | last) & every & ~up
        while rising:
            up |= rising
            rising = shown & (up >> 1 | last) & every & ~up
    return up


@routine
def _split_runs(s: Words, tops: int, cuts: int, leaving: int, places: int) -> tuple[int, int, int]:
    """Split off runs whose lowest card can leave. Return all tops, the lowest cards of runs that were split off, and
    whether that left an empty place."""
    rest, space = tops, int64(0)
    while rest:
        card = first_of(rest)
        rest &= rest - 1
        while cuts & bit_of(card) == 0:
            card = below_in_run(s, card)
            if card == k.NO_CARD:
                break
            under = s[k.UNDER + card]
            if cuts & bit_of(card) == 0 and (leaving | places * (under != k.NO_CARD)) & bit_of(card):
                cuts |= bit_of(card)
                if under == k.NO_CARD:
                    space = int64(1)
                else:
                    tops |= bit_of(under)
    return tops, cuts, space


@routine
def is_lost(s: Words) -> bool:
    """Return whether not even the relaxed game is won, in which a card that was uncovered once stays uncovered.

    `shown` are the cards that are uncovered, and `up` those that can go to their foundations. A card can leave if it
    goes up, fits a card that is shown, or there is an empty place for it. Columns are taken apart from their `tops`; a
    run whose lowest card can leave splits off, and is taken apart by itself.

    In a game with a hole, cards need only be there as neighbours of others; see `_lacks_neighbours`.
    """
    if s[k.HOLE]:
        return _lacks_neighbours(s)
    tops, cuts, up, space = s[k.TOPS], int64(0), cards_on_foundations(s), int64(s[k.EMPTY] != 0)
    shown, stock = tops | up | s[k.ABSENT] | top_of_reserve(s) | _offered_cards(s), s[k.STOCK_LEFT]
    piled = s[k.RESERVE_COUNT] * s[k.STACKED]
    while True:
        up = _risen(s, up, shown)
        if count_of(up) == 4 * s[k.RANKS]:
            return False
        before, tops_before, cuts_before = shown, tops, cuts
        places, fitting = s[k.SPACES] * space | s[k.IDLE], that_fit(s, shown)
        leaving = up | places | fitting
        if stock & shown & leaving:
            shown |= stock
        while piled and (leaving & bit_of(s[k.RESERVE_CARDS + piled - 1]) or (s[k.FILLS] and space)):
            piled -= 1
            if piled:
                shown |= bit_of(s[k.RESERVE_CARDS + piled - 1])
        free = tops & leaving
        while free:
            card = first_of(free)
            free &= free - 1
            tops ^= bit_of(card)
            if cuts & bit_of(card) == 0:
                under = s[k.UNDER + card]
                if under == k.NO_CARD:
                    space = int64(1)
                else:
                    tops |= bit_of(under)
                    free |= leaving & bit_of(under)
                    shown |= bit_of(under)
        if s[k.MOVING] != k.ONE_CARD:
            tops, cuts, emptied = _split_runs(s, tops, cuts, fitting | s[k.IDLE], places)
            space |= emptied
            shown |= tops
        if shown == before and tops == tops_before and cuts == cuts_before:
            return True


@inlined
def stays_open(s: Words, move: int) -> bool:
    """Return whether the relaxed game is won after a move because it was won before: if the card went to a foundation,
    or could leave its new place at once, then whatever could be uncovered before still can. Not if an empty column is
    about to be filled, nor if the card has left a stock that may offer other cards now."""
    card, source, target = move & 63, (move >> 6) & 63, (move >> 12) & 63
    if s[k.HOLE] or (s[k.FILLS] and s[k.EMPTY] and s[k.RESERVE_COUNT]) or source == k.FOUNDATION:
        return False
    if source == k.STOCK and s[k.STOCK_IS_OPEN] == 0:
        return False
    if target < k.FIRST_COLUMN_LIMIT:
        return bool(s[k.PARENTS + card] & s[k.TOPS] or (s[k.EMPTY] and s[k.SPACES] & bit_of(card)))
    return bool(target == k.FOUNDATION)
