"""Rules files of covering games: TOML in, a checked record `Rules` out."""

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import partial
from math import prod
from typing import Any

from dealmill.game import UsageError
from dealmill.pipeline.games.covering.rules import RANKS, SUITS, UNLIMITED, Rules, chains_of
from dealmill.rules_files import (
    BOTH,
    MAX_COLUMNS,
    UNLIMITED_WORD,
    Key,
    changed_text,
    digest_of_text,
    read_tables,
    value_of,
    written_tables,
)

PYSOL_SEED, LAST_PYSOL = 0, 2**63 - 2
"""The seed whose deals have PySolFC's numbers, and the last of them."""
HOLE, PAIRS = "hole", "pairs"
"""The tables of which a file has one: it says how cards leave."""
MAX_COMBINATIONS = 500_000
"""The combinations of cards left in the chains of an arrangement, of which a plain referee of a game with a hole makes
sets: 432,000 in TriPeaks."""

SCHEMA: dict[str, dict[str, Key]] = {
    "": {
        "title": Key("", (), "the name of the game for people; needed"),
        "family": Key("Covering games", (), "the heading under which `dealmill games` lists it"),
        "goal": Key("arrangement", ("arrangement", "all"), "what must leave: the arrangement, or all cards"),
    },
    "arrangement": {
        "peaks": Key(1, range(1, 11), "the number of peaks, which share the cards of their last row"),
        "rows": Key(7, range(1, 10), "the number of rows"),
        "columns": Key(0, range(MAX_COLUMNS + 1), "columns beside the peaks, of which only the last card is free"),
        "column-size": Key(3, range(1, 14), "the cards of each column"),
        "face-down": Key("none", ("none", "covered"), "which cards lie face down"),
    },
    PAIRS: {
        "overlap": Key(False, BOTH, "whether a card may leave with the only one that covers it"),
    },
    HOLE: {
        "wrap": Key(True, BOTH, "whether ace and king are neighbours"),
    },
    "stock": {
        "passes": Key(1, (UNLIMITED_WORD,), "how often it may be turned through; once in a game with a hole"),
        "playable": Key(True, BOTH, "whether the next card of the stock can be taken as well as that of the waste"),
    },
}
"""The keys of rules files by table."""


def parse_rules(name: str, text: str) -> Rules:
    """Return the rules of the game `name` in a file with this text.

    Raises
    ------
    UsageError
        With everything that is wrong.
    """
    tables = read_tables(SCHEMA, text)
    moves = [table for table in (PAIRS, HOLE) if table in tables]
    if len(moves) != 1:
        both = "both" if moves else "none"
        raise UsageError(
            f"it has {both} of the tables [{PAIRS}] and [{HOLE}], expected one, which says how cards leave"
        )
    rules = _record(name, tables, moves[0])
    if errors := list(_errors_of_rules(rules)):
        raise UsageError("; ".join(errors))
    return rules


def _record(name: str, tables: Mapping[str, Any], moves: str) -> Rules:
    value = partial(value_of, SCHEMA, tables)
    passes, columns = value("stock.passes"), value("arrangement.columns")
    return Rules(
        name=name,
        title=value("title"),
        family=value("family"),
        goal=value("goal"),
        peaks=value("arrangement.peaks"),
        rows=value("arrangement.rows"),
        columns=columns,
        column_size=value("arrangement.column-size") if columns else 0,
        face_down=value("arrangement.face-down"),
        moves=moves,
        overlap=value("pairs.overlap"),
        wrap=value("hole.wrap"),
        passes=UNLIMITED if passes == UNLIMITED_WORD else passes,
        playable=value("stock.playable"),
    )


def _errors_of_rules(rules: Rules) -> Iterator[str]:
    """Yield what contradicts itself in rules whose keys have allowed values."""
    deck = len(RANKS) * len(SUITS)
    if rules.stock < 0:
        yield f"the arrangement has {len(rules.covers)} cards, too many for {deck}: have fewer rows or columns"
        return
    if rules.moves == HOLE:
        if rules.goal == "all":
            yield 'goal = "all": in a game with a hole, all cards of the stock can always be turned, so leave it out'
        if rules.passes != 1 or not rules.playable:
            yield "a game with a hole has one pass through the stock: leave out [stock]"
        combinations = prod(len(chain) + 1 for chain in chains_of(rules))
        if combinations > MAX_COMBINATIONS:
            yield (
                f"the arrangement is too large for a game with a hole: its cards can be left in {combinations:,} "
                f"combinations of chains, and referees count at most {MAX_COMBINATIONS:,}; have fewer rows or columns"
            )
    elif not rules.stock and (rules.passes != 1 or not rules.playable or rules.goal == "all"):
        yield f"all {deck} cards are in the arrangement, so there is no stock: leave out [stock] and the goal"


def changed_rules(rules: Rules, changes: Mapping[str, str]) -> str:
    """Return the text of a file with rules in which keys such as ``stock.passes`` have other values.

    Raises
    ------
    UsageError
        If a key is not one of a rule.
    """
    return changed_text(SCHEMA, tomllib.loads(canonical_rules(rules)), changes)


def canonical_rules(rules: Rules) -> str:
    """Return the text of a file with these rules: all keys that matter, in the order of the schema."""
    columns = {"columns": rules.columns, "column-size": rules.column_size} if rules.columns else {"columns": 0}
    tables: dict[str, dict[str, object]] = {
        "": {"title": rules.title, "family": rules.family, "goal": rules.goal},
        "arrangement": {"peaks": rules.peaks, "rows": rules.rows, **columns, "face-down": rules.face_down},
    }
    if rules.moves == HOLE:
        tables[HOLE] = {"wrap": rules.wrap}
    else:
        tables[PAIRS] = {"overlap": rules.overlap}
        tables["stock"] = {"passes": rules.passes or UNLIMITED_WORD, "playable": rules.playable}
    return written_tables(tables)


def digest_of_rules(rules: Rules) -> str:
    """Return eight hexadecimal digits that tell rules apart, whatever the game and its family are called."""
    return digest_of_text(canonical_rules(replace(rules, name="", title="", family="")))
