"""How the losses of a survey are proved: the forms of their evidence, and how many positions it counts.

`docs/patience.md` and `docs/covering.md` say what each form claims.
"""

from collections import Counter

from bench.reproduce.figures import Part
from dealmill import Survey
from dealmill.pipeline.games.contract import Game
from dealmill.pipeline.games.patience import Patience
from dealmill.pipeline.games.patience.losses import READERS
from dealmill.pipeline.games.patience.losses.swept import can_be_swept
from dealmill.verdicts import Verdict


class Proofs(Part):
    """How many losses are proved by each form of evidence, the most frequent first, and the median, the 90th percentile
    and the largest of the numbers of positions that they count."""

    forms: dict[str, int]
    median: int
    ninetieth: int
    largest: int


def refereed(game: Game, survey: Survey) -> Proofs | None:
    """Have the referee of a game replay each win of a survey and count the positions of each loss; return how the
    losses are proved, None if there are none.

    Raises
    ------
    InvalidEvidence
        If the evidence does not prove a verdict.
    """
    forms, sizes = Counter[str](), list[int]()
    for result in survey.results():
        if result.verdict is not Verdict.UNDECIDED:
            evidence = result.evidence or ""
            game.compiled_check("winnable", result.layout, result.verdict, None, evidence)
            if result.verdict is Verdict.UNWINNABLE:
                forms[form_of(game, evidence)] += 1
                sizes.append(positions_of(evidence))
    if not sizes:
        return None
    sizes.sort()
    median, ninetieth = (sizes[(len(sizes) * share - 1) // 100] for share in (50, 90))
    return Proofs(forms=dict(forms.most_common()), median=median, ninetieth=ninetieth, largest=sizes[-1])


def form_of(game: Game, evidence: str) -> str:
    """Return how a loss is proved: by a form that has a name, a list of cards or ranks that matter, or the number of
    all positions, which are visited one by one or swept by sets of cards."""
    word = evidence.split(" ", maxsplit=1)[0]
    if word in READERS:
        return word
    if word != "*":
        return "list"
    return "count" if isinstance(game, Patience) and not can_be_swept(game.rules) else "sweep"


def positions_of(evidence: str) -> int:
    """Return how many positions the evidence of a loss counts: one if it only names cards that wait."""
    count = evidence.rsplit(" ", maxsplit=1)[-1]
    return int(count) if count.isdecimal() else 1
