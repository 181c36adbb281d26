"""Which games each search covers, decided from their rules alone."""

from math import log2

from dealmill.pipeline.games.patience.losses.cut import cut_proves_losses
from dealmill.pipeline.games.patience.losses.quotient import quotient_proves_losses
from dealmill.pipeline.games.patience.losses.safe import safe_cards_prove_losses
from dealmill.pipeline.games.patience.losses.waits import cards_wait_for_places
from dealmill.pipeline.games.patience.rules import Rules

KEY_BITS, BITS_OF_SUIT = 63, 14
"""A position of the quotient is a number with at most so many bits, of which each suit has some."""


def corrected(rules: Rules) -> bool:
    """Return whether version 7 of `winnable` was wrong by some rules, and refused a layout or its own loss.

    With a hole and cells, it put absent cards into cells. Cards did not come back from a foundation that nobody needed
    as places of others, but to fill a column before a row is dealt, or to be carried away. Parts of runs did not move
    where whole suits leave, though the cards on which they lie are not alike then.
    """
    absent_in_cells = rules.hole != "none" and rules.cells > 0 and rules.build == "none"
    carried_away = rules.move == "any" or rules.run != "build"
    needed = rules.removable and rules.to == "tableau" and (rules.full_columns or carried_away)
    runs = rules.move == "run" and rules.run == "build" and rules.cells == 0 and rules.copies == 1
    return absent_in_cells or needed or (rules.complete and rules.to != "tableau" and runs)


def searched_by_stages(rules: Rules) -> bool:
    """Return whether the search for Spider decides a game: if cards exist more than once, and wherever only whole suits
    leave the columns; but not if any card moves with those on it, nor with places that it does not know."""
    suits = rules.complete and (rules.stock == 0 or rules.to == "tableau") and rules.move != "any"
    places = rules.cells == 0 and rules.reserve == 0 and rules.hole == "none" and rules.foundations != "dealt"
    return rules.copies > 1 or (suits and places)


def single_copies_go_up(rules: Rules) -> bool:
    """Return whether cards exist more than once and go to foundations one by one, as in Forty Thieves."""
    return rules.copies > 1 and not rules.complete


def counted_with_waiting_cards(rules: Rules) -> bool:
    """Return whether the search for Spider counts the positions of a loss without a move in those in which cards wait
    for places."""
    return cards_wait_for_places(rules)


def searched_with_beams(rules: Rules) -> bool:
    """Return whether the plain search decides a game with beams, and counts the positions of a loss that a relaxed
    game leaves: where cards come back from foundations, most losses have too many positions otherwise. Cards move one
    by one, without a stock, or the stock goes to the columns, from which runs move that fit each other."""
    alone = rules.move == "card" and rules.stock == 0
    built = rules.move == "run" and rules.run == "build" and rules.spaces != "reserve" and not rules.full_columns
    dealt = built and rules.stock > 0 and rules.to == "tableau"
    kinds = rules.hole == "none" and rules.cells == 0 and not rules.complete and rules.copies == 1
    kinds = kinds and rules.is_built_in_order
    return kinds and rules.removable and (alone or dealt)


def counted_with_relaxed_game(rules: Rules) -> bool:
    """Return whether the plain search counts the positions of a loss that a relaxed game leaves, as with beams, though
    no card comes back from a foundation: in games without cells whose columns are built by single cards otherwise than
    by suit, or whose foundations are built in both directions, and without a stock and a reserve. Other losses by suit
    have fewer positions."""
    places = rules.place_count > 1 or rules.has_downward_piles
    alone = rules.move == "card" and places and rules.stock == rules.reserve == 0
    return alone and cut_proves_losses(rules) and not rules.removable


def counted_with_safe_cards(rules: Rules) -> bool:
    """Return whether the plain search counts the positions of a loss with safe cards: in games with cells, where the
    relaxed game refutes nothing."""
    return safe_cards_prove_losses(rules) and rules.cells > 0


def searched_without_arrangements(rules: Rules) -> bool:
    """Return whether positions are searched without the arrangement of the cards that were moved: where losses can be
    proved so, and every position of any layout fits in a key."""
    turning = (rules.stock + 1) * max(rules.passes, 1)
    fits = len(rules.piles) * BITS_OF_SUIT + log2(turning) < KEY_BITS
    return quotient_proves_losses(rules) and rules.move == "run" and fits


def counted_without_arrangements(rules: Rules) -> bool:
    """Return whether a loss that the plain search with beams does not find soon is looked for in the game in which runs
    move, without the arrangement of the cards that were moved: where empty columns take no card, or only kings. Where
    they take any card, runs make the game too easy."""
    return searched_with_beams(rules) and quotient_proves_losses(rules) and rules.spaces in ("none", "kings")


def is_interrupted(rules: Rules) -> bool:
    """Return whether short plain searches interrupt the one without arrangements: where only kings go to empty columns,
    they find some wins sooner, and lists of cards that matter. With a reserve, everything is decided without them."""
    return rules.spaces == "kings" and rules.reserve == 0
