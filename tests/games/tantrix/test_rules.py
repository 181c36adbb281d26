"""The referee of Tantrix: what it rejects, and why."""

import pytest

from dealmill.pipeline.errors import IllegalMove, InvalidEvidence
from dealmill.pipeline.games.tantrix.layout import canonical
from dealmill.pipeline.games.tantrix.rules import Move, Position, Space, check, least_rotation, read_position
from dealmill.pipeline.games.verdict import Verdict
from tests.doing import dealer, solver
from tests.games.referees import assert_accepts_exactly
from tests.games.tantrix import naive

deal = dealer("tantrix")

SOLVE = solver("tantrix/legal-moves")

FREE = canonical(
    "0,0:BRYRBY 1,0:GRGBRB -1,1:GGYBYB 0,1:YYBBGG -2,2:YYBGBG -3,3:BYGYGB / BBRRGG GBYBYG RBRBGG GYBGBY GRBBRG"
)
FORCED = canonical("0,0:BYYGBG -1,1:GRGBBR 1,0:YRBRYB 2,0:YGGRRY / RBBRYY GBGYBY YBBRYR YBYBRR RBBRGG")


def solved(layout: str) -> tuple[int, str]:
    batch = SOLVE([layout])
    value, evidence = batch.values[0], batch.evidence[0]
    assert value is not None
    assert evidence is not None
    return value, evidence


def test_the_samples_forced_and_controlled_spaces() -> None:
    free, forced = read_position(FREE), read_position(FORCED)
    assert free.forced_spaces == {Space(-1, 2)}
    assert free.controlled_spaces == {Space(-2, 3), Space(-3, 4), Space(0, 2)}
    assert forced.forced_spaces == {Space(0, 1)}
    assert {move.space for move in forced.legal_moves} == forced.forced_spaces


@pytest.mark.parametrize(
    ("layout", "move", "reason"),
    [
        (FREE, "0,0:BBRRGG", "rule 1"),
        (FREE, "5,5:BBRRGG", "rule 1"),
        (FREE, "1,1:BBRRGG", "rule 2"),
        (FREE, "2,0:BBRRGG", "rule 2"),
        (FREE, "0,2:BYBYGG", "rule 4"),
        (FREE, "1,1:GGYYRR", "is not in hand"),
        (FORCED, "1,1:BRYYRB", "rule 5"),
        (FORCED, "-2,2:GGRBBR", "rule 3"),
    ],
)
def test_illegal_moves_are_named_with_the_rule(layout: str, move: str, reason: str) -> None:
    value, evidence = solved(layout)
    entries = [move, *evidence.split()[1:]]
    with pytest.raises(IllegalMove, match=f"step 1: .*{reason}"):
        check("legal-moves", layout, Verdict.SCORED, value, " ".join(entries))


def test_rule_4_speaks_of_spaces_and_not_of_tiles() -> None:
    """Shown with a tile that is not in the game, which has no other that could link one colour three times."""
    field = {Space(0, 0): "RRRRRR", Space(0, 1): "BGGRBR", Space(1, -1): "RBBGGR"}
    assert Position(field, ()).objection(Move(Space(-1, 0), "GRRGBB")) is None


def test_every_rule_forbids_something_in_legal_play() -> None:
    """Each of the rules 2 to 5 is broken by some placement on a space beside tiles, and named as the first broken."""
    named = set()
    for layout in deal(4, 1, 60, tiles=12):
        position = read_position(layout)
        for space in position.links:
            for tile in position.hand:
                for placed in naive.rotations(tile):
                    objection = position.objection(Move(space, placed))
                    named.add(objection[:6] if objection else "")
    assert named == {"", "rule 2", "rule 4", "rule 5"}


@pytest.mark.parametrize(
    ("engine", "layout", "verdict", "value"),
    [
        ("legal-moves", FORCED, Verdict.SCORED, 1),
        ("legal-moves", FORCED, Verdict.SCORED, None),
        ("legal-moves", FORCED, Verdict.WINNABLE, 2),
        ("legal-moves", FORCED, Verdict.UNDECIDED, None),
        ("greedy", FORCED, Verdict.SCORED, 2),
        ("legal-moves", FREE, Verdict.SCORED, 2),
        ("legal-moves", FORCED.replace(" / ", " "), Verdict.SCORED, 2),
        ("legal-moves", FORCED.replace("0,0", "0;0"), Verdict.SCORED, 2),
        ("legal-moves", FORCED[:-1], Verdict.SCORED, 2),
        ("legal-moves", "", Verdict.SCORED, 2),
    ],
)
def test_good_moves_do_not_prove_another_verdict(engine: str, layout: str, verdict: Verdict, value: int | None) -> None:
    evidence = "0,1:GRBBRG 0,1:YRBBRY"
    check("legal-moves", FORCED, Verdict.SCORED, 2, evidence)
    with pytest.raises(InvalidEvidence):
        check(engine, layout, verdict, value, evidence)


@pytest.mark.parametrize(
    ("evidence", "step", "reason"),
    [
        ("", 1, "the legal move 0,1:GRBBRG is missing"),
        ("0,1:GRBBRG", 2, "the legal move 0,1:YRBBRY is missing"),
        ("0,1:YRBBRY 0,1:GRBBRG", 1, "0,1:YRBBRY is not the next legal move, expected 0,1:GRBBRG"),
        ("0,1:GRBBRG 0,1:GRBBRG", 2, "0,1:GRBBRG is not the next legal move, expected 0,1:YRBBRY"),
        ("0,1:GRBBRG 0,1:YRBBRY 0,1:YRBBRY", 3, "0,1:YRBBRY is not the next legal move$"),
        ("0,1:GRBBRG  0,1:YRBBRY", 2, "'' is not of the form"),
    ],
)
def test_another_list_than_the_legal_moves_is_refused_at_its_first_wrong_entry(
    evidence: str, step: int, reason: str
) -> None:
    with pytest.raises(InvalidEvidence, match=f"step {step}: {reason}"):
        check("legal-moves", FORCED, Verdict.SCORED, 2, evidence)


def test_exactly_the_legal_moves_are_accepted() -> None:
    layouts = [FREE, FORCED, *(layout for tiles in (1, 3, 5, 8) for layout in deal(1, 1, 4, tiles=tiles))]
    assert_accepts_exactly(
        "tantrix/legal-moves", layouts, lambda layout, _, evidence: evidence == naive.listed_moves(layout)
    )


def test_no_legal_move_is_proved_by_nothing() -> None:
    (layout,) = deal(1, 24862, 1, tiles=6)
    check("legal-moves", layout, Verdict.SCORED, 0, "")
    for value, evidence in [(1, ""), (0, "0,1:BBGGRR"), (0, " ")]:
        with pytest.raises(InvalidEvidence):
            check("legal-moves", layout, Verdict.SCORED, value, evidence)


HAND = "BBRRGG BGBRGR BGRBRG BGYBYG BGYGBY"
"""Five tiles in order, each in its first rotation."""


NOT_LAYOUTS = [
    ("", "is not of the form"),
    ("0,0:BRYRBY", "is not 5 tiles in alphabetical order"),
    (f"0,0:BRYRBY / {HAND[7:]}", "is not 5 tiles in alphabetical order"),
    (f"0,0:BRYRBY / {HAND} GGYYRR", "is not 5 tiles in alphabetical order"),
    (f"0,0:BRYRBY / {HAND[7:]} {HAND[:6]}", "is not 5 tiles in alphabetical order"),
    (f"0,0:BRYRBY / {HAND.replace('BGYGBY', 'GBYBGY')}", "first rotation"),
    (f"0,0:BRYRBY / {HAND.replace('BBRRGG', 'BBRRGX')}", "is not a tile of the set"),
    (f"0,0:BRYRBY / {HAND.replace('BGYGBY', 'BXYXBY')}", "is not a tile of the set"),
    (f"0,0:BRYRBY / {HAND.replace('BBRRGG', 'BBRRG')}", "is not a tile of the set"),
    (f"0,0:BRYRBY / {HAND.replace('BBRRGG', 'BBBBGG')}", "is not a tile of the set"),
    (f"0,0:BRYRBY / {HAND.replace('BBRRGG', 'BBBRRG')}", "is not a tile of the set"),
    (f"0,0:BRYBRY / {HAND}", "is not a tile of the set"),
    (f"0,0:GGBBRR / {HAND}", "a tile occurs twice"),
    (f"00,0:BRYRBY / {HAND}", "in order of x, then y"),
    (f"-0,0:BRYRBY / {HAND}", "in order of x, then y"),
    (f"0,0:BRYRBY 0,0:GGYBYB / {HAND}", "in order of x, then y"),
    (f"0,0:BRYRBY 0,0:BRYRBY / {HAND}", "in order of x, then y"),
    (f"0,0:BRYRBY -1,1:GGYBYB / {HAND}", "in order of x, then y"),
    (f"0,0:BRYRBY 100,0:GGYBYB / {HAND}", "farther than 99"),
    (f"0,-100:GGYBYB 0,0:BRYRBY / {HAND}", "farther than 99"),
    (f"-1,1:YBGGYB 0,0:BRYRBY / {HAND}", "show different colours"),
    (f"-1,0:GGYBYB 1,0:BRYRBY / {HAND}", "not connected"),
    (f"0,0:BRYRBY 5,5:GGYBYB / {HAND}", "not connected"),
    (f"1,0:BRYRBY / {HAND}", "not connected"),
]
"""Texts that are not layouts, each with the reason."""


@pytest.mark.parametrize(("layout", "reason"), NOT_LAYOUTS)
def test_a_text_that_is_not_a_layout_is_refused(layout: str, reason: str) -> None:
    with pytest.raises(InvalidEvidence, match=reason) as caught:
        check("legal-moves", layout, Verdict.SCORED, 0, "")
    assert caught.value.step == 0


@pytest.mark.parametrize("least", ["BBGGRR", "BBGGYY"])
def test_tiles_in_hand_are_in_their_first_rotation(least: str) -> None:
    assert least_rotation(least[3:] + least[:3]) == least


def test_a_tile_may_lie_as_far_as_99() -> None:
    field = " ".join(f"0,{y}:BRYRBY" for y in range(100))
    with pytest.raises(InvalidEvidence, match="a tile occurs twice"):
        read_position(f"{field} / {HAND}")
