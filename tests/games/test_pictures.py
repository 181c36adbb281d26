"""What holds for the boards and pictures of all games beyond the checks in `dealmill.testing`."""

import pytest

from dealmill.pipeline.errors import InvalidEvidence
from dealmill.pipeline.games import find_game
from dealmill.pipeline.games.contract import Game
from dealmill.pipeline.games.verdict import Verdict
from tests.doing import deal, each_game, solver
from tests.fuzz.layouts import canonical_texts
from tests.games.drawn import covered

WIDEST = 76
CAMELOT = "JJJJQQQQKKKKA9A9A9A928282828373737374646464655550000"
HI_Q = "OOO/OOO/OOOXOXO/OOOXOXO/OOOOXOO/OOO/OOO"
PAIRS, CERTIFIED = "67 76 67 76", "QQA KQK AKK AAQ"
TANTRIX = "-1,1:GRGBBR 0,0:BYYGBG 1,0:YRBRYB 2,0:YGGRRY / BBRGGR BBRYRY BBRYYR BGYBYG BRRYBY"
LOOP = "R / BBGGRR BBGRRG BRYRBY GGYRYR"


@each_game
def test_a_verdict_without_proof_shows_the_layout_only(game: Game) -> None:
    [layout] = deal(game, 1, 1, 1)
    for verdict, evidence in ((Verdict.UNDECIDED, None), (Verdict.FAILED, "out of memory")):
        assert list(game.frames(layout, verdict, evidence)) == list(game.frames(layout))


@pytest.mark.parametrize(
    ("game", "layout", "verdict", "evidence", "reason"),
    [
        ("camelot", CAMELOT, Verdict.UNWINNABLE, "16", "only 12 of the first 16"),
        ("camelot", CAMELOT, Verdict.UNWINNABLE, "52", "expected 16 to 51"),
        ("camelot", CAMELOT, Verdict.UNWINNABLE, "x", "is not a number of cards"),
        ("camelot", CAMELOT, Verdict.WINNABLE, "no slots", "does not name slots"),
        ("camelot", CAMELOT, Verdict.WINNABLE, "ehilbcnoadmpfgjk -fj", "A and A do not add up to 10"),
        ("card-pairing", PAIRS, Verdict.WINNABLE, "01", "7 and 6 are not of the same rank"),
        ("card-pairing", CERTIFIED, Verdict.UNWINNABLE, "Q", "ends before every way jams"),
        ("card-pairing", CERTIFIED, Verdict.UNWINNABLE, "QAAA", "continues after"),
        ("card-pairing", CERTIFIED, Verdict.UNWINNABLE, "7", "is not a rank"),
        ("hi-q", HI_Q, Verdict.SCORED, "12>26", "is not a jump"),
        ("hi-q", HI_Q, Verdict.SCORED, "99-1", "step 1: the jump 99-1 is not possible here"),
        ("hi-q", HI_Q, Verdict.SCORED, "12-26 12-26", "step 2: the jump 12-26 is not possible here"),
        ("hi-q", HI_Q, Verdict.SCORED, "10-24", "step 1: the prescribed jump is 12-26, not 10-24"),
        ("memory", "AA", Verdict.SCORED, "1 1", "step 2: card 1 is already turned up"),
        ("tantrix", TANTRIX, Verdict.SCORED, "0,1:GRBBRG 40,0:YRBBRY", "step 2: 40,0.* an empty space next to"),
        ("tantrix-loop", LOOP, Verdict.WINNABLE, "0,0:BBGGRR", "step 2: the tile BBGRRG is not laid"),
        ("tantrix-loop", LOOP, Verdict.UNWINNABLE, "gentle 1", "2 links are gentle curves, not 1"),
        ("tantrix", TANTRIX, Verdict.SCORED, "0,1:GRBBRG 0,0:YRBBRY", "step 2: 0,0.* an empty space next to"),
    ],
)
def test_evidence_that_proves_nothing_is_an_error(
    game: str, layout: str, verdict: Verdict, evidence: str, reason: str
) -> None:
    for draw in (find_game(game).frames, find_game(game).scenes):
        with pytest.raises(InvalidEvidence, match=reason):
            list(draw(layout, verdict, evidence))


@pytest.mark.slow
@each_game
def test_boards_fit_a_terminal(game: Game) -> None:
    layouts = [*(text.decode() for text in canonical_texts(game)), *deal(game, 6, 1, 20)]
    solved = solver(game.full_name(game.engines[0]))(layouts, 500)
    for layout, verdict, evidence in zip(layouts, solved.verdicts, solved.evidence, strict=True):
        for board in list(game.frames(layout, verdict, evidence))[:5]:
            assert max(map(len, board.splitlines())) <= WIDEST, layout


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "parameters"),
    [
        ("camelot", {}),
        *(
            ("card-pairing", {"ranks": ranks, "stacks": stacks})
            for ranks, stacks in ((9, 9), (9, 12), (9, 36), (16, 16), (15, 20), (6, 3), (12, 11), (20, 16), (30, 40))
        ),
    ],
)
def test_lines_cover_no_letter(name: str, parameters: dict[str, int]) -> None:
    game = find_game(name)
    layouts = deal(game, 7, 1, 6, **parameters)
    solved = solver(game.full_name(game.engines[0]))(layouts)
    for layout, verdict, evidence in zip(layouts, solved.verdicts, solved.evidence, strict=True):
        for scene in list(game.scenes(layout, verdict, evidence))[:20]:
            assert covered(scene, ("arrow", "chosen")) == [], layout
