"""The page that finds a game by the name that people know, written from the names that commands accept."""

from collections.abc import Iterable
from pathlib import Path

from bench.measure import table
from dealmill.pipeline.games.names import KnownGame, MissingGame, known_games

PAGE = Path(__file__).parent.parent.parent / "docs" / "games-by-name.md"
INTRODUCTION = """\
# Is my game there?

Patiences have many names, and one name can mean several games. Look for yours here. The second column says how it is
called in Dealmill. A name with a colon is a variant: a game in which some rules have other values. It is used like
every other game, and `--rule` says the same:

```console
$ dealmill run deal:bakers-game:tableau.spaces=kings:seed=1:1-20 --max-nodes 20000
…
$ dealmill deal scorpion --rule tableau.spaces=any --count 1
…
```

A name that means one game can be used in its place, as it is written here or in small letters and with hyphens:
`"Idiot's Delight"`, `idiots-delight`. What is stored is the name in Dealmill, and files and their lines have that name,
too; descriptions and pages show the other one before it. If you have a rules file `lucas.toml` or a package with a game
of this name, it means yours.

```console
$ dealmill run deal:putt-putt:seed=1:1-20
…
$ dealmill deal Lucas --rule stock.size=61 --count 1
…
```

"""
UNDECIDED = """
Some can be written as variants, but the search leaves most of their deals undecided with the default limit:

"""
MISSING = """
A game with other rules can be [a file of yours](patience.md#a-game-of-your-own), or
[a package with code](add-a-game.md).

## What cannot be written

These need rules that no key has. Where a game differs in one rule, the nearest variant is named.

"""


def page() -> str:
    """Return the text of the page; `make docs` writes it."""
    here, missing = known_games()
    heads = ["your game", "in Dealmill", "what to know"]
    decided = table(heads, [_row(game) for game in here if not game.undecided])
    undecided = table(heads, [_row(game) for game in here if game.undecided])
    others = table(["your game", "what is missing", "the nearest"], [_missing_row(game) for game in missing])
    return f"{INTRODUCTION}{decided}\n{UNDECIDED}{undecided}\n{MISSING}{others}\n"


def _row(game: KnownGame) -> list[str]:
    return [", ".join(game.names), _names(game.games), game.note]


def _missing_row(game: MissingGame) -> list[str]:
    return [", ".join(game.names), game.needs, _names(game.nearest)]


def _names(games: Iterable[str]) -> str:
    return " ".join(f"`{name}`" for name in games)
