"""What happens after a move without a choice: spaces are filled, safe cards go up, and loose cards become absent."""

from dealmill.kernels import inlined, routine
from dealmill.pipeline.games.patience.search import words as k
from dealmill.pipeline.games.patience.search.moves import do, top_of_foundation
from dealmill.pipeline.games.patience.search.words import Words, bit_of, first_of, word


@inlined
def is_safe(s: Words, card: int) -> bool:
    """Return whether no card can need this one, the next of its suit, as a place in a column."""
    suit, rank = card // 13, card % 13
    if s[k.BUILDING] == 0:
        return True
    first, second = s[k.UP + (suit ^ 1)], s[k.UP + (suit ^ 3)]
    same = s[k.UP + (suit ^ 2)]
    if s[k.MOVING] == k.ANY_CARDS:
        return bool(s[k.REMOVABLE] == 0 and first >= rank and second >= rank and (s[k.BUILDING] == 1 or same >= rank))
    if s[k.BUILDING] == 1:
        return bool(first >= rank - 1 and second >= rank - 1 and same >= rank - 2)
    return bool(first >= rank - 1 and second >= rank - 1 and same >= rank - 1)


@inlined
def move_together(s: Words, card: int, under: int) -> bool:
    """Return whether a card moves along with the face-up card below it."""
    return bool(s[k.MOVING] == k.ANY_CARDS or (s[k.MOVING] == k.RUN and s[k.RUNS + card] & bit_of(under) != 0))


@routine
def _source_of(s: Words, card: int) -> int:
    """Return where a card that can be moved alone is, or -1; a card of the stock only if all of them always can."""
    bit = bit_of(card)
    if s[k.TOPS] & bit:
        for column in range(s[k.COLUMNS]):
            if s[k.TOP + column] == card:
                return column
    if s[k.CELL_CARDS] & bit:
        return word(k.CELL)
    if s[k.RESERVE] & bit and (s[k.STACKED] == 0 or s[k.RESERVE_CARDS + s[k.RESERVE_COUNT] - 1] == card):
        return word(k.RESERVED)
    if s[k.STOCK_IS_OPEN] and s[k.STOCK_INDEX + card] >= 0 and s[k.REST] & bit_of(s[k.STOCK_INDEX + card]):
        return word(k.STOCK)
    return word(-1)


@inlined
def _place_in_stock(s: Words, card: int) -> int:
    """Return how many cards of the stock lie before this one."""
    before, count = s[k.REST] & (bit_of(s[k.STOCK_INDEX + card]) - 1), word(0)
    while before:
        before &= before - 1
        count += 1
    return count


@inlined
def _leaves(s: Words, card: int) -> bool:
    """Return whether a card becomes absent if it can be lifted: it is idle, or could lie on an absent card."""
    return bool(s[k.IDLE] & bit_of(card) or s[k.PARENTS + card] & s[k.ABSENT])


@routine
def _loose_card(s: Words) -> int:
    """Return the move of a card that becomes absent, since it leaves, or a card below it that it would move along with;
    -1 if there is none. Of a stock, only if it is turned card by card: the other cards are offered as before."""
    for column in range(s[k.COLUMNS]):
        card, count = s[k.TOP + column], s[k.LENGTH + column] - s[k.DOWN + column]
        while count > 0:
            if _leaves(s, card):
                return word(s[k.TOP + column] | column << 6 | k.AWAY << 12 | 1 << 18)
            under = s[k.UNDER + card]
            count -= 1
            if not move_together(s, card, under):
                break
            card = under
    for suit in range(4 * s[k.REMOVABLE]):
        card = top_of_foundation(s, suit)
        if card >= 0 and _leaves(s, card):
            return card | k.FOUNDATION << 6 | k.AWAY << 12 | 1 << 18
    cards = s[k.CELL_CARDS] | s[k.RESERVE]
    while cards:
        card = first_of(cards)
        cards &= cards - 1
        if _leaves(s, card):
            source = _source_of(s, card)
            if source >= 0:
                return word(card | source << 6 | k.AWAY << 12 | 1 << 18)
    rest, index = s[k.REST], word(0)
    while rest and s[k.DRAW] == 1 and s[k.TO_HOLE] == 0:
        card = s[k.STOCK_CARDS + first_of(rest)]
        rest &= rest - 1
        index += 1
        is_offered = index >= s[k.TURNED] or s[k.PASSES] == 0 or s[k.PASSES_LEFT] > 0
        if is_offered and _leaves(s, card):
            return word(card | k.STOCK << 6 | k.AWAY << 12 | 1 << 18 | index << 24)
    return word(-1)


@inlined
def _fill(s: Words) -> int:
    """Return the move of a card from the reserve to an empty column; -1 if there is none."""
    card, move = s[k.RESERVE_CARDS + s[k.RESERVE_COUNT] - 1], word(-1)
    for column in range(s[k.COLUMNS]):
        if s[k.LENGTH + column] == 0:
            move = card | k.RESERVED << 6 | column << 12 | 1 << 18
            break
    return move


@inlined
def _safe_move(s: Words) -> int:
    """Return the move of a card to its foundation that is safe; -1 if there is none."""
    move = word(-1)
    for suit in range(4):
        card = suit * 13 + s[k.UP + suit]
        if s[k.UP + suit] < s[k.RANKS]:
            source = _source_of(s, card)
            if source >= 0 and is_safe(s, card):
                index = word(1)
                if source == k.STOCK:
                    index += _place_in_stock(s, card)
                move = card | source << 6 | k.FOUNDATION << 12 | 1 << 18 | index << 24
                break
    return move


@routine
def settle(s: Words) -> None:
    """Do what happens without a move: empty columns are filled from the reserve, if the rules say so, and loose cards
    become absent. Without `LITERAL`, also do moves that are safe."""
    while True:
        move, automatic = word(-1), word(1)
        if s[k.FILLS] and s[k.RESERVE_COUNT]:
            move = _fill(s)
        if move < 0 and s[k.IDLE]:
            move = _loose_card(s)
        if move < 0 and s[k.LITERAL] == 0 and s[k.SAFE]:
            move, automatic = _safe_move(s), word(0)
        if move < 0:
            return
        s[k.LIFTED] |= bit_of(move & 63)
        do(s, move, automatic)
