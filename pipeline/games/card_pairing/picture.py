"""Card pairing as text and as pictures, top cards uppermost.

A win is shown move by move. A loss is the tree of its certificate in words, or its cases as pictures.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from dealmill.game import CHOSEN, OTHER, Scene, Style, badge, rank_name, scene
from dealmill.pipeline.games.card_pairing.cases import Case, Place, Wait, cases, place_of, shortest_first
from dealmill.pipeline.games.card_pairing.drawing import Grid
from dealmill.pipeline.games.card_pairing.rules import STACK_NAMES, Stacks, deal_of, play, start
from dealmill.verdicts import Verdict

FREED = "·"
OUTSIDE: Style = {"stroke_width": 2.5}
"""The rings of pairs outside the circle."""


def frames(layout: str, verdict: Verdict | None = None, evidence: str | None = None) -> Iterator[str]:
    """Yield the stacks, then the stacks after each removal, or the reason why no play wins.

    Raises
    ------
    InvalidEvidence
        If a move breaks the rules, or the certificate proves nothing.
    """
    stacks = start(layout)
    height = max(map(len, stacks))
    yield f"{_board(stacks, height)}\n\n{_counted(stacks)}"
    if verdict is Verdict.WINNABLE and evidence is not None:
        for move in _moves(layout, evidence):
            yield f"{_board(move.after, height, move.names)}\n\n{move.caption}"
    elif verdict is Verdict.UNWINNABLE and evidence is not None:
        yield "\n".join(
            [
                "No play wins. The cards of a rank leave in one of three ways; each way jams,",
                "even if all ranks that are not named could leave card by card. A card is",
                "named by its stack and how high it lies: 3.1 is the bottom of stack 3.",
                "",
                *_explained(cases(layout, evidence)),
            ]
        )


def scenes(layout: str, verdict: Verdict | None = None, evidence: str | None = None) -> Iterator[Scene]:
    """Yield the stacks, then each move as it is made, or each case of a certificate, the shortest circle first.

    A case shows the cards that are left when the relaxed game jams, and a circle of cards that wait for one another.
    The two pairs of each rank that can only leave in pairs have solid and dashed rings.

    Raises
    ------
    InvalidEvidence
        If a move breaks the rules, or the certificate proves nothing.
    """
    stacks = start(layout)
    grid = Grid(len(stacks), max(map(len, stacks)))
    yield scene(*grid.size, [*grid.names(), *_cards(grid, stacks)], _counted(stacks), _listed(stacks))
    if verdict is Verdict.WINNABLE and evidence is not None:
        yield from _played(grid, _moves(layout, evidence))
    elif verdict is Verdict.UNWINNABLE and evidence is not None:
        found = shortest_first(cases(layout, evidence))
        for number, case in enumerate(found, start=1):
            yield _jam(grid, layout, case, f"Case {number} of {len(found)}")


@dataclass(frozen=True, slots=True)
class _Move:
    """A move with its caption: the stacks before and after it, and the names of the two stacks."""

    before: Stacks
    after: Stacks
    names: str
    caption: str


def _moves(layout: str, trace: str) -> Iterator[_Move]:
    stacks = start(layout)
    for step, names in enumerate(trace.split(" "), start=1):
        before = [stack.copy() for stack in stacks]
        rank = rank_name(play(stacks, names, step))
        left = sum(map(len, stacks))
        ending = f"{left} cards are left." if left else "No card is left: won."
        caption = f"Move {step}: {rank} from {names[0]} and {rank} from {names[1]}. {ending}"
        yield _Move(before, [stack.copy() for stack in stacks], names, caption)


def _counted(stacks: Stacks) -> str:
    return f"{sum(map(len, stacks))} cards in {len(stacks)} stacks."


def _board(stacks: Stacks, height: int, freed: str = "") -> str:
    """Return the stacks, with a mark in place of the top card just removed from each of the stacks `freed`."""
    names = STACK_NAMES[: len(stacks)]
    columns = ["".join(stack) + (FREED if name in freed else "") for name, stack in zip(names, stacks, strict=True)]
    rows = [" ".join(column[level : level + 1] or " " for column in columns) for level in reversed(range(height))]
    return "\n".join([*map(str.rstrip, rows), "─" * (2 * len(stacks) - 1), " ".join(names)])


def _explained(found: list[Case]) -> Iterator[str]:
    """Yield the tree: a line per branch, indented by its depth."""
    shown: tuple[str, ...] = ()
    for case in found:
        for depth, choice in enumerate(case.path):
            if case.path[: depth + 1] != shown[: depth + 1]:
                yield f"{'  ' * depth}{choice}: {'jams' if depth + 1 == len(case.path) else 'then'}"
        shown = case.path


def _listed(stacks: Stacks) -> str:
    named = zip(STACK_NAMES, stacks, strict=False)
    cards = "; ".join(f"{name}: {' '.join(map(rank_name, stack)) or 'empty'}" for name, stack in named)
    return f"Stacks from bottom to top: {cards}."


def _cards(grid: Grid, stacks: Stacks) -> Iterator[str]:
    for number, stack in enumerate(stacks):
        for height, rank in enumerate(stack):
            yield grid.card((number, height), rank)


def _played(grid: Grid, moves: Iterator[_Move]) -> Iterator[Scene]:
    freed: list[Place] = []
    for move in moves:
        leaving = [(number, len(move.before[number]) - 1) for number in sorted(map(STACK_NAMES.index, move.names))]
        parts = [
            *grid.names(),
            *map(grid.ghost, freed),
            *_cards(grid, move.before),
            *(grid.ring(place, CHOSEN) for place in leaving),
            grid.bracket(*leaving),
        ]
        yield scene(*grid.size, parts, move.caption, f"{_listed(move.before)} The two cards that leave are joined.")
        freed = leaving


def _jam(grid: Grid, layout: str, case: Case, heading: str) -> Scene:
    deal = deal_of(layout)
    ranks = layout.replace(" ", "")
    left = {card for stack in case.left for card in stack}
    places = {card: place_of(deal, card) for card in range(len(ranks))}
    circle = {card for wait in case.circle for card in (wait.card, wait.mate)}
    parts = [*grid.names()]
    parts += [(grid.card if card in left else grid.ghost)(place, ranks[card]) for card, place in places.items()]
    for card in sorted(case.mates.keys() & left):
        first, *_ = deal.ranks[ranks[card]]
        ring = CHOSEN if first in (card, case.mates[card]) else OTHER
        parts.append(grid.ring(places[card], ring if card in circle else ring | OUTSIDE))
    parts += grid.arrows((places[wait.card], places[wait.mate]) for wait in case.circle)
    for number, wait in enumerate(case.circle, start=1):
        x, y = grid.corner(places[wait.card])
        parts.append(badge(x + 3, y + 3, str(number)))
    alt = _listed([[ranks[card] for card in stack] for stack in case.left])
    return scene(*grid.size, parts, f"{heading}: {_why(ranks, case.circle)}", alt, case.path)


def _why(ranks: str, circle: list[Wait]) -> str:
    clauses = []
    for number, (wait, following) in enumerate(zip(circle, [*circle[1:], circle[0]], strict=True), start=1):
        rank = rank_name(ranks[wait.card])
        waits = f"the {rank} on top of stack {STACK_NAMES[wait.stack]} waits for the {rank} below"
        if following is wait:
            return f"{waits} it, so neither can ever leave."
        clauses.append(
            f"({number}) {waits} the {rank_name(ranks[following.card])} of stack {STACK_NAMES[following.stack]}"
        )
    return f"{'; '.join(clauses)}. They wait in a circle, so none of them can ever leave."
