"""The searches of `winnable`: which games each decides, in which version, what its evidence says, and the memory that
it can take; without the search itself, which loads the compiler.

To change the outputs of a search means a new version of it, and of no other.
"""

from collections.abc import Callable
from dataclasses import dataclass
from math import log2
from typing import TYPE_CHECKING

from dealmill.game import EngineFunction
from dealmill.pipeline.games.patience.memory import (
    memory_of_quotient,
    memory_of_table,
    memory_of_walks,
    memory_with_beams,
)

if TYPE_CHECKING:
    from dealmill.pipeline.games.patience.rules import Rules

MAX_NODES, MAX_NODES_OF_WALKS, MAX_NODES_OF_QUOTIENT = 1_000_000, 10_000_000, 20_000_000
PLAIN_VERSION, STAGES_VERSION, CORRECTED_VERSION = "7", "7", "8"
"""The last one is that of both by rules whose outputs were wrong before."""
SWEEP_VERSION, WALKS_VERSION, BEAMS_VERSION, QUOTIENT_VERSION = "8", "9", "8", "8"
MOST_TUPLES = 10_000_000
"""A sweep takes 2 bytes for each tuple of heights and each number of cards of the stock: 100 MB at most."""
KEY_BITS = 63
"""A position of the quotient is a number with at most so many bits."""
MOVES = (
    "the moves: a card and what it goes onto, `6H7S`, or `f` foundation, `c` cell, `e` empty column, `h` hole, `d` "
    "dealt in a row"
)
MOVES_OF_COPIES = (
    "the moves: a card, its column and where it goes, `6H3-5` with all cards on it to column 5, `KH3f` a whole suit "
    "to a foundation, `6Hd` dealt in a row"
)
"""If cards exist more than once."""
LOSS = (
    "the cards that matter, `*6C4H`, or `*` for all; and how many positions can be reached if all others leave as soon "
    "as they can be moved"
)
LOSS_OF_QUOTIENT = (
    f"{LOSS}; or, `quotient * 13289`, how many can be reached if those that differ only in where cards lie that were "
    "moved count once, and nothing moves where cards could not go up even if whatever was possible stayed possible"
)
LOSS_OF_SWEEP = "how many positions can be reached: `* 201950`"
LOSS_OF_WALKS = (
    "how many positions can be reached, apart from suits, while the cards that are left could go into the hole if they "
    "were all free: `walks * 7276`"
)
LOSS_OF_BEAMS = (
    f"{LOSS}; or, `cut * 1357`, how many can be reached if cards that nobody needs go up at once, and nothing moves "
    "where cards could not go up even if no move ever covered one"
)
LOSS_OF_COPIES = "how many positions can be reached, at most 100,000: `* 7276`"


def corrected(rules: "Rules") -> bool:
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


@dataclass(frozen=True)
class Search:
    """A search for all games that it `covers`. `load` imports it, `max_nodes` is its default limit, and `memory` are
    the bytes that it can take with a limit, if that depends on it. It is `complete` if it decides every layout when
    there is no limit."""

    covers: Callable[["Rules"], bool]
    version: Callable[["Rules"], str]
    load: Callable[[], Callable[["Rules"], EngineFunction]]
    evidence: Callable[["Rules"], str] = lambda _rules: MOVES
    evidence_of_loss: Callable[["Rules"], str] = lambda _rules: LOSS
    complete: bool = False
    max_nodes: int | None = MAX_NODES
    memory: Callable[[int], int] | None = None


def search_of(rules: "Rules") -> Search:
    """Return the search that decides a game: the first one that covers it."""
    return next(search for search in SEARCHES if search.covers(rules))


def searched_by_stages(rules: "Rules") -> bool:
    """Return whether the engine for Spider searches a game: if cards exist more than once, and wherever whole suits
    leave columns to which a stock is dealt, since it decides more of these deals; but not if any card moves with those
    on it, nor with places that it does not know."""
    dealt = rules.complete and rules.to == "tableau" and rules.stock > 0 and rules.move != "any"
    places = rules.cells == 0 and rules.reserve == 0 and rules.hole == "none" and rules.foundations != "dealt"
    return rules.copies > 1 or (dealt and places)


def searched_without_arrangements(rules: "Rules") -> bool:
    """Return whether positions are searched without the arrangement of the cards that were moved: where losses can be
    proved so, and every position of any layout fits in a key."""
    from dealmill.pipeline.games.patience.losses.quotient import covers

    return covers(rules) and max(_key_bits(rules, stock) for stock in range(rules.stock + 1)) < KEY_BITS


def _key_bits(rules: "Rules", stock: int) -> float:
    """Return how many bits a key has at most if so many cards are in the stock: the heights of the foundations, the
    stock, and the dealt cards that are left in each column, of which the product is greatest if all are equal."""
    columns, cards = len(rules.sizes), len(rules.deck()) - stock
    turning = log2((stock + 1) * max(rules.passes, 1))
    return len(rules.piles) * log2(rules.ranks + 1) + stock + turning + columns * log2(1 + cards / columns)


def _load_quotient() -> Callable[["Rules"], EngineFunction]:
    from dealmill.pipeline.games.patience.quotient.engine import Quotient

    return Quotient


def is_swept(rules: "Rules") -> bool:
    """Return whether one sweep decides a game: if cards go nowhere but into the hole, from few columns, a reserve, and
    a stock that goes there, too."""
    leaves = rules.hole != "none" and rules.build == "none" and rules.spaces == "none" and rules.cells == 0
    ordered = rules.to == "hole" or rules.stock == 0
    return leaves and ordered and rules.most_tuples <= MOST_TUPLES


def is_walked(rules: "Rules") -> bool:
    """Return whether a game is searched by ranks, cut off where no walk is possible: if all cards are in columns or
    cells until they go into the hole, one by one, and the ranks go around in a circle of odd length."""
    leaves = rules.hole != "none" and rules.build == "none" and rules.stock == 0 and rules.reserve == 0
    single = rules.spaces == "none" or (rules.spaces == "any" and rules.move == "card")
    return leaves and single and rules.wrap and rules.ranks % 2 == 1


def _load_walks() -> Callable[["Rules"], EngineFunction]:
    from dealmill.pipeline.games.patience.walks import Walks

    return Walks


def _load_sweep() -> Callable[["Rules"], EngineFunction]:
    from dealmill.pipeline.games.patience.sweep import Sweep

    return Sweep


def searched_with_beams(rules: "Rules") -> bool:
    """Return whether the plain search decides a game with beams, and counts the positions of a loss that a relaxed
    game leaves: where cards come back from foundations, most losses have too many positions otherwise. Cards move one
    by one, without a stock, or the stock goes to the columns, from which runs move that fit each other."""
    alone = rules.move == "card" and rules.stock == 0
    built = rules.move == "run" and rules.run == "build" and rules.spaces != "reserve" and not rules.full_columns
    dealt = built and rules.stock > 0 and rules.to == "tableau"
    kinds = rules.hole == "none" and rules.cells == 0 and not rules.complete and rules.copies == 1
    return kinds and rules.removable and (alone or dealt)


def _load_plain() -> Callable[["Rules"], EngineFunction]:
    from dealmill.pipeline.games.patience.engine import Winnable

    return Winnable


def _load_stages() -> Callable[["Rules"], EngineFunction]:
    from dealmill.pipeline.games.patience.spider import Spider

    return Spider


SWEEP = Search(
    is_swept,
    lambda _rules: SWEEP_VERSION,
    _load_sweep,
    evidence_of_loss=lambda _rules: LOSS_OF_SWEEP,
    complete=True,
    max_nodes=None,
)
WALKS = Search(
    is_walked,
    lambda _rules: WALKS_VERSION,
    _load_walks,
    evidence_of_loss=lambda _rules: LOSS_OF_WALKS,
    max_nodes=MAX_NODES_OF_WALKS,
    memory=memory_of_walks,
)
STAGES = Search(
    searched_by_stages,
    lambda rules: CORRECTED_VERSION if corrected(rules) else STAGES_VERSION,
    _load_stages,
    lambda rules: MOVES_OF_COPIES if rules.copies > 1 else MOVES,
    lambda rules: LOSS_OF_COPIES if rules.copies > 1 else LOSS,
)
QUOTIENT = Search(
    searched_without_arrangements,
    lambda _rules: QUOTIENT_VERSION,
    _load_quotient,
    evidence_of_loss=lambda _rules: LOSS_OF_QUOTIENT,
    max_nodes=MAX_NODES_OF_QUOTIENT,
    memory=memory_of_quotient,
)
BEAMS = Search(
    searched_with_beams,
    lambda _rules: BEAMS_VERSION,
    _load_plain,
    evidence_of_loss=lambda _rules: LOSS_OF_BEAMS,
    memory=memory_with_beams,
)
PLAIN = Search(
    lambda _rules: True,
    lambda rules: CORRECTED_VERSION if corrected(rules) else PLAIN_VERSION,
    _load_plain,
    memory=memory_of_table,
)
SEARCHES = (SWEEP, WALKS, STAGES, QUOTIENT, BEAMS, PLAIN)
"""In this order."""
