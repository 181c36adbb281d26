"""Games such as Bisley, in which each suit has a foundation that is built up and one that is built down."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from random import Random

import pytest

from dealmill.pipeline.errors import UsageError
from dealmill.pipeline.games import find_game
from dealmill.pipeline.games.batch import to_batch, to_strings, to_texts
from dealmill.pipeline.games.descriptions import Layout, Reject
from dealmill.pipeline.games.patience import GAMES, Patience
from dealmill.pipeline.games.patience.compiled import wins
from dealmill.pipeline.games.patience.compiled.referee import check_loss
from dealmill.pipeline.games.patience.deal import deal
from dealmill.pipeline.games.patience.display.picture import PatienceDisplay
from dealmill.pipeline.games.patience.display.playback import playback
from dealmill.pipeline.games.patience.display.table import Table
from dealmill.pipeline.games.patience.engine.chances import Chances
from dealmill.pipeline.games.patience.losses import read_loss
from dealmill.pipeline.games.patience.losses.counted import easier_game_is_sound
from dealmill.pipeline.games.patience.losses.cut import CutMoves, cut_proves_losses
from dealmill.pipeline.games.patience.losses.pieces import pieces_prove_losses
from dealmill.pipeline.games.patience.losses.quotient import quotient_proves_losses
from dealmill.pipeline.games.patience.losses.safe import safe_cards_prove_losses
from dealmill.pipeline.games.patience.losses.waits import cards_wait, cards_wait_for_places
from dealmill.pipeline.games.patience.moves import Moves
from dealmill.pipeline.games.patience.player import RefereeOfPlays
from dealmill.pipeline.games.patience.position import FOUNDATIONS
from dealmill.pipeline.games.patience.reading import notation
from dealmill.pipeline.games.patience.rules import SUITS, Rules
from dealmill.pipeline.games.patience.schema import parse_rules
from dealmill.testing.patiences import naive
from dealmill.testing.patiences.agreement import small_layouts
from dealmill.verdicts import Verdict
from tests.games.patience.files import FILES
from tests.games.patience.random_rules import random_rules_in_both_directions, seeds
from tests.games.patience.small_claims import CLAIM, MORE, WON, assert_that_referees_agree, counted, counted_in_full
from tests.games.patience.test_agreement import disagreements
from tests.games.patience.test_replaying import compare_moves

SMALL = """title = "G"
[deck]
ranks = 5
[tableau]
count = 3
build = "same-suit"
direction = "either"
spaces = "none"
[foundations]
initial = "all"
direction = "both"
"""
PROOFS: tuple[Callable[[Rules], bool], ...] = (
    easier_game_is_sound,
    pieces_prove_losses,
    quotient_proves_losses,
    safe_cards_prove_losses,
    cards_wait,
    cards_wait_for_places,
)
NEARLY = "g 3C/-/- downward:4C2H2S2D foundations:2CAHASAD"
"""A deal that is won by one move to either foundation."""


def small_game(rules: str = SMALL) -> Patience:
    game = GAMES.load("g", rules)
    assert isinstance(game, Patience)
    return game


def words(game: Patience, layout: str) -> set[str]:
    """The legal moves; compiled code accepts the same ones."""
    position = game.referee.position(layout)
    words = {play.word for play in game.referee.plays(position)}
    assert words == {word for word in wins.words_of_moves(game.rules) if wins.moves_made(game.rules, position, [word])}
    return words


def solved(game: Patience, layout: str) -> tuple[Verdict, str | None]:
    batch = to_batch(game.solvers["winnable"](to_texts([layout]), 100_000))
    return batch.verdicts[0], batch.evidence[0]


def test_a_card_goes_to_the_foundation_that_waits_for_it() -> None:
    game = small_game()
    layout = "g 2C3C/5C4C/5H2H4H3H4S2D4D3D5S3S2S5D foundations:ACAHASAD"
    assert words(game, layout) == {"3C4C", "4C3C", "5Df"}
    after = game.play(layout, ["5Df"])
    assert after.layout == "g 2C3C/5C4C/5H2H4H3H4S2D4D3D5S3S2S downward:5D foundations:ACAHASAD"
    assert {choice.word for choice in after.choices} == {"3C4C", "4C3C", "2Sf"}
    assert [choice.targets for choice in after.choices if choice.word == "2Sf"] == [("foundation S",)]
    last = game.play("g 3C/-/4D downward:4C2H2S5D foundations:2CAHAS3D", [])
    assert {choice.word: choice.targets for choice in last.choices} == {
        "3Cf": ("foundation C",),
        "4Df": ("foundation D",),
    }
    kings = game.play("g 2C3C4C5C/-/- downward:2H2S2D foundations:ACAHASAD", [])
    assert {choice.word: choice.targets for choice in kings.choices} == {"5Cf": ("foundation C down",)}


def test_a_game_is_won_when_the_foundations_of_each_suit_meet() -> None:
    game = small_game()
    assert solved(game, NEARLY) == (Verdict.WINNABLE, "3Cf")
    after = game.play(NEARLY, ["3Cf"])
    assert after.layout == "g -/-/- downward:4C2H2S2D foundations:3CAHASAD"
    for layout in (after.layout, "g -/-/- foundations:5C5H5S5D", "g -/-/- downward:5C2H foundations:4CAH5S5D"):
        assert game.referee.won(game.referee.position(layout)) and solved(game, layout) == (Verdict.WINNABLE, "-")


def test_where_the_foundations_of_a_whole_suit_meet_makes_no_difference() -> None:
    game = small_game()
    rest = "5H3H2H/4H5S3S/2S4S"
    layouts = [f"g {rest} downward:{down}2D foundations:{up}AHASAD" for up, down in (("4C", "5C"), ("AC", "2C"))]
    first, second = (game.referee.key(game.referee.position(layout)) for layout in layouts)
    assert first == second
    [evidence] = {solved(game, layout)[1] for layout in layouts}
    assert evidence == solved(game, f"g {rest} downward:2D foundations:5CAHASAD")[1]
    open_suit = game.referee.position("g 3C/-/- downward:4C2H2S2D foundations:2CAHASAD")
    assert game.referee.key(open_suit).foundations == (2, 5, 5, 5, 2, 0, 0, 0)


def test_foundations_that_begin_with_another_rank_end_with_the_one_before_it() -> None:
    game = small_game(SMALL.replace("[foundations]", '[foundations]\nbase = "3"'))
    layout = "g 5C4C/AC2C/4S5SAS2S4H5HAH2H4D5DAD2D foundations:3C3H3S3D"
    assert words(game, layout) == {"4Cf", "2Cf", "2Df"}
    assert game.play(layout, ["2Cf", "ACf"]).layout.endswith(" downward:AC foundations:3C3H3S3D")
    assert solved(game, layout)[0] is Verdict.WINNABLE


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("g 3C/-/- downward:4C2H2S2D foundations:3CAHASAD", "3C occurs 2 times"),
        ("g -/-/- downward:3C2H2S2D foundations:3CAHASAD", "3C occurs 2 times"),
        ("g -/-/- downward:4C2H2S2D foundations:2CAHASAD", "missing: 3C"),
        ("g 3C/-/- downward:4C4C2H2S2D foundations:2CAHASAD", "the suits of the downward foundations are CCHSD"),
        ("g 3C/-/- downward:2H4C2S2D foundations:2CAHASAD", "the suits of the downward foundations are HCSD"),
        ("g 3C/-/- downward:4 foundations:2CAHASAD", "downward are '4', expected cards such as 6H"),
        ("g 3C/-/- downward:4C2H2S2D foundations:AHASAD", "3 foundations have cards, expected 4"),
        ("g 3C/-/- downward:6C2H2S2D foundations:2CAHASAD", "missing: 4C 5C"),
    ],
)
def test_why_a_text_is_no_position_is_said(text: str, reason: str) -> None:
    assert reason in "; ".join(small_game().referee.reasons(text))


def test_other_games_have_no_downward_foundations() -> None:
    reasons = FILES["fan"].referee.reasons(f"fan {'/'.join('-' * 18)} downward:AC foundations:KHKSKD")
    assert next(reasons) == "fan has no downward"


def test_positions_are_read_as_lines_and_boards_only() -> None:
    game = small_game()
    [text] = to_strings(deal(game.rules, 1, 1, 1))
    layouts = [text, game.play(text, []).layout, NEARLY]
    assert game.writers.keys() == {"board"}
    for layout in layouts:
        lines = list(enumerate(game.writers["board"](layout).splitlines(), start=1))
        assert [entry.text for entry in game.read(lines) if isinstance(entry, Layout)] == [layout]
    assert game.writers["board"](NEARLY).splitlines()[:2] == [
        "Downward: C-4 H-2 S-2 D-2",
        "Foundations: C-2 H-A S-A D-A",
    ]
    [written] = game.read([(1, "g 3C/-/- foundations:2CADASAH downward:2D4C2S2H")])
    assert isinstance(written, Layout) and written.text == NEARLY
    [refused] = game.read([(1, '{"tableau piles": [["3C"], [], []]}')])
    assert isinstance(refused, Reject) and "write a line, or a board" in refused.reasons[0]
    assert not notation.covers(game.rules)


@pytest.mark.parametrize(
    ("changes", "others"),
    [
        ("[deck]\ndecks = 2", "cards that exist 2 times"),
        ("[deck]\nsuits = 1", "cards that exist 4 times"),
        ('[hole]\nbase = "AS"', "a hole"),
        ("removable = true", "foundations.removable = true"),
        ("complete-runs = true", "foundations.complete-runs = true"),
        ("removable = true\ncomplete-runs = true", "foundations.removable = true, foundations.complete-runs = true"),
    ],
)
def test_what_is_not_played_with_foundations_in_both_directions_is_refused(changes: str, others: str) -> None:
    with pytest.raises(UsageError, match=r'foundations\.direction = "both": this is not played with') as caught:
        parse_rules("g", f'title = "G"\n[foundations]\ndirection = "both"\n{changes}')
    assert others in str(caught.value)


def test_only_counts_of_all_positions_and_relaxed_games_prove_losses() -> None:
    for game in FILES.values():
        rules = replace(game.rules, foundation_direction="both")
        assert not any(proves(rules) for proves in PROOFS), rules.name
        assert not cut_proves_losses(rules) or rules.move == "card"


@pytest.mark.parametrize("seeds", seeds(0, 1_000, quick=20, slow=120))
def test_the_engine_and_the_referees_agree_with_plain_code(seeds: Sequence[int]) -> None:
    for seed in seeds:
        rules = random_rules_in_both_directions(Random(seed))
        assert disagreements(rules, small_layouts(rules, seed, Random(seed)), seed) == [], rules


@pytest.mark.parametrize("seeds", seeds(2_000, 1_000, quick=20, slow=200))
def test_what_can_be_won_can_be_won_in_the_count_of_the_cut(seeds: Sequence[int]) -> None:
    """The attack on docs/proofs/cut.md; no game is won from a refuted position, and each safe card may go up."""
    verdicts = Counter[str]()
    for seed in seeds:
        rules = random_rules_in_both_directions(Random(seed))
        for text in small_layouts(rules, seed, Random(seed)) if cut_proves_losses(rules) else ():
            full = counted_in_full(rules, text)
            if full != MORE:
                cut = counted(rules, text, "cut *", 10 * CLAIM)
                assert (full == WON) == (cut == WON), (rules, text)
                verdicts[cut if cut == WON else "lost"] += 1
            if CutMoves(rules).is_refuted(Moves(rules).position(text)):
                assert not (naive.counted(text, rules, CLAIM) or (False,))[0], (rules, text)
            assert_that_referees_agree(rules, text, "cut *")
            if full not in (WON, MORE):
                assert_that_referees_agree(rules, text, "*")
    assert verdicts.total() > 2 * len(seeds) - 10 and verdicts[WON]


@pytest.mark.parametrize("seeds", seeds(4_000, 100, quick=10, slow=40))
def test_both_referees_know_the_same_moves(seeds: Sequence[int]) -> None:
    for seed in seeds:
        rules = random_rules_in_both_directions(Random(seed))
        compare_moves(rules, to_strings(deal(rules, seed, 1, 1))[0], Random(seed))


@pytest.mark.parametrize("seeds", seeds(5_000, 60, quick=10))
def test_the_careful_player_of_the_referee_is_that_of_the_engine(seeds: Sequence[int]) -> None:
    for seed in seeds:
        rules = random_rules_in_both_directions(Random(seed))
        layouts = to_strings(deal(rules, seed, 1, 2))
        for layout, evidence in zip(layouts, to_batch(Chances(rules)(to_texts(layouts))).evidence, strict=True):
            assert evidence
            wins_of_engine = [bool(int(evidence[number // 5], 32) >> (4 - number % 5) & 1) for number in range(10)]
            assert list(RefereeOfPlays(rules).plays_won(layout, range(1, 11))) == wins_of_engine, (rules, layout)


def test_a_win_and_a_loss_of_bisley_are_shown() -> None:
    game = find_game("bisley")
    assert isinstance(game, Patience)
    texts = to_strings(deal(game.rules, 0, 1, 18))
    verdict, evidence = solved(game, texts[0])
    assert verdict is Verdict.WINNABLE and evidence
    moves = evidence.split(" ")
    frames = list(game.frames(texts[0], verdict, evidence))
    assert len(frames) == len(moves) + 1
    assert "foundations  AC AH AS AD\nbuilt down   -C -H -S -D\n" in frames[0]
    shown = playback(game.referee, texts[0], verdict, evidence)
    assert {f"foundation {suit}{way}" for suit in SUITS for way in ("", " down")} < shown.table.keys()
    assert len(shown.steps) == len(moves)
    assert {move.target for step in shown.steps for move in step.moves} >= {"foundation S down"}
    position = Table(PatienceDisplay(game.referee), texts[0])
    assert position.layout == texts[0] and all(choice.targets for choice in position.choices)
    lost, proof = solved(game, texts[17])
    assert lost is Verdict.UNWINNABLE and proof == "cut * 112"
    assert check_loss(game.rules, texts[17], read_loss(game.rules, proof))
    game.check("winnable", texts[17], lost, None, proof)


def test_the_deals_of_pysolfc_have_twelve_columns() -> None:
    with pytest.raises(UsageError) as caught:
        find_game("bisley:numbers=pysol")
    assert (
        "PySolFC deals reserves, dealt bases and columns of these sizes in another order: give tableau.count in place "
        "of sizes, such as 13, or 12 for columns of the same size" in str(caught.value)
    )
    game = find_game("bisley:numbers=pysol:tableau.count=12")
    castle = find_game("beleaguered-castle:numbers=pysol:tableau.count=12")
    assert isinstance(game, Patience) and game.rules.sizes == (4,) * 12
    [text], [other] = (to_strings(each.deal(0, 240_000, 1)) for each in (game, castle))
    assert text.partition(" ")[2] == other.partition(" ")[2]
    assert [part for part in FOUNDATIONS if f" {part}:" in text] == ["foundations"]
