"""Card pairing as text and as pictures, top cards uppermost.

A win is shown move by move. How a loss is shown is in `proofs`, and the words for odds are in `odds_words`.
"""

from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace

from dealmill.game import CHOSEN, Scene, scene
from dealmill.pipeline.games.card_pairing.drawing import MANY, Cell, Grid, listed, printer
from dealmill.pipeline.games.card_pairing.odds_words import best_play, checked_odds, in_words
from dealmill.pipeline.games.card_pairing.proofs.loss import explained, loss_scenes
from dealmill.pipeline.games.card_pairing.random_play import Odds
from dealmill.pipeline.games.card_pairing.rules import Stacks, play, stack_name, stacks_of, start
from dealmill.verdicts import Verdict

FREED = "·"
WIDEST = 76
"""The most characters in a line of a text board."""


def frames(layout: str, verdict: Verdict | None = None, evidence: str | None = None) -> Iterator[str]:
    """Yield the stacks, then the stacks after each removal, the reason why no play wins, or the odds and the best play.

    Raises
    ------
    InvalidEvidence
        If a move breaks the rules, the certificate proves nothing, or the odds are wrong.
    """
    stacks = start(layout)
    board = _Board(layout)
    yield f"{board.drawn(stacks)}\n\n{_counted(stacks)}"
    if verdict is Verdict.WINNABLE and evidence is not None:
        for move in _moves(layout, evidence):
            yield f"{board.drawn(move.after, move.numbers)}\n\n{move.caption}"
    elif verdict is Verdict.UNWINNABLE and evidence is not None:
        yield explained(layout, evidence)
    elif verdict is Verdict.SCORED and evidence is not None:
        odds = checked_odds(layout, evidence)
        yield "\n".join([f"{board.drawn(stacks)}\n", *in_words(odds)])
        for move, words in _best_moves(layout, odds):
            yield f"{board.drawn(move.after, move.numbers)}\n\n{move.caption}\n{words}"


def scenes(layout: str, verdict: Verdict | None = None, evidence: str | None = None) -> Iterator[Scene]:
    """Yield the stacks, then each move as it is made, the pictures of a loss, or the odds and the best play.

    Raises
    ------
    InvalidEvidence
        If a move breaks the rules, the certificate proves nothing, or the odds are wrong.
    """
    stacks = start(layout)
    grid = Grid(layout)
    yield scene(*grid.size, [grid.names, *grid.cards.values()], _counted(stacks), listed(stacks, printer(layout)))
    if verdict is Verdict.WINNABLE and evidence is not None:
        yield from _played(grid, layout, _moves(layout, evidence))
    elif verdict is Verdict.UNWINNABLE and evidence is not None:
        yield from loss_scenes(grid, layout, evidence)
    elif verdict is Verdict.SCORED and evidence is not None:
        odds = checked_odds(layout, evidence)
        parts = [grid.names, *grid.cards.values()]
        yield scene(*grid.size, parts, " ".join(in_words(odds)), listed(stacks, printer(layout)))
        best = _best_moves(layout, odds)
        yield from _played(grid, layout, (replace(move, caption=f"{move.caption} {words}") for move, words in best))


class _Board:
    """The columns of the text boards of a layout, in one or more rows."""

    def __init__(self, layout: str) -> None:
        stacks = start(layout)
        self.printed = printer(layout)
        self.names = [stack_name(number, len(stacks)) for number in range(len(stacks))]
        self.width = max(map(len, (*self.names, *(self.printed(rank) for stack in stacks for rank in stack))))
        rows = -(-len(stacks) // ((WIDEST + 1) // (self.width + 1)))
        self.columns = -(-len(stacks) // rows)
        self.heights = list(map(len, stacks))

    def drawn(self, stacks: Stacks, freed: Collection[int] = ()) -> str:
        """Return the stacks, with a mark in place of the top card just removed from each of the stacks `freed`."""
        columns = [[*map(self.printed, stack), *[FREED] * (number in freed)] for number, stack in enumerate(stacks)]
        return "\n\n".join(self._row(columns, first) for first in range(0, len(columns), self.columns))

    def _row(self, columns: Stacks, first: int) -> str:
        row = slice(first, first + self.columns)
        levels = reversed(range(max(self.heights[row])))
        cards = (self._line("".join(column[level : level + 1]) for column in columns[row]) for level in levels)
        names = self._line(self.names[row])
        return "\n".join([*cards, "─" * len(names), names])

    def _line(self, words: Iterator[str] | list[str]) -> str:
        return " ".join(word.rjust(self.width) for word in words).rstrip()


@dataclass(frozen=True, slots=True)
class _Move:
    """A move with its caption: the stacks before and after it, and the numbers of the two stacks."""

    before: Stacks
    after: Stacks
    numbers: list[int]
    caption: str


def _moves(layout: str, trace: str) -> Iterator[_Move]:
    stacks = start(layout)
    printed = printer(layout)
    for step, names in enumerate(trace.split(" "), start=1):
        before = [stack.copy() for stack in stacks]
        rank = printed(play(stacks, names, step))
        numbers = stacks_of(names, len(stacks))
        first, second = (stack_name(number, len(stacks)) for number in numbers)
        left = sum(map(len, stacks))
        ending = f"{left} cards are left." if left else "No card is left: won."
        caption = f"Move {step}: {rank} from {first} and {rank} from {second}. {ending}"
        yield _Move(before, [stack.copy() for stack in stacks], numbers, caption)


def _best_moves(layout: str, odds: Odds) -> Iterator[tuple[_Move, str]]:
    """Yield the moves of the best play, each with a sentence about the chances."""
    best = list(best_play(layout, odds))
    if best:
        moves, sentences = zip(*best, strict=True)
        yield from zip(_moves(layout, " ".join(moves)), sentences, strict=True)


def _counted(stacks: Stacks) -> str:
    return f"{sum(map(len, stacks))} cards in {len(stacks)} stacks."


def _played(grid: Grid, layout: str, moves: Iterator[_Move]) -> Iterator[Scene]:
    """Yield the moves. If there are many cards, only those that leave are drawn strongly."""
    freed: list[Cell] = []
    for move in moves:
        leaving = [(number, len(move.before[number]) - 1) for number in sorted(move.numbers)]
        cells = [(number, height) for number, stack in enumerate(move.before) for height in range(len(stack))]
        strong = cells if len(grid.ranks) <= MANY else leaving
        parts = [
            grid.names,
            *(grid.ghost(cell, rank=False) for cell in freed),
            *grid.faint([cell for cell in cells if cell not in strong]),
            *(grid.cards[cell] for cell in strong),
            *(grid.ring(cell, CHOSEN) for cell in leaving),
            grid.bracket(*leaving),
        ]
        alt = f"{listed(move.before, printer(layout))} The two cards that leave are joined."
        yield scene(*grid.size, parts, move.caption, alt)
        freed = leaving
