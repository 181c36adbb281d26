"""The steps of a proof by lemmas as pictures."""

from collections import Counter
from collections.abc import Iterator, Sequence

from dealmill.game import CHOSEN, GHOST, OTHER, Scene, Style, scene
from dealmill.pipeline.games.card_pairing.certificates import Card
from dealmill.pipeline.games.card_pairing.drawing import MANY, Grid
from dealmill.pipeline.games.card_pairing.proofs.cases import cell_of
from dealmill.pipeline.games.card_pairing.proofs.lemmas import Closed, Contradiction, Jam, Proof, Step
from dealmill.pipeline.games.card_pairing.proofs.words import ProofText, statements_of

THIN: Style = {"stroke_width": 2.5}
"""The rings of cards without a number."""
MAX_ARROWS = 12
MAX_LINES = 3
"""The most lines on a card that waits."""
CORNERS = 4

Rings = list[tuple[Card, Style]]


def proof_scenes(grid: Grid, layout: str, proof: Proof, proves: str) -> Iterator[Scene]:
    """Yield the steps of a proof.

    The cards of a numbered statement have its number; their rings are solid if they leave together, and dashed if not.
    Arrows show circles of waits. In a jam, cards that have left are dashed, and uncovered cards that stay have the
    names of the cards for which they wait. If there are many cards, the others are drawn faintly.
    """
    words = ProofText(layout, proof)
    cells = [cell_of(proof.deal, card) for stack in proof.deal.stacks for card in stack]
    for step, caption in zip(proof.steps, words.steps(brief=True), strict=True):
        circles = _drawn_circles(step)
        rings = _rings(proof, step, circles)
        left, waits = (step.ending.left, step.ending.waits) if isinstance(step.ending, Jam) else (set(), {})
        strong = {card for card, _ in rings}.union(*waits.values()) if len(cells) > MANY else set(range(len(cells)))
        shown = {card: cell for card, cell in enumerate(cells) if card not in left and card not in waits}
        parts = [
            grid.names,
            *grid.faint([cells[card] for card in sorted(left)], GHOST),
            *grid.faint([cell for card, cell in shown.items() if card not in strong]),
            *(grid.cards[cell] for card, cell in shown.items() if card in strong),
        ]
        for card, mates in waits.items():
            parts += grid.waiting(cells[card], _lines([words.name(mate) for mate in mates]))
        parts += (grid.ring(cells[card], style) for card, style in rings)
        waits_drawn = dict.fromkeys((wait.card, wait.mate) for closed in circles for wait in closed.circle)
        parts += grid.arrows((cells[card], cells[mate]) for card, mate in waits_drawn)
        parts += (grid.badge(cells[card], number, corner) for card, number, corner in _badges(step))
        yield scene(*grid.size, parts, caption, words.stay(left), proves=proves)


def _drawn_circles(step: Step) -> list[Closed]:
    """Return the shortest circles that end a step, or lead to the conclusion of a root step."""
    if isinstance(step.ending, Contradiction):
        closed = step.ending.closed
    else:
        closed = [] if step.number else [closed for conclusion in step.conclusions for closed in conclusion.closed]
    drawn, arrows = list[Closed](), 0
    for circle in sorted((each for each in closed if each.circle), key=lambda each: len(each.circle)):
        arrows += len(circle.circle)
        if arrows > MAX_ARROWS and drawn:
            break
        drawn.append(circle)
    return drawn


def _rings(proof: Proof, step: Step, circles: Sequence[Closed]) -> Rings:
    rings: Rings = []
    for closed in circles:
        for wait in closed.circle:
            style = CHOSEN if step.taken.get(wait.card) == wait.mate else OTHER
            rings += [(card, style | THIN) for card in (wait.card, wait.mate)]
    for positive, option in statements_of(step):
        if positive:
            rings += [(card, CHOSEN | THIN) for card in proof.mates_besides(option)]
        rings += [(card, CHOSEN if positive else OTHER) for card in option]
    return rings


def _badges(step: Step) -> Iterator[tuple[Card, str, int]]:
    """Yield the numbers of the statements on their cards, each on another corner of a card."""
    corners = Counter[Card]()
    for number, (_, option) in enumerate(statements_of(step), start=1):
        for card in option:
            if corners[card] < CORNERS:
                yield card, str(number), corners[card]
            corners[card] += 1


def _lines(names: list[str]) -> list[str]:
    if len(names) > MAX_LINES:
        return [*names[: MAX_LINES - 1], f"+{len(names) - MAX_LINES + 1}"]
    return names or ["no mate"]
