"""The compiled referee of patiences, for losses with more positions than plain Python visits in a moment.

It is written from the rules, and shares no code with the engine. Of the plain referee, it uses only what that says of
the form of layouts and evidence.

A card is a number, 13 for each suit, counted from the base of the foundations. A position is one digit for each card,
the code of where it is, and one number for how far the stock is turned, the further passes, and the rank in the hole:
three words in all (`encode`). So the order of columns and cells makes no difference, and positions are compared
exactly. If the stock goes to the columns, further words say on what its cards were dealt and, as long as some are left,
which card is the lowest of each column. The list of positions that are reached is also the queue of those to visit. `t`
is one array of all else, with the offsets below; "Positions" are fields of the position that is visited.
"""

from collections.abc import Callable, Sequence

import numpy as np

from dealmill.kernels import Fields, inlined, int64, kernel, routine, row_of
from dealmill.pipeline.games.patience.compiled.keys import (
    WON,
    Slots,
    Words,
    bit_of,
    counted,
    first_of,
    is_new_key,
)
from dealmill.pipeline.games.patience.losses.counted import CountedLoss
from dealmill.pipeline.games.patience.rules import RANKS, UNLIMITED, Rules
from dealmill.rules_files import MOST_COLUMNS

Count = Callable[[Words, Words, Slots, Words, int], int]
"""A kernel that counts positions, with the arguments and the result of `_count`."""
CARDS_PER_WORD, HOMES_PER_WORD, HOME_BITS = 19, 10, 6
KEY_WORDS, DEALING_WORDS = 3, 11
"""The words of a position, and of one that may have dealt cards: 3, 6 for their homes, 2 for the lowest cards."""
MOST_MOVES = 1_500
ARRAY = Fields()
# Rules
MOVES_RUNS, SPACES, CELLS, FILLS, DRAW, PASSES, REMOVABLE, COLUMNS, HOLE, WRAP, LAST_RANK, STACKED = ARRAY.words(12)
TO_HOLE, DECK, MOVES_ANY, TO_COLUMNS, FULL_COLUMNS, COMPLETE = ARRAY.words(6)
# Layouts
FIXED, STOCK_SIZE, RESERVE_SIZE, FACE_DOWN, WAS_STOCK, IDLE = ARRAY.words(6)
# Positions, and the number of words of their keys
TOPS, IN_CELLS, IN_RESERVE, IN_STOCK, UP, ABSENT, EMPTY_COLUMNS, TURNED, PASSES_LEFT, HOLE_RANK, WORDS = ARRAY.words(11)
KEY, LOWEST = ARRAY.row(DEALING_WORDS), ARRAY.row(MOST_COLUMNS)
# The count: how many positions can be reached with as many moves as those that are visited, and with how many
COUNTED, LEVEL = ARRAY.words(2)
# One word for each card
PARENTS, HOMES, STOCK_ORDER, RESERVE_ORDER, CODES, UNDER, RUN_PARENTS = ARRAY.rows(7, 52)
ON = ARRAY.row(52)
"""The card on each, or `NO_CARD`; only `waits` needs it."""
POWERS, MOVES = ARRAY.row(CARDS_PER_WORD), ARRAY.row(MOST_MOVES)
SIZE = ARRAY.size

HOME, ON_FOUNDATION, IS_ABSENT, IN_CELL, ON_SPACE, ON_PARENT = range(6)
"""Codes of cards. `ON_PARENT` and the three after it are those that lie, as part of a run, on the next higher card of
each suit. `HOME` are those that have never moved: in the reserve or the stock, or on a card that lies face down or that
they do not fit."""
CODE_COUNT = ON_PARENT + 4
DEALT, COMPLETED = CODE_COUNT, CODE_COUNT + 1
"""Moves, not codes: of a row of the stock, and of a whole suit."""
NO_CARD, RESERVE, STOCK = 52, 53, 54
"""Homes that are no cards."""
SUIT = (1 << 13) - 1


def check_count(rules: Rules, layout: str, loss: CountedLoss, count_positions: Count | None = None) -> list[int]:
    """Check that no position can be won, and that the number of positions is the one that the evidence claims, as the
    kernel of this module counts them, or another one. Return and raise what `counted` does."""
    t = np.zeros(SIZE, dtype=np.int64)
    _load(t, rules, layout, loss)
    kernel = count_positions or _count
    game = "the easier game" if t[IDLE] else "the game"
    return counted(loss.positions, int(t[WORDS]), lambda *arrays: kernel(t.copy(), *arrays), game)


def _load(t: Words, rules: Rules, layout: str, loss: CountedLoss) -> None:
    """Write the rules and the first position of the easier game."""
    _, columns, *parts = layout.split(" ")
    texts = dict(part.split(":") for part in parts)
    base = RANKS.index(texts.get("base", rules.foundations)) if rules.hole == "none" else 0

    def number(card: str) -> int:
        return rules.card_number(card, base)

    def numbers(text: str) -> list[int]:
        return [number(text[at : at + 2]) for at in range(0, len(text.replace("-", "")), 2)]

    deck = {number(card) for card in rules.deck()}
    up = {top - lower for top in numbers(texts.get("foundations", "")) for lower in range(top % 13 + 1)}
    fixed = {card for card in up if not rules.removable or (rules.initial == "all" and card % 13 == 0)}
    stock = numbers(texts.get("waste", "") + texts.get("stock", ""))
    idle = set() if loss.live is None else deck - set(map(number, loss.live)) - fixed
    draw, passes = rules.draw, rules.passes
    if rules.to == "hole":
        idle -= set(stock)
    elif draw > 1 and not idle.isdisjoint(stock):
        draw, passes = 1, UNLIMITED
    absent = idle if loss.absent_at_once else set()

    codes = dict.fromkeys(deck, ON_FOUNDATION)  # those below the card in a hole, too
    homes = dict.fromkeys(deck, NO_CARD)
    piles = []
    for text in columns.split("/"):
        down = sum(map(str.islower, text[1::2]))
        piles.append([(card, height < down) for height, card in enumerate(numbers(text)) if card not in absent])
    face_down = {card for pile in piles for card, is_down in pile[:-1] if is_down}
    _load_piles(t, piles, rules.parents, homes, codes)
    for part, code in (("cells", IN_CELL), ("reserve", HOME), ("stock", HOME), ("waste", HOME)):
        codes |= dict.fromkeys(numbers(texts.get(part, "")), code)
    reserve = numbers(texts.get("reserve", ""))
    homes |= dict.fromkeys(reserve, RESERVE) | dict.fromkeys(stock, STOCK)
    codes |= dict.fromkeys(absent, IS_ABSENT)

    _load_rules(t, rules, deck)
    t[DRAW], t[PASSES], t[IDLE] = draw, passes, _mask(idle)
    t[FACE_DOWN], t[WAS_STOCK] = _mask(face_down), _mask(set(stock))
    t[FIXED], t[STOCK_SIZE], t[RESERVE_SIZE] = _mask(fixed), len(stock), len(reserve)
    t[TURNED] = sum(card not in absent for card in numbers(texts.get("waste", "")))
    t[PASSES_LEFT] = int(texts.get("passes", 0)) if passes else 0
    t[HOLE_RANK] = RANKS.index(texts.get("hole", "A")[0])
    t[STOCK_ORDER : STOCK_ORDER + len(stock)] = stock
    t[RESERVE_ORDER : RESERVE_ORDER + len(reserve)] = reserve
    for card in deck:
        t[HOMES + card], t[CODES + card] = homes[card], codes[card]


def _load_piles(
    t: Words,
    piles: list[list[tuple[int, bool]]],
    parents: Sequence[int],
    homes: dict[int, int],
    codes: dict[int, int],
) -> None:
    """Write where the cards of columns are. A pile has the card of each height, and whether it lies face down."""
    t[LOWEST : LOWEST + len(piles)] = [pile[0][0] if pile else NO_CARD for pile in piles]
    for pile in piles:
        for (card, _), (below, is_down) in zip(pile, [(NO_CARD, False), *pile], strict=False):
            homes[card] = below
            if below == NO_CARD:
                codes[card] = ON_SPACE
            else:
                fits = not is_down and parents[card] >> below & 1
                codes[card] = ON_PARENT + below // 13 if fits else HOME


def _load_rules(t: Words, rules: Rules, deck: set[int]) -> None:
    """Write what is the same for all layouts but for the rules of the stock."""
    t[MOVES_RUNS], t[CELLS], t[FILLS] = rules.move == "run", rules.cells, rules.spaces == "reserve"
    t[SPACES] = rules.cards_for_spaces
    t[REMOVABLE], t[COLUMNS], t[MOVES_ANY] = rules.removable, len(rules.sizes), rules.move == "any"
    t[HOLE], t[WRAP], t[LAST_RANK] = rules.hole != "none", rules.wrap, rules.ranks - 1
    t[STACKED], t[TO_HOLE], t[DECK] = rules.stacked, rules.to == "hole", _mask(deck)
    t[TO_COLUMNS], t[FULL_COLUMNS] = rules.to == "tableau", rules.full_columns
    t[COMPLETE], t[WORDS] = rules.complete, DEALING_WORDS if rules.to == "tableau" else KEY_WORDS
    t[PARENTS : PARENTS + 52], t[RUN_PARENTS : RUN_PARENTS + 52] = rules.parents, rules.run_parents
    t[POWERS : POWERS + CARDS_PER_WORD] = [CODE_COUNT**power for power in range(CARDS_PER_WORD)]


def _mask(cards: set[int]) -> int:
    return sum(1 << card for card in cards)


@inlined
def turning_of(t: Words) -> int:
    """Return how far the stock is turned, the further passes and the rank in the hole as one number."""
    turning: int = t[TURNED] + 53 * (t[PASSES_LEFT] + 10 * t[HOLE_RANK])
    return turning


@routine
def encode(t: Words) -> None:
    """Write the key of the position: digits of cards, and after the last card the number of `turning_of`."""
    for part in range(3):
        t[KEY + part] = 0
    for card in range(52):
        t[KEY + card // CARDS_PER_WORD] += t[CODES + card] * t[POWERS + card % CARDS_PER_WORD]
    t[KEY + 2] += turning_of(t) * t[POWERS + 52 % CARDS_PER_WORD]
    if t[TO_COLUMNS]:
        _encode_deals(t)


@routine
def _encode_deals(t: Words) -> None:
    """Write the homes of the cards of the stock that have not moved since they were dealt, and the lowest cards of
    columns if more will be dealt to them."""
    for part in range(KEY_WORDS, DEALING_WORDS):
        t[KEY + part] = 0
    in_order = int64(0)
    for slot in range(t[STOCK_SIZE]):
        card = t[STOCK_ORDER + slot]
        if t[CODES + card] == HOME:
            in_order |= t[HOMES + card] == STOCK
            t[KEY + KEY_WORDS + slot // HOMES_PER_WORD] |= t[HOMES + card] << HOME_BITS * (slot % HOMES_PER_WORD)
    for column in range(in_order * t[COLUMNS]):
        at = DEALING_WORDS - 2 + column // HOMES_PER_WORD
        t[KEY + at] |= t[LOWEST + column] << HOME_BITS * (column % HOMES_PER_WORD)


@routine
def _decode_deals(t: Words) -> None:
    """Write what a key says of dealt cards; the inverse of `_encode_deals`."""
    mask = (int64(1) << HOME_BITS) - 1
    for slot in range(t[STOCK_SIZE]):
        home = t[KEY + KEY_WORDS + slot // HOMES_PER_WORD] >> HOME_BITS * (slot % HOMES_PER_WORD)
        t[HOMES + t[STOCK_ORDER + slot]] = home & mask
    for column in range(t[COLUMNS]):
        lowest = t[KEY + DEALING_WORDS - 2 + column // HOMES_PER_WORD] >> HOME_BITS * (column % HOMES_PER_WORD)
        t[LOWEST + column] = lowest & mask


@routine
def decode(t: Words) -> None:
    """Write the places of cards that a key stands for; the inverse of `encode`."""
    for part in range(3):
        left = t[KEY + part]
        for card in range(part * CARDS_PER_WORD, min((part + 1) * CARDS_PER_WORD, 52)):
            t[CODES + card] = left % CODE_COUNT
            left = left // CODE_COUNT
        if part == 2:
            t[TURNED] = left % 53
            t[PASSES_LEFT] = left // 53 % 10
            t[HOLE_RANK] = left // 530
    if t[TO_COLUMNS]:
        _decode_deals(t)


@routine
def survey(t: Words) -> None:
    """Write which cards are where, and on what the cards in columns lie."""
    cells, reserve, stock, up, absent = int64(0), int64(0), int64(0), int64(0), int64(0)
    in_columns, covered, columns = int64(0), int64(0), t[COLUMNS]
    cards = t[DECK]
    while cards:
        card = first_of(cards)
        cards &= cards - 1
        bit, code = bit_of(card), t[CODES + card]
        below = int64(NO_CARD)
        if code == HOME:
            below = t[HOMES + card]
            if below == RESERVE:
                reserve |= bit
                continue
            if below == STOCK:
                stock |= bit
                continue
        elif code >= ON_PARENT:
            below = 13 * (code - ON_PARENT) + card % 13 + 1
        elif code == ON_SPACE:
            columns -= 1
        else:
            if code == ON_FOUNDATION:
                up |= bit
            elif code == IS_ABSENT:
                absent |= bit
            else:
                cells |= bit
            continue
        t[UNDER + card] = below
        in_columns |= bit
        if below != NO_CARD:
            covered |= bit_of(below)
    t[TOPS] = in_columns & ~covered
    t[IN_CELLS], t[IN_RESERVE], t[IN_STOCK], t[UP], t[ABSENT] = cells, reserve, stock, up, absent
    t[EMPTY_COLUMNS] = columns


@routine
def open_reserve(t: Words) -> int:
    """Return the cards of the reserve that may be taken."""
    cards: int = t[IN_RESERVE]
    if t[STACKED] == 0:
        return cards
    for slot in range(t[RESERVE_SIZE] - 1, -1, -1):
        bit = bit_of(t[RESERVE_ORDER + slot])
        if cards & bit:
            return bit
    return int64(0)


@routine
def open_foundations(t: Words) -> int:
    """Return the cards that may come back from foundations."""
    cards = int64(0)
    if t[REMOVABLE]:
        for suit in range(4):
            up = t[UP] & ~t[FIXED] & (int64(SUIT) << 13 * suit)
            while up & (up - 1):
                up &= up - 1
            cards |= up
    return cards


@inlined
def passes_after(t: Words, index: int, count: int) -> int:
    """Return the further passes after card `index` of `count` in the stock, from 1, is taken; -1 if it is not
    offered."""
    ahead, passes = index - t[TURNED], int64(t[PASSES_LEFT])
    if ahead >= 0 and (ahead % t[DRAW] == 0 or index == count):
        return passes
    if index % t[DRAW]:
        return int64(-1)
    return int64(0) if t[PASSES] == UNLIMITED else passes - 1


@inlined
def _least_turned(t: Words, turned: int, count: int) -> int:
    """Return one number for all numbers of turned cards, of `count` in the stock, that offer the same cards."""
    return int64(0) if t[PASSES] == UNLIMITED and (turned % t[DRAW] == 0 or turned == count) else turned


@inlined
def stock_count(t: Words) -> int:
    cards, count = t[IN_STOCK], int64(0)
    while cards:
        cards &= cards - 1
        count += 1
    return count


@inlined
def _leaves(t: Words, card: int) -> bool:
    """Return whether a card becomes absent if it can be moved: it is idle, or could lie on an absent one."""
    return bool(t[IDLE] & bit_of(card) or t[PARENTS + card] & t[ABSENT])


@routine
def _loose(t: Words) -> int:
    """Return the cards that become absent, since they, or a card below them with which they can be moved, leave. Those
    of the stock only if it is turned card by card."""
    loose = int64(0)
    cards = t[TOPS]
    while cards:
        card, group = first_of(cards), int64(0)
        cards &= cards - 1
        while True:
            group |= bit_of(card)
            if _leaves(t, card):
                loose |= group
            if not moves_along(t, card):
                break
            card = t[UNDER + card]
    single = t[IN_CELLS] | open_reserve(t) | open_foundations(t)
    if t[DRAW] == 1 and t[TO_HOLE] == 0:
        count, index = stock_count(t), int64(0)
        for slot in range(t[STOCK_SIZE]):
            bit = bit_of(t[STOCK_ORDER + slot])
            if t[IN_STOCK] & bit:
                index += 1
                if passes_after(t, index, count) >= 0:
                    single |= bit
    while single:
        card = first_of(single)
        single &= single - 1
        if _leaves(t, card):
            loose |= bit_of(card)
    return loose


@inlined
def _empty_column(t: Words, column: int) -> int:
    """Return the first empty column from this one on; the number of columns if there is none."""
    while column < t[COLUMNS] and t[LOWEST + column] != NO_CARD:
        column += 1
    return column


@routine
def settle(t: Words) -> None:
    """Do what happens without a move: spaces are filled from the reserve, and loose cards become absent."""
    while True:
        survey(t)
        if t[FILLS] and t[EMPTY_COLUMNS] and t[IN_RESERVE]:
            card = first_of(open_reserve(t))
            t[CODES + card] = ON_SPACE
            if t[TO_COLUMNS] and t[IN_STOCK]:
                t[LOWEST + _empty_column(t, int64(0))] = card
            continue
        loose = _loose(t) if t[IDLE] else int64(0)
        if loose == 0:
            break
        index, turned = int64(0), t[TURNED]
        for slot in range(t[STOCK_SIZE]):
            bit = bit_of(t[STOCK_ORDER + slot])
            if t[IN_STOCK] & bit:
                index += 1
                t[TURNED] -= index <= turned and loose & bit != 0
        while loose:
            t[CODES + first_of(loose)] = IS_ABSENT
            loose &= loose - 1
    t[TURNED] = _least_turned(t, t[TURNED], stock_count(t))


@inlined
def _move(t: Words, end: int, card: int, code: int, turning: int) -> int:
    t[MOVES + end] = card | code << 6 | turning << 10
    return end + 1


@inlined
def _into_hole(t: Words, end: int, card: int, code: int, turning: int) -> int:
    """List the move of a card into the hole, if it goes there."""
    apart = abs(card % 13 - t[HOLE_RANK])
    if apart == 1 or (t[WRAP] and apart == t[LAST_RANK]):
        end = _move(t, end, card, code, turning + 530 * (card % 13 - t[HOLE_RANK]))
    return end


@routine
def _to_each_space(t: Words, end: int, card: int) -> int:
    """List the moves of a card, with those on it, to the empty columns."""
    column = _empty_column(t, int64(0))
    while column < t[COLUMNS]:
        end = _move(t, end, card, int64(ON_SPACE), column)
        column = _empty_column(t, column + 1)
    return end


@routine
def _targets(t: Words, end: int, card: int, top: int, source: int, whole: int, turning: int) -> int:
    """List the moves of a card with those on it, of which `top` is the last one, or the card itself. `source` is its
    code, `turning_of` that after the move, and `whole` says that a whole column moves."""
    if card == top:
        if t[HOLE]:
            end = _into_hole(t, end, card, int64(ON_FOUNDATION), turning)
        elif source != ON_FOUNDATION and t[COMPLETE] == 0:
            lower = (bit_of(card) - 1) & (int64(SUIT) << card // 13 * 13)
            if lower & ~(t[UP] | t[ABSENT]) == 0:
                end = _move(t, end, card, int64(ON_FOUNDATION), turning)
        if source != IN_CELL:
            cells, filled = t[IN_CELLS], int64(0)
            while cells:
                cells &= cells - 1
                filled += 1
            if filled < t[CELLS]:
                end = _move(t, end, card, int64(IN_CELL), turning)
    below = t[PARENTS + card] & t[TOPS] & ~bit_of(top)
    while below:
        end = _move(t, end, card, ON_PARENT + first_of(below) // 13, turning)
        below &= below - 1
    if t[EMPTY_COLUMNS] and t[SPACES] & bit_of(card):
        if t[TO_COLUMNS] and t[IN_STOCK]:
            end = _to_each_space(t, end, card)
        elif whole == 0:
            end = _move(t, end, card, int64(ON_SPACE), turning)
    return end


@inlined
def _lies_on_back(t: Words, card: int) -> bool:
    """Return whether a card of a column lies on one that lies face down: both have never moved, since other cards are
    turned up when they are on top."""
    is_home = t[CODES + card] == HOME and t[WAS_STOCK] & bit_of(card) == 0
    return bool(is_home and t[FACE_DOWN] & bit_of(t[UNDER + card]))


@inlined
def moves_along(t: Words, card: int) -> bool:
    """Return whether a card of a column moves along with the one below it."""
    if _lies_on_back(t, card) or t[UNDER + card] == NO_CARD:
        return False
    return bool(t[MOVES_ANY] or (t[MOVES_RUNS] and t[RUN_PARENTS + card] & bit_of(t[UNDER + card])))


@routine
def _whole_suits(t: Words) -> int:
    """Return the lowest cards of the suits that lie on top of columns as runs, from the last card to the first."""
    lowest, cards = int64(0), t[TOPS]
    while cards:
        card = first_of(cards)
        cards &= cards - 1
        if card % 13:
            continue
        while card % 13 < t[LAST_RANK] and t[UNDER + card] == card + 1 and not _lies_on_back(t, card):
            card += 1
        if card % 13 == t[LAST_RANK]:
            lowest |= bit_of(card)
    return lowest


@routine
def _lift(t: Words, card: int) -> None:
    """Make the column empty whose lowest card this is."""
    for column in range(t[COLUMNS]):
        if t[LOWEST + column] == card:
            t[LOWEST + column] = NO_CARD


@routine
def _column_of(t: Words, card: int) -> int:
    """Return the column in which a card lies."""
    while t[UNDER + card] != NO_CARD:
        card = t[UNDER + card]
    column = int64(0)
    while t[LOWEST + column] != card:
        column += 1
    return column


@routine
def _deal(t: Words) -> None:
    """Deal a card of the stock to each column, as long as there are any."""
    tops, first = t[TOPS], int64(0)
    while t[IN_STOCK] & bit_of(t[STOCK_ORDER + first]) == 0:
        first += 1
    for column in range(min(t[COLUMNS], t[STOCK_SIZE] - first)):
        if t[LOWEST + column] == NO_CARD:
            card = t[STOCK_ORDER + first + column]
            t[LOWEST + column], t[CODES + card] = card, ON_SPACE
    while tops:
        top = first_of(tops)
        tops &= tops - 1
        slot = first + _column_of(t, top)
        if slot < t[STOCK_SIZE]:
            card = t[STOCK_ORDER + slot]
            t[HOMES + card] = top
            if t[PARENTS + card] & bit_of(top):
                t[CODES + card] = ON_PARENT + top // 13


@routine
def change(t: Words, card: int, code: int, after: int) -> None:
    """Make a move in the position."""
    if code == DEALT:
        _deal(t)
        return
    if code == COMPLETED:
        _lift(t, card)
        for rank in range(t[LAST_RANK] + 1):
            t[CODES + card - rank] = ON_FOUNDATION
        return
    in_order = t[TO_COLUMNS] and t[IN_STOCK]
    if in_order and t[CODES + card] == ON_SPACE:
        _lift(t, card)
    if in_order and code == ON_SPACE:
        t[LOWEST + after] = card
    else:
        t[TURNED], t[PASSES_LEFT], t[HOLE_RANK] = after % 53, after // 53 % 10, after // 530
    t[CODES + card] = code


@routine
def _list_stock(t: Words, end: int) -> int:
    """List the moves of cards of the stock; return the number of all moves."""
    count, index, part, turning = stock_count(t), int64(0), int64(0), turning_of(t)
    if t[TO_COLUMNS]:
        if count and (t[FULL_COLUMNS] == 0 or t[EMPTY_COLUMNS] == 0):
            end = _move(t, end, int64(0), int64(DEALT), turning)
        return end
    for slot in range(t[STOCK_SIZE]):
        card = t[STOCK_ORDER + slot]
        if t[IN_STOCK] & bit_of(card) == 0:
            continue
        index += 1
        if t[TO_HOLE]:
            return _move(t, end, card, int64(ON_FOUNDATION), turning + 530 * (card % 13 - t[HOLE_RANK]))
        passes = passes_after(t, index, count)
        if passes >= 0:
            after = _least_turned(t, index - 1, count - 1) + 53 * (passes + 10 * t[HOLE_RANK])
            end = _targets(t, end, card, card, int64(HOME), part, after)
            if t[DRAW] > 1 and t[PARENTS + card] & t[ABSENT]:
                end = _move(t, end, card, int64(IS_ABSENT), after)
    return end


@routine
def list_moves(t: Words) -> int:
    """List all moves of the position; return their number."""
    end, turning, part = int64(0), turning_of(t), int64(0)
    cards = t[TOPS]
    while cards:
        card = top = first_of(cards)
        cards &= cards - 1
        while True:
            whole = int64(t[CODES + card] == ON_SPACE)
            end = _targets(t, end, card, top, t[CODES + card], whole, turning)
            if not moves_along(t, card):
                break
            card = t[UNDER + card]
    cards = t[IN_CELLS] | open_reserve(t) | open_foundations(t)
    while cards:
        card = first_of(cards)
        cards &= cards - 1
        end = _targets(t, end, card, card, t[CODES + card], part, turning)
    cards = _whole_suits(t) if t[COMPLETE] else int64(0)
    while cards:
        end = _move(t, end, first_of(cards), int64(COMPLETED), turning)
        cards &= cards - 1
    cards = t[ABSENT] * t[HOLE]
    while cards:
        card = first_of(cards)
        cards &= cards - 1
        end = _into_hole(t, end, card, int64(IS_ABSENT), turning)
    return _list_stock(t, end)


@inlined
def is_new(t: Words, keys: Words, slots: Slots, count: int) -> bool:
    """Do the same with the key of the position."""
    return is_new_key(t, row_of(KEY), t[WORDS], keys, slots, count)


@inlined
def copy_key(t: Words, keys: Words, number: int) -> None:
    """Write the key with this number."""
    for part in range(t[WORDS]):
        t[KEY + part] = keys[t[WORDS] * number + part]


@inlined
def read_key(t: Words, keys: Words, number: int) -> None:
    """Write the position whose key has this number, without what `survey` writes."""
    copy_key(t, keys, number)
    decode(t)


@inlined
def play(t: Words, keys: Words, number: int, move: int) -> None:
    """Write the position after a move that was listed, from the one whose key has this number."""
    read_key(t, keys, number)
    if t[TO_COLUMNS]:
        survey(t)
    change(t, move & 63, (move >> 6) & 15, move >> 10)


@inlined
def note_count(t: Words, counts: Words, visited: int, count: int) -> None:
    """Write how many positions can be reached with one move more once all others are visited."""
    if visited == t[COUNTED]:
        t[COUNTED] = count
        if t[LEVEL] < len(counts):
            counts[t[LEVEL]] = count
        t[LEVEL] += 1


@kernel
def _count(t: Words, keys: Words, slots: Slots, counts: Words, limit: int) -> int:
    """Return the number of positions that can be reached, or `limit` + 1 if there are more; `WON` if one is won. Write
    to `counts` how many can be reached without a move, with at most one, and so on, as far as they go."""
    settle(t)
    encode(t)
    count, visited = int64(0), int64(0)
    count += is_new(t, keys, slots, count)
    while visited < count:
        note_count(t, counts, visited, count)
        read_key(t, keys, visited)
        survey(t)
        if t[DECK] & ~(t[UP] | t[ABSENT]) == 0:
            return int64(WON)
        moves, turning = list_moves(t), turning_of(t)
        settled = t[IDLE] == 0 and t[FILLS] == 0 and t[TO_COLUMNS] == 0 and t[COMPLETE] == 0
        for number in range(moves):
            move = t[MOVES + number]
            if settled:
                copy_key(t, keys, visited)
                card, code, after = move & 63, (move >> 6) & 15, move >> 10
                t[KEY + card // CARDS_PER_WORD] += (code - t[CODES + card]) * t[POWERS + card % CARDS_PER_WORD]
                t[KEY + 2] += (after - turning) * t[POWERS + 52 % CARDS_PER_WORD]
            else:
                play(t, keys, visited, move)
                settle(t)
                encode(t)
            if is_new(t, keys, slots, count):
                count += 1
                if count > limit:
                    return count
        visited += 1
    return count
