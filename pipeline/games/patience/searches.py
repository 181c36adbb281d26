"""The searches of `winnable`: which games each decides, in which version, what its evidence says, and the memory that
it can take; without the search itself, which loads the compiler.

To change the outputs of a search means a new version of it, and of no other.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from dealmill.game import Engine, EngineFunction
from dealmill.pipeline.games.patience.coverage import (
    corrected,
    counted_with_relaxed_game,
    counted_with_safe_cards,
    counted_with_waiting_cards,
    counted_without_arrangements,
    is_interrupted,
    searched_by_stages,
    searched_with_beams,
    searched_without_arrangements,
    single_copies_go_up,
)
from dealmill.pipeline.games.patience.losses.counted import easier_game_is_sound
from dealmill.pipeline.games.patience.losses.pieces import pieces_prove_losses
from dealmill.pipeline.games.patience.losses.swept import can_be_swept
from dealmill.pipeline.games.patience.losses.waits import cards_wait
from dealmill.pipeline.games.patience.losses.walks import walks_prove_losses
from dealmill.pipeline.games.patience.memory import (
    memory_of_pieces,
    memory_of_quotient,
    memory_of_singles,
    memory_of_table,
    memory_of_walks,
    memory_with_beams,
)

if TYPE_CHECKING:
    from dealmill.pipeline.games.patience.rules import Rules

MAX_NODES, MAX_NODES_OF_LONG_SEARCH, MAX_NODES_OF_WALKS, MAX_NODES_OF_SINGLES, MAX_NODES_OF_QUOTIENT = (
    1_000_000,
    2_500_000,
    10_000_000,
    10_000_000,
    20_000_000,
)
PLAIN_VERSION, CORRECTED_PLAIN_VERSION = "7", "8"
WAITING_VERSION, CORRECTED_WAITING_VERSION = "8", "9"
STAGES_VERSION, CORRECTED_STAGES_VERSION = "10", "11"
PLACES_VERSION, CORRECTED_PLACES_VERSION = "11", "12"
"""The second one is that by rules whose outputs were wrong before version 8."""
SINGLE_COPIES_VERSION = "2"
SWEEP_VERSION, WALKS_VERSION, BEAMS_VERSION, RELAXED_VERSION, SAFE_VERSION = "8", "9", "8", "8", "9"
QUOTIENT_VERSION, INTERRUPTED_QUOTIENT_VERSION, PIECES_VERSION, SINGLES_VERSION = "8", "9", "8", "9"
MOVES = (
    "the moves: a card and what it goes onto, `6H7S`, or `f` foundation, `c` cell, `e` empty column, `h` hole, `d` "
    "dealt in a row"
)
MOVES_OF_COPIES = (
    "the moves: a card, its column and where it goes, `6H3-5` with all cards on it to column 5, `KH3f` a whole suit "
    "to a foundation, `6Hd` dealt in a row"
)
"""If cards exist more than once."""
MOVES_OF_SINGLE_COPIES = (
    "the moves: a card, its column and where it goes, `6H3-5` with all cards on it to column 5, `6H3f` to a "
    "foundation; `6Hs12-5` the 12th card of waste and stock, `6Hd` dealt in a row"
)
"""The same if cards go to foundations one by one."""
LOSS = (
    "the cards that matter, `*6C4H`, or `*` for all; and how many positions can be reached if all others leave as soon "
    "as they can be moved"
)
LOSS_OF_QUOTIENT = (
    f"{LOSS}; or, `quotient * 13289`, how many can be reached if those that differ only in where cards lie that were "
    "moved count once, and nothing moves where cards could not go up even if whatever was possible stayed possible"
)
LOSS_OF_PIECES = (
    f"{LOSS}; or, `quotient * 71353`, how many can be reached if those that differ only in where cards lie that were "
    "moved, with those on them, count once, any place that is left may be taken, and nothing moves where cards could "
    "not go up even if whatever was possible stayed possible"
)
LOSS_OF_COUNT = "how many positions can be reached: `* 201950`"
LOSS_OF_WALKS = (
    "how many positions can be reached, apart from suits, while the cards that are left could go into the hole if they "
    "were all free: `walks * 7276`"
)
CUT = (
    "`cut * 1357`, how many can be reached if cards that nobody needs go up at once, and nothing moves where cards "
    "could not go up even if no move ever covered one"
)
LOSS_OF_RELAXED_GAME, LOSS_OF_COUNT_OR_CUT = f"{LOSS}; or, {CUT}", f"{LOSS_OF_COUNT}; or, {CUT}"
LOSS_OF_SINGLES = (
    f"{LOSS_OF_RELAXED_GAME}; or, `quotient * 13289`, how many can be reached if runs move, too, and those that differ "
    "only in where cards lie that were moved count once"
)
LOSS_OF_SAFE_CARDS = (
    "how many positions can be reached if cards that nobody needs go up at once: `safe * 25797`; of all cards, or of "
    "those that matter, `safe *6C4H 57`, if all others leave as soon as they can be moved"
)
LOSS_OF_WAITING = (
    "cards of which none can be the first to move, `waits 4C9D`, or a card on its only place, which lies face down, "
    "`waits 4C>5C`; or how many positions can be reached without a move where there are such cards, `waits * 1357`"
)
LOSS_OF_PLACES = (
    "how many positions can be reached without a move where cards wait for one another, of which none can be the first "
    "to move: `waits * 976`"
)
LOSS_OF_COPIES = "how many positions can be reached, at most 100,000: `* 7276`"


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

    def engine(self, rules: "Rules") -> Engine:
        """Return the engine ``winnable`` of a game that the search covers."""
        return Engine(
            "winnable",
            self.version(rules),
            "whether it can be won if all cards are known, also those that lie face down",
            self.evidence(rules),
            complete=self.complete,
            max_nodes=self.max_nodes,
            evidence_of_loss=self.evidence_of_loss(rules),
            memory=self.memory,
        )


def search_of(rules: "Rules") -> Search:
    """Return the search that decides a game: the first one that covers it."""
    return next(search for search in SEARCHES if search.covers(rules))


def _load_quotient() -> Callable[["Rules"], EngineFunction]:
    from dealmill.pipeline.games.patience.engine.quotient.engine import Quotient

    return Quotient


def _load_pieces() -> Callable[["Rules"], EngineFunction]:
    from dealmill.pipeline.games.patience.engine.quotient.pieces import Pieces

    return Pieces


def _load_singles() -> Callable[["Rules"], EngineFunction]:
    from dealmill.pipeline.games.patience.engine.quotient.singles import Singles

    return Singles


def _load_walks() -> Callable[["Rules"], EngineFunction]:
    from dealmill.pipeline.games.patience.engine.holes.walks import Walks

    return Walks


def _load_sweep() -> Callable[["Rules"], EngineFunction]:
    from dealmill.pipeline.games.patience.engine.holes.sweep import Sweep

    return Sweep


def _load_plain() -> Callable[["Rules"], EngineFunction]:
    from dealmill.pipeline.games.patience.engine.plain.engine import Winnable

    return Winnable


def _load_stages() -> Callable[["Rules"], EngineFunction]:
    from dealmill.pipeline.games.patience.engine.whole_suits.spider import Spider

    return Spider


def _load_waiting() -> Callable[["Rules"], EngineFunction]:
    from dealmill.pipeline.games.patience.engine.whole_suits.waits import Waits

    return Waits


def _version_of_waiting(rules: "Rules") -> str:
    return CORRECTED_WAITING_VERSION if corrected(rules) else WAITING_VERSION


def _version_of_stages(rules: "Rules") -> str:
    if counted_with_waiting_cards(rules):
        return CORRECTED_PLACES_VERSION if corrected(rules) else PLACES_VERSION
    return CORRECTED_STAGES_VERSION if corrected(rules) else STAGES_VERSION


def _loss_of_stages(rules: "Rules") -> str:
    if counted_with_waiting_cards(rules):
        return LOSS_OF_PLACES
    return LOSS_OF_COPIES if rules.copies > 1 else LOSS_OF_COUNT


SWEEP = Search(
    can_be_swept,
    lambda _rules: SWEEP_VERSION,
    _load_sweep,
    evidence_of_loss=lambda _rules: LOSS_OF_COUNT,
    complete=True,
    max_nodes=None,
)
WALKS = Search(
    walks_prove_losses,
    lambda _rules: WALKS_VERSION,
    _load_walks,
    evidence_of_loss=lambda _rules: LOSS_OF_WALKS,
    max_nodes=MAX_NODES_OF_WALKS,
    memory=memory_of_walks,
)
WAITING = Search(
    cards_wait,
    _version_of_waiting,
    _load_waiting,
    evidence_of_loss=lambda _rules: LOSS_OF_WAITING,
)
STAGES = Search(
    searched_by_stages,
    _version_of_stages,
    _load_stages,
    lambda rules: MOVES_OF_COPIES if rules.copies > 1 else MOVES,
    _loss_of_stages,
    max_nodes=MAX_NODES_OF_LONG_SEARCH,
)
SINGLE_COPIES = Search(
    single_copies_go_up,
    lambda _rules: SINGLE_COPIES_VERSION,
    _load_stages,
    lambda _rules: MOVES_OF_SINGLE_COPIES,
    lambda _rules: LOSS_OF_COPIES,
)
QUOTIENT = Search(
    searched_without_arrangements,
    lambda rules: INTERRUPTED_QUOTIENT_VERSION if is_interrupted(rules) else QUOTIENT_VERSION,
    _load_quotient,
    evidence_of_loss=lambda _rules: LOSS_OF_QUOTIENT,
    max_nodes=MAX_NODES_OF_QUOTIENT,
    memory=memory_of_quotient,
)
PIECES = Search(
    pieces_prove_losses,
    lambda _rules: PIECES_VERSION,
    _load_pieces,
    evidence_of_loss=lambda _rules: LOSS_OF_PIECES,
    max_nodes=MAX_NODES_OF_LONG_SEARCH,
    memory=memory_of_pieces,
)
SINGLES = Search(
    counted_without_arrangements,
    lambda _rules: SINGLES_VERSION,
    _load_singles,
    evidence_of_loss=lambda _rules: LOSS_OF_SINGLES,
    max_nodes=MAX_NODES_OF_SINGLES,
    memory=memory_of_singles,
)
BEAMS = Search(
    searched_with_beams,
    lambda _rules: BEAMS_VERSION,
    _load_plain,
    evidence_of_loss=lambda _rules: LOSS_OF_RELAXED_GAME,
    max_nodes=MAX_NODES_OF_LONG_SEARCH,
    memory=memory_with_beams,
)
RELAXED = Search(
    counted_with_relaxed_game,
    lambda _rules: RELAXED_VERSION,
    _load_plain,
    evidence_of_loss=lambda rules: LOSS_OF_COUNT_OR_CUT if rules.has_downward_piles else LOSS_OF_RELAXED_GAME,
    max_nodes=MAX_NODES_OF_LONG_SEARCH,
    memory=memory_with_beams,
)
SAFE = Search(
    counted_with_safe_cards,
    lambda _rules: SAFE_VERSION,
    _load_plain,
    evidence_of_loss=lambda _rules: LOSS_OF_SAFE_CARDS,
    max_nodes=MAX_NODES_OF_LONG_SEARCH,
    memory=memory_with_beams,
)
PLAIN = Search(
    lambda _rules: True,
    lambda rules: CORRECTED_PLAIN_VERSION if corrected(rules) else PLAIN_VERSION,
    _load_plain,
    evidence_of_loss=lambda rules: LOSS if easier_game_is_sound(rules) else LOSS_OF_COUNT,
    memory=memory_of_table,
)
SEARCHES = (SWEEP, WALKS, WAITING, SINGLE_COPIES, STAGES, QUOTIENT, PIECES, SINGLES, BEAMS, RELAXED, SAFE, PLAIN)
"""In this order."""
