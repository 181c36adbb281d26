"""The game under test, and the failure of a check."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from random import Random
from typing import NamedTuple

from dealmill.pipeline.games.batch import Batch, unpack
from dealmill.pipeline.games.contract import Engine, Game, Layout
from dealmill.pipeline.games.verdict import Verdict
from dealmill.pipeline.solve import solve
from dealmill.testing.texts import altered_texts, is_canonical, noise, real_lines

DEALS = 200
"""Deals among which layouts with each verdict are looked for."""


class CheckFailed(AssertionError):
    """A game does not meet a requirement; the message says what was found, with the layout."""


def require(met: object, found: str) -> None:
    """Fail unless a requirement is met.

    Raises
    ------
    CheckFailed
        With the message `found`.
    """
    if not met:
        raise CheckFailed(found)


class Row(NamedTuple):
    """What an engine says of a layout."""

    layout: str
    verdict: Verdict
    value: int | None
    evidence: str


@dataclass(frozen=True)
class Subject:
    """A game under test. `lines` are more lines to try, layouts and others, apart from examples and deals."""

    game: Game
    lines: Sequence[str] = ()

    def deal(self, seed: int, first: int, count: int, **parameters: int) -> list[str]:
        """Return the canonical texts of the deals `[first, first + count)`."""
        return unpack(self.game.deal.deal(seed, first, count, **parameters))

    def solve(self, engine: Engine, layouts: Sequence[str], max_nodes: int | None = None) -> Batch:
        """Solve layouts; one on which the engine raises an error is `FAILED`."""
        return solve(self.game.full_name(engine), layouts, max_nodes)

    def verdicts(self, engine: Engine, layouts: Sequence[str]) -> list[Row]:
        """Return layouts with their verdicts, values and evidence."""
        solved = self.solve(engine, layouts)
        rows = zip(layouts, solved.verdicts, solved.values, solved.evidence, strict=True)
        return [Row(layout, verdict, value, evidence or "") for layout, verdict, value, evidence in rows]

    def some_of_each_verdict(self, engine: Engine, seed: int, most: int) -> list[Row]:
        """Return up to `most` layouts for each verdict, from deals of a seed, examples and `lines`."""
        others = [text.decode() for text in self.canonical_texts]
        rows = self.verdicts(engine, [*self.deal(seed, 1, DEALS), *others])
        return [row for verdict in Verdict for row in [row for row in rows if row.verdict is verdict][:most]]

    @cached_property
    def canonical_texts(self) -> list[bytes]:
        """The canonical texts of the statement, of deals of every size, and of `lines`."""
        lines = [*real_lines(self.game), *self.lines]
        read = [entry for line in lines for entry in self.game.layout.read([(1, line)])]
        return [entry.text.encode() for entry in read if isinstance(entry, Layout)]

    def hostile_texts(self, seed: int, count: int) -> list[bytes]:
        """Return all canonical texts, `count` altered ones, some of them canonical, and a fifth as much of noise."""
        given = [line.encode() for line in self.lines if not is_canonical(self.game, line.encode())]
        altered = islice(altered_texts(self.canonical_texts, Random(seed)), count)
        return [*self.canonical_texts, *given, *altered, *islice(noise(self.canonical_texts, Random(seed)), count // 5)]

    def bad_texts(self, seed: int, count: int) -> list[str]:
        """Return texts that are not canonical layouts: some special ones, then hostile ones."""
        good = self.canonical_texts[0].decode()
        special = ["", "garbage", "ä", "\ud800", "\0", f"{good}\n", f"{good}\n{good}", "x" * 5_000]
        hostile = [text for text in self.hostile_texts(seed, count) if not is_canonical(self.game, text)]
        return [*special, *(text.decode("utf-8", "replace") for text in hostile)]


def numbered(lines: Iterable[str]) -> list[tuple[int, str]]:
    """Return lines with their numbers, as readers take them."""
    return list(enumerate(lines, start=1))
