"""The games that installed distributions offer, by entry points in two groups.

An entry point ``NAME = PACKAGE:GAME`` in ``dealmill.games`` offers the game NAME, and ``NAME = PACKAGE:GAMES`` in
``dealmill.families`` all games of a list, or those of a `Family`: its rules files, and those in the folder that the
setting ``DEALMILL_RULES`` names. Dealmill's own games are offered in the same way. A game that cannot be loaded is
described by a `BrokenGame` and affects no other one.
"""

import re
import warnings
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cache, lru_cache
from importlib.metadata import Distribution, EntryPoint, PackageNotFoundError, entry_points
from itertools import chain, groupby
from pathlib import Path
from tomllib import loads
from traceback import format_exception
from typing import TYPE_CHECKING, NamedTuple

from dealmill.pipeline.errors import DamagedError, NotFoundError, UnknownSettingWarning, UsageError
from dealmill.pipeline.games.names import games_by_name, word_of
from dealmill.pipeline.printable import printable
from dealmill.pipeline.programs.declared import may_be_set

if TYPE_CHECKING:
    from dealmill.pipeline.games.contract import Family, Game
    from dealmill.pipeline.games.descriptions import RulesText

GROUP = "dealmill.games"
FAMILIES = "dealmill.families"
OWN = "dealmill"
"""The name of Dealmill's own distribution."""
NAME = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*", re.ASCII)
CHANGED_RULE = re.compile(r"[a-z]+([.-][a-z]+)*=[A-Za-z0-9,-]+", re.ASCII)
VARIANT = re.compile(rf"({NAME.pattern})((:{CHANGED_RULE.pattern})+)", re.ASCII)
"""The name of a game with changed rules, such as ``klondike:stock.draw=1``."""
UNKNOWN = "unknown"
LONGEST_NAME, LONGEST_VARIANT = 40, 200
LONGEST_ENGINE = LONGEST_VARIANT + len("/") + LONGEST_NAME
BAD_NAME = f"its name is not valid: use up to {LONGEST_NAME} lower-case letters, digits and single hyphens"
BAD_VARIANT = (
    f"changed rules are written KEY=VALUE with a colon before each, in up to {LONGEST_VARIANT} characters: "
    "klondike:stock.draw=1"
)
EXCLUDED = "DEALMILL_PLUGINS does not name this package"
RULES = "DEALMILL_RULES"
"""The setting that names the folder of a user's rules files."""
SIMILAR = 0.8
"""How similar a misspelt name is to the right one, of 1, at least."""
MAX_RULES = 65_536
"""The characters of the longest text of rules."""


class Offer(NamedTuple):
    """A game that a distribution offers; `refusal` says why it is not used, or is None.

    `path` is the rules file of a game of a family. The `distribution` of a user's file is `RULES`.
    """

    name: str
    distribution: str
    version: str
    entry: EntryPoint
    refusal: str | None = None
    path: Path | None = None

    @property
    def package(self) -> str:
        """The name and version of the distribution."""
        return f"{self.distribution} {self.version}".strip()

    @property
    def origin(self) -> str:
        """The rules file, or the object in a package."""
        return self.entry.value if self.path is None else printable(str(self.path))


@cache
def all_offers() -> tuple[Offer, ...]:
    """Return all offered games by name, each with a refusal if it is not used."""
    members = chain.from_iterable(map(_members, _entries_used()))
    offers = sorted(members, key=lambda offer: (offer.name, offer.distribution))
    names = groupby(offers, lambda offer: offer.name)
    return tuple(offer for _, of_name in names for offer in _without_clashes(list(of_name)))


def normalized(distribution: str) -> str:
    """Return the normalized form of a distribution's name: ``Dealmill_Nim`` is ``dealmill-nim``."""
    return re.sub(r"[-_.]+", "-", distribution).strip().lower()


def _entries_used() -> Sequence[Offer]:
    """Return the entry points, those refused that ``DEALMILL_PLUGINS`` excludes."""
    offers: Sequence[Offer] = _entries()
    if any(offer.distribution != OWN for offer in offers):
        from dealmill.pipeline.system.settings import settings  # slow to import, and often not needed

        offers = _without_excluded(offers, settings().plugins)
    return offers


def _members(offer: Offer) -> Iterator[Offer]:
    """Yield an offer for each game of a family; the offer itself if it is a single game, or the family cannot be
    loaded."""
    if offer.refusal or offer.entry.group != FAMILIES:
        yield offer
        return
    try:
        if family := families().get(offer.entry.name):
            members = [offer._replace(name=path.stem, path=path) for path in sorted(family.folder.glob("*.toml"))]
        else:
            members = [offer._replace(name=game.name) for game in offer.entry.load()]
    except (Exception, SystemExit):  # noqa: BLE001 -- a package from outside may raise anything; `load` reports it
        yield offer
        return
    if family:
        users = [path for path in _users_files() if _table_of(path) == family.table]
        members += [Offer(path.stem, RULES, "", offer.entry, path=path) for path in users]
    for member in members:
        yield member._replace(refusal=_refusal(member.name) or _alias(member.name))


def _alias(name: str) -> str | None:
    """Return why no game can have this name, which is another name of a game; None if it is not."""
    known = _without_alias(name)
    return None if known == name else f"it is another name of {known}: rename the file"


def _without_alias(name: str) -> str:
    """Return the name of the game of which this is an alias in its family; if it is none, the name itself."""
    return next((family.aliases[name] for family in families().values() if name in family.aliases), name)


def known_as(name: str) -> str:
    """Return the name of the game, or of its variant, that people mean. They may begin with an alias in a family, or
    with a name by which they know a game, unless an installed game has it; and type capitals, blanks and apostrophes:
    ``Baker's Dozen``."""
    typed, *changes = name.split(":")
    installed = {offer.name for offer in all_offers()}
    word = word_of(typed) if typed.isprintable() and "/" not in typed else typed
    for base in map(_without_alias, (typed, word)):
        if base in installed:
            return ":".join([base, *changes])
        if meaning := games_by_name().get(base):
            return _changed(meaning, base, changes)
    return name


def _changed(meaning: str, word: str, changes: Sequence[str]) -> str:
    """Return the name of a game or variant, which a word means, with rules that are changed further."""
    variant_name(":".join([word, *changes]), ())  # checks these rules
    game, *rules = meaning.split(":")
    by_key = {rule.partition("=")[0]: rule for rule in (*rules, *changes)}
    return ":".join([game, *(rule for _, rule in sorted(by_key.items()))])


def other_names() -> Mapping[str, str]:
    """Return the games and variants that names mean which no installed game has, by these names."""
    installed = {offer.name for offer in all_offers()}
    return {name: game for name, game in games_by_name().items() if name not in installed}


def engine_known_as(name: str) -> str:
    """Return the full name of an engine whose game is named as in `known_as`."""
    game, slash, engine = name.partition("/")
    return known_as(game) + slash + engine


@cache
def families() -> "Mapping[str, Family]":
    """Return the families whose games are rules files, by name."""
    from dealmill.pipeline.games.contract import Family

    by_name = {}
    for offer in _entries_used():
        if offer.entry.group == FAMILIES and not offer.refusal:
            with suppress(Exception, SystemExit):  # a package from outside may raise anything; `load` reports it
                if isinstance(family := offer.entry.load(), Family) and family.name == offer.name:
                    by_name[family.name] = family
    return by_name


def _users_files() -> list[Path]:
    """Return the rules files in the folder that the setting names.

    Raises
    ------
    UsageError
        If there is no such folder, or it cannot be read.
    """
    if not may_be_set(RULES):
        return []
    from dealmill.pipeline.system.settings import settings

    if not (name := settings().rules):
        return []
    folder = Path(name).absolute()
    try:
        return sorted(path for path in folder.iterdir() if path.suffix == ".toml")
    except OSError as error:
        raise UsageError(
            f"{RULES} names {printable(str(folder))}, which is not a readable folder of rules files: {error.strerror}"
        ) from error


@cache
def _table_of(path: Path) -> str:
    """Return the table by which a user's rules file belongs to a family, which may be misspelt there: that family says
    so; an empty text if it has none. That of a file that is no rules file at all is reported by the families without a
    table."""
    try:
        tables = loads(_read_rules(path))
    except (UsageError, ValueError, RecursionError):
        return ""
    known = [family.table for family in families().values() if family.table]
    is_misspelt = [table for table in known if get_close_matches(table, tables, 1, SIMILAR)]
    return next(chain((table for table in known if table in tables), is_misspelt), "")


@lru_cache(maxsize=256)
def load_rules(name: str, rules: "RulesText") -> "Game":
    """Return the game `name` with rules on record, which may be anything.

    Raises
    ------
    NotFoundError
        If its family is not installed.
    DamagedError
        If the name or the text is not valid, or the text has another digest.
    """
    if not all(isinstance(value, str) for value in (name, *rules)):
        raise DamagedError(f"the recorded rules {rules.digest!r:.80} of {name!r:.80} are not text")
    family = families().get(rules.family)
    if family is None:
        raise NotFoundError(f"the family {rules.family!r:.80} of its rules is not installed")
    try:
        game = _load_text(family, name, rules.text)
    except UsageError as error:
        wrong = f"the recorded rules {rules.digest!r:.80} of {name!r:.80} are not valid: {printable(str(error))}"
        raise DamagedError(f"{wrong}; restore the database or pack that has them from a backup") from error
    if game.rules_text is None or game.rules_text.digest != rules.digest:
        wrong = f"the recorded rules of {name} do not have the digest {rules.digest!r:.80}"
        raise DamagedError(f"{wrong}; restore the database or pack that has them from a backup")
    return game


@lru_cache(maxsize=256)
def load_variant(name: str, rules: "RulesText") -> "Game":
    """Return the game `name` such as ``klondike:stock.draw=1``, whose other rules are those of a game.

    Raises
    ------
    UsageError
        If the name is not valid, or with all that is wrong with the changed rules.
    """
    if not VARIANT.fullmatch(name) or len(name) > LONGEST_VARIANT:
        raise UsageError(f"{printable(name)}: {BAD_VARIANT}")
    if name != (expected := variant_name(name, ())):
        raise UsageError(f"{name}: write {expected}, with the keys in alphabetical order")
    family, (_, *changes) = families()[rules.family], name.split(":")
    try:
        return _load_text(family, name, family.changed(rules.text, dict(change.split("=") for change in changes)))
    except UsageError as error:
        raise UsageError(f"{name}: {error}") from error


def check_not_deals(name: str) -> None:
    """Check that the name of a game is not a range of numbered deals.

    Raises
    ------
    UsageError
        If it is one.
    """
    prefix, _, rest = name.partition(":")
    if prefix == "deal":
        raise UsageError(f"{name} is a range of deals, not a game; use {rest.partition(':')[0]}")


def variant_name(game: str, rules: Iterable[str]) -> str:
    """Return the name of a game with changed rules, each ``KEY=VALUE``, besides those that its name changes.

    Raises
    ------
    UsageError
        If a rule is not of this form, or two are of the same key.
    """
    check_not_deals(game)
    game, *changes = game.split(":")
    rules = (*changes, *rules)
    if wrong := [rule for rule in rules if not CHANGED_RULE.fullmatch(rule)]:
        raise UsageError(
            f"{printable(wrong[0]) or 'nothing'} is not a changed rule: write KEY=VALUE without blanks or quotes, the "
            "key in small letters, and lists with commas, such as stock.draw=1 or tableau.sizes=7,7,6"
        )
    keys = [rule.partition("=")[0] for rule in rules]
    if twice := [key for key, count in Counter(keys).items() if count > 1]:
        raise UsageError(f"the rule {twice[0]} is changed twice: name it once")
    return ":".join([game, *(rule for _, rule in sorted(zip(keys, rules, strict=True)))])


def _load_text(family: "Family", name: str, text: str) -> "Game":
    if refusal := _refusal(name):
        raise UsageError(refusal)
    if len(text) > MAX_RULES:
        raise UsageError(f"it has more than {MAX_RULES:,} characters, so it is not a file of rules")
    return family.load(name, text)


def _read_rules(path: Path) -> str:
    try:
        if not path.is_file():  # opening a pipe would block
            raise UsageError("it is not a file")
        with path.open(encoding="utf-8-sig") as file:  # editors on Windows begin a file with a byte order mark
            return file.read(MAX_RULES + 1)
    except OSError as error:
        raise UsageError(f"it cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise UsageError("it is not text in UTF-8") from error


def _refusal(name: str) -> str | None:
    if VARIANT.fullmatch(name) and len(name) <= LONGEST_VARIANT:
        return None
    return None if NAME.fullmatch(name) and len(name) <= LONGEST_NAME else BAD_NAME


@cache
def _entries() -> tuple[Offer, ...]:
    """Return the entry points of all installed distributions."""
    offers = []
    known: dict[int, tuple[str, str]] = {}  # reading the name of a distribution parses its metadata each time
    points = entry_points()  # of all groups at once: this reads a file of each installed distribution
    for entry in (*points.select(group=GROUP), *points.select(group=FAMILIES)):
        assert entry.dist is not None  # noqa: S101 -- it is known for all installed distributions
        if id(entry.dist) not in known:
            known[id(entry.dist)] = _name_and_version(entry.dist)
        offers.append(Offer(entry.name, *known[id(entry.dist)], entry, _refusal(entry.name)))
    return tuple(offers)


def _name_and_version(distribution: Distribution) -> tuple[str, str]:
    """Return the normalized name and the version; `UNKNOWN` for what a half-removed distribution has lost."""
    try:
        metadata = distribution.metadata
        return normalized(metadata["Name"] or UNKNOWN), metadata["Version"] or UNKNOWN
    except (OSError, KeyError, PackageNotFoundError):
        return UNKNOWN, UNKNOWN


def _without_excluded(offered: Sequence[Offer], plugins: str | None) -> Sequence[Offer]:
    """Refuse the offers that the setting ``DEALMILL_PLUGINS`` excludes."""
    if plugins is None:
        return offered
    allowed = {OWN, *map(normalized, plugins.split(","))}
    return [offer if offer.distribution in allowed else offer._replace(refusal=EXCLUDED) for offer in offered]


def _without_clashes(offered: Sequence[Offer]) -> Iterator[Offer]:
    """Yield the offers of one name. If there are several, only Dealmill's own game is used, and no user's file."""
    rivals = [offer for offer in offered if not offer.refusal and offer.distribution != RULES]
    packages = " and ".join(offer.package for offer in rivals)
    clash = f"{packages} offer games of this name: uninstall all but one, or name those to load in DEALMILL_PLUGINS"
    for offer in offered:
        if offer.distribution == RULES and rivals and not offer.refusal:
            taken = f"{rivals[0].origin} of {rivals[0].package} has this name: rename the file"
            yield offer._replace(refusal=taken)
        else:
            used = offer.refusal or offer.distribution in (OWN, RULES) or len(rivals) == 1
            yield offer if used else offer._replace(refusal=clash)


@dataclass(frozen=True, slots=True)
class BrokenGame:
    """An offered game that cannot be used.

    `package` is the name and version of the distribution, and `entry_point` the line ``NAME = PACKAGE:GAME`` that
    offers the game; of a rules file, `entry_point` is ``NAME = PATH``, and the `package` of a user's is
    ``DEALMILL_RULES``. `error` is one line; `traceback` is empty unless an exception was raised.
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


def warn_of_unused_rules(name: str) -> None:
    """Warn once if there is a user's rules file of this name, but the name is that of another game
    (`UnknownSettingWarning`)."""
    for offer in all_offers():
        if offer.name == name and offer.distribution == RULES and offer.refusal:
            _warn_of_refused(offer)


@cache
def _warn_of_refused(offer: Offer) -> None:
    warnings.warn(str(load(offer)), UnknownSettingWarning, stacklevel=3)


@cache
def load(offer: Offer) -> "Game | BrokenGame":
    """Import an offered game and check its definition."""
    from dealmill.pipeline.games.contract import Game  # slow to import, and not needed for the names of verdicts

    if offer.refusal:
        return _broken(offer, offer.refusal)
    try:
        game = offer.entry.load()
        if offer.path is not None:
            game = _load_text(game, offer.name, _read_rules(offer.path))
        elif offer.entry.group == FAMILIES:
            game = next(member for member in game if member.name == offer.name)
        if not isinstance(game, Game):
            return _broken(offer, f"{offer.entry.value} is a {type(game).__name__}, not a Game")
        error = next(_faults(game, offer.name), None)
    except (Exception, SystemExit) as raised:  # noqa: BLE001 -- a package from outside may raise anything
        if offer.path is not None and isinstance(raised, UsageError):
            return _broken(offer, str(raised))
        return _broken(offer, f"{type(raised).__name__}: {raised}", "".join(format_exception(raised)))
    return game if error is None else _broken(offer, error)


def _broken(offer: Offer, error: str, traceback: str = "") -> BrokenGame:
    line = f"{offer.name if offer.path else offer.entry.name} = {offer.origin}"
    return BrokenGame(offer.name, offer.package, line, printable(" ".join(error.split())), traceback)


def _faults(game: "Game", name: str) -> Iterator[str]:
    """Yield what is wrong with the definition of a game, as far as that can be told without importing its functions."""
    if game.name != name:
        yield f"its Game has the name {game.name!r}, and its entry point {name!r}: use the same name"
    yield from _wrong_types(game)
    for module in game.missing_modules:
        yield f"its package {game.package} has no module {module!r}"
    names = [engine.name for engine in game.engines]
    if not names and not (game.folder / "engines").is_dir():
        yield "it has no engine"
    for engine in names:
        if not NAME.fullmatch(engine) or names.count(engine) > 1:
            yield f"the name of the engine {engine!r} is not valid, or occurs twice"


def _wrong_types(game: "Game") -> Iterator[str]:
    from dealmill.pipeline.games.descriptions import AnswerFormat, Deals, Engine, Parameter

    expected: list[tuple[str, object, type]] = [
        ("title", game.title, str),
        ("engines", game.engines, tuple),
        ("deals", game.deals, Deals),
        ("answer", game.answer, AnswerFormat),
        ("waivers", game.waivers, dict),
    ]
    expected += [("an engine", engine, Engine) for engine in game.engines]
    for engine in game.engines:
        expected += [
            (f"{field} of an engine", getattr(engine, field, None), str)
            for field in ("name", "version", "summary", "evidence")
        ]
    expected += [("version of deals", game.deals.version, str)]
    expected += [
        (f"parameter {name} of deals", parameter, Parameter) for name, parameter in game.deals.parameters.items()
    ]
    for what, value, kind in expected:
        if not isinstance(value, kind):
            yield f"{what} is of type {type(value).__name__}, expected {kind.__name__}"
