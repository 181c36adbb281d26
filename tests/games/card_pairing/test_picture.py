"""The text boards of a play and of a certificate."""

import pytest

from dealmill.pipeline.errors import IllegalMove, InvalidEvidence
from dealmill.pipeline.games.card_pairing.picture import frames
from dealmill.pipeline.games.verdict import Verdict
from tests.doing import dealer, solver

deal = dealer("card-pairing")
winnable = solver("card-pairing/winnable")

WIDEST = 76


def test_a_play_is_shown_move_by_move() -> None:
    first, second, *_, last = frames("67 76 67 76", Verdict.WINNABLE, "02 13 02 13")
    assert first == "7 6 7 6\n6 7 6 7\n───────\n0 1 2 3\n\n8 cards in 4 stacks."
    assert second == "· 6 · 6\n6 7 6 7\n───────\n0 1 2 3\n\nMove 1: 7 from 0 and 7 from 2. 6 cards are left."
    assert last == "\n  ·   ·\n───────\n0 1 2 3\n\nMove 4: 7 from 1 and 7 from 3. No card is left: won."


def test_a_certificate_is_explained_in_words() -> None:
    _, explained = frames("QQA KQK AKK AAQ", Verdict.UNWINNABLE, "QAA")
    words, _, tree = explained.partition("\n\n")
    assert words.startswith("No play wins.")
    assert tree.splitlines() == [
        "Q: 0.1 with 0.2, 1.2 with 3.3: jams",
        "Q: 0.1 with 1.2, 0.2 with 3.3: then",
        "  A: 0.3 with 2.1, 3.1 with 3.2: jams",
        "  A: 0.3 with 3.1, 2.1 with 3.2: jams",
        "  A: 0.3 with 3.2, 2.1 with 3.1: jams",
        "Q: 0.1 with 3.3, 0.2 with 1.2: then",
        "  A: 0.3 with 2.1, 3.1 with 3.2: jams",
        "  A: 0.3 with 3.1, 2.1 with 3.2: jams",
        "  A: 0.3 with 3.2, 2.1 with 3.1: jams",
    ]


@pytest.mark.parametrize("certificate", ["Q", "QA", "QAAA", "7"])
def test_a_certificate_that_does_not_hold_is_told(certificate: str) -> None:
    shown = frames("QQA KQK AKK AAQ", Verdict.UNWINNABLE, certificate)
    next(shown)
    with pytest.raises(InvalidEvidence):
        next(shown)


def test_without_evidence_there_is_the_layout_alone() -> None:
    assert len(list(frames("67 76 67 76"))) == 1
    assert len(list(frames("67 76 67 76", Verdict.UNDECIDED))) == 1


def test_an_illegal_move_is_told() -> None:
    shown = frames("67 76 67 76", Verdict.WINNABLE, "01")
    next(shown)
    with pytest.raises(IllegalMove, match="7 and 6 are not of the same rank"):
        next(shown)


@pytest.mark.parametrize(("ranks", "stacks"), [(9, 9), (9, 36), (16, 16), (15, 12), (12, 6)])
def test_frames_are_as_many_as_moves_and_fit_the_terminal(ranks: int, stacks: int) -> None:
    layouts = deal(51, 1, 50, ranks=ranks, stacks=stacks)
    solved = winnable(layouts)
    for layout, verdict, evidence in zip(layouts, solved.verdicts, solved.evidence, strict=True):
        assert evidence is not None
        shown = list(frames(layout, verdict, evidence))
        assert len(shown) == (1 + 2 * ranks if verdict is Verdict.WINNABLE else 2)
        assert all(len(line) <= WIDEST for frame in shown for line in frame.splitlines())
