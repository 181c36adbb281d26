"""Rules files: TOML in, a checked record `Rules` out. Every mistake is named with key, value, and what is allowed."""

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import partial
from operator import gt
from typing import Any

from dealmill.game import UsageError
from dealmill.pipeline.games.patience.rules import RANKS, SUITS, SUITS_BELOW, UNLIMITED, Rules
from dealmill.rules_files import (
    BOTH,
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

MAX_CELLS = 20

FIELD_SEED = 0
"""The seed whose deals have the numbers that the field knows."""
NUMBERS = {"solvitaire": (0, 2**32 - 1), "microsoft": (1, 2**33 - 1), "pysol": (0, 2**63 - 2)}
"""The least and the greatest number of the deals of that seed, by whose numbers they are. Ranges begin with 1."""
BUILD = tuple(SUITS_BELOW)

SCHEMA: dict[str, dict[str, Key]] = {
    "": {
        "title": Key("", (), "the name of the game for people; needed"),
        "family": Key("Patience", (), "the heading under which `dealmill games` lists it"),
        "numbers": Key(
            "solvitaire",
            ("solvitaire", "microsoft", "pysol"),
            "whose numbers the deals of seed 0 have",
        ),
    },
    "deck": {
        "decks": Key(1, range(1, 3), "the number of decks"),
        "suits": Key(4, (4, 2, 1), "the number of different suits: 2 are hearts and spades, 1 is spades"),
        "ranks": Key(13, range(1, 14), "ranks of each suit, from the ace on"),
    },
    "tableau": {
        "count": Key(8, range(1, MAX_COLUMNS + 1), "the number of columns"),
        "deal": Key(
            "rows",
            ("rows", "diagonal", "kings-below"),
            "the order of dealing. `rows`: rows from left to right; `diagonal`: rows from right to left, each of which "
            "ends one column earlier; `kings-below`: rows, then each card of the last rank of a foundation changes "
            "places with the lowest other card below it",
        ),
        "sizes": Key([], (), "the cards of each column, instead of `count`", lists=True),
        "face-down": Key(
            "none",
            ("none", "all-but-top"),
            "which cards of a column are dealt face down; a list says how many of each column",
            lists=True,
        ),
        "build": Key(
            "any-suit",
            BUILD,
            "on which card of the next higher rank a card may be put; `other-suit`: of any suit but its own",
        ),
        "direction": Key(
            "down",
            ("down", "either"),
            "`down`: cards are put on those of the next higher rank; `either`: also on those of the next lower one",
        ),
        "wrap": Key(False, BOTH, "whether the last rank of a foundation may be put on its first one"),
        "move": Key(
            "card",
            ("card", "run", "whole-pile", "card-or-pile", "any"),
            "what moves between columns: the top card; also a run built as above; only a column that is a run; the top "
            "card or such a column; or any card with those on it",
        ),
        "run": Key(
            "build",
            ("build", *BUILD[:-1]),
            "how a run must be built to move as a unit, if not as `build` says; `build` says where it may be put",
        ),
        "spaces": Key(
            "any",
            ("any", "kings", "none", "reserve", "waste", "reserve-then-waste"),
            "what may go to an empty column: any card, the last rank of a foundation, or nothing; `reserve`: it is "
            "filled from the reserve at once, then by any card; `waste`: it is filled from waste and stock before "
            "anything else moves, then by any card; `reserve-then-waste`: it is filled from the reserve at once, then "
            "only from waste and stock",
        ),
    },
    "foundations": {
        "base": Key("A", (*RANKS, "dealt"), "the rank of the first cards; `dealt`: that of the first card of the deck"),
        "initial": Key(
            "none",
            ("none", "one", "all", "others"),
            "which first cards are on the foundations from the start; `one`: the dealt one; `others`: all but the "
            "dealt one, which is the first card in the columns",
        ),
        "removable": Key(False, BOTH, "whether the top card of a foundation may come back"),
        "direction": Key(
            "up",
            ("up", "both", "down"),
            "how foundations are built; `both`: each suit has one that is built up from the first rank and one that is "
            "built down from the last rank, and is complete when they meet",
            ("down",),
        ),
        "build": Key(
            "same-suit",
            ("same-suit", "same-colour", "red-black", "any-suit"),
            "on which card of the rank before it a card may be put",
            ("same-colour", "red-black", "any-suit"),
        ),
        "complete-runs": Key(
            False, BOTH, "whether only whole suits leave the columns, each from the last rank down to the first"
        ),
    },
    "cells": {
        "count": Key(0, range(MAX_CELLS + 1), "free cells, for one card each"),
        "filled": Key(0, range(MAX_CELLS + 1), "cells to which a card is dealt"),
    },
    "reserve": {
        "size": Key(0, range(53), "cards in the reserve; nothing goes back into it"),
        "stacked": Key(False, BOTH, "whether only its top card may be taken"),
    },
    "stock": {
        "size": Key(0, range(105), "cards in the stock"),
        "to": Key("waste", ("waste", "hole", "tableau"), "where its cards go; `tableau`: one to each column"),
        "full-columns": Key(False, BOTH, "whether cards go to the columns only if none is empty"),
        "draw": Key(1, range(1, 10), "cards that are turned at a time"),
        "passes": Key(UNLIMITED_WORD, (UNLIMITED_WORD,), "how often it may be turned through"),
    },
    "hole": {
        "base": Key(
            "none",
            ("none", "dealt", *(rank + suit for rank in RANKS for suit in SUITS)),
            "the card in the hole at the start; `dealt`: the first card of the deck. There are no foundations then",
        ),
        "wrap": Key(True, BOTH, "whether the ace and the last rank are neighbours in the hole"),
    },
}
"""The keys of rules files by table."""
LATER_KEYS = (
    ("deck", "decks"),
    ("deck", "suits"),
    ("tableau", "direction"),
    ("tableau", "wrap"),
    ("tableau", "run"),
    ("foundations", "direction"),
    ("foundations", "complete-runs"),
    ("stock", "full-columns"),
)
"""Keys that a canonical text has only with other values than their defaults, so that rules without them keep their
digests."""


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
    value = partial(value_of, SCHEMA, tables)
    passes, face_down = value("stock.passes"), value("tableau.face-down")
    rules = Rules(
        name=name,
        title=value("title"),
        family=value("family"),
        numbers=value("numbers"),
        decks=value("deck.decks"),
        suits=value("deck.suits"),
        ranks=value("deck.ranks"),
        sizes=tuple(value("tableau.sizes")),
        deal=value("tableau.deal"),
        face_down=tuple(face_down) if isinstance(face_down, list) else face_down,
        build=value("tableau.build"),
        direction=value("tableau.direction"),
        build_wraps=value("tableau.wrap"),
        move=value("tableau.move"),
        run="build" if value("tableau.run") == value("tableau.build") else value("tableau.run"),
        spaces=value("tableau.spaces"),
        foundations=value("foundations.base"),
        initial=value("foundations.initial"),
        removable=value("foundations.removable"),
        foundation_direction=value("foundations.direction"),
        complete=value("foundations.complete-runs"),
        cells=value("cells.count"),
        filled=value("cells.filled"),
        reserve=value("reserve.size"),
        stacked=value("reserve.stacked"),
        stock=value("stock.size"),
        to=value("stock.to"),
        full_columns=value("stock.full-columns"),
        draw=value("stock.draw"),
        passes=UNLIMITED if passes == UNLIMITED_WORD else passes,
        hole=value("hole.base"),
        wrap=value("hole.wrap"),
    )
    return rules if rules.sizes else replace(rules, sizes=_sizes(value("tableau.count"), rules))


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
        yield 'numbers = "pysol": PySolFC deals reserves, dealt bases and columns of these sizes in another order'


def _has_order_of_pysol(rules: Rules) -> bool:
    """Return whether PySolFC deals games with such columns row by row, or in a triangle, and has nothing else to deal
    but cells, a hole and a stock."""
    columns = len(rules.sizes)
    sizes = tuple(range(1, columns + 1)) if rules.deal == "diagonal" else _sizes(columns, rules)
    return rules.sizes == sizes and not rules.reserve and rules.foundations != "dealt"


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
    """Return the text of a file with these rules: all keys, in the order of the schema."""
    values: dict[str, dict[str, object]] = {
        "": {"title": rules.title, "family": rules.family, "numbers": rules.numbers},
        "deck": {"decks": rules.decks, "suits": rules.suits, "ranks": rules.ranks},
        "tableau": {
            "sizes": rules.sizes,
            "deal": rules.deal,
            "face-down": rules.face_down,
            "build": rules.build,
            "direction": rules.direction,
            "wrap": rules.build_wraps,
            "move": rules.move,
            "run": rules.run,
            "spaces": rules.spaces,
        },
        "foundations": {
            "base": rules.foundations,
            "initial": rules.initial,
            "removable": rules.removable,
            "direction": rules.foundation_direction,
            "complete-runs": rules.complete,
        },
        "cells": {"count": rules.cells, "filled": rules.filled},
        "reserve": {"size": rules.reserve, "stacked": rules.stacked},
        "stock": {
            "size": rules.stock,
            "to": rules.to,
            "full-columns": rules.full_columns,
            "draw": rules.draw,
            "passes": rules.passes or UNLIMITED_WORD,
        },
        "hole": {"base": rules.hole, "wrap": rules.wrap},
    }
    for table, key in LATER_KEYS:
        if values[table][key] == SCHEMA[table][key].default:
            del values[table][key]
    return written_tables(values)


def digest_of_rules(rules: Rules) -> str:
    """Return eight hexadecimal digits that tell rules apart, whatever the game and its family are called."""
    same = replace(rules, name="", title="", family="")
    return digest_of_text(canonical_rules(same))
