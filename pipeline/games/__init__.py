"""The games that installed distributions offer, Dealmill's own among them; `contract` defines what a game must provide.

`installed` finds them, and loads each when it is first needed.
"""

from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from dealmill.pipeline.errors import NotFoundError, UsageError, VersionError
from dealmill.pipeline.programs.declared import reasons, with_programs

if TYPE_CHECKING:
    from collections.abc import Iterable

    from dealmill.pipeline.games.contract import Game
    from dealmill.pipeline.games.descriptions import Engine, RulesText
    from dealmill.pipeline.games.installed import BrokenGame


class RecordedEngine(NamedTuple):
    """An engine (its full name) of the game on record, whose rules are these, whatever its rules file has now; or which
    has no rules, and so is none of a family."""

    name: str
    rules: "RulesText | None"

    def __str__(self) -> str:
        return self.name


EngineKey: TypeAlias = str | RecordedEngine
"""The full name of an engine: of an installed game, or of the game on record."""


class EarlierGameError(NotFoundError):
    """The game of this name on record is not the installed one: it had no rules, so it was not of a family."""

    def __init__(self, name: str) -> None:
        """Say which release judges its results."""
        super().__init__(
            f"{name} is a game by a rules file here, but it was recorded as a game of another package, without rules; "
            "judge and draw it with Dealmill 0.1.0 and that package, which is dealmill-freecell 0.1.0 for FreeCell"
        )


def games(only: str | None = None) -> "dict[str, Game]":
    """Return all games that can be used by name, in the order of their names, with the engines that are programs; or
    `only` the game of that name.

    Raises
    ------
    NotFoundError
        If there is no such game, or it cannot be used.
    """
    if only is not None:
        return {only: find_game(only)}
    from dealmill.pipeline.games.installed import BrokenGame, offered_games  # slow to import; help texts need no games

    return {game.name: with_programs(game) for game in offered_games() if not isinstance(game, BrokenGame)}


def games_of(names: "Iterable[str]") -> "list[Game]":
    """Return the games that can be used of those with these names, or of engines with these full names, with the
    engines that are programs. No others are loaded."""
    from dealmill.pipeline.games.installed import BrokenGame, all_offers, load

    owners = {name.partition("/")[0] for name in names}
    loaded = [load(offer) for offer in all_offers() if offer.name in owners]
    return [with_programs(game) for game in loaded if not isinstance(game, BrokenGame)]


def broken_games() -> "list[BrokenGame]":
    """Return the games that installed packages offer, but that cannot be used, with the reasons.

    Games that the setting ``DEALMILL_PLUGINS`` excludes are not among them.
    """
    from dealmill.pipeline.games.installed import BrokenGame, offered_games

    return [game for game in offered_games() if isinstance(game, BrokenGame) and not game.excluded]


def find_game(name: str) -> "Game":
    """Return the game of that name, which may be a variant by changed rules such as ``klondike:stock.draw=1``.

    Raises
    ------
    NotFoundError
        If there is no such game, or it cannot be used.
    UsageError
        If the rules cannot be changed like this, or the name is a range of numbered deals.
    """
    from dealmill.pipeline.games.installed import (
        BrokenGame,
        check_not_deals,
        games_named,
        known_as,
        load_variant,
        warn_of_unused_rules,
    )

    check_not_deals(str(name))
    known = known_as(str(name))
    base, colon, _ = known.partition(":")
    candidates = games_named(base)
    for game in candidates:
        if not isinstance(game, BrokenGame):
            warn_of_unused_rules(str(name).partition(":")[0])
            if not colon:
                return with_programs(game)
            if game.rules_text is None:
                raise UsageError(f"{name}: {base} has no rules that can be changed by key")
            return with_programs(load_variant(known, game.rules_text))
    for broken in candidates:
        raise NotFoundError(str(broken))
    raise NotFoundError(f"there is no game {repr(name)[:200]}{_hint(base)}; dealmill games lists all")


def _hint(name: str) -> str:
    """Return what to say of a name that no game has: why it is missing, or which names are similar."""
    from difflib import get_close_matches  # slow to import

    from dealmill.pipeline.games.names import games_by_name, known_games, missing_games, word_of

    if missing := missing_games().get(word_of(name)):
        nearest = f"; near it: {', '.join(missing.nearest)}" if missing.nearest else ""
        return f": it needs rules that no key has ({missing.needs}){nearest}"
    for known in known_games()[0]:
        if len(known.games) > 1 and word_of(name) in map(word_of, known.names):
            return f": people mean {' or '.join(known.games)}"
    similar = get_close_matches(word_of(name), games()) or get_close_matches(word_of(name), games_by_name())
    return f" (did you mean {' or '.join(similar)}?)" if similar else ""


def game_by(name: str, rules: "RulesText | None") -> "Game":
    """Return the game of that name with rules on record; if there are none, the installed game.

    Raises
    ------
    NotFoundError
        If there is no such game, or its family is not installed.
    EarlierGameError
        If there are no rules on record, but the installed game has some.
    DamagedError
        If the recorded rules are not valid.
    """
    if rules is None:
        game = find_game(name)
        if game.name != name:
            raise NotFoundError(f"there is no game {name!r}: the name means {game.name}, which has rules")
        if game.rules_text:
            raise EarlierGameError(name)
        return game
    from dealmill.pipeline.games.installed import load_rules

    return with_programs(load_rules(name, rules))


def engine_of(game: str, engine: str | None = None) -> "tuple[Game, Engine]":
    """Return an engine of a game by name, or the default engine; `game` may also be the full name of an engine.

    Raises
    ------
    UsageError
        If the engine belongs to another game.
    """
    within, default = find_engine(game)
    if engine is None:
        return within, default
    owner, definition = find_engine(engine, within)
    if owner is not within:
        raise UsageError(f"{engine} is not an engine of {within.name}")
    return owner, definition


def find_engine(name: EngineKey, within: "Game | None" = None) -> "tuple[Game, Engine]":
    """Return the engine of a full name such as ``memory/two-pass``; a game's name alone means its default engine.

    If `within` is given, the name of an engine of that game is enough.

    Raises
    ------
    NotFoundError
        If there is no such game or engine.
    """
    if isinstance(name, RecordedEngine):
        name, rules = name
        within = game_by(name.partition("/")[0], rules)
    else:
        from dealmill.pipeline.games.installed import engine_known_as

        name = engine_known_as(name)
    if within and "/" not in name and name != within.name:
        name = f"{within.name}/{name}"
    game_name, slash, engine_name = name.partition("/")
    game = within if within and within.name == game_name else find_game(game_name)
    if not game.engines:
        raise NotFoundError(f"{game.name} has no engine that can be used{reasons(game.name)}")
    if not slash:
        return game, game.engines[0]
    for engine in game.engines:
        if engine.name == engine_name:
            return game, engine
    offered = ", ".join(map(game.full_name, game.engines))
    raise NotFoundError(f"there is no engine {name!r}; {game.name} has: {offered}{reasons(game.name)}")


def engine_of_run(run: int, name: EngineKey) -> "tuple[Game, Engine]":
    """Return the engine of a run of the store, which may be of another installation.

    Raises
    ------
    VersionError
        If it is not installed here.
    """
    try:
        return find_engine(name)
    except EarlierGameError as error:
        raise VersionError(f"run {run}: {error}") from error
    except NotFoundError as error:
        raise VersionError(
            f"run {run} is by {name}, which is not installed here: {error}; install the package of its game, name "
            "the folder of its rules file in DEALMILL_RULES or, if it is a program, its manifest in DEALMILL_ENGINES"
        ) from error
