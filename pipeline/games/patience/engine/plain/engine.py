"""The engine of all patiences: layouts to the words of the kernel, and its result to a verdict with evidence."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

import numpy as np

from dealmill.game import NO_LIMIT
from dealmill.kernels import Batch, Solved, Texts, check_memory, to_solved, to_strings
from dealmill.pipeline.games.patience.coverage import (
    counted_with_relaxed_game,
    counted_with_safe_cards,
    searched_with_beams,
)
from dealmill.pipeline.games.patience.engine.plain import solving, soundness
from dealmill.pipeline.games.patience.engine.plain import words as k
from dealmill.pipeline.games.patience.engine.plain.beam import words_of_beam
from dealmill.pipeline.games.patience.memory import table_slots
from dealmill.pipeline.games.patience.rules import RANKS, SUITS, Rules
from dealmill.verdicts import Verdict

FIRST_ROOM = 12_000_000
"""The nodes for which an array has room at first, and no more than the limit. It is reserved, though rarely used."""
DEPTH, MOVES = 500_000, 12_000_000
"""A search goes no deeper than this, and has at most this many moves that are to be tried, at first."""
MAX_DEALT = 4_000_000
"""No referee counts more positions of a loss if the stock is dealt to the columns."""
SHALLOW_NODES = 12_000_000
"""A search goes deeper only after as many nodes in all, so that outputs with fewer nodes are those of earlier code."""
FIRST_POSITIONS, FIRST_DEALT = 10_000_000, 4_000_000
"""The positions of a loss that are counted at first; the second is for stocks that are dealt to the columns."""
CUT, SAFE = "cut ", "safe "
"""How the evidence of a loss begins that the positions of a search prove; the second one in games with cells."""
LONG_PROBES_WITH_CELLS, LONG_PROBES_WITHOUT = 2, 4
"""How many times as much the rounds with a long search spend on probes, in games with cells and without. In the latter,
probes find more of what a beam would, in less time."""
MOVING = {
    "card": k.ONE_CARD,
    "run": k.RUN,
    "any": k.ANY_CARDS,
    "card-or-pile": k.CARD_OR_COLUMN,
    "whole-pile": k.COLUMN_ONLY,
}
PLACES = {k.FOUNDATION: "f", k.CELL: "c", k.IN_HOLE: "h", k.DEALT: "d"}


class Sizes(NamedTuple):
    """The words for each part of the array. How deep a search goes must not depend on the limit, except that it has no
    more positions."""

    table: int
    frames: int
    trail: int
    moves: int
    beam: int

    @classmethod
    def of(cls, positions: int, room: int, beam: int = 0, deeper: int = 0) -> "Sizes":
        """Return the sizes for a search of so many positions, with `room` for the moves of each and `beam` words for
        beams, which went `deeper` so many times before. A table has room for the moves of a win, too."""
        depth = min(positions, DEPTH << 2 * deeper) + 1
        steps = 3 * depth + 1_000
        table = table_slots(max(positions, steps))
        moves = min(room * (depth + 1), MOVES << 2 * deeper)
        return cls(table, k.FRAME * depth, k.STEP * steps, moves, beam)

    @property
    def words(self) -> int:
        """The words of the whole array."""
        return k.END + 2 * self.table + self.frames + self.trail + self.moves + self.beam


@dataclass(frozen=True)
class Winnable:
    """The engine for some rules: whether a game can be won if all cards are known."""

    rules: Rules
    wider: int = 1
    """How many times as wide the widest beam is as it is otherwise."""

    def __call__(self, layouts: Texts, max_nodes: int = NO_LIMIT) -> Solved:
        """Solve layouts; a node is a position that is searched, or counted."""
        widest = self.wider * widest_beam(self.rules)
        words = array_for(self.rules, min(max_nodes, FIRST_ROOM), words_of_beam(widest))
        words[k.WIDEST] = widest
        batch = Batch([], [], [], [])
        for layout in to_strings(layouts):
            base = load(words, self.rules, layout)
            verdict, nodes, evidence = _solve(words, base, self.rules, max_nodes)
            batch.verdicts.append(verdict)
            batch.values.append(None)
            batch.nodes.append(nodes)
            batch.evidence.append(evidence)
        return to_solved(batch)


def array_for(rules: Rules, positions: int, beam: int = 0) -> k.Words:
    """Return an array with the rules, for searches of so many positions, and with `beam` words for beams."""
    sizes = Sizes.of(positions, room_of(rules), beam)
    words = np.empty(sizes.words, dtype=np.int64)
    set_up(words, rules)
    divide(words, sizes)
    return words


def room_of(rules: Rules) -> int:
    """Return a number of moves that no position exceeds."""
    return k.MOVES_IN_ORDER if rules.to == "tableau" else k.MOVES_OF_POSITION


def widest_beam(rules: Rules) -> int:
    """Return the width of the widest beam that looks for wins, or 0. Wide ones find wins where any card may go to an
    empty column; not where rows are dealt, whose positions have too many moves that make nothing better. In castles, a
    wider one wins few more deals, and takes longer for all others that probes leave."""
    if not (searched_with_beams(rules) or is_searched_long(rules)) or rules.to == "tableau":
        return 0
    if many_cards_are_open(rules):
        return 8_192
    if rules.spaces not in ("any", "reserve"):
        return 1_024
    return 2_048 if counted_with_relaxed_game(rules) else 4_096


def many_cards_are_open(rules: Rules) -> bool:
    """Return whether an open reserve has more cards than there are columns: then a full search decides little."""
    return not rules.stacked and rules.reserve > len(rules.sizes)


def wide_beams_come_first(rules: Rules) -> bool:
    """Return whether wide beams win more, or sooner, than the full search of the same round."""
    return many_cards_are_open(rules) or is_searched_long(rules)


def is_searched_long(rules: Rules) -> bool:
    """Return whether a full search gets most nodes from the third round on, since its positions prove a loss."""
    return counted_with_relaxed_game(rules) or counted_with_safe_cards(rules)


def times_of_probes(rules: Rules) -> int:
    """Return how many times as much rounds with a long search spend on probes, 0 if there is none."""
    return is_searched_long(rules) * (LONG_PROBES_WITH_CELLS if rules.cells else LONG_PROBES_WITHOUT)


def _solve(words: k.Words, base: int, rules: Rules, limit: int) -> tuple[Verdict, int, str | None]:
    """Return the verdict of the layout that was loaded, its nodes and its evidence."""
    positions = FIRST_DEALT if rules.to == "tableau" else FIRST_POSITIONS
    result = solving.solve(words, limit, positions, 0)
    while result == k.OUT_OF_ROOM:
        words = _with_more_room(words, rules)
        result = solving.solve(words, limit, positions, 1)
    return answer(result, words, base, rules)


def answer(result: int, words: k.Words, base: int, rules: Rules) -> tuple[Verdict, int, str | None]:
    """Return the verdict that a search came to, its nodes and its evidence."""
    nodes = int(words[k.NODES])
    match result:
        case k.WON:
            return Verdict.WINNABLE, nodes, words_of_win(words, base, rules)
        case k.LOST if rules.to != "tableau" or words[k.LISTED_COUNT] <= MAX_DEALT:
            return (
                Verdict.UNWINNABLE,
                nodes,
                f"{_form(words)}*{_list(words, base, rules)} {words[k.LISTED_COUNT]}",
            )
        case k.CONTRADICTION:
            raise RuntimeError("two searches of the layout contradict each other")
    return Verdict.UNDECIDED, nodes, None


def _with_more_room(words: k.Words, rules: Rules) -> k.Words:
    """Return an array with the room that a search needs to go on.

    Raises
    ------
    MemoryError
        If there is not enough memory; it says how much is needed.
    """
    positions = max(int(words[k.POSITIONS_NEEDED]), FIRST_ROOM)
    sizes = Sizes.of(positions, room_of(rules), words_of_beam(int(words[k.WIDEST])), int(words[k.DEEPER]))
    check_memory(8 * sizes.words, f"the search of {positions:,} positions after {words[k.NODES]:,} nodes")
    larger = np.empty(sizes.words, dtype=np.int64)
    larger[: k.END] = words[: k.END]
    divide(larger, sizes)
    return larger


def words_of_win(words: k.Words, base: int, rules: Rules) -> str:
    """Return the moves on the trail as they are written."""
    first = int(words[k.TRAIL])
    steps = words[first : first + k.STEP * int(words[k.DONE]) : k.STEP]
    steps = steps[steps >> k.AUTOMATIC_BIT & 1 == 0]
    names, moves = names_of_cards(rules, base), []
    fields = (steps & 63).tolist(), (steps >> 12 & 63).tolist(), (steps >> 30 & 63).tolist()
    for card, target, parent in zip(*fields, strict=True):
        if target >= k.FIRST_COLUMN_LIMIT:
            where = PLACES[target]
        elif parent != k.NO_CARD:
            where = names[parent]
        else:
            where = f"e{target + 1}" if rules.to == "tableau" else "e"
        moves.append(names[card] + where)
    return " ".join(moves) or "-"


def _form(words: k.Words) -> str:
    """Return how the evidence of a loss begins."""
    return SAFE if words[k.SAFE_COUNTS] else CUT * bool(words[k.CUT])


def _list(words: k.Words, base: int, rules: Rules) -> str:
    """Return the live cards of a loss, by suits and then by ranks."""
    live = [rules.card_name(card, base) for card in range(52) if words[k.LISTED] >> card & 1]
    return "".join(sorted(live, key=lambda card: (SUITS.index(card[1]), RANKS.index(card[0]))))


@cache
def names_of_cards(rules: Rules, base: int) -> list[str]:
    """Return the name of the card with each number."""
    return [rules.card_name(card, base) for card in range(52)]


@cache
def _random_words() -> k.Words:
    """Return the words with which positions are hashed: the outputs of SplitMix64."""
    state, mask, outputs = 0, (1 << 64) - 1, []
    for _ in range(64 * 64):
        state = (state + 0x9E3779B97F4A7C15) & mask
        word = state
        word = ((word ^ (word >> 30)) * 0xBF58476D1CE4E5B9) & mask
        word = ((word ^ (word >> 27)) * 0x94D049BB133111EB) & mask
        outputs.append(word ^ (word >> 31))
    return np.array(outputs, dtype=np.uint64).view(np.int64)


def set_up(words: k.Words, rules: Rules) -> None:
    """Write what is the same for all layouts of a game."""
    words[: k.END] = 0
    has_hole = rules.hole != "none"
    words[k.MOVING] = MOVING[rules.move]
    words[k.LAST_ON_FIRST], words[k.BUILDS_UP] = rules.build_wraps, rules.builds_up
    words[k.SPACES] = rules.cards_for_spaces
    words[k.CELLS] = rules.cells
    words[k.FILLS] = rules.reserve_fills
    words[k.WASTE_FILLS], words[k.ONLY_WASTE_FILLS] = rules.waste_fills, rules.only_waste_fills
    words[k.REMOVABLE], words[k.DOWNWARD] = rules.removable, rules.has_downward_piles
    words[k.COLUMNS] = len(rules.sizes)
    words[k.HOLE], words[k.WRAP], words[k.RANKS] = has_hole, rules.wrap, rules.ranks
    words[k.STACKED], words[k.TO_HOLE] = rules.stacked, rules.to == "hole"
    words[k.INITIAL] = rules.initial == "all"
    words[k.TO_COLUMNS], words[k.FULL_COLUMNS] = rules.to == "tableau", rules.full_columns
    words[k.COMPLETE] = rules.complete
    words[k.SAFE], words[k.LAGS : k.LAGS + 16] = soundness.cards_go_up_safely(rules), soundness.lags(rules)
    words[k.ROOM], words[k.SHALLOW_NODES] = room_of(rules), SHALLOW_NODES
    words[k.PARTIAL] = soundness.partial_runs_are_twins(rules)
    words[k.RELAXED] = has_hole or (rules.cells == 0 and not rules.complete)
    words[k.STOCK_IS_OPEN] = rules.draw == 1 and rules.passes == 0 and rules.to == "waste"
    words[k.OWN_DRAW], words[k.OWN_PASSES] = rules.draw, rules.passes
    words[k.OWN_TURNS] = sum(1 << number for number in range(0, 52, rules.draw))
    words[k.LISTS] = soundness.lists_prove_losses(rules)
    words[k.EARLY_LISTS] = words[k.LISTS] and words[k.RELAXED] and soundness.lists_are_tried_early(rules)
    words[k.PROBE_NODES] = 3_000 if rules.cells else 1_000 if rules.move == "card" or rules.complete else 300
    words[k.DISORDER] = 127 if has_hole else 63 if rules.complete else 511
    words[k.FIRST_NODES] = 10_000 if rules.cells and rules.place_count == 1 else 3_000
    words[k.NARROW], words[k.WIDEST] = searched_with_beams(rules), widest_beam(rules)
    words[k.CUTS] = searched_with_beams(rules) or counted_with_relaxed_game(rules)
    words[k.SAFE_COUNTS] = counted_with_safe_cards(rules)
    words[k.WIDE_FIRST], words[k.LONG_PROBES] = wide_beams_come_first(rules), times_of_probes(rules)
    words[k.Z : k.END] = _random_words()
    words[k.PARENTS : k.PARENTS + 52], words[k.RUNS : k.RUNS + 52] = rules.parents, rules.run_parents
    words[k.SUITS_THAT_FIT : k.SUITS_THAT_FIT + 4] = rules.suits_that_fit


def divide(words: k.Words, sizes: Sizes) -> None:
    """Write where each part of the array begins, and how large it is."""
    words[k.TABLE] = words[k.OTHER_TABLE] = k.END
    words[k.OTHER_TABLE] += sizes.table
    words[k.FRAMES] = k.END + 2 * sizes.table
    words[k.TRAIL] = words[k.FRAMES] + sizes.frames
    words[k.MOVES] = words[k.TRAIL] + sizes.trail
    words[k.BEAM] = words[k.MOVES] + sizes.moves
    words[k.MAX_FRAMES] = sizes.frames // k.FRAME
    words[k.MAX_MOVES] = sizes.moves
    words[k.TABLE_LIMIT] = 3 * sizes.table // 5


def load(words: k.Words, rules: Rules, layout: str) -> int:
    """Write where the cards of a layout are; return the index of the base rank."""
    _, columns, *parts = layout.split(" ")
    cards = dict(part.split(":") for part in parts)
    base = rules.base_of(cards)
    cards_by_name = rules.card_numbers(base)

    def numbers(text: str) -> list[int]:
        return [cards_by_name[text[at : at + 2]] for at in range(0, len(text), 2)]

    position = [0] * k.POSITION_END
    for column, text in enumerate(columns.split("/")):
        under, lying = k.NO_CARD, numbers(text.strip("-"))
        for card in lying:
            position[k.UNDER + card] = under
            under = card
        position[k.TOP + column] = under
        if text != text.upper():
            position[k.FACE_DOWN] |= _bits(card for card, suit in zip(lying, text[1::2], strict=True) if suit.islower())
    reserve, waste = numbers(cards.get("reserve", "")), numbers(cards.get("waste", ""))
    stock = [*waste, *numbers(cards.get("stock", ""))]
    position[k.CELL_CARDS] = _bits(numbers(cards.get("cells", "")))
    position[k.RESERVE] = _bits(reserve)
    for number, card in enumerate(reserve):
        position[k.RESERVE_CARDS + number] = card
    words[k.STOCK_CARDS : k.STOCK_CARDS + len(stock)] = stock
    position[k.STOCK_COUNT], position[k.TURNED] = len(stock), len(waste)
    if rules.passes == 0 and (len(waste) % rules.draw == 0 or len(waste) == len(stock)):
        position[k.TURNED] = 0
    position[k.PASSES_LEFT] = int(cards.get("passes", 0))
    position[k.ORDERED] = rules.to == "tableau" and "stock" in cards
    for card in numbers(cards.get("foundations", "")):
        position[k.UP + card // 13] = card % 13 + 1
    for suit in range(4):
        position[k.DOWN + suit] = rules.ranks - 1 if rules.has_downward_piles else 13
    for card in numbers(cards.get("downward", "")):
        pile, rank = (k.UP, rules.ranks) if card % 13 == 0 else (k.DOWN, card % 13 - 1)  # a whole suit is built up
        position[pile + card // 13] = rank
    for card in numbers(cards.get("hole", "")):
        position[k.HOLE_TOP] = card
    words[k.POSITION : k.POSITION_END] = position[-k.POSITION_SIZE :]
    return base


def _bits(cards: Iterable[int]) -> int:
    """Return the set of some cards, as the bits of a word."""
    return sum(1 << card for card in cards)
