"""Ranges of numbered deals, such as ``deal:camelot:seed=1:1-100000``.

A range can set the parameters of its game (``deal:hi-q:seed=1:pegs=20:1-1000``) and can be without an end
(``deal:camelot:seed=1:1-``).
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import sha256
from itertools import chain, takewhile
from typing import TYPE_CHECKING, Any

from dealmill.pipeline.arguments import MAX_INTEGER, MOST_SEED, check_integer
from dealmill.pipeline.errors import DamagedError, UsageError, VersionError
from dealmill.pipeline.games import find_game
from dealmill.pipeline.games.contract import Game, Layout
from dealmill.pipeline.games.installed import variant_name as variant_name  # noqa: PLC0414 -- for commands

if TYPE_CHECKING:
    from dealmill.pipeline.games.batch import Texts

PREFIX = "deal:"
PARAMETER = re.compile(r"([a-z]+)=(\d{1,20})", re.ASCII)
"""The seed, or a parameter of the deals."""
DEALT_AT_ONCE = 10_000


@dataclass(frozen=True)
class DealRange:
    """The deals `first` to `last` of a seed, both included; `last` is 2⁶³ − 1 for a range without an end.

    Deals are numbered from 1 to 2⁶³ − 2. `parameters` holds integers by name.
    """

    game: Game
    seed: int
    first: int
    last: int
    parameters: Mapping[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Check the seed, the bounds and the parameters.

        Raises
        ------
        UsageError
            If one of them is out of range, or the game has no such parameter.
        """
        check_integer("the seed", self.seed, 0, MOST_SEED)
        greatest = self.game.last_deal(self.seed)
        check_integer("the number of the first deal", self.first, 1, greatest)
        check_integer("the number of the last deal", self.last, 1, self.last if self.endless else greatest)
        if self.first > self.last:
            raise UsageError(f"{self.first}-{self.last} is not a range of deals: the first number exceeds the last")
        for name, value in self.parameters.items():
            if (known := self.game.deals.parameters.get(name)) is None:
                offered = ", ".join(self.game.deals.parameters) or "none"
                raise UsageError(f"deals of {self.game.name} have no parameter {name!r}; available: {offered}")
            check_integer(f"{name} ({known.meaning})", value, known.least, known.most)

    def __repr__(self) -> str:
        return f"<DealRange {self.name}>"

    @property
    def endless(self) -> bool:
        """Whether the range has no end."""
        return self.last == MAX_INTEGER

    @property
    def name(self) -> str:
        """The range as text, as `parse_deal_range` reads it, without the parameters that have their default value."""
        end = "" if self.endless else self.last
        parameters = "".join(f"{name}={value}:" for name, value in self._changed_parameters().items())
        return f"{PREFIX}{self.game.name}:seed={self.seed}:{parameters}{self.first}-{end}"

    @property
    def numbers(self) -> dict[str, object]:
        """The seed, parameters, first and last deal, as stored; the last is None if the range has no end."""
        last = None if self.endless else int(self.last)
        return {
            "seed": int(self.seed),
            "parameters": self._changed_parameters(),
            "first": int(self.first),
            "last": last,
        }

    def _changed_parameters(self) -> dict[str, int]:
        """Return the parameters that differ from their default value, by name."""
        offered = self.game.deals.parameters
        return {name: int(value) for name, value in sorted(self.parameters.items()) if value != offered[name].default}

    @classmethod
    def of(cls, game: Game, numbers: Mapping[str, Any]) -> "DealRange":
        """Return the range with these stored `numbers`.

        Raises
        ------
        DamagedError
            If they do not describe a range, because the store is damaged.
        """
        try:
            last = MAX_INTEGER if numbers["last"] is None else numbers["last"]
            return cls(game, numbers["seed"], numbers["first"], last, numbers["parameters"])
        except (AttributeError, KeyError, TypeError, UsageError) as error:
            raise DamagedError(
                f"{numbers!r} is not a range of deals of {game.name}: the store is damaged, restore it from a backup"
            ) from error

    @property
    def digest(self) -> bytes:
        """The SHA-256 of the generator's name, a newline, and the name of the range."""
        return sha256(f"{self.game.generator}\n{self.name}".encode()).digest()

    def __len__(self) -> int:
        return (self.game.last_deal(self.seed) if self.endless else self.last) - self.first + 1

    def __iter__(self) -> Iterator[Layout]:
        """Yield the layouts, dealt in blocks; the line of a layout is the number of its deal."""
        return chain.from_iterable(self.blocks())

    def blocks(self) -> Iterator[list[Layout]]:
        """Yield lists of up to `DEALT_AT_ONCE` layouts."""
        from dealmill.pipeline.games.batch import unpack  # slow to import, and most commands deal nothing

        for block in self.parts():
            yield [Layout(line, text) for line, text in enumerate(unpack(block.texts()), start=block.first)]

    def parts(self) -> "Iterator[DealRange]":
        """Yield the consecutive ranges of up to `DEALT_AT_ONCE` deals that make up this one."""
        for first in range(1, len(self) + 1, DEALT_AT_ONCE):
            yield self.part(first, min(first + DEALT_AT_ONCE, len(self) + 1))

    def part(self, first: int, stop: int) -> "DealRange":
        """Return the deals at positions `[first, stop)` of this range, counted from 1."""
        return replace(self, first=self.first + first - 1, last=self.first + stop - 2)

    def texts(self) -> "Texts":
        """Return the canonical texts of all deals, in a read-only array.

        Texts from files are read-only too, and numba compiles a kernel separately for writable arrays.
        """
        dealt = self.game.deal(self.seed, self.first, len(self), **self.parameters)
        dealt.text.setflags(write=False)
        return dealt

    def check_deals(self) -> None:
        """Check that these deals may be asked for and, by dealing one layout, that the parameters can be combined and
        the game has so many deals.

        Raises
        ------
        UsageError
            If not.
        """
        self.game.check_deals(self.seed)
        if self.parameters or self.game.deals.limited:
            number = 1 if self.endless else len(self)
            self.part(number, number + 1).texts()


def is_endless(numbers: Mapping[str, object] | None) -> bool:
    """Return whether stored `numbers` of deals (see `DealRange.numbers`) are those of a range without an end. None
    means that there are no deals."""
    return numbers is not None and numbers.get("last") is None


def check_generator(name: str, game: Game, generator: str | None) -> None:
    """Check that the installed generator of a game is the one that dealt a source.

    Raises
    ------
    VersionError
        If another version is installed.
    """
    if (installed := game.generator) != generator:
        raise VersionError(
            f"{name} was dealt by {generator}, but {installed} is installed: to deal it again, install the version of "
            "Dealmill that dealt it"
        )


def is_deal_range(text: str) -> bool:
    """Return whether a source is a range of deals, not a file."""
    return text.startswith(PREFIX)


def parse_deal_range(text: str) -> DealRange:
    """Parse ``deal:GAME:seed=S:[NAME=VALUE:]FIRST-LAST``; ``FIRST`` alone is one deal, ``FIRST-`` has no end.

    The game may have changed rules: ``deal:klondike:stock.draw=1:seed=0:1-1000``.

    Raises
    ------
    UsageError
        If the text is not a range, or a number is out of range.
    NotFoundError
        If there is no such game.
    """
    usage = (
        f"{text!r} is not a range of deals; write deal:GAME:seed=S:FIRST-LAST, with parameters after the seed, as in "
        "deal:hi-q:seed=1:pegs=20:1-1000"
    )
    game, *options, numbers = text.removeprefix(PREFIX).split(":") if text.count(":") > 1 else ("", "")
    rules = list(takewhile(lambda option: not PARAMETER.fullmatch(option), options))
    game, options = ":".join([game, *rules]), options[len(rules) :]
    span = re.fullmatch(r"(\d{1,20})(-)?(\d{1,20})?", numbers, re.ASCII)
    named = [PARAMETER.fullmatch(option) for option in options]
    if span is None or None in named or (span[3] and not span[2]):
        raise UsageError(usage)
    parameters = {match[1]: int(match[2]) for match in named if match}
    if "seed" not in parameters or len(parameters) < len(options):
        raise UsageError(usage)
    seed = parameters.pop("seed")
    first, owner = int(span[1]), find_game(game)
    last = (
        check_integer("the number of the last deal", int(span[3]), 1, owner.last_deal(seed))
        if span[3]
        else MAX_INTEGER
        if span[2]
        else first
    )
    return DealRange(owner, seed, first, last, parameters)


def with_rules(text: str, rules: Sequence[str]) -> str:
    """Return the name of a range of deals by a game with changed rules, each ``KEY=VALUE``."""
    deals = parse_deal_range(text)
    return replace(deals, game=find_game(variant_name(deals.game.name, rules))).name


def sources_with_rules(
    sources: Sequence[str], game: str | None, rules: Sequence[str]
) -> tuple[tuple[str, ...], str | None]:
    """Return ranges of deals, files and the game of these by changed rules, each ``KEY=VALUE``.

    Raises
    ------
    UsageError
        If there are files, and their game is not named, or the rules of a range cannot be changed like this.
    NotFoundError
        If there is no such game.
    """
    for source in sources:
        if not is_deal_range(source) and game is None:
            raise UsageError(f"--rule changes the rules of numbered deals and of --game: name the game of {source}")
    changed = tuple(with_rules(source, rules) if is_deal_range(source) else source for source in sources)
    return changed, None if game is None else variant_name(game, rules)


def parse_deals(text: str) -> DealRange:
    """Parse ``deal:GAME:seed=S[:NAME=VALUE]``, all deals of a seed, or a range of them.

    Raises
    ------
    UsageError
        If the text names no deals, or a number is out of range.
    NotFoundError
        If there is no such game.
    """
    deals = parse_deal_range(text if re.search(r":[\d-]+$", text, re.ASCII) else f"{text}:1-")
    deals.check_deals()
    return deals


def parse_deal(text: str) -> DealRange:
    """Parse the name of a single numbered deal: ``deal:GAME:seed=S:[NAME=VALUE:]NUMBER``.

    Raises
    ------
    UsageError
        If the text names no deal or several, or a number is out of range.
    NotFoundError
        If there is no such game.
    """
    deals = parse_deal_range(text)
    if len(deals) != 1:
        raise UsageError(f"{text} is a range of deals: name a single one, such as deal:{deals.game.name}:seed=1:17")
    deals.check_deals()
    return deals
