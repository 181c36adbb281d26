"""Names by which people know games, from `names.toml`: of games that are here under another name or as a variant, and
of games that no rules can write."""

import re
import tomllib
import unicodedata
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import NamedTuple

NAMES = Path(__file__).with_name("names.toml")


class KnownGame(NamedTuple):
    """The names of a game, the games of Dealmill that they can mean, and what to know of it."""

    names: list[str]
    games: list[str]
    note: str = ""
    undecided: bool = False
    """Whether the search leaves most deals undecided with the default limit."""


class MissingGame(NamedTuple):
    """The names of a game that no rules can write, what they would need, and the games that are nearest."""

    names: list[str]
    needs: str
    nearest: tuple[str, ...] = ()


@cache
def known_games() -> tuple[list[KnownGame], list[MissingGame]]:
    """Return the games that are here, and those that are missing."""
    tables = tomllib.loads(NAMES.read_text(encoding="utf-8"))
    return [KnownGame(**table) for table in tables["game"]], [MissingGame(**table) for table in tables["missing"]]


@cache
def games_by_name() -> Mapping[str, str]:
    """Return the game that a name means, by the name as it is written in commands. A name that means several is not
    among them."""
    single = (game for game in known_games()[0] if len(game.games) == 1)
    return {word_of(name): game.games[0] for game in single for name in game.names}


def names_of(game: str) -> list[str]:
    """Return the names by which people know a game of Dealmill, unless they can mean others, too."""
    return [name for known in known_games()[0] if known.games == [game] for name in known.names]


def with_known_name(name: str) -> str:
    """Return the name of a variant, or of an engine of one, behind the name by which people know it; names of all other
    games and engines as they are. ``golf:hole.wrap=true/winnable`` is "Putt Putt (golf:hole.wrap=true/winnable)"."""
    names = names_of(name.partition("/")[0]) if ":" in name else []
    return f"{names[0]} ({name})" if names else name


@cache
def missing_games() -> Mapping[str, MissingGame]:
    """Return the missing games by their names as they would be written in commands."""
    return {word_of(name): game for game in known_games()[1] for name in game.names}


def word_of(name: str) -> str:
    """Return a name as it is written in commands, without accents: ``will-o-the-wisp`` for "Will o' the Wisp"."""
    letters = unicodedata.normalize("NFKD", re.sub("['’.]", "", name)).lower()
    plain = "".join(letter for letter in letters if not unicodedata.combining(letter))
    return re.sub("[^a-z0-9]+", "-", plain).strip("-")
