"""Ranges of numbered deals: ``deal:camelot:seed=1:1-100000``, with parameters where a game has some; without an end
they are ``deal:camelot:seed=1:1-``."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from hashlib import sha256
from itertools import chain
from typing import TYPE_CHECKING, Any

from dealmill.pipeline.arguments import MOST, MOST_DEAL, MOST_SEED, whole
from dealmill.pipeline.errors import DamagedError, UsageError, VersionError
from dealmill.pipeline.games import find_game
from dealmill.pipeline.games.contract import Game, Layout

if TYPE_CHECKING:
    from dealmill.pipeline.games.batch import Texts

PREFIX = "deal:"
DEALT_AT_ONCE = 10_000


@dataclass(frozen=True)
class DealRange:
    """The deals number `first` … `last` (from 1 to 2⁶³ − 2) of a seed; `last` is 2⁶³ − 1 if they have no end."""

    game: Game
    seed: int
    first: int
    last: int
    parameters: Mapping[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """See that the range and its parameters exist.

        Raises
        ------
        UsageError
        """
        whole("a seed", self.seed, 0, MOST_SEED)
        whole("the number of the first deal", self.first, 1, MOST_DEAL)
        whole("the number of the last deal", self.last, 1)
        if self.first > self.last:
            raise UsageError(f"{self.first}-{self.last} is not a range of deals: its first number is above its last")
        for name, value in self.parameters.items():
            if (known := self.game.deals.parameters.get(name)) is None:
                offered = ", ".join(self.game.deals.parameters) or "none"
                raise UsageError(f"deals of {self.game.name} have no parameter {name!r}; there is: {offered}")
            whole(f"{name} ({known.meaning})", value, known.least, known.most)

    def __repr__(self) -> str:
        return f"<DealRange {self.name}>"

    @property
    def endless(self) -> bool:
        """Whether it has no end but that of the numbers."""
        return self.last == MOST

    @property
    def name(self) -> str:
        """The range as it is written; parameters that have their default value are left out."""
        end = "" if self.endless else self.last
        parameters = "".join(f"{name}={value}:" for name, value in self._told().items())
        return f"{PREFIX}{self.game.name}:seed={self.seed}:{parameters}{self.first}-{end}"

    @property
    def numbers(self) -> dict[str, object]:
        """Seed, parameters, first and last deal, as they are stored; the last is None if there is no end."""
        last = None if self.endless else int(self.last)
        return {"seed": int(self.seed), "parameters": self._told(), "first": int(self.first), "last": last}

    def _told(self) -> dict[str, int]:
        """The parameters that do not have their default value, by name."""
        offered = self.game.deals.parameters
        return {name: int(value) for name, value in sorted(self.parameters.items()) if value != offered[name].default}

    @classmethod
    def of(cls, game: Game, numbers: Mapping[str, Any]) -> "DealRange":
        """The range with these `numbers` as they were stored.

        Raises
        ------
        DamagedError
            If there are no such deals, since what was stored is damaged.
        """
        try:
            last = MOST if numbers["last"] is None else numbers["last"]
            return cls(game, numbers["seed"], numbers["first"], last, numbers["parameters"])
        except (AttributeError, KeyError, TypeError, UsageError) as error:
            raise DamagedError(f"there are no deals {numbers!r} of {game.name}: the store is damaged") from error

    @property
    def digest(self) -> bytes:
        """SHA-256 of generator and range."""
        return sha256(f"{self.game.generator}\n{self.name}".encode()).digest()

    def __len__(self) -> int:
        return min(self.last, MOST_DEAL) - self.first + 1

    def __iter__(self) -> Iterator[Layout]:
        """The layouts, dealt block by block; a layout's line is the number of its deal."""
        return chain.from_iterable(self.blocks())

    def blocks(self) -> Iterator[list[Layout]]:
        """The same, a block at a time."""
        from dealmill.pipeline.games.batch import unpack  # slow to load, and most commands do not deal

        for block in self.parts():
            yield [Layout(line, text) for line, text in enumerate(unpack(block.texts()), start=block.first)]

    def parts(self) -> "Iterator[DealRange]":
        """Ranges of deals that make up this one, each short enough to be dealt at once."""
        for first in range(1, len(self) + 1, DEALT_AT_ONCE):
            yield self.part(first, min(first + DEALT_AT_ONCE, len(self) + 1))

    def part(self, first: int, stop: int) -> "DealRange":
        """The deals at the positions `first` to before `stop` of this range, counted from 1."""
        return replace(self, first=self.first + first - 1, last=self.first + stop - 2)

    def texts(self) -> "Texts":
        """Canonical texts of all of them, read-only as those of files are: kernels are compiled for one of the two."""
        dealt = self.game.deal.deal(self.seed, self.first, len(self), **self.parameters)
        dealt.text.setflags(write=False)
        return dealt

    def check_parameters(self) -> None:
        """Try whether there are such deals.

        Raises
        ------
        UsageError
            If the parameters do not go together.
        """
        if self.parameters:
            self.part(1, 2).texts()


def check_generator(name: str, game: str, generator: str | None) -> None:
    """See that the deals of a source are dealt here as they were.

    Raises
    ------
    VersionError
    """
    if (installed := find_game(game).generator) != generator:
        raise VersionError(
            f"{name} was dealt by {generator}, but {installed} is installed: only the Dealmill that has the other one "
            "can deal it again"
        )


def is_deal_range(text: str) -> bool:
    """Whether a source names numbered deals and not a file."""
    return text.startswith(PREFIX)


def parse_deal_range(text: str) -> DealRange:
    """Read ``deal:GAME:seed=S:[NAME=VALUE:]FIRST-LAST``; ``FIRST`` alone is one deal, ``FIRST-`` has no end.

    Raises
    ------
    UsageError
        With what is wrong and how a range is written.
    NotFoundError
        If there is no such game.
    """
    usage = f"{text!r} is no range of deals; write deal:GAME:seed=S:FIRST-LAST, for example deal:camelot:seed=1:1-1000"
    game, *options, numbers = text.removeprefix(PREFIX).split(":") if text.count(":") > 1 else ("", "")
    span = re.fullmatch(r"(\d{1,20})(-)?(\d{1,20})?", numbers, re.ASCII)
    named = [re.fullmatch(r"([a-z]+)=(\d{1,20})", option, re.ASCII) for option in options]
    if span is None or None in named or (span[3] and not span[2]):
        raise UsageError(usage)
    parameters = {match[1]: int(match[2]) for match in named if match}
    if "seed" not in parameters or len(parameters) < len(options):
        raise UsageError(usage)
    seed = parameters.pop("seed")
    first = int(span[1])
    last = whole("the number of the last deal", int(span[3]), 1, MOST_DEAL) if span[3] else MOST if span[2] else first
    return DealRange(find_game(game), seed, first, last, parameters)
