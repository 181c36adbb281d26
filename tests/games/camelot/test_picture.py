"""The pictures of a game to the letter, and why a lost deck is lost in words."""

import pytest

from dealmill.pipeline.errors import InvalidEvidence
from dealmill.pipeline.games.camelot.picture import frames
from dealmill.pipeline.games.verdict import Verdict
from tests.doing import dealer, solver

deal = dealer("camelot")
winnable = solver("camelot/winnable")

WON = "JJJJQQQQKKKKA9A9A9A928282828373737374646464655550000"
LOST = "AAAA222233334444555566667777888899990000JJJJQQQQKKKK"
TRACE = "ehilbcnoadmpfgjk" + " -fg -jk fgjk" * 9 + " -f -g -j -k"
BEGINNING = """
J J J J Q Q Q Q K K K K A
9 A 9 A 9 A 9 2 8 2 8 2 8
2 8 3 7 3 7 3 7 3 7 4 6 4
6 4 6 4 6 5 5 5 5 0 0 0 0

The deck, in the order of dealing.
---
   [K] [Q] [Q] [K]      abcd
   [J] [A] [9] [J]      efgh
   [J] [A] [9] [J]      ijkl
   [K] [Q] [Q] [K]      mnop

Dealing 1: J to e, J to h, J to i, J to l, Q to b, Q to c, Q to n, Q to o, K
   to a, K to d, K to m, K to p, A to f, 9 to g, A to j, 9 to k.
---
    K   Q   Q   K       abcd
    J   ·   ·   J       efgh
    J   ·   ·   J       ijkl
    K   Q   Q   K       mnop

Removal 1: A and 9 from f and g, A and 9 from j and k.
"""
END = """
    K   Q   Q   K       abcd
    J   ·   ·   J       efgh
    J   ·   ·   J       ijkl
    K   Q   Q   K       mnop

Removal 10: 0 from f, 0 from g, 0 from j, 0 from k. The deck is empty and
   only court cards are left: won.
"""
EXPLAINED = """
A A A A 2 2 2 2 3 3 3 3 4 4 4 4

Of the first 16 cards, 0 are court cards, which never leave, and 4×A, 4×2,
4×3, 4×4 of the others have no partner. These 16 cards fill all 16 slots,
however they are played. There is no slot for card 17 (5), so no play wins.
"""


def test_boards_phase_by_phase() -> None:
    shown = list(frames(WON, Verdict.WINNABLE, TRACE))
    assert shown[:3] == [board.strip("\n") for board in BEGINNING.split("---")]
    assert len(shown) == 1 + 2 * 10
    assert shown[-1] == END.strip("\n")


def test_a_lost_deck_is_explained() -> None:
    assert list(frames(LOST, Verdict.UNWINNABLE, "16"))[1] == EXPLAINED.strip("\n")


def test_no_line_is_wider_than_a_terminal() -> None:
    decks = deal(6, 1, 200)
    solved = winnable(decks)
    for deck, verdict, evidence in zip(decks, solved.verdicts, solved.evidence, strict=True):
        assert all(len(line) <= 76 for frame in frames(deck, verdict, evidence) for line in frame.split("\n"))


def test_an_undecided_or_failed_verdict_shows_the_deck_only() -> None:
    assert len(list(frames(WON, Verdict.UNDECIDED, None))) == 1
    assert len(list(frames(WON, Verdict.FAILED, "out of memory"))) == 1


@pytest.mark.parametrize(
    ("verdict", "evidence"),
    [
        (Verdict.WINNABLE, TRACE.replace("-fg", "-fj", 1)),
        (Verdict.WINNABLE, "no slots"),
        (Verdict.UNWINNABLE, "16"),
        (Verdict.UNWINNABLE, "52"),
        (Verdict.UNWINNABLE, "x"),
    ],
)
def test_evidence_that_proves_nothing_is_an_error(verdict: Verdict, evidence: str) -> None:
    with pytest.raises(InvalidEvidence):
        list(frames(WON, verdict, evidence))
