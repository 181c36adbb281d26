"""The careful player of the referee, and evidence that says which of his plays are won."""

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest

from dealmill.pipeline.games import find_game
from dealmill.pipeline.games.batch import to_batch, to_strings, to_texts
from dealmill.pipeline.games.patience import player as players
from dealmill.pipeline.games.patience.deal import deal
from dealmill.pipeline.games.patience.engine.chances import Chances
from dealmill.pipeline.games.patience.engine.chances_of_copies import ChancesOfCopies
from dealmill.pipeline.games.patience.player import Player, RefereeOfPlays
from dealmill.pipeline.games.patience.referee import Referee
from dealmill.pipeline.games.patience.rules import Rules
from dealmill.referees import PLAYS, drawn_plays, read_plays
from dealmill.testing import checks_of
from dealmill.testing.engines import golden_file
from dealmill.testing.subject import Row, Subject
from dealmill.verdicts import InvalidEvidence, Verdict
from tests.games.patience.files import rules_of

GOLDEN = Path(__file__).parents[2] / "golden"
REPEATED = {
    "canfield": 2,
    "east-haven": 3,
    "freecell": 3,
    "golf": 3,
    "klondike-deal-1": 3,
    "simple-simon": 2,
    "yukon": 3,
}
"""Games of each kind that the player meets, and how many won and how many lost plays of each deal are repeated; `make
test` repeats the first of each."""
OF_ANOTHER_LAYOUT = "the referee refuses evidence of another layout"
WON = "trigon -/-/-/-/-/-/KC foundations:QCKHKSKD"
"""A position in which every play wins by its only move."""


def lines(name: str) -> Iterator[tuple[str, int, str]]:
    """Layouts, values and evidence of the golden file of a game's plays."""
    game = find_game(name)
    for line in golden_file(GOLDEN, game, game.engines[1]).read_text().splitlines():
        layout, _, value, _, evidence = json.loads(line)
        yield layout, value, evidence


@pytest.mark.parametrize("slow", [False, pytest.param(True, marks=pytest.mark.slow)], ids=["first", "others"])
@pytest.mark.parametrize("name", REPEATED)
def test_the_player_wins_the_plays_that_were_won_before(name: str, slow: bool) -> None:
    repeated = slice(1, REPEATED[name]) if slow else slice(1)
    for layout, value, evidence in lines(name):
        wins = read_plays(evidence)
        won = [number for number, win in enumerate(wins, start=1) if win][repeated]
        lost = [number for number, win in enumerate(wins, start=1) if not win][repeated]
        RefereeOfPlays(rules_of(name)).check_plays(layout, value, evidence, [*won, *lost])


@pytest.mark.parametrize(
    "passes", [pytest.param(1, marks=pytest.mark.slow), 2, pytest.param(3, marks=pytest.mark.slow)]
)
def test_the_player_turns_the_stock_as_often_as_the_rules_allow(passes: int) -> None:
    """Which plays are won is what the engine says, which shares no code with the referee."""
    rules = replace(rules_of("klondike-deal-1"), passes=passes)
    layouts = to_strings(deal(rules, 1, 1, 6))
    batch = to_batch(Chances(rules)(to_texts(layouts)))
    for layout, value, evidence in zip(layouts, batch.values, batch.evidence, strict=True):
        RefereeOfPlays(rules).check_plays(layout, value, str(evidence), range(1, 9))


@pytest.mark.parametrize(
    "rules",
    [
        replace(rules_of("spider-1-suit"), ranks=6, sizes=(5,) * 6, stock=18),
        pytest.param(replace(rules_of("spider-2-suits"), ranks=5, sizes=(4,) * 6, stock=16), marks=pytest.mark.slow),
        pytest.param(replace(rules_of("spider"), ranks=4, sizes=(3,) * 6, stock=14), marks=pytest.mark.slow),
        replace(rules_of("spiderette"), full_columns=True, ranks=5, sizes=(2,) * 6, stock=8),
        replace(rules_of("spiderette"), ranks=6, sizes=(2,) * 5, stock=14),
    ],
    ids=["one-suit", "two-suits", "four-suits", "one-deck", "also-to-empty-columns"],
)
def test_the_player_deals_rows_and_fills_the_first_space(rules: Rules) -> None:
    """With small decks, he often has empty columns when a row is to be dealt, and most plays differ."""
    engine = ChancesOfCopies if rules.copies > 1 else Chances
    layouts = to_strings(deal(rules, 1, 2, 2))
    batch = to_batch(engine(rules)(to_texts(layouts)))
    for layout, value, evidence in zip(layouts, batch.values, batch.evidence, strict=True):
        assert value
        RefereeOfPlays(rules).check_plays(layout, value, str(evidence), range(1, 21))


def test_the_player_looks_no_further_with_the_most_tables_in_mind(monkeypatch: pytest.MonkeyPatch) -> None:
    rules = rules_of("freecell")
    position = Referee(rules).position(to_strings(deal(rules, 1, 1, 1))[0])
    monkeypatch.setattr(players, "TABLE_LIMIT", 1)
    assert Player(Referee(rules))._look_ahead(position, 0, 1, 0) == (None, None, 0)


@pytest.mark.parametrize(
    ("value", "evidence", "reason"),
    [
        (1_000_000, "v" * 199, "not 200"),
        (1_000_000, "v" * 201, "not 200"),
        (1_000_000, "V" * 200, "not 200"),
        (1_000_000, "v" * 199 + "w", "not 200"),
        (1_000_000, "v" * 199 + "٣", "not 200"),
        (1_000_000, "", "not 200"),
        (999_000, "v" * 200, "the value is 999000"),
        (None, "v" * 200, "the value is None"),
        (999_000, "v" * 199 + "u", "play 1000 is won"),
        (0, "0" * 200, "is won, the evidence"),
    ],
)
def test_evidence_that_is_wrong_is_refused(value: int | None, evidence: str, reason: str) -> None:
    with pytest.raises(InvalidEvidence, match=reason):
        RefereeOfPlays(rules_of("trigon"))("chances", WON, Verdict.SCORED, value, evidence)


def test_evidence_that_is_right_proves_nothing_else() -> None:
    """No other verdict, and nothing of another engine or of a text that is not a layout, whatever else is wrong."""
    referee = RefereeOfPlays(rules_of("trigon"))
    referee("chances", WON, Verdict.SCORED, 1_000_000, "v" * 200)
    for engine, layout, evidence in (
        ("winnable", WON, "v" * 200),
        ("chances", f"{WON} ", "v" * 200),
        ("chances", f"{WON} ", "wrong"),
    ):
        with pytest.raises(InvalidEvidence) as caught:
            referee(engine, layout, Verdict.SCORED, 1_000_000, evidence)
        assert caught.value.step == 0
    for verdict in (Verdict.WINNABLE, Verdict.UNWINNABLE, Verdict.UNDECIDED):
        with pytest.raises(InvalidEvidence):
            referee("chances", WON, verdict, 1_000_000, "v" * 200)


def test_plays_of_either_result_are_drawn_by_layout_and_evidence() -> None:
    evidence = f"{7 << 600:0>200x}"[-200:]
    wins = read_plays(evidence)
    assert 0 < sum(wins) < 50
    drawn = drawn_plays(WON, evidence)
    assert len(set(drawn)) == 100 <= PLAYS
    assert {number for number, won in enumerate(wins, start=1) if won} <= {*drawn}
    others = drawn_plays(f"{WON} ", evidence), drawn_plays(WON, evidence.replace("0", "1"))
    assert len({*map(tuple, (drawn, *others))}) == 3


def test_the_check_of_evidence_of_another_layout_compares_only_plays_that_are_repeated(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The evidence of the second layout is that of the first one but for a play that the referee repeats of neither."""
    layout, value, evidence = next(row for row in lines("golf") if 100_000 < row[1] < 900_000)
    other = next(row[0] for row in lines("golf") if row[0] != layout)
    for number, won in enumerate(read_plays(evidence), start=1):
        changed = _with_play_changed(evidence, number)
        if won and number not in {*drawn_plays(layout, changed), *drawn_plays(other, evidence)}:
            break
    RefereeOfPlays(rules_of("golf")).check_plays(layout, value - 1_000, changed, drawn_plays(layout, changed))
    rows = [Row(layout, Verdict.SCORED, value, evidence), Row(other, Verdict.SCORED, value - 1_000, changed)]
    monkeypatch.setattr(Subject, "verdicts", lambda *_: rows)
    [check] = [check for check in checks_of("golf") if str(check) == f"golf/chances: {OF_ANOTHER_LAYOUT}"]
    check()


def _with_play_changed(evidence: str, number: int) -> str:
    """Evidence in which one play, counted from 1, has the other result."""
    digits = "0123456789abcdefghijklmnopqrstuv"
    at, play = divmod(number - 1, 5)
    return evidence[:at] + digits[digits.index(evidence[at]) ^ 16 >> play] + evidence[at + 1 :]


def test_the_player_does_not_see_what_lies_face_down_or_is_to_be_turned() -> None:
    """Until a face-down card or a card of the stock is turned up, plays of layouts that differ only there are equal."""
    rules, random = rules_of("klondike"), Random(57)
    referee = Referee(rules)
    text = to_strings(deal(rules, 7, 1, 1))[0]
    first = referee.position(text)
    hidden = [card.upper() for column in first.columns for card in column if card[1].islower()] + [*first.stock]
    for _ in range(3):
        shuffled = dict(zip(hidden, random.sample(hidden, len(hidden)), strict=True))
        columns = tuple(
            tuple(_hidden(shuffled, card) if card[1].islower() else card for card in column) for column in first.columns
        )
        second = first._replace(columns=columns, stock=tuple(shuffled[card] for card in first.stock))
        for number in range(1, 20):
            moves = [_first_move(Player(referee), position, number) for position in (first, second)]
            assert moves[0] == moves[1]


def _hidden(shuffled: dict[str, str], card: str) -> str:
    new = shuffled[card.upper()]
    return new[0] + new[1].lower()


def _first_move(player: Player, position: object, number: int) -> object:
    thought = player._look_ahead(position, 0, number, 0).better  # type: ignore[arg-type]
    return thought and (thought.rank, [len(column) for column in thought.position.columns])
