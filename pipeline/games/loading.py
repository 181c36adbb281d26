"""Loading of offered games. A game that cannot be loaded is described by a `BrokenGame` and affects no other one."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from traceback import format_exception
from typing import TYPE_CHECKING

from dealmill.pipeline.games.offers import EXCLUDED, NAME, Offer, all_offers

if TYPE_CHECKING:
    from dealmill.pipeline.games.contract import Game

MODULES = ("layout", "deal", "engine", "rules", "picture")
"""The modules that every game has; without ``engine``, all of its engines are programs."""


@dataclass(frozen=True, slots=True)
class BrokenGame:
    """An offered game that cannot be used.

    `package` is the name and version of the distribution, and `entry_point` the line ``NAME = PACKAGE:GAME`` that
    offers the game. `error` is one line; `traceback` is empty unless an exception was raised.
    """

    name: str
    package: str
    entry_point: str
    error: str
    traceback: str = ""

    @property
    def excluded(self) -> bool:
        """Whether the setting ``DEALMILL_PLUGINS`` excludes the distribution."""
        return self.error == EXCLUDED

    def __str__(self) -> str:
        hint = f"; show the traceback with: dealmill check-game {self.name}" if self.traceback else ""
        return f"{self.package} offers the game {self.entry_point}, which cannot be used: {self.error}{hint}"


def offered_games() -> "list[Game | BrokenGame]":
    """Load all offered games and return them in the order of their names."""
    return list(map(load, all_offers()))


def games_named(name: str) -> "list[Game | BrokenGame]":
    """Load and return the games of one name."""
    return [load(offer) for offer in all_offers() if offer.name == name]


@cache
def load(offer: Offer) -> "Game | BrokenGame":
    """Import an offered game and check its definition."""
    from dealmill.pipeline.games.contract import Game  # slow to import, and not needed for the names of verdicts

    if offer.refusal:
        return _broken(offer, offer.refusal)
    try:
        game = offer.entry.load()
        if not isinstance(game, Game):
            return _broken(offer, f"{offer.entry.value} is a {type(game).__name__}, not a Game")
        error = next(_faults(game, offer.name), None)
    except (Exception, SystemExit) as raised:  # noqa: BLE001 -- a package from outside may raise anything
        return _broken(offer, f"{type(raised).__name__}: {raised}", "".join(format_exception(raised)))
    return game if error is None else _broken(offer, error)


def _broken(offer: Offer, error: str, traceback: str = "") -> BrokenGame:
    line = f"{offer.entry.name} = {offer.entry.value}"
    return BrokenGame(offer.name, offer.package, line, " ".join(error.split()), traceback)


def _faults(game: "Game", name: str) -> Iterator[str]:
    """Yield what is wrong with the definition of a game, as far as that can be told without importing its modules."""
    if game.name != name:
        yield f"its Game has the name {game.name!r}, and its entry point {name!r}: use the same name"
    yield from _wrong_types(game)
    for module in MODULES:
        needed = module != "engine" or game.engines
        if needed and find_spec(f"{game.package}.{module}") is None:
            yield f"there is no module {game.package}.{module}"
    names = [engine.name for engine in game.engines]
    if not names and not (game.folder / "engines").is_dir():
        yield "it has no engine"
    for engine in names:
        if not NAME.fullmatch(engine) or names.count(engine) > 1:
            yield f"the name of the engine {engine!r} is not valid, or occurs twice"


def _wrong_types(game: "Game") -> Iterator[str]:
    from dealmill.pipeline.games.contract import AnswerFormat, Deals, Engine, Parameter

    expected: list[tuple[str, object, type]] = [
        ("package", game.package, str),
        ("title", game.title, str),
        ("engines", game.engines, tuple),
        ("deals", game.deals, Deals),
        ("answer", game.answer, AnswerFormat),
    ]
    expected += [("an engine", engine, Engine) for engine in game.engines]
    for engine in game.engines:
        expected += [
            (f"{field} of an engine", getattr(engine, field, None), str)
            for field in ("name", "version", "summary", "evidence")
        ]
    expected += [("version of deals", game.deals.version, str)]
    expected += [(f"parameter {name} of deals", found, Parameter) for name, found in game.deals.parameters.items()]
    for what, value, wanted in expected:
        if not isinstance(value, wanted):
            yield f"{what} is of type {type(value).__name__}, expected {wanted.__name__}"
