"""Games in which only whole columns move as a unit, as in Canfield at the table, and those in which ranks wrap: the
last one may be put on the first."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from random import Random
from typing import Any

import pytest

from dealmill.pipeline.errors import UsageError
from dealmill.pipeline.games import find_game
from dealmill.pipeline.games.batch import to_batch, to_texts
from dealmill.pipeline.games.patience import GAMES, Patience
from dealmill.pipeline.games.patience.compiled import wins
from dealmill.pipeline.games.patience.compiled.referee import check_loss
from dealmill.pipeline.games.patience.display.picture import PatienceDisplay
from dealmill.pipeline.games.patience.display.playback import playback
from dealmill.pipeline.games.patience.display.table import Table
from dealmill.pipeline.games.patience.losses import read_loss
from dealmill.pipeline.games.patience.losses.counted import easier_game_is_sound
from dealmill.pipeline.games.patience.losses.cut import cut_proves_losses
from dealmill.pipeline.games.patience.losses.pieces import pieces_prove_losses
from dealmill.pipeline.games.patience.losses.quotient import quotient_proves_losses
from dealmill.pipeline.games.patience.losses.safe import safe_cards_prove_losses
from dealmill.pipeline.games.patience.losses.waits import cards_wait, cards_wait_for_places
from dealmill.pipeline.games.patience.rules import Rules
from dealmill.pipeline.games.patience.schema import parse_rules
from dealmill.testing.patiences.agreement import small_layouts
from dealmill.verdicts import Verdict
from tests.games.patience.files import FILES
from tests.games.patience.random_rules import PILES, any_rules, seeds
from tests.games.patience.test_agreement import disagreements

TOP_CARDS = "g 3S2H/2S4H/AD3C/2C4CAH3HAS2D3DAC4D4S"
"""The first column is a run; its top card and the three of clubs could move, too."""
PARTS = "g 3S2H/2S4H/AD3C2D/2C4CAH3HAS3DAC4D4S"
"""So is the first column; of the third one, a part is."""
NEEDS_AN_ACE = "g AC4H/AS/3H2C/4S3S2S4C3C foundations:2H4D"
"""Only an ace is a place for the four of hearts."""
STRICT = "canfield:tableau.move=whole-pile:tableau.spaces=reserve-then-waste"
CHANGES: tuple[dict[str, Any], ...] = (
    {"move": "whole-pile"},
    {"move": "card-or-pile"},
    {"build_wraps": True},
    {"direction": "either", "build": "same-suit", "move": "card"},
    {"direction": "either", "build": "red-black", "move": "any"},
)
PROOFS: tuple[Callable[[Rules], bool], ...] = (
    easier_game_is_sound,
    cut_proves_losses,
    pieces_prove_losses,
    quotient_proves_losses,
    safe_cards_prove_losses,
    cards_wait,
    cards_wait_for_places,
)


def small_game(tableau: str, *, face_down: bool = False) -> Patience:
    """A game of 16 cards in four columns, built in alternating colours."""
    down = 'face-down = "all-but-top"\n' * face_down
    count = "" if "sizes" in tableau else "count = 4\n"
    rules = f'[deck]\nranks = 4\n[tableau]\n{count}build = "red-black"\nspaces = "none"\n{down}{tableau}\n'
    game = GAMES.load("g", f'title = "G"\n{rules}')
    assert isinstance(game, Patience)
    return game


def onto_cards(game: Patience, layout: str) -> set[str]:
    """The moves of cards onto others; compiled code accepts these, and no other ones."""
    position = game.referee.position(layout)
    words = {play.word for play in game.referee.plays(position) if len(play.word) == 4}
    deck = game.rules.deck()
    compiled = {
        word
        for word in (card + below for card in deck for below in deck)
        if wins.moves_made(game.rules, position, [word])
    }
    assert compiled == words
    return words


@pytest.mark.parametrize(
    ("move", "of_top_cards", "of_parts"),
    [
        ("card", {"2H3C", "3C4H"}, set()),
        ("run", {"2H3C", "3C4H", "3S4H"}, {"3C4H", "3S4H"}),
        ("card-or-pile", {"2H3C", "3C4H", "3S4H"}, {"3S4H"}),
        ("whole-pile", {"3S4H"}, {"3S4H"}),
    ],
)
def test_what_moves_between_columns(move: str, of_top_cards: set[str], of_parts: set[str]) -> None:
    game = small_game(f'move = "{move}"')
    assert onto_cards(game, TOP_CARDS) == of_top_cards
    assert onto_cards(game, PARTS) == of_parts


def test_a_column_with_a_card_that_lies_face_down_is_not_whole() -> None:
    layout = TOP_CARDS.replace("3S2H", "3s2H")
    moves = {move: onto_cards(small_game(f'move = "{move}"', face_down=True), layout) for move in PILES}
    assert moves == {"whole-pile": set(), "card-or-pile": {"2H3C", "3C4H"}}


@pytest.mark.parametrize(("wrap", "verdict"), [("true", Verdict.WINNABLE), ("false", Verdict.UNWINNABLE)])
def test_the_last_rank_goes_onto_the_first_one_only_if_ranks_wrap(wrap: str, verdict: Verdict) -> None:
    game = small_game(f"wrap = {wrap}")
    assert onto_cards(game, NEEDS_AN_ACE) == {"3C4H"} | ({"4HAS"} if wrap == "true" else set())
    batch = to_batch(game.solvers["winnable"](to_texts([NEEDS_AN_ACE]), 10_000))
    [evidence] = batch.evidence
    assert batch.verdicts == [verdict] and evidence
    game.check("winnable", NEEDS_AN_ACE, verdict, None, evidence)
    if verdict is Verdict.UNWINNABLE:
        check_loss(game.rules, NEEDS_AN_ACE, read_loss(game.rules, evidence))


def test_ranks_wrap_from_the_base_of_the_foundations() -> None:
    layout = "g 2C/3D/AC3C4CAH2H3H4H/AS2S3S4SAD2D4D"
    for wrap, words in (("true", {"2C3D"}), ("false", set[str]())):
        assert onto_cards(small_game(f'wrap = {wrap}\n[foundations]\nbase = "3"'), layout) == words


@pytest.mark.parametrize("seeds", seeds(90_000, 300, quick=20))
def test_the_engine_and_the_referees_agree_with_plain_code(seeds: Sequence[int]) -> None:
    for seed in seeds:
        random = Random(seed)
        rules = any_rules(random)
        while not rules.whole_columns_move and rules.is_built_in_order:
            rules = any_rules(random)
        assert disagreements(rules, small_layouts(rules, seed, Random(seed)), seed) == [], rules


def test_only_a_count_of_all_positions_proves_losses() -> None:
    """The proofs of all other forms know neither whole columns, nor ranks that wrap, nor columns that are built up."""
    for game in FILES.values():
        for change in CHANGES:
            rules = replace(game.rules, **change)
            if game.rules.hole == "none" and not game.rules.has_downward_piles:
                assert not any(proves(rules) for proves in PROOFS), (rules.name, change)


@pytest.mark.parametrize(
    ("tableau", "words"),
    [
        ("", {"3S4H", "AD2C", "2C3H"}),
        ('direction = "either"', {"3S4H", "AD2C", "4H3S", "2C3H", "2CAD", "3H2C"}),
        ('direction = "either"\nwrap = true', {"3S4H", "AD2C", "4H3S", "2C3H", "2CAD", "3H2C", "AS4H", "4HAS"}),
    ],
)
def test_cards_are_put_on_those_of_lower_ranks(tableau: str, words: set[str]) -> None:
    """In this game, in six columns."""
    game = small_game(f"sizes = [1, 1, 1, 1, 1, 11]\n{tableau}")
    layout = "g 3S/4H/2C/AD/3H/AC3C4CAH2H2S4S2D3D4DAS"
    assert onto_cards(game, layout) == words


@pytest.mark.parametrize(
    ("tableau", "error"),
    [
        ('build = "any-suit"', 'with tableau.build = "any-suit" yet, only with "red-black"'),
        ('build = "none"', 'with tableau.build = "none" yet'),
        ('build = "red-black"\nmove = "run"', 'with tableau.move = "run" yet'),
        ('build = "red-black"\nmove = "whole-pile"', 'with tableau.move = "whole-pile" yet'),
    ],
)
def test_what_is_not_played_if_columns_are_built_up_is_refused(tableau: str, error: str) -> None:
    with pytest.raises(UsageError, match=f'tableau.direction = "either": this is not played {error}'):
        parse_rules("g", f'title = "G"\n[tableau]\ndirection = "either"\n{tableau}')


@pytest.mark.parametrize("wrong", ['build = "none"', "[deck]\nranks = 1"])
def test_ranks_wrap_only_if_cards_are_put_on_each_other(wrong: str) -> None:
    with pytest.raises(UsageError, match=r"tableau\.wrap = true: no card is put on one of another rank"):
        parse_rules("g", f'title = "G"\n[tableau]\nwrap = true\n{wrong}')


def test_runs_that_are_built_otherwise_do_not_move_as_whole_columns() -> None:
    with pytest.raises(UsageError, match=r'tableau\.run = .*: tableau\.move is "whole-pile", not "run"'):
        parse_rules("g", 'title = "G"\n[tableau]\nmove = "whole-pile"\nrun = "same-suit"')


def test_a_win_of_canfield_with_whole_columns_is_shown() -> None:
    game = find_game(STRICT)
    assert isinstance(game, Patience)
    text = f"{STRICT} QHJS/KC/KH/KD base:A foundations:JCJHTSJD stock:QSQDQC waste:KS"
    [evidence] = to_batch(game.solvers["winnable"](to_texts([text]), 10_000)).evidence
    assert evidence
    assert "QHKC" in {choice.word for choice in Table(PatienceDisplay(game.referee), text).choices}
    assert len(list(game.frames(text, Verdict.WINNABLE, evidence))) == len(evidence.split(" ")) + 1
    assert len(playback(game.referee, text, Verdict.WINNABLE, evidence).steps) == len(evidence.split(" "))
