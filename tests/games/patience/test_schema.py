"""Rules files: what they say, what is wrong with them, and which texts are the same rules."""

import tomllib
from dataclasses import fields, replace
from typing import Any

import pytest

from dealmill.pipeline.errors import UsageError
from dealmill.pipeline.games.patience.rules import Rules
from dealmill.pipeline.games.patience.schema import FIELDS, SCHEMA, canonical_rules, digest_of_rules, parse_rules
from tests.games.patience.files import FILES, TEXTS

KLONDIKE = TEXTS["klondike"]


@pytest.mark.parametrize("name", FILES)
def test_canonical_text_is_a_file_with_the_same_rules(name: str) -> None:
    rules = FILES[name].rules
    again = parse_rules(name, canonical_rules(rules))
    assert again == rules
    assert canonical_rules(again) == canonical_rules(rules)


def test_comments_and_the_order_of_keys_do_not_change_the_digest() -> None:
    tables = [f"[{part}" for part in KLONDIKE.split("[")[1:]]
    shuffled = KLONDIKE.split("[", maxsplit=1)[0] + "# The same.\n" + "\n".join(reversed(tables))
    digest = digest_of_rules(parse_rules("klondike", KLONDIKE))
    assert digest_of_rules(parse_rules("klondike", shuffled)) == digest
    named = KLONDIKE.replace('title = "Klondike"', 'title = "Another"')
    assert digest_of_rules(parse_rules("another", named)) == digest


def test_every_difference_of_the_rules_changes_the_digest() -> None:
    rules = FILES["klondike"].rules
    others: dict[type, Any] = {str: "x", int: 3, bool: True, tuple: (1,)}
    for field in fields(Rules):
        if field.name in ("name", "title", "family"):
            continue
        value = getattr(rules, field.name)
        changed: Any = (
            not value if isinstance(value, bool) else value + 1 if isinstance(value, int) else others[type(value)]
        )
        values: Any = {field.name: changed}
        assert digest_of_rules(replace(rules, **values)) != digest_of_rules(rules), field.name


def test_fields_have_the_defaults_of_their_keys() -> None:
    """So a canonical text that leaves out a later key, and rules that were made without it, are the same."""
    assert {each.name for each in fields(Rules)} == {"name", *(each.name for each in FIELDS.values())}
    rules = parse_rules("a", 'title = "A"')
    assert rules == Rules("a", "A", sizes=(7, 7, 7, 7, 6, 6, 6, 6))
    for key, each in FIELDS.items():
        table, _, name = key.rpartition(".")
        is_written = name in tomllib.loads(canonical_rules(rules)).get(table, {}) if table else True
        assert is_written != bool(each.metadata.get("later")), key


@pytest.mark.parametrize(
    ("text", "errors"),
    [
        ("title", ["is not a TOML file"]),
        ("", ["title is missing"]),
        ("titel = 1", ["there is no key titel; the top has title, family, numbers", "title is missing"]),
        ('title = ""', ['title = "": expected a text']),
        ('title = "A"\n[stok]', ["there is no table [stok]; did you mean [stock]?"]),
        (
            'title = "A"\n[tableau]\nbuild = "blue"',
            [
                'tableau.build = "blue": expected "any-suit" or "red-black" or "same-suit" or "same-colour" or '
                '"other-suit" or "none"'
            ],
        ),
        ('title = "A"\n[cells]\ncount = 21', ["cells.count = 21: expected a number from 0 to 20"]),
        ('title = "A"\n[cells]\ncount = true', ["cells.count = true: expected a number"]),
        ('title = "A"\n[stock]\npasses = 0', ['stock.passes = 0: expected "unlimited" or a number from 1 to 9']),
        (
            'title = "A"\n[tableau]\nsizes = [1, 99]',
            ["tableau.sizes = [1, 99]: expected a list of up to 20 numbers, at most 52"],
        ),
        (
            'title = "A"\n[stock]\nsize = 52\n[reserve]\nsize = 8',
            ["60 cards are not in columns, but the deck has only 52"],
        ),
        ('title = "A"\n[tableau]\nsizes = [1, 2]', ["the columns have 3 cards, but 52 cards of the deck are left"]),
        ('title = "A"\n[tableau]\nsizes = [52]\ncount = 1', ["tableau.count and tableau.sizes are both given"]),
        *(
            (f'title = "A"\n[deck]\nranks = 1\n[tableau]\nsizes = [3, 1, 0]\nface-down = {down}', [error])
            for down, error in (
                ("[2, 0]", "face-down = [2, 0]: expected a number for each column, at most [2, 0, 0]"),
                ("[2, 1, 0]", "face-down = [2, 1, 0]: expected a number for each column, at most [2, 0, 0]"),
                ("[0, 0, 1]", "face-down = [0, 0, 1]: expected a number for each column, at most [2, 0, 0]"),
                ("[]", 'expected "none" or "all-but-top" or a list of up to 20 numbers, at most 52'),
                ("2", 'expected "none" or "all-but-top" or a list of up to 20 numbers, at most 52'),
            )
        ),
        ('title = "A"\n[cells]\nfilled = 1', ["cells.filled = 1: there are 0 cells"]),
        ('title = "A"\n[deck]\nranks = 4\n[foundations]\nbase = "K"', ['base = "K": the deck has only the ranks A234']),
        ('title = "A"\n[foundations]\nbase = "dealt"', ['"one" or "others" goes with base = "dealt"']),
        (
            'title = "A"\n[deck]\nranks = 1\n[tableau]\ncount = 1\n[foundations]\nbase = "dealt"\ninitial = "others"\n'
            "[reserve]\nsize = 1",
            ["no card is left for the columns"],
        ),
        ('title = "A"\n[deck]\nranks = 4\n[hole]\nbase = "KS"', ['hole.base = "KS": the deck has no such card']),
        (
            'title = "A"\n[hole]\nbase = "AS"\n[foundations]\nremovable = true',
            ["a game with a hole has no"],
        ),
        (
            'title = "A"\n[deck]\nranks = 1\n[hole]\nbase = "AS"',
            ["a game with a hole needs at least 2"],
        ),
        ('title = "A"\n[hole]\nbase = "AS"\n[foundations]\nbase = "8"', ["a game with a hole has no foundations"]),
        ('title = "A"\n[stock]\nto = "hole"', ['stock.to = "hole": hole.base is "none"']),
        ('title = "A"\n[stock]\nfull-columns = true', ['full-columns = true: stock.to is "waste", not "tableau"']),
        ('title = "A"\n[tableau]\nrun = "same-suit"', ['run = "same-suit": tableau.move is "card", not "run"']),
        *(
            (
                f'title = "A"\n[foundations]\ncomplete-runs = true\n{key}',
                ["foundations.complete-runs = true: no single card is on a foundation"],
            )
            for key in ('initial = "all"', "removable = true")
        ),
        (
            'title = "A"\n[hole]\nbase = "AS"\n[foundations]\ncomplete-runs = true',
            ["a game with a hole has no foundations"],
        ),
        ('title = "A"\n[tableau]\nspaces = "reserve"', ["there is no stacked reserve"]),
        ('title = "A"\nnumbers = "microsoft"\n[deck]\nranks = 4', ["these deals have 52 cards"]),
    ],
)
def test_every_mistake_is_named(text: str, errors: list[str]) -> None:
    with pytest.raises(UsageError) as caught:
        parse_rules("a", text)
    for error in errors:
        assert error in str(caught.value)


UNPLAYED = [(table, key, value) for table in SCHEMA for key, entry in SCHEMA[table].items() for value in entry.unplayed]


@pytest.mark.parametrize(("table", "key", "value"), UNPLAYED)
def test_rules_that_nothing_plays_yet_are_refused(table: str, key: str, value: object) -> None:
    text = f'title = "A"\n[{table}]\n{key} = {str(value).lower() if isinstance(value, bool) else repr(value)}\n'
    assert tomllib.loads(text)
    with pytest.raises(UsageError, match=rf"{table}\.{key} = .*: the engine and the referee do not play this yet"):
        parse_rules("a", text)
