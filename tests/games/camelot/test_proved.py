"""The referee of Camelot that is proved in Coq against the one in Python; see docs/proofs/README.md."""

from pathlib import Path

import pytest

from tests.doing import dealer, solver
from tests.games.proved import Claim, altered, assert_agrees

pytestmark = pytest.mark.slow

deal = dealer("camelot")
winnable = solver("camelot/winnable")


def test_the_proved_referee_agrees_with_the_one_in_python(programs: Path, tmp_path: Path) -> None:
    decks = deal(59, 1, 300)
    solved = winnable(decks)
    claims = [Claim(*row) for row in zip(decks, solved.verdicts, map(str, solved.evidence), strict=True)]
    numbers = [claim._replace(evidence=str(number)) for claim in claims for number in range(14, 54)]
    assert_agrees(programs, "camelot", [*altered(claims, 5, 59), *numbers], tmp_path)
