"""Assumptions of the engine about the rules. No referee relies on them.

A wrong belief costs verdicts, and never makes a wrong one pass. Each is attacked by search: engine and plain code must
agree by any rules (`tests/games/patience/test_agreement.py`), and the engine raises an error where two searches of a
layout do not. The other belief is that a position is lost if a relaxed game is, see `relaxed`.
"""

from dealmill.kernels import inlined, int64
from dealmill.pipeline.games.patience.engine.plain import words as k
from dealmill.pipeline.games.patience.engine.plain.words import Words
from dealmill.pipeline.games.patience.rules import SUITS, UNLIMITED, Rules

NO_LAG, ANY_LAG = -14, 13
"""A lag that no foundation has, and one that each has."""


def cards_go_up_safely(rules: Rules) -> bool:
    """Return whether a card that no card can need as a place may go to its foundation at once. Not if it may leave a
    column empty in which a card must lie, nor if it could carry away cards that were dealt on it, nor if cards of
    higher ranks could need it as a place."""
    if rules.hole != "none" or rules.complete or rules.full_columns or rules.waste_fills:
        return False
    if rules.has_downward_piles:
        return next_cards_go_up_safely(rules)
    if not rules.is_built_in_order:
        return False
    return rules.to != "tableau" or rules.move == "card" or (rules.move == "run" and rules.run == "build")


def next_cards_go_up_safely(rules: Rules) -> bool:
    """Return whether each card may go to a foundation at once, by rules with foundations in both directions: single
    cards move, and only the next card of the same suit could be put on it, which goes to the same foundation instead,
    and so do all that would be put on that one. Not if cards that fill columns come in an order, nor with a stock that
    offers other cards if one is gone, nor if ranks wrap."""
    places = rules.build in ("same-suit", "none") and not rules.build_wraps
    moves = rules.move == "card" and places and not rules.reserve_fills
    return moves and (rules.stock == 0 or (rules.to == "waste" and rules.draw == 1 and rules.passes == UNLIMITED))


def lags(rules: Rules) -> list[int]:
    """Return, for each two suits, by how many ranks the foundation of the second may be behind a card of the first that
    goes up safely.

    The card can only be needed by those of the second suit that fit it, directly or on a card of a third suit, and all
    lower ones are up, or go up in the same way. If any card moves with those on it, the cards that fit it must be up,
    since others can lie on them, and for good. If there are foundations in both directions, no card has to wait.
    """
    if rules.has_downward_piles:
        return [ANY_LAG] * 16
    fitting = [[bool(first >> 13 * second & 1) for second in range(4)] for first in rules.suits_that_fit]
    if rules.move == "any":
        direct = NO_LAG if rules.removable else 0
        return [
            direct if fitting[suit][second] and suit != second else ANY_LAG for suit in range(4) for second in range(4)
        ]
    indirect = [
        [any(fitting[suit][third] and fitting[third][second] for third in range(4)) for second in range(4)]
        for suit in range(4)
    ]
    return [
        1 if fitting[suit][second] else 2 if indirect[suit][second] else ANY_LAG
        for suit in range(4)
        for second in range(4)
    ]


@inlined
def is_safe(s: Words, card: int) -> bool:
    """Return whether no card can need this one, the next of its suit, as a place in a column; see `lags`."""
    rank, first = card % 13, k.LAGS + 4 * (card // 13)
    return bool(
        s[k.UP + 0] >= rank - s[first]
        and s[k.UP + 1] >= rank - s[first + 1]
        and s[k.UP + 2] >= rank - s[first + 2]
        and s[k.UP + 3] >= rank - s[first + 3]
    )


def partial_runs_are_twins(rules: Rules) -> bool:
    """Return whether part of a run needs to move only to free the card below it: the two cards on which it can lie
    change roles otherwise. Not with cells, to which the card below could go, not if cards will be dealt on them, not if
    whole suits leave the columns, since one of the two cards can be of the suit then, not if other cards fit one of the
    two than the other, and not if cards are put on others than those of the next higher rank, since one of
    the two can lie on the other one's run then."""
    below = dict(zip(SUITS, rules.suits_below, strict=True))
    alike = all(below[first] == below[second] for places in below.values() for first in places for second in places)
    alike = alike and rules.to != "tableau" and not rules.complete and rules.is_built_in_order
    return rules.move == "run" and rules.run == "build" and rules.cells == 0 and alike


@inlined
def is_needless_part(s: Words, below: int) -> bool:
    """Return whether a card needs no move to another column, as the one below it in its run, if there is one, cannot go
    up then; see `partial_runs_are_twins`."""
    return bool(s[k.PARTIAL] and below != k.NO_CARD and s[k.UP + below // 13] != below % 13)


def lists_prove_losses(rules: Rules) -> bool:
    """Return whether a loss in the easier game, in which some cards leave as soon as they can be lifted, proves a loss:
    cards leave the columns one by one, as runs by the rules for building, or with all on them, to foundations or into a
    hole, in games with a hole never onto another card, and a stock neither goes to the columns nor fills them."""
    moves = rules.move in ("card", "any") or (rules.move == "run" and rules.run == "build")
    places = rules.hole == "none" or rules.build == "none"
    filled = rules.waste_fills or rules.only_waste_fills
    others = rules.complete or not rules.is_built_in_order or filled
    return moves and places and rules.to in ("waste", "hole") and not others


def lists_are_tried_early(rules: Rules) -> bool:
    """Return whether lists are looked for before a loss is proved, where a full search has too many positions: where
    runs move, and in wide layouts. Elsewhere, it proves the same losses sooner."""
    return rules.move != "card" or (rules.hole == "none" and len(rules.sizes) > 13)


@inlined
def lowest_cards(s: Words) -> int:
    """Return the cards that can be idle in every loss: the lowest of each suit. Nothing fits them, so in the real game,
    too, they may as well go to their foundations as soon as they can be lifted. Not if the cards on them would go with
    them, nor those of a stock whose order matters."""
    if s[k.LISTS] == 0 or s[k.HOLE] or s[k.MOVING] == k.ANY_CARDS:
        return int64(0)
    open_cards = s[k.CANDIDATES] & ~(s[k.IN_STOCK] * (1 - s[k.STOCK_IS_OPEN]))
    lowest: int = open_cards & int64(k.LOWEST) << s[k.INITIAL]
    return lowest
