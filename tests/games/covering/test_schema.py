"""Rules files of covering games: what they say, what is wrong with them, and to which family a file belongs."""

import re
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import pytest

from dealmill.pipeline.errors import UsageError
from dealmill.pipeline.games import broken_games, find_game
from dealmill.pipeline.games.covering import CoveringGame
from dealmill.pipeline.games.covering.rules import Rules
from dealmill.pipeline.games.covering.schema import canonical_rules, digest_of_rules, parse_rules
from dealmill.pipeline.games.patience import Patience
from tests.doing import forget_games
from tests.games.covering.files import TEXTS


@pytest.mark.parametrize("name", TEXTS)
def test_canonical_text_is_a_file_with_the_same_rules(name: str) -> None:
    rules = parse_rules(name, TEXTS[name])
    assert parse_rules(name, canonical_rules(rules)) == rules


def test_every_difference_of_the_rules_changes_the_digest() -> None:
    giza, tripeaks = (parse_rules(name, TEXTS[name]) for name in ("giza", "tripeaks"))
    for field in fields(Rules):
        if field.name in ("name", "title", "family"):
            continue
        rules = tripeaks if field.name == "wrap" else giza
        value = getattr(rules, field.name)
        changed: Any = not value if isinstance(value, bool) else value + 1 if isinstance(value, int) else "hole"
        values: Any = {field.name: changed}
        assert digest_of_rules(replace(rules, **values)) != digest_of_rules(rules), field.name


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("[arrangement]\nrows = 7", "title is missing"),
        ('title = "A"\n[arrangement]', "it has none of the tables [pairs] and [hole], expected one"),
        ('title = "A"\n[hole]\n[pairs]', "it has both of the tables [pairs] and [hole], expected one"),
        ('title = "A"\n[pairs]\n[arrangement]\nrows = 10', "arrangement.rows = 10: expected a number from 1 to 9"),
        ('title = "A"\n[pairs]\n[arrangement]\npeaks = 10\nrows = 5', "the arrangement has 141 cards, too many for 52"),
        ('title = "A"\ngoal = "all"\n[hole]', "in a game with a hole, all cards of the stock can always be turned"),
        ('title = "A"\n[hole]\n[stock]\npasses = 2', "a game with a hole has one pass through the stock"),
        ('title = "A"\n[hole]\n[arrangement]\nrows = 9', "the arrangement is too large for a game with a hole"),
        ('title = "A"\n[pairs]\nsum = 12', "there is no key pairs.sum; [pairs] has overlap"),
        (
            'title = "A"\n[tableau]\n[pairs]',
            "there is no table [tableau]; the tables are arrangement, pairs, hole, stock",
        ),
    ],
)
def test_what_is_wrong_is_named(text: str, error: str) -> None:
    with pytest.raises(UsageError) as raised:
        parse_rules("a", text)
    assert error in str(raised.value)


def test_a_file_is_of_one_family_and_a_wrong_one_gets_one_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    texts = {
        "ours": 'title = "Ours"\n[arrangement]\nrows = 3\n[pairs]\n',
        "theirs": 'title = "Theirs"\n[cells]\ncount = 2\n',
        "wrong": 'title = "Wrong"\n[arrangement]\nrows = 3\n',
        "mixed": 'title = "Mixed"\n[arrangement]\n[tableau]\n',
        "broken": "title = \n",
        "misspelt": 'title = "Misspelt"\n[arangement]\nrows = 3\n[pairs]\n',
    }
    for name, text in texts.items():
        (tmp_path / f"{name}.toml").write_text(text)
    monkeypatch.setenv("DEALMILL_RULES", str(tmp_path))
    forget_games()
    try:
        assert isinstance(find_game("ours"), CoveringGame)
        assert isinstance(find_game("theirs"), Patience)
        errors = {broken.name: broken.error for broken in broken_games()}
        assert len(broken_games()) == len(errors)
        assert errors.keys() == {"wrong", "mixed", "broken", "misspelt"}
        assert errors["wrong"].startswith("it has none of the tables [pairs] and [hole]")
        assert errors["mixed"].startswith("there is no table [tableau]")
        assert errors["misspelt"] == "there is no table [arangement]; did you mean [arrangement]?"
        assert errors["broken"].startswith("it is not a TOML file")
    finally:
        monkeypatch.undo()
        forget_games()


@pytest.mark.parametrize(
    ("name", "error"),
    [
        ("pyramid:stock.passes=12", "stock.passes = 12: expected"),
        ("pyramid:hole.wrap=false", "it has both of the tables"),
        ("tripeaks:arrangement.rows=5", "the arrangement is too large for a game with a hole"),
    ],
)
def test_a_wrong_variant_is_refused(name: str, error: str) -> None:
    with pytest.raises(UsageError, match=re.escape(error)):
        find_game(name)


def test_pysols_name_is_known() -> None:
    assert find_game("relaxed-pyramid").name == "pyramid"
