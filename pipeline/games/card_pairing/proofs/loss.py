"""Why no play of card pairing wins, in words and as pictures.

A certificate that is a tree has a picture for each of its cases, which shows the cards that are left when the relaxed
game jams, and a circle of cards that wait for one another. A certificate of lemmas has a picture for each of its steps.
"""

from collections.abc import Iterator
from textwrap import fill

from dealmill.game import CHOSEN, OTHER, Scene, Style, scene
from dealmill.pipeline.games.card_pairing.certificates import STEPS, deal_of
from dealmill.pipeline.games.card_pairing.drawing import Grid, listed, printer
from dealmill.pipeline.games.card_pairing.proofs.cases import Case, Wait, cases, cell_of, count_cases, shortest_first
from dealmill.pipeline.games.card_pairing.proofs.lemmas import proof
from dealmill.pipeline.games.card_pairing.proofs.pictures import proof_scenes
from dealmill.pipeline.games.card_pairing.proofs.words import ProofText
from dealmill.pipeline.games.card_pairing.rules import stack_name, start

NAMES = "4.3 is the third card from the bottom of stack 4."
PROVES = (
    "Cards of a rank leave two by two, from the tops of stacks. Each step tells what cannot happen in a play that "
    f"wins, until no way is left. Solid rings are cards that leave together, dashed ones cards that do not. {NAMES}"
)
OUTSIDE: Style = {"stroke_width": 2.5}
"""The rings of pairs outside the circle."""
WIDEST = 76
"""The most characters in a line of an explanation."""

TREE = """No play wins. The cards of a rank leave in one of three ways; each way jams,
even if all ranks that are not named could leave card by card. A card is
named by its stack and how high it lies: 3.1 is the bottom of stack 3.
"""
LEMMAS = """No play wins. A card is named by its stack and how high it lies: 3.1 is the
bottom of stack 3. If two of the four cards of a rank leave together, so do
the other two. A circle means that each pair must leave before the next one,
and the last one before the first. A jam means that cards stay even if each
card leaves that can leave with any mate that is not ruled out.
"""


def explained(layout: str, certificate: str) -> str:
    """Return a certificate in words.

    Raises
    ------
    InvalidEvidence
        If it proves nothing.
    """
    if not certificate.startswith(STEPS):
        leaves = cases(layout, certificate)
        more = count_cases(certificate) - len(leaves)
        return "\n".join([TREE, *_branches(leaves), *([f"({more:,} more cases are not shown.)"] if more else [])])
    words = ProofText(layout, proof(layout, certificate))
    return "\n".join([LEMMAS, *(fill(step, WIDEST, subsequent_indent="  ") for step in words.steps())])


def loss_scenes(grid: Grid, layout: str, certificate: str) -> Iterator[Scene]:
    """Yield the first cases of a tree, the shortest circle first, or the steps of a proof by lemmas.

    The two pairs of each rank that can only leave in pairs have solid and dashed rings in a case.

    Raises
    ------
    InvalidEvidence
        If the certificate proves nothing.
    """
    if not certificate.startswith(STEPS):
        leaves = shortest_first(cases(layout, certificate))
        proves = _proves(list(dict.fromkeys(choice.partition(":")[0] for case in leaves for choice in case.path)))
        for number, case in enumerate(leaves, start=1):
            yield _case(grid, layout, case, f"Case {number} of {count_cases(certificate)}", proves)
    else:
        yield from proof_scenes(grid, layout, proof(layout, certificate), PROVES)


def _proves(ranks: list[str]) -> str:
    """Return what a tree shows that pairs the cards of these ranks."""
    first, *others = ranks
    then = f", and then the {' or '.join(f'{rank}s' for rank in others)}," if others else ""
    return (
        f"Cards of a rank leave two by two, from the tops of stacks. However the four {first}s{then} are paired, cards "
        "end up waiting for one another in a circle, even if all others could leave one by one. Dashed cards have "
        f"left. {NAMES}"
    )


def _branches(leaves: list[Case]) -> Iterator[str]:
    """Yield the tree: a line per branch, indented by its depth."""
    shown: tuple[str, ...] = ()
    for case in leaves:
        for depth, choice in enumerate(case.path):
            if case.path[: depth + 1] != shown[: depth + 1]:
                yield f"{'  ' * depth}{choice}: {'jams' if depth + 1 == len(case.path) else 'then'}"
        shown = case.path


def _case(grid: Grid, layout: str, case: Case, heading: str, proves: str) -> Scene:
    deal = deal_of(start(layout))
    ranks = [rank for stack in start(layout) for rank in stack]
    left = {card for stack in case.left for card in stack}
    cells = [cell_of(deal, card) for card in range(len(ranks))]
    circle = {card for wait in case.circle for card in (wait.card, wait.mate)}
    parts = [grid.names]
    parts += [grid.cards[cell] if card in left else grid.ghost(cell) for card, cell in enumerate(cells)]
    for card in sorted(case.mates.keys() & left):
        first, *_ = deal.ranks[ranks[card]]
        ring = CHOSEN if first in (card, case.mates[card]) else OTHER
        parts.append(grid.ring(cells[card], ring if card in circle else ring | OUTSIDE))
    parts += grid.arrows((cells[wait.card], cells[wait.mate]) for wait in case.circle)
    parts += (grid.badge(cells[wait.card], str(number)) for number, wait in enumerate(case.circle, start=1))
    alt = listed([[ranks[card] for card in stack] for stack in case.left], printer(layout))
    why = _why(list(map(printer(layout), ranks)), len(deal.stacks), case.circle)
    return scene(*grid.size, parts, f"{heading}: {why}", alt, case.path, proves)


def _why(ranks: list[str], stacks: int, circle: list[Wait]) -> str:
    clauses = []
    for number, (wait, following) in enumerate(zip(circle, [*circle[1:], circle[0]], strict=True), start=1):
        rank = ranks[wait.card]
        waits = f"the {rank} on top of stack {stack_name(wait.stack, stacks)} waits for the {rank} below"
        if following is wait:
            return f"{waits} it, so neither can ever leave."
        stack = stack_name(following.stack, stacks)
        clauses.append(f"({number}) {waits} the {ranks[following.card]} of stack {stack}")
    return f"{'; '.join(clauses)}. They wait in a circle, so none of them can ever leave."
