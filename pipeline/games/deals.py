"""Numbered deals, such as ``deal:camelot:seed=1:1-100000``.

They are a range of numbers, or some numbers of it: a list (``deal:camelot:seed=1:1,15,19-25``) or a sample
(``deal:camelot:seed=1:1-100000:sample=500``). They can set the parameters of the game
(``deal:hi-q:seed=1:pegs=20:1-1000``), and a range can be without an end (``deal:camelot:seed=1:1-``).
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import sha256
from itertools import chain, takewhile
from typing import TYPE_CHECKING, Any

from dealmill.pipeline.arguments import MAX_INTEGER, MAX_ITEMS, MAX_SEED, check_integer
from dealmill.pipeline.errors import DamagedError, UsageError, VersionError
from dealmill.pipeline.games import find_game
from dealmill.pipeline.games.contract import Game
from dealmill.pipeline.games.descriptions import Layout
from dealmill.pipeline.games.installed import variant_name as variant_name  # noqa: PLC0414 -- for commands
from dealmill.pipeline.games.sampling import sampled

if TYPE_CHECKING:
    from dealmill.pipeline.games.batch import Numbers, Texts

PREFIX = "deal:"
PARAMETER = re.compile(r"([a-z]+)=(\d{1,20})", re.ASCII)
"""The seed, or a parameter of the deals."""
LISTED = re.compile(r"\d{1,20}(-\d{1,20})?(,\d{1,20}(-\d{1,20})?)*", re.ASCII)
"""A list of numbers and ranges of numbers."""
SAMPLE = re.compile(r":sample=(\d{1,20})(:sample-seed=(\d{1,20}))?$", re.ASCII)
DEALT_AT_ONCE = 10_000
LONGEST_LIST = 2_000
"""The most characters of a list of numbers, which is part of the name of a source."""
SAMPLE_SEED = 1
"""The seed of samples by default."""

Span = tuple[int, int]
"""Consecutive numbers: the first and the last of them."""


@dataclass(frozen=True, slots=True)
class Sample:
    """`count` numbers of a range, drawn by `seed` as `dealmill.pipeline.games.sampling.sampled` does."""

    count: int
    seed: int = SAMPLE_SEED


@dataclass(frozen=True)
class DealRange:
    """The deals `first` to `last` of a seed, both included; `last` is 2⁶³ − 1 for a range without an end.

    Deals are numbered from 1 to 2⁶³ − 2. `parameters` holds integers by name. With `chosen`, these are only some deals
    of that range: those of the spans, which are in ascending order with gaps between them, or a sample. The deals are
    in the order of their numbers.
    """

    game: Game
    seed: int
    first: int
    last: int
    parameters: Mapping[str, int] = field(default_factory=dict)
    chosen: Sample | tuple[Span, ...] | None = None

    def __post_init__(self) -> None:
        """Check the seed, the bounds and the parameters.

        Raises
        ------
        UsageError
            If one of them is out of range, or the game has no such parameter.
        """
        check_integer("the seed", self.seed, 0, MAX_SEED)
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
        if isinstance(self.chosen, Sample):
            if self.endless:
                raise UsageError("a sample is drawn from a range with an end, such as 1-1000000")
            check_integer("the size of the sample", self.chosen.count, 1, min(self._width, MAX_ITEMS))
            check_integer("the seed of the sample", self.chosen.seed, 0, MAX_SEED)

    def __repr__(self) -> str:
        return f"<DealRange {self.name}>"

    @property
    def endless(self) -> bool:
        """Whether the range has no end."""
        return self.last == MAX_INTEGER

    @property
    def name(self) -> str:
        """The deals as text, as `parse_deal_range` reads it, without the parameters that have their default value."""
        parameters = "".join(f"{name}={value}:" for name, value in self._changed_parameters().items())
        return f"{PREFIX}{self.game.name}:seed={self.seed}:{parameters}{self._numbers_text}"

    @property
    def _numbers_text(self) -> str:
        if isinstance(self.chosen, tuple):
            return _listed(self.chosen)
        numbers = f"{self.first}-{'' if self.endless else self.last}"
        if self.chosen is None:
            return numbers
        seed = "" if self.chosen.seed == SAMPLE_SEED else f":sample-seed={self.chosen.seed}"
        return f"{numbers}:sample={self.chosen.count}{seed}"

    @property
    def numbers(self) -> dict[str, object]:
        """The seed, parameters, first and last deal, as stored; the last is None if the range has no end. Also the list
        or the size and the seed of the sample, if these are only some deals of the range."""
        last = None if self.endless else int(self.last)
        numbers: dict[str, object] = {
            "seed": int(self.seed),
            "parameters": self._changed_parameters(),
            "first": int(self.first),
            "last": last,
        }
        match self.chosen:
            case Sample():
                numbers |= {"sample": int(self.chosen.count), "sample_seed": int(self.chosen.seed)}
            case tuple():
                numbers |= {"numbers": _listed(self.chosen)}
        return numbers

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
            deals = cls(game, numbers["seed"], numbers["first"], last, numbers["parameters"])
            if "sample" in numbers:
                return deals.sample(numbers["sample"], numbers["sample_seed"])
            return deals.only(_parsed_list(numbers["numbers"])) if "numbers" in numbers else deals
        except (AttributeError, KeyError, TypeError, UsageError) as error:
            raise DamagedError(
                f"{numbers!r} is not a range of deals of {game.name}: the store is damaged, restore it from a backup"
            ) from error

    @property
    def digest(self) -> bytes:
        """The SHA-256 of the generator's name, a newline, and the name of the range."""
        return sha256(f"{self.game.generator}\n{self.name}".encode()).digest()

    @property
    def _width(self) -> int:
        """The number of deals from the first to the last."""
        return (self.game.last_deal(self.seed) if self.endless else self.last) - self.first + 1

    def __len__(self) -> int:
        match self.chosen:
            case None:
                return self._width
            case Sample():
                return self.chosen.count
        return sum(last - first + 1 for first, last in self.chosen)

    def only(self, spans: Iterable[Span]) -> "DealRange":
        """Return the deals of this seed with the numbers of these spans, which may overlap and be in any order. If all
        numbers are consecutive, this is a range.

        Raises
        ------
        UsageError
            If there are none, or the game has not so many deals.
        """
        merged = list[Span]()
        for first, last in sorted(spans):
            if first > last:
                raise UsageError(f"{first}-{last} is not a range of deals: the first number exceeds the last")
            if merged and first <= merged[-1][1] + 1:
                merged[-1] = (merged[-1][0], max(merged[-1][1], last))
            else:
                merged.append((first, last))
        if not merged:
            raise UsageError("the list of numbers of deals is empty")
        chosen = tuple(merged) if len(merged) > 1 else None
        return replace(self, first=merged[0][0], last=merged[-1][1], chosen=chosen)

    def sample(self, count: int, seed: int = SAMPLE_SEED) -> "DealRange":
        """Return a sample of the deals of a range, evenly spread: see `dealmill.pipeline.games.sampling.sampled`. The
        same `seed` draws the same numbers on every machine.

        Raises
        ------
        UsageError
            If the range has no end, or fewer deals, or these are some deals of a range already.
        """
        if self.chosen is not None:
            raise UsageError(f"{self.name}: a sample is drawn from a range of deals, not from some deals of it")
        drawn = replace(self, chosen=Sample(count, seed))
        return self if count == len(self) else drawn

    def within(self, numbers: str) -> "DealRange":
        """Return the deals of this range whose numbers are in another range, written as for ``--of``: ``1-3000``.

        Raises
        ------
        UsageError
            If that is not a range of numbers, or not a part of this one, or these are only some deals of a range.
        """
        if self.chosen is not None:
            raise UsageError(f"--of {numbers} is a part of a range of deals, and {self.name} is not one")
        span = re.fullmatch(r"(\d{1,18})-(\d{1,18})", numbers, re.ASCII)
        if span is None:
            raise UsageError(f"--of {numbers!r} is not a range of numbers; write FIRST-LAST, such as 1-3000")
        first, last = int(span[1]), int(span[2])
        if first > last:
            raise UsageError(f"--of {numbers}: the first number is greater than the last")
        if not self.first <= first <= last <= self.last:
            raise UsageError(f"--of {numbers} is not a part of {self.name}: correct one of them")
        return replace(self, first=first, last=last)

    def __iter__(self) -> Iterator[Layout]:
        """Yield the layouts, dealt in blocks; the line of a layout is the number of its deal."""
        return chain.from_iterable(self.blocks())

    def blocks(self) -> Iterator[list[Layout]]:
        """Yield lists of up to `DEALT_AT_ONCE` layouts."""
        from dealmill.pipeline.games.batch import to_strings  # slow to import, and most commands deal nothing

        for block in self.parts():
            yield list(map(Layout, block.lines.tolist(), to_strings(block.texts())))

    def parts(self) -> "Iterator[DealRange]":
        """Yield parts of up to `DEALT_AT_ONCE` deals, in order."""
        for first in range(1, len(self) + 1, DEALT_AT_ONCE):
            yield self.part(first, min(first + DEALT_AT_ONCE, len(self) + 1))

    def part(self, first: int, stop: int) -> "DealRange":
        """Return the deals at positions `[first, stop)` of this range, counted from 1."""
        match self.chosen:
            case None:
                return replace(self, first=self.first + first - 1, last=self.first + stop - 2)
            case Sample(count, seed):
                width = self._width
                drawn = (self.first - 1 + sampled(number, count, width, seed) for number in range(first, stop))
                return self.only((number, number) for number in drawn)
        return self.only(_spans_at(self.chosen, first, stop))

    @property
    def _spans(self) -> tuple[Span, ...]:
        """The numbers of all deals; of a sample, those of a part."""
        match self.chosen:
            case None:
                return ((self.first, self.last),)
            case Sample():
                return self.part(1, len(self) + 1)._spans
        return self.chosen

    @property
    def lines(self) -> "Numbers":
        """The numbers of all deals, which are the lines of their layouts."""
        import numpy as np  # slow to import, and most commands deal nothing

        return np.concatenate([np.arange(first, last + 1, dtype=np.int64) for first, last in self._spans])

    def texts(self) -> "Texts":
        """Return the canonical texts of all deals, in a read-only array.

        Texts from files are read-only too, and numba compiles a kernel separately for writable arrays.
        """
        from dealmill.pipeline.games.batch import concatenate_texts

        dealt = concatenate_texts(
            [self.game.deal(self.seed, first, last - first + 1, **self.parameters) for first, last in self._spans]
        )
        dealt.text.setflags(write=False)
        return dealt

    def check_deals(self) -> None:
        """Check that these deals may be asked for and, by dealing one layout, that the parameters can be combined and
        the game has so many deals.

        Raises
        ------
        UsageError
            If not, or if they are a list of numbers that is too long for a name.
        """
        self.game.check_deals(self.seed)
        if isinstance(self.chosen, tuple) and len(_listed(self.chosen)) > LONGEST_LIST:
            raise UsageError(
                f"the list of {len(self):,} deals is longer than {LONGEST_LIST:,} characters: write the numbers to a "
                f"file, and read it with: --deals {self.name.rpartition(':')[0]}"
            )
        if self.parameters or self.game.deals.limited:
            number = 1 if self.endless else len(self)
            self.part(number, number + 1).texts()


def _listed(spans: Sequence[Span]) -> str:
    """Return a list of numbers as text, which `_parsed_list` reads."""
    return ",".join(f"{first}" if first == last else f"{first}-{last}" for first, last in spans)


def _parsed_list(text: str) -> list[Span]:
    """Return the numbers of a text like ``1,15,19-25``.

    Raises
    ------
    UsageError
        If it is not a list of numbers.
    """
    if not LISTED.fullmatch(text):
        raise UsageError(f"{text!r} is not a list of numbers of deals, such as 1,15,19-25")
    ends = (part.partition("-") for part in text.split(","))
    return [(int(first), int(last or first)) for first, _, last in ends]


def _spans_at(spans: Sequence[Span], first: int, stop: int) -> Iterator[Span]:
    """Yield the spans of the numbers at positions `[first, stop)` among all numbers, counted from 1."""
    position = 1
    for low, high in spans:
        begin, end = max(low, low + first - position), min(high, low + stop - 1 - position)
        if begin <= end:
            yield begin, end
        position += high - low + 1


def is_endless(numbers: Mapping[str, object] | None) -> bool:
    """Return whether stored `numbers` of deals (see `DealRange.numbers`) are those of a range without an end. None
    means that there are no deals."""
    return numbers is not None and numbers.get("last") is None


def deal_count(numbers: Mapping[str, Any] | None) -> int | None:
    """Return how many deals stored `numbers` describe; None if that is not known, as of a file with their numbers."""
    if numbers is None or numbers["last"] is None or "column" in numbers:
        return None
    if "numbers" in numbers:
        return sum(last - first + 1 for first, last in _parsed_list(numbers["numbers"]))
    count: int = numbers["sample"] if "sample" in numbers else numbers["last"] - numbers["first"] + 1
    return count


def are_random(numbers: Mapping[str, Any] | None) -> bool:
    """Return whether stored `numbers` are those of a random sample of all deals, which a list of somebody is not."""
    return numbers is not None and not numbers.keys() & {"numbers", "column"}


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
    """Parse ``deal:GAME:seed=S:[NAME=VALUE:]NUMBERS``.

    NUMBERS are a range ``FIRST-LAST``, or ``FIRST-`` without an end, or a list of numbers and ranges such as
    ``1,15,19-25``. A range may be followed by ``:sample=COUNT`` and then ``:sample-seed=S``, by default 1. The game may
    have changed rules: ``deal:klondike:stock.draw=1:seed=0:1-1000``.

    Raises
    ------
    UsageError
        If the text is not like this, or a number is out of range.
    NotFoundError
        If there is no such game.
    """
    usage = (
        f"{text!r} is not a range of deals; write deal:GAME:seed=S:FIRST-LAST or a list such as deal:GAME:seed=S:1,15,"
        "19-25, with parameters after the seed, as in deal:hi-q:seed=1:pegs=20:1-1000"
    )
    sample = SAMPLE.search(text)
    named = text if sample is None else text[: sample.start()]
    game, *options, numbers = named.removeprefix(PREFIX).split(":") if named.count(":") > 1 else ("", "")
    game, options = _game_and_options(game, options)
    endless = re.fullmatch(r"(\d{1,20})-", numbers, re.ASCII)
    matches = [PARAMETER.fullmatch(option) for option in options]
    if None in matches or not (endless or LISTED.fullmatch(numbers)):
        raise UsageError(usage)
    parameters = {match[1]: int(match[2]) for match in matches if match}
    if "seed" not in parameters or len(parameters) < len(options):
        raise UsageError(usage)
    seed, owner = parameters.pop("seed"), find_game(game)
    if endless:
        deals = DealRange(owner, seed, int(endless[1]), MAX_INTEGER, parameters)
    else:
        spans, greatest = _parsed_list(numbers), owner.last_deal(seed)
        check_integer("the number of the last deal", max(last for _, last in spans), 1, greatest)
        deals = DealRange(owner, seed, 1, greatest, parameters).only(spans)
    return deals if sample is None else deals.sample(int(sample[1]), int(sample[3] or SAMPLE_SEED))


def _game_and_options(name: str, options: Sequence[str]) -> tuple[str, list[str]]:
    """Return the name of a game with its changed rules, which come before all other options, and the others."""
    rules = list(takewhile(lambda option: not PARAMETER.fullmatch(option), options))
    return ":".join([name, *rules]), [*options[len(rules) :]]


def sampled_deals(text: str, count: int, of: str | None, seed: int | None) -> str:
    """Return the name of a sample of `count` of the deals that `parse_deals` reads, or of those in the range `of`.

    Raises
    ------
    UsageError
        If the text names no deals, or has no end without `of`, or there are fewer deals.
    NotFoundError
        If there is no such game.
    """
    if not is_deal_range(text):
        raise UsageError(
            f"--sample draws numbered deals, and {text} is a file: name deals such as deal:klondike:seed=0"
        )
    deals = parse_deals(text) if of is None else parse_deals(text).within(of)
    if deals.endless:
        raise UsageError("--sample must know of which numbers: add them, as in --of 1-1000000")
    return deals.sample(count, SAMPLE_SEED if seed is None else seed).name


def with_rules(text: str, rules: Sequence[str]) -> str:
    """Return the name of numbered deals by a game with changed rules, each ``KEY=VALUE``."""
    deals, (name, *options) = parse_deals(text), text.removeprefix(PREFIX).split(":")
    game, _ = _game_and_options(name, options)  # as it is written: the rules of a variant that people know may change
    return replace(deals, game=find_game(variant_name(game, rules))).name


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
    deals = parse_deal_range(text if re.search(r":(sample-seed=|sample=|[\d,-])[\d,-]*$", text) else f"{text}:1-")
    deals.check_deals()
    return deals


def all_deals(text: str) -> DealRange:
    """Return all deals of a seed, given as ``deal:GAME:seed=S[:NAME=VALUE]``, or of seed 1 by the name of the game.

    Raises
    ------
    UsageError
        If the text names only some deals, or a number is out of range.
    NotFoundError
        If there is no such game.
    """
    if not is_deal_range(text):
        return DealRange(find_game(text), 1, 1, MAX_INTEGER)
    deals = parse_deals(text)
    if not deals.endless or deals.first > 1:
        raise UsageError(f"{text} names only some deals: leave out their numbers, as in deal:{deals.game.name}:seed=7")
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
