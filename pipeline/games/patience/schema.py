"""Rules files: TOML in, a checked record `Rules` out. Every mistake is named with key, value, and what is allowed."""

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import Field, fields, replace
from operator import gt
from typing import Any

from dealmill.game import UsageError
from dealmill.pipeline.games.patience.rules import RANKS, SUITS, UNLIMITED, Rules
from dealmill.rules_files import (
    MAX_COLUMNS,
    UNLIMITED_WORD,
    Key,
    changed_text,
    digest_of_text,
    read_tables,
    toml_value,
    value_of,
    written_tables,
)

FIELD_SEED = 0
"""The seed whose deals have the numbers that the field knows."""
NUMBERS = {"solvitaire": (0, 2**32 - 1), "microsoft": (1, 2**33 - 1), "pysol": (0, 2**63 - 2)}
"""The least and the greatest number of the deals of that seed, by whose numbers they are. Ranges begin with 1."""


def _key(field: Field[Any]) -> Key:
    """Return the key that a field has in files."""
    rule = field.metadata
    key = Key(field.default, rule["allowed"], rule["meaning"], rule["unplayed"], rule.get("lists", False))
    return key._replace(default=_in_file(key, key.default))


def _in_file(key: Key, value: Any) -> Any:
    """Return the value of a field as it is written in a file."""
    return UNLIMITED_WORD if UNLIMITED_WORD in key.allowed and value == UNLIMITED else value


def _in_record(key: Key, value: Any) -> Any:
    """Return the value of a key in a file as a field has it."""
    if isinstance(value, list):
        return tuple(value)
    return UNLIMITED if UNLIMITED_WORD in key.allowed and value == UNLIMITED_WORD else value


FIELDS = {field.metadata["key"]: field for field in fields(Rules) if field.metadata}
"""The fields of rules by the keys that they have in files, such as ``stock.passes``."""
KEYS = {name: _key(field) for name, field in FIELDS.items()}


def _schema() -> dict[str, dict[str, Key]]:
    """Return the keys of rules files by table: those of the fields, one that gives the sizes of columns, and one with
    which nothing is played yet."""
    schema: dict[str, dict[str, Key]] = {}
    for name, key in KEYS.items():
        table, _, last = name.rpartition(".")
        if table == "tableau" and table not in schema:
            schema[table] = {"count": Key(8, range(1, MAX_COLUMNS + 1), "the number of columns")}
        schema.setdefault(table, {})[last] = key
    others = ("same-colour", "red-black", "any-suit")
    meaning = "on which card of the rank before it a card may be put"
    schema["foundations"]["build"] = Key("same-suit", ("same-suit", *others), meaning, others)
    return schema


SCHEMA = _schema()
"""The keys of rules files by table."""


def parse_rules(name: str, text: str) -> Rules:
    """Return the rules of the game `name` in a file with this text.

    Raises
    ------
    UsageError
        With everything that is wrong.
    """
    tables = read_tables(SCHEMA, text)
    rules = _record(name, tables)
    if errors := list(_errors_of_rules(rules, tables)):
        raise UsageError("; ".join(errors))
    return rules


def changed_rules(rules: Rules, changes: Mapping[str, str]) -> str:
    """Return the text of a file with rules in which keys such as ``stock.draw`` have other values, which may be wrong.

    The columns get the cards that are left for them, unless their sizes are special.

    Raises
    ------
    UsageError
        If a key is not one of a rule.
    """
    tables = tomllib.loads(canonical_rules(rules))
    tableau = tables["tableau"]
    if "tableau.sizes" not in changes and rules.sizes == _sizes(len(rules.sizes), rules):
        tableau["count"] = len(tableau.pop("sizes"))
    if "tableau.count" in changes:
        tableau.pop("sizes", None)
    return changed_text(SCHEMA, tables, changes)


def _record(name: str, tables: Mapping[str, Any]) -> Rules:
    values = {field.name: _in_record(KEYS[key], value_of(SCHEMA, tables, key)) for key, field in FIELDS.items()}
    rules = Rules(name, **values)
    if rules.run == rules.build:
        rules = replace(rules, run="build")
    return rules if rules.sizes else replace(rules, sizes=_sizes(value_of(SCHEMA, tables, "tableau.count"), rules))


def _sizes(count: int, rules: Rules) -> tuple[int, ...]:
    """Return the cards of each column if all others of the deck are dealt to columns."""
    sizes = [0] * count
    left, row = _cards_left(rules), 0
    while left > 0:
        for column in range(row if rules.deal == "diagonal" and row < count else 0, count):
            sizes[column] += left > 0
            left -= 1
        row += 1
    return tuple(sizes)


def _cards_left(rules: Rules) -> int:
    """Return how many cards are for the columns."""
    return len(rules.deck()) - rules.initial_count - (rules.hole != "none") - rules.filled - rules.stock - rules.reserve


def _errors_of_rules(rules: Rules, tables: Mapping[str, Any]) -> Iterator[str]:
    """Yield what contradicts itself in rules whose keys have allowed values."""
    yield from _errors_of_columns(rules, tables.get("tableau", {}))
    if rules.filled > rules.cells:
        yield f"cells.filled = {rules.filled}: there are {rules.cells} cells"
    yield from _errors_of_foundations(rules)
    if rules.hole != "none":
        if rules.hole != "dealt" and rules.hole not in rules.deck():
            yield f'hole.base = "{rules.hole}": the deck has no such card'
        if rules.ranks < 2:
            yield "deck.ranks = 1: a game with a hole needs at least 2"
        if rules.foundations != RANKS[0] or rules.initial != "none" or rules.removable or rules.complete:
            yield "a game with a hole has no foundations: leave out [foundations]"
    elif rules.to == "hole":
        yield 'stock.to = "hole": hole.base is "none"'
    if rules.full_columns and rules.to != "tableau":
        yield f'stock.full-columns = true: stock.to is "{rules.to}", not "tableau"'
    if rules.reserve_fills and not (rules.reserve and rules.stacked):
        yield f'tableau.spaces = "{rules.spaces}": there is no stacked reserve, see reserve.size and reserve.stacked'
    if (rules.waste_fills or rules.only_waste_fills) and not (rules.stock and rules.to == "waste"):
        yield f'tableau.spaces = "{rules.spaces}": there is no waste, see stock.size and stock.to'
    if (rules.waste_fills or rules.only_waste_fills) and rules.hole != "none":
        yield f'tableau.spaces = "{rules.spaces}": this is not played with a hole yet, see hole.base'
    if rules.copies > 1:
        yield from _errors_of_copies(rules)
    yield from _errors_of_numbers(rules)


def _errors_of_foundations(rules: Rules) -> Iterator[str]:
    ranks = RANKS[: rules.ranks]
    if rules.foundations != "dealt" and rules.foundations not in ranks:
        yield f'foundations.base = "{rules.foundations}": the deck has only the ranks {ranks}'
    if (rules.foundations == "dealt") != (rules.initial in ("one", "others")):
        yield f'foundations.initial = "{rules.initial}": "one" or "others" goes with base = "dealt", and only with it'
    if rules.initial == "others" and not any(rules.sizes):
        yield 'foundations.initial = "others": no card is left for the columns, of which the dealt one is the first'
    if rules.complete and (rules.initial != "none" or rules.removable):
        yield "foundations.complete-runs = true: no single card is on a foundation, see its keys initial and removable"
    if rules.has_downward_piles and (others := list(_not_in_both_directions(rules))):
        yield f'foundations.direction = "both": this is not played with {", ".join(others)}'


def _not_in_both_directions(rules: Rules) -> Iterator[str]:
    """Yield what is not played if each suit has two foundations."""
    if rules.copies > 1:
        yield f"cards that exist {rules.copies} times (deck.decks, deck.suits)"
    if rules.hole != "none":
        yield "a hole (hole.base)"
    if rules.removable:
        yield "foundations.removable = true"
    if rules.complete:
        yield "foundations.complete-runs = true"


def _errors_of_copies(rules: Rules) -> Iterator[str]:
    """Yield what is not played yet if cards exist more than once."""
    cards = f"each card exists {rules.copies} times (deck.decks = {rules.decks}, deck.suits = {rules.suits})"
    if rules.initial == "others":
        yield f'{cards}: foundations.initial = "others" is not played with them'
    if rules.move == "any":
        yield f'{cards}: tableau.move = "any" is not played with them, since a move would not say which card it means'
    if rules.build_wraps and rules.move not in ("card", "whole-pile"):
        yield (
            f'{cards}: tableau.wrap = true is not played with tableau.move = "{rules.move}", since a run may have a '
            "card twice, and a move would not say which one it means"
        )
    if rules.cells or rules.hole != "none":
        yield f"{cards}: cells and a hole are not played with them yet, leave them out"
    if rules.reserve and (rules.complete or not rules.stacked or (rules.stock and rules.to != "waste")):
        yield (
            f"{cards}: a reserve is played with them only if it is stacked, single cards go to the foundations, and "
            "the stock goes to a waste, see reserve.stacked, foundations.complete-runs and stock.to"
        )
    if rules.stock and rules.to == "waste" and rules.complete:
        yield f'{cards}: set stock.to = "tableau", since a waste is not played yet if only whole suits leave'


def _errors_of_numbers(rules: Rules) -> Iterator[str]:
    decks = 2 if rules.numbers == "pysol" else 1
    is_whole = rules.ranks == len(RANKS) and rules.suits == len(SUITS)
    if rules.numbers in ("microsoft", "pysol") and not (is_whole and rules.decks <= decks):
        yield f'numbers = "{rules.numbers}": these deals have 52 cards{" or 104" * (decks > 1)}'
    if rules.numbers == "pysol" and not _has_order_of_pysol(rules):
        reason = 'numbers = "pysol": PySolFC deals reserves, dealt bases and columns of these sizes in another order'
        yield f"{reason}{_counts_in_order_of_pysol(rules)}"


def _has_order_of_pysol(rules: Rules) -> bool:
    """Return whether PySolFC deals games with such columns row by row, or in a triangle, and has nothing else to deal
    but cells, a hole and a stock."""
    columns = len(rules.sizes)
    sizes = tuple(range(1, columns + 1)) if rules.deal == "diagonal" else _sizes(columns, rules)
    return rules.sizes == sizes and not rules.reserve and rules.foundations != "dealt"


def _counts_in_order_of_pysol(rules: Rules) -> str:
    """Return which numbers of columns PySolFC would deal row by row, in words, if only the order of the sizes is not
    that of rows."""
    columns, left = len(rules.sizes), _cards_left(rules)
    ordered = replace(rules, sizes=_sizes(columns, rules))
    if rules.deal == "diagonal" or max(rules.sizes) - min(rules.sizes) > 1 or not _has_order_of_pysol(ordered):
        return ""
    counts = [count for count in range(1, MAX_COLUMNS + 1) if left % count == 0]
    nearest = min(counts, key=lambda count: abs(count - columns))
    return f": give tableau.count in place of sizes, such as {columns}, or {nearest} for columns of the same size"


def _errors_of_columns(rules: Rules, tableau: Mapping[str, Any]) -> Iterator[str]:
    left, deck = _cards_left(rules), len(rules.deck())
    if left < 0:
        yield f"{deck - left} cards are not in columns, but the deck has only {deck}"
    elif sum(rules.sizes) != left:
        yield f"the columns have {sum(rules.sizes)} cards, but {left} cards of the deck are left for them"
    if rules.run != "build" and rules.move != "run":
        yield f'tableau.run = "{rules.run}": tableau.move is "{rules.move}", not "run"'
    if rules.build_wraps and (rules.build == "none" or rules.ranks == 1):
        yield "tableau.wrap = true: no card is put on one of another rank, see tableau.build and deck.ranks"
    if rules.builds_up and rules.build not in ("red-black", "same-suit", "same-colour"):
        yield (
            f'tableau.direction = "either": this is not played with tableau.build = "{rules.build}" yet, only with '
            '"red-black", "same-suit" and "same-colour"'
        )
    if rules.builds_up and rules.move not in ("card", "any"):
        yield f'tableau.direction = "either": this is not played with tableau.move = "{rules.move}" yet'
    if {"sizes", "count"} <= tableau.keys():
        yield "tableau.count and tableau.sizes are both given: leave out one of them"
    limits = [max(size - 1, 0) for size in rules.sizes]
    down = rules.face_down if isinstance(rules.face_down, tuple) else limits
    if len(down) != len(limits) or any(map(gt, down, limits)):
        yield (
            f"tableau.face-down = {toml_value(down)}: expected a number for each column, at most {toml_value(limits)}, "
            "since top cards lie face up"
        )


def canonical_rules(rules: Rules) -> str:
    """Return the text of a file with these rules: all keys of fields, in their order, but `later` ones only with other
    values than their defaults."""
    tables: dict[str, dict[str, object]] = {}
    for name, field in FIELDS.items():
        table, _, last = name.rpartition(".")
        values, value = tables.setdefault(table, {}), getattr(rules, field.name)
        if value != field.default or not field.metadata.get("later"):
            values[last] = _in_file(KEYS[name], value)
    return written_tables(tables)


def digest_of_rules(rules: Rules) -> str:
    """Return eight hexadecimal digits that tell rules apart, whatever the game and its family are called."""
    same = replace(rules, name="", title="", family="")
    return digest_of_text(canonical_rules(same))
