"""The array of the compiled referee of patiences, and how a layout is read into it.

A card is a number, 13 for each suit, counted from the base of the foundations. The array `t` has all but the positions
that are reached, with the offsets below; "Positions" are fields of the position that is visited. It is written from the
rules, and shares no code with the engine. Of the plain referee, it uses only what that says of the form of layouts and
evidence.
"""

from collections.abc import Sequence
from functools import cache

import numpy as np

from dealmill.kernels import Fields
from dealmill.pipeline.games.patience.compiled.keys import Words
from dealmill.pipeline.games.patience.losses.counted import CountedLoss
from dealmill.pipeline.games.patience.rules import RANKS, UNLIMITED, Rules, pairs
from dealmill.rules_files import MAX_COLUMNS

CARDS_PER_WORD = 19
KEY_WORDS, DEALING_WORDS = 3, 11
"""The words of a position, and of one that may have dealt cards: 3, 6 for their homes, 2 for the lowest cards."""
MAX_MOVES = 1_500
ARRAY = Fields()
# Rules
MOVES_RUNS, SPACES, CELLS, FILLS, DRAW, PASSES, REMOVABLE, COLUMNS, HOLE, WRAP, LAST_RANK, STACKED = ARRAY.words(12)
TO_HOLE, DECK, MOVES_ANY, TO_COLUMNS, FULL_COLUMNS, COMPLETE, WASTE_FILLS, ONLY_WASTE_FILLS = ARRAY.words(8)
WHOLE_COLUMNS, NO_SINGLE_CARDS, BUILDS_UP, DOWNWARD_PILES = ARRAY.words(4)
"""Whether runs move only if they are whole columns; whether cards that leave others in theirs do not move to another
one; whether cards are put on those of the next lower rank, too; and whether each suit has a foundation that is built
from the last rank down, too."""
# Layouts
FIXED, STOCK_SIZE, RESERVE_SIZE, FACE_DOWN, WAS_STOCK, IDLE = ARRAY.words(6)
# Positions, and the number of words of their keys
TOPS, IN_CELLS, IN_RESERVE, IN_STOCK, UP, ABSENT, EMPTY_COLUMNS, TURNED, PASSES_LEFT, HOLE_RANK, WORDS = ARRAY.words(11)
KEY, LOWEST = ARRAY.row(DEALING_WORDS), ARRAY.row(MAX_COLUMNS)
# The count: how many positions can be reached with as many moves as those that are visited, and with how many
COUNTED, LEVEL = ARRAY.words(2)
# One word for each card
PARENTS, HOMES, STOCK_ORDER, RESERVE_ORDER, CODES, UNDER, RUN_PARENTS = ARRAY.rows(7, 52)
ON = ARRAY.row(52)
"""The card on each, or `NO_CARD`; only `waits` needs it."""
BELOW = ARRAY.row(4 * 52)
"""What each card lies on by each of the four codes from `ON_PARENT` on."""
POWERS, MOVES = ARRAY.row(CARDS_PER_WORD), ARRAY.row(MAX_MOVES)
SIZE = ARRAY.size

HOME, ON_FOUNDATION, IS_ABSENT, IN_CELL, ON_SPACE, ON_PARENT = range(6)
"""Codes of cards. `ON_PARENT` and the three after it are those that lie, as part of a run, on the next higher card of
each suit; or on one of those that they fit, see `BELOW`, if these are of two ranks. `HOME` are those that have never
moved: in the reserve or the stock, or on a card that lies face down or that they do not fit."""
CODE_COUNT = ON_PARENT + 4
DEALT, COMPLETED = CODE_COUNT, CODE_COUNT + 1
"""Moves, not codes: of a row of the stock, and of a whole suit."""
NO_CARD, RESERVE, STOCK = 52, 53, 54
"""Homes that are no cards."""
SUIT = (1 << 13) - 1
"""The set of the cards of the first suit."""


def loaded(rules: Rules, layout: str, loss: CountedLoss) -> Words:
    """Return the array with the rules and the first position of the easier game."""
    _, columns, *parts = layout.split(" ")
    texts = dict(part.split(":") for part in parts)
    base = rules.base_of(texts) if rules.hole == "none" else 0

    number = rules.card_numbers(base).__getitem__

    def numbers(text: str) -> list[int]:
        return list(map(number, pairs(text.replace("-", ""))))

    deck = set(map(number, rules.deck()))
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
    t = _loaded_rules(rules).copy()
    _load_piles(t, piles, cards_below(rules.parents, rules.builds_up), homes, codes)
    for part, code in (("cells", IN_CELL), ("reserve", HOME), ("stock", HOME), ("waste", HOME)):
        codes |= dict.fromkeys(numbers(texts.get(part, "")), code)
    reserve = numbers(texts.get("reserve", ""))
    homes |= dict.fromkeys(reserve, RESERVE) | dict.fromkeys(stock, STOCK)
    codes |= dict.fromkeys(absent, IS_ABSENT)

    t[DRAW], t[PASSES], t[IDLE] = draw, passes, _mask(idle)
    t[FACE_DOWN], t[WAS_STOCK] = _mask(face_down), _mask(set(stock))
    t[FIXED], t[STOCK_SIZE], t[RESERVE_SIZE] = _mask(fixed), len(stock), len(reserve)
    t[TURNED] = sum(card not in absent for card in numbers(texts.get("waste", "")))
    t[PASSES_LEFT] = int(texts.get("passes", 0)) if passes else 0
    t[HOLE_RANK] = RANKS.index(texts.get("hole", "A")[0])
    t[STOCK_ORDER : STOCK_ORDER + len(stock)] = stock
    t[RESERVE_ORDER : RESERVE_ORDER + len(reserve)] = reserve
    t[HOMES : HOMES + 52] = [homes.get(card, 0) for card in range(52)]
    t[CODES : CODES + 52] = [codes.get(card, 0) for card in range(52)]
    return t


def _load_piles(
    t: Words,
    piles: list[list[tuple[int, bool]]],
    places: Sequence[Sequence[int]],
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
                fits = not is_down and below in places[card]
                codes[card] = ON_PARENT + places[card].index(below) if fits else HOME


@cache
def cards_below(parents_of_cards: tuple[int, ...], builds_up: bool) -> list[list[int]]:
    """Return on which card each lies by each code from `ON_PARENT` on, or `NO_CARD`: of which suit, or if cards of two
    ranks fit, which of these."""
    below = []
    for parents in parents_of_cards:
        fitting = [card for card in range(52) if parents >> card & 1]
        of_suits = [next((card for card in fitting if card // 13 == suit), NO_CARD) for suit in range(4)]
        below.append((fitting + [NO_CARD] * 4)[:4] if builds_up else of_suits)
    return below


@cache
def _loaded_rules(rules: Rules) -> Words:
    """Return the array with what is the same for all layouts, but for the rules of the stock."""
    t = np.zeros(SIZE, dtype=np.int64)
    t[MOVES_RUNS], t[CELLS], t[FILLS] = rules.runs_move, rules.cells, rules.reserve_fills
    t[WHOLE_COLUMNS], t[NO_SINGLE_CARDS] = rules.whole_columns_move, rules.move == "whole-pile"
    t[BUILDS_UP], t[DOWNWARD_PILES] = rules.builds_up, rules.has_downward_piles
    t[SPACES], t[WASTE_FILLS], t[ONLY_WASTE_FILLS] = rules.cards_for_spaces, rules.waste_fills, rules.only_waste_fills
    t[REMOVABLE], t[COLUMNS], t[MOVES_ANY] = rules.removable, len(rules.sizes), rules.move == "any"
    t[HOLE], t[WRAP], t[LAST_RANK] = rules.hole != "none", rules.wrap, rules.ranks - 1
    t[STACKED], t[TO_HOLE] = rules.stacked, rules.to == "hole"
    t[DECK] = _mask(set(map(rules.card_numbers(0).__getitem__, rules.deck())))
    t[TO_COLUMNS], t[FULL_COLUMNS] = rules.to == "tableau", rules.full_columns
    t[COMPLETE], t[WORDS] = rules.complete, DEALING_WORDS if rules.to == "tableau" else KEY_WORDS
    t[PARENTS : PARENTS + 52], t[RUN_PARENTS : RUN_PARENTS + 52] = rules.parents, rules.run_parents
    t[BELOW : BELOW + 4 * 52] = [card for cards in cards_below(rules.parents, rules.builds_up) for card in cards]
    t[POWERS : POWERS + CARDS_PER_WORD] = [CODE_COUNT**power for power in range(CARDS_PER_WORD)]
    return t


def _mask(cards: set[int]) -> int:
    return sum(1 << card for card in cards)
