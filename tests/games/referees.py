"""Referees against plain code."""

from collections.abc import Callable, Sequence
from itertools import islice
from random import Random

from dealmill.pipeline.errors import InvalidEvidence
from dealmill.pipeline.games import find_engine
from dealmill.pipeline.games.verdict import Verdict
from dealmill.testing.subject import altered_texts
from tests.doing import solver

ALTERATIONS = 20


def assert_accepts_exactly(
    engine: str, layouts: Sequence[str], is_proof: Callable[[str, Verdict, str], bool], verdict: Verdict | None = None
) -> None:
    """Check that the referee accepts evidence exactly if plain code does: the evidence of an engine for layouts, by
    default with any verdict, and alterations of it, among them parts of the evidence of other layouts."""
    game, definition = find_engine(engine)
    solved = solver(engine)(layouts)
    columns = zip(layouts, solved.verdicts, solved.values, solved.evidence, strict=True)
    rows = [row for row in columns if verdict in (None, row[1])]
    proofs = [str(evidence).encode() for *_, evidence in rows]
    random = Random(engine)
    for (layout, claimed, value, _), proof in zip(rows, proofs, strict=True):
        altered = islice(altered_texts([proof, proof, random.choice(proofs)], random), ALTERATIONS)
        for text in [proof, *altered]:
            evidence = text.decode("utf-8", "replace")
            try:
                game.check(definition.referee_name, layout, claimed, value, evidence)
                accepted = True
            except InvalidEvidence:
                accepted = False
            assert accepted == is_proof(layout, claimed, evidence), (layout, claimed, evidence)
