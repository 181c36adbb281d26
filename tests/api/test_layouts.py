"""Layouts without a store: deals, solve, check, answer, games."""

import io
from itertools import islice
from pathlib import Path
from typing import Any, get_args

import numpy as np
import pytest

import dealmill
from dealmill import BadLayout, InputError, NotFoundError, UsageError, Verdict

LARGE = {"ranks": 13, "stacks": 13}
DEAL = "98AK 7T8T Q6KA 9J79 T67J 67JA 9KKJ 86AQ 8TQQ"


def test_one_layout_has_one_result_and_several_have_a_list() -> None:
    result = dealmill.solve("memory", "ABBA")
    assert (result.value, result.item, result.run, result.position) == (8, None, None, 1)
    assert result.check().valid
    assert next(iter(result.frames())).strip()
    layouts = dealmill.deals("memory", count=3)
    assert dealmill.solve("memory", next(iter(layouts))).layout == next(iter(layouts)).text
    several = [dealmill.solve("memory", form) for form in (layouts, list(layouts), iter(layouts))]
    assert several[0] == several[1] == several[2]
    assert [result.position for result in several[0]] == [1, 2, 3]
    assert dealmill.solve("memory", []) == []
    assert dealmill.solve("memory", np.array(["ABBA"]).tolist()) == [result]


def test_an_engine_can_be_named_with_or_without_its_game() -> None:
    names = [("memory", "incremental"), ("memory", "memory/incremental"), ("memory/incremental", None)]
    assert {dealmill.solve(game, "ABBA", engine=engine).engine for game, engine in names} == {"memory/incremental"}


@pytest.mark.parametrize("layouts", [b"ABBA", [b"ABBA"], [None], ["ABBA", 3]])
def test_values_of_other_types_than_text_are_refused(layouts: object) -> None:
    with pytest.raises(UsageError, match="a layout must be a str, a Layout or a Result, not"):
        dealmill.solve("memory", layouts)  # type: ignore[call-overload]


@pytest.mark.parametrize("text", ["", " ", "ABC", "ABBA\nABAB", "ABBA\0", "ÄÄ", "\ud800\ud800"])
def test_an_invalid_layout_is_refused_with_all_reasons(text: str) -> None:
    with pytest.raises(BadLayout, match="memory") as refused:
        dealmill.solve("memory", ["ABBA", text])
    assert refused.value.reasons


@pytest.mark.parametrize("limit", [0, -1, True, 1.5, "5", float("nan"), 2**62, 2**70])
def test_a_node_limit_must_be_a_whole_number_from_1(limit: object) -> None:
    with pytest.raises(UsageError, match=r"max_nodes must be a whole number from 1 to 2⁶² − 1, not "):
        dealmill.solve("card-pairing", DEAL, max_nodes=limit)  # type: ignore[call-overload]


def test_a_node_limit_of_any_integer_type_leaves_layouts_undecided() -> None:
    limits: list[Any] = [1, np.int64(1)]
    for limit in limits:
        assert dealmill.solve("card-pairing", DEAL, max_nodes=limit).verdict is Verdict.UNDECIDED
    assert dealmill.solve("card-pairing", DEAL, max_nodes=2**62 - 1).verdict is Verdict.WINNABLE


def test_deals_do_not_depend_on_the_first_of_their_range() -> None:
    deals = dealmill.deals("card-pairing", seed=3, count=5, parameters=LARGE)
    later = dealmill.deals("card-pairing", seed=3, first=4, count=2, parameters=LARGE)
    assert [(layout.line, layout.text) for layout in deals][3:] == [(layout.line, layout.text) for layout in later]
    assert (len(deals), deals.endless) == (5, False)
    assert repr(deals) == "<DealRange deal:card-pairing:seed=3:ranks=13:stacks=13:1-5>"
    endless = dealmill.deals("card-pairing", seed=3, parameters=LARGE)
    assert endless.endless
    assert list(islice(endless, 5)) == list(deals)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"count": 0}, "count must be a whole number from 1 to"),
        ({"count": 1.5}, "count must be a whole number"),
        ({"count": True}, "count must be a whole number"),
        ({"first": 0}, "the number of the first deal must be a whole number from 1"),
        ({"first": "1"}, "the number of the first deal must be a whole number from 1"),
        ({"first": 2**63 - 1}, "the number of the first deal must be a whole number from 1 to 2⁶³ − 2"),
        ({"first": 2**63 - 3, "count": 3}, "the number of the last deal must be a whole number from 1 to 2⁶³ − 2"),
        ({"seed": -1}, "the seed must be a whole number from 0 to 2⁶⁴ − 1, not -1"),
        ({"seed": 2**64}, "the seed must be a whole number"),
        ({"seed": None}, "the seed must be a whole number"),
        ({"parameters": {"pegs": 3}}, "have no parameter 'pegs'"),
        ({"parameters": {"ranks": "13"}}, "ranks .* must be a whole number from"),
        ({"parameters": {"ranks": 13.0, "stacks": 13}}, "ranks .* must be a whole number from"),
        ({"parameters": {"ranks": 300}}, "300 ranks of 4 suits are 1,200 cards, expected at most 1,024"),
        ({"parameters": {"suits": 3}}, "suits is 3, expected an even number"),
    ],
)
def test_impossible_deals_are_refused_immediately(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        dealmill.deals("card-pairing", **arguments)


def test_a_range_to_the_last_possible_deal_is_not_open_ended() -> None:
    last = dealmill.deals("memory", first=2**63 - 3, count=2)
    assert (last.name, last.endless) == ("deal:memory:seed=1:9223372036854775805-9223372036854775806", False)
    assert [deal.line for deal in last] == [2**63 - 3, 2**63 - 2]
    assert list(dealmill.deals("memory", first=2**63 - 3)) == list(last)


def test_open_ended_deals_cannot_be_solved_without_a_store() -> None:
    with pytest.raises(UsageError, match="has no end"):
        dealmill.solve("memory", dealmill.deals("memory"))


@pytest.mark.parametrize(
    ("game", "hint"),
    [
        ("memori", " (did you mean memory?)"),
        ("", ""),
        ("backgammon", ""),
        (None, ""),
        (3, ""),
        ("free-cel", " (did you mean "),
    ],
)
def test_a_game_that_does_not_exist_is_not_found(game: str, hint: str) -> None:
    with pytest.raises(NotFoundError) as raised:
        dealmill.deals(game)
    message = str(raised.value)
    assert message.startswith(f"there is no game {game!r}{hint}") and message.endswith("; dealmill games lists all")


def test_engines_of_other_games_are_refused() -> None:
    with pytest.raises(UsageError, match="is not an engine of memory"):
        dealmill.solve("memory", "ABBA", engine="camelot/winnable")
    with pytest.raises(NotFoundError, match="memory has: memory/two-pass"):
        dealmill.solve("memory", "ABBA", engine="")


def test_check_returns_the_judgement_of_the_referee() -> None:
    result = dealmill.solve("memory", "ABBA")
    assert dealmill.check("memory", "ABBA", "scored", result.evidence, value=8).valid
    assert dealmill.check("memory", "ABBA", Verdict.SCORED, result.evidence, value=8).valid
    wrong = dealmill.check("memory", "ABBA", "scored", result.evidence, value=7)
    assert (wrong.valid, str(wrong)) == (False, "invalid: step 0: the game took 8 flips, not 7")
    assert str(dealmill.check("memory", "ABBA", "undecided", None)) == "no-evidence"
    for verdict in ("Scored", 3, None):
        with pytest.raises(UsageError, match="there is no verdict"):
            dealmill.check("memory", "ABBA", verdict, "1")  # type: ignore[arg-type]


def test_an_answer_is_written_for_every_layout(tmp_path: Path) -> None:
    file = tmp_path / "layouts.txt"
    file.write_text("ABBA\nABC\nABAB\n")
    output, complaints = io.StringIO(), list[str]()
    answered = dealmill.answer("memory", file, output, complain=complaints.append)
    assert (answered.answered, answered.rejected, answered.failed) == (2, 1, 0)
    assert output.getvalue().split() == [str(dealmill.solve("memory", "ABBA").value), "?", "8"]
    assert complaints[0].startswith("line 2: letter A occurs only once")


def test_a_file_that_cannot_be_answered_is_an_input_error(tmp_path: Path) -> None:
    for file in (tmp_path, tmp_path / "none.txt", "a\0b", "x" * 5_000):
        with pytest.raises(InputError):
            dealmill.answer("memory", file, io.StringIO())


def test_games_list_their_engines_and_examples() -> None:
    games = dealmill.games()
    single = [name for name, game in games.items() if not game.family]
    assert single == ["camelot", "card-pairing", "hi-q", "memory", "tantrix", "tantrix-loop"]
    assert {"klondike", "golf"} < set(games)
    for name, game in games.items():
        assert game.name == name
        assert game.engines
        assert (game.examples / f"{name}-statement.txt").is_file() == game.has_statement


def test_all_events_are_public() -> None:
    assert {event.__name__ for event in get_args(dealmill.progress.Event)} < set(vars(dealmill.progress))
