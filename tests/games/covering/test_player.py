"""The careful player of covering games, and the evidence that says which of his plays are won."""

from collections.abc import Iterator
from random import Random

import pytest

from dealmill.pipeline.games import find_game
from dealmill.pipeline.games.batch import to_batch, to_strings, to_texts
from dealmill.pipeline.games.covering import CoveringGame
from dealmill.pipeline.games.covering import player as players
from dealmill.pipeline.games.covering.chances import Chances
from dealmill.pipeline.games.covering.player import Player, RefereeOfPlays
from dealmill.pipeline.games.covering.rules import Rules
from dealmill.testing.covering import position_with_few_cards, with_few_cards
from dealmill.verdicts import InvalidEvidence, Verdict

LOWER = "/--------/----------/------------/--------------"
WON = f"pyramid KD/----/------{LOWER} passes:0"
"""A position in which every play wins by its only move."""
GAMES = {
    "tripeaks": 12,
    "tripeaks-no-wrap": 6,
    "escalator": 6,
    "pyramid": 6,
    "pyramid-pysol": 6,
    "pyramid-one-pass": 6,
    "giza": 1,
    "pyramid:stock.passes=unlimited": 6,
    "pyramid:stock.playable=false": 6,
    "pyramid:pairs.overlap=true": 6,
    "pyramid-pysol:arrangement.face-down=covered:pairs.overlap=true:stock.passes=unlimited:stock.playable=false": 6,
}
"""Games of each kind, and how many plays of a deal are repeated."""
SMALL_POSITIONS, PLAYS_OF_SMALL = 12, 8


def rules_of(name: str) -> Rules:
    game = find_game(name)
    assert isinstance(game, CoveringGame)
    return game.rules


def repeat(rules: Rules, layouts: list[str], count: int) -> Iterator[int]:
    """Repeat plays of layouts, and yield the values. Which plays are won is what the engine says, which shares no code
    with the referee."""
    batch = to_batch(Chances(rules)(to_texts(layouts)))
    for layout, value, evidence in zip(layouts, batch.values, batch.evidence, strict=True):
        assert value is not None
        RefereeOfPlays(rules).check_plays(layout, value, str(evidence), range(1, count + 1))
        yield value


@pytest.mark.parametrize("name", GAMES)
def test_the_engine_plays_as_the_plain_player(name: str) -> None:
    game = find_game(name)
    assert list(repeat(rules_of(name), to_strings(game.deal(1, 7, 1)), GAMES[name]))


@pytest.mark.parametrize("name", GAMES)
def test_positions_with_few_cards_are_played_alike(name: str) -> None:
    """Many of them are won in some plays, and lost in others; the stock is turned from where it is."""
    values = list[int]()
    for number in range(SMALL_POSITIONS):
        random = Random(number)
        rules = with_few_cards(rules_of(name), random)
        values += repeat(rules, [position_with_few_cards(rules, random)], PLAYS_OF_SMALL)
    assert len({*values}) > 1


@pytest.mark.parametrize(
    ("layout", "value"),
    [
        (WON, 1_000_000),
        # a partner that lies under a card is none, unless it may leave with the only card that covers it
        (f"pyramid 8D/5D--/------{LOWER} passes:2", 0),
        (f"pyramid:pairs.overlap=true 8D/5D--/------{LOWER} passes:2", 1_000_000),
        # the last pass, and one that was begun without a move
        (f"pyramid 8D/----/------{LOWER} passes:0 stock:KC waste:5DKH", 1_000_000),
        (f"pyramid 8D/----/------{LOWER} passes:0 waste:5D6S7S", 0),
        (f"pyramid 8D/----/------{LOWER} passes:1 waste:5D6S7S", 1_000_000),
        (f"pyramid:stock.passes=unlimited 8D/----/------{LOWER} waste:5D6S7S", 1_000_000),
        (f"pyramid 8D/5C--/------{LOWER} passes:2 stock:5D8C", 1_000_000),
        (f"pyramid:stock.playable=false 8D/----/------{LOWER} passes:0 stock:5D", 1_000_000),
        (f"pyramid-pysol --/----/------{LOWER} passes:2 stock:5D8C", 1_000_000),
        (f"pyramid-pysol --/----/------{LOWER} passes:2 stock:5D6C7C8C", 1_000_000),
        (f"pyramid-pysol --/----/------{LOWER} passes:2 stock:5D6C8C7C", 0),
    ],
)
def test_plays_without_a_choice_are_all_won_or_all_lost(layout: str, value: int) -> None:
    assert list(repeat(rules_of(layout.partition(" ")[0]), [layout], 3)) == [value]


@pytest.mark.parametrize(
    ("layout", "cost"),
    [
        (WON, 4),
        (f"pyramid 8D/5D--/------{LOWER} passes:2", 2 * 4 + 2 * 60),
        (f"pyramid 8D/KCKD/--5D--{LOWER} passes:2", 4 * 4 + 2 * 60),
        (f"pyramid:pairs.overlap=true 8D/5D--/------{LOWER} passes:2", 2 * 4 + 2 * 2),
        (f"pyramid 8D/5D--/------{LOWER} passes:2 stock:5C8C", 2 * 4 + 2 * 2),
        (f"pyramid 8D/5D--/------{LOWER} passes:2 stock:8C8S5C5H", 2 * 4),
        (f"pyramid-pysol --/----/------{LOWER} passes:2 stock:5D8C", 2 * 4),
        (f"pyramid:arrangement.face-down=covered 8d/5D--/------{LOWER} passes:2", 2 * 4 + 20 + 2),
        ("tripeaks 9c----/8DTH--------/------------------/-------------------- hole:AS stock:KC", 3 * 4 + 20),
    ],
)
def test_a_table_is_as_bad_as_the_page_says(layout: str, cost: int) -> None:
    referee = RefereeOfPlays(rules_of(layout.partition(" ")[0]))
    assert Player(referee)._cost(referee.position(layout)) == cost


def test_the_player_looks_no_further_with_the_most_tables_in_mind(monkeypatch: pytest.MonkeyPatch) -> None:
    referee = RefereeOfPlays(rules_of("pyramid"))
    assert Player(referee)._look_ahead(referee.position(WON), 1, 0).better
    monkeypatch.setattr(players, "TABLE_LIMIT", 1)
    assert Player(referee)._look_ahead(referee.position(WON), 1, 0) == (None, 0)


def test_the_player_does_not_see_what_lies_face_down_or_is_to_be_turned() -> None:
    """Until a card is turned up, plays of layouts that differ only there are equal."""
    for name, random in (("tripeaks", Random(5)), ("pyramid:arrangement.face-down=covered", Random(6))):
        rules = rules_of(name)
        referee = RefereeOfPlays(rules)
        first = referee.position(to_strings(find_game(name).deal(7, 1, 1))[0])
        free, shown = referee.free(first), rules.moves == "pairs"
        covered = [number for number in range(len(first.places)) if number not in free]
        hidden = [*(first.places[number] for number in covered), *first.stock[shown:]]
        mixed = random.sample(hidden, len(hidden))
        places = list(first.places)
        for number, card in zip(covered, mixed, strict=False):
            places[number] = card
        second = first._replace(places=tuple(places), stock=(*first.stock[:shown], *mixed[len(covered) :]))
        for seed in range(1, 20):
            looks = [Player(referee)._look_ahead(position, seed, 0) for position in (first, second)]
            gone = [
                look.better and [card for card in position.places if card and card not in look.better.places]
                for look, position in zip(looks, (first, second), strict=True)
            ]
            assert gone[0] == gone[1] and looks[0].looked == looks[1].looked


def test_evidence_is_of_its_layout_engine_and_verdict() -> None:
    referee = RefereeOfPlays(rules_of("pyramid"))
    referee("chances", WON, Verdict.SCORED, 1_000_000, "v" * 200)
    for value, evidence, reason in (
        (1_000_000, "v" * 199, "is not 200 of the digits"),
        (999_000, "v" * 200, "1000 of 1000 plays are won by the evidence, but the value is 999000"),
        (0, "0" * 200, "is won, the evidence says otherwise"),
    ):
        with pytest.raises(InvalidEvidence, match=reason):
            referee("chances", WON, Verdict.SCORED, value, evidence)
    for engine, layout, verdict in (
        ("winnable", WON, Verdict.SCORED),
        ("chances", f"{WON} ", Verdict.SCORED),
        ("chances", WON, Verdict.WINNABLE),
        ("chances", WON, Verdict.UNDECIDED),
    ):
        with pytest.raises(InvalidEvidence) as caught:
            referee(engine, layout, verdict, 1_000_000, "v" * 200)
        assert caught.value.step == 0
