"""The figures of docs/results.md as data, docs/results.json: each row with what made it, and who else published it.

Numbers are strings of their digits, which say how exact they are.
"""

import json
from collections.abc import Mapping
from datetime import date as Date  # noqa: N812 -- `date` is a field
from math import sqrt
from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import Field

from bench.reproduce.figures import NORMAL_95, Estimate, Number, Part, agree
from bench.reproduce.proofs import Proofs

DATA = Path(__file__).parent.parent.parent / "docs" / "results.json"

Digits = Annotated[str, Field(pattern=r"^-?[0-9]+(\.[0-9]+)?$")]
Digest = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
Version = Annotated[str, Field(pattern=r"^[0-9]+(-[0-9a-f]{8})?$")]


class Published(Part):
    """A figure that somebody else published; of a sample of `deals`, if that is known and no interval is."""

    number: Number
    source: str
    deals: int | None = None

    @property
    def text(self) -> str:
        """The figure and its source."""
        sample = f", of {self.deals:,} deals" if self.deals else ""
        return f"{self.number.text}{sample}, {self.source}"

    @property
    def estimate(self) -> Estimate:
        """The figure with its standard error, by which a figure without an interval or a sample is exact."""
        value = float(self.number.values[0])
        if self.deals:
            return Estimate(value, percentage_error(value, self.deals))
        return Estimate(value, float(self.number.half_width or 0) / NORMAL_95)

    @property
    def rounding(self) -> float:
        """Half a unit of the last digit."""
        return 0.5 * 10.0 ** -len(self.number.values[0].partition(".")[2])


class Exact(Part):
    """The exact figure over all deals, and how many standard errors a sample is away from it."""

    value: Digits
    standard_errors: float


class Row(Part):
    """A figure with the command that repeats it, and the engine and the version of Dealmill that gave it.

    `anchor` is its address on the page. `engine` and `version` are None if plain code or another program counts.
    """

    anchor: str = Field(pattern=r"^[a-z0-9]+(-[a-z0-9]+)*$")
    title: str
    command: str
    date: Date
    dealmill: str
    engine: str | None
    version: Version | None


class SurveyRow(Row):
    """The share of winnable deals in per cent, or the mean value, of random deals of seed 1.

    `low` and `high` are the ends of the 95 % confidence interval; `value` is that of the sample, None if deals are
    undecided. The numbers of verdicts are None if deals have values. `proofs` are those of the losses of a game by a
    rules file, which were refereed; None if there are no losses, or if the row is older than this field.
    """

    engine: str
    version: Version
    estimate: Literal["winnability", "mean value"]
    low: Digits
    high: Digits
    value: Digits | None
    exact: Exact | None = None
    deals: int
    winnable: int | None
    unwinnable: int | None
    undecided: int | None
    fingerprint: Digest
    published: tuple[Published, ...]
    proofs: Proofs | None = None

    def agrees_with(self, published: Published) -> bool:
        """Whether a published figure is at most three standard errors of both away from what the sample allows."""
        if self.winnable is None or self.undecided is None:
            value = float(self.value or "nan")
            ours = Estimate(value, (float(self.high) - float(self.low)) / 2 / NORMAL_95)
        else:
            least, greatest = (100 * won / self.deals for won in (self.winnable, self.winnable + self.undecided))
            theirs = published.estimate.mean
            nearest = min(max(theirs, least), greatest)
            ours = Estimate(nearest, percentage_error(theirs, self.deals))  # of a sample, if theirs is right
        return agree(published.estimate, ours, published.rounding)


class FigureRow(Row):
    """A public figure and what we find for it. They may differ by `tolerance`: by rounding, or as the title says."""

    game: str
    published: Published
    ours: Number
    tolerance: float

    @property
    def agrees(self) -> bool:
        """Whether ours confirms the published one."""
        return agree(self.published.number.value, self.ours.value, self.tolerance)


class Results(Part):
    """All figures: of surveys of the first games, of patiences and covering games, and those that others published."""

    surveys: tuple[SurveyRow, ...]
    patiences: tuple[SurveyRow, ...]
    covering_games: tuple[SurveyRow, ...]
    figures: tuple[FigureRow, ...]

    @classmethod
    def load(cls) -> Self:
        """Read the figures that are published."""
        return cls.model_validate_json(DATA.read_text())

    @property
    def rows(self) -> tuple[Row, ...]:
        """All rows in the order of the page."""
        return (*self.surveys, *self.patiences, *self.covering_games, *self.figures)

    def with_row(self, section: str, row: Row, order: Mapping[str, int]) -> Self:
        """Return the results with a row added or replaced. `order` has the place of each anchor."""
        rows = {**{row.anchor: row for row in getattr(self, section)}, row.anchor: row}
        ordered = sorted(rows.values(), key=lambda row: order.get(row.anchor, len(order)))
        return self.model_copy(update={section: tuple(ordered)})

    def save(self) -> None:
        """Write the figures, one row on each line, so that a changed figure is a changed line."""
        sections = []
        for name, rows in self.model_dump(mode="json").items():
            lines = ",\n".join(json.dumps(row, ensure_ascii=False) for row in rows)
            sections.append(f'"{name}": [\n{lines}\n]')
        DATA.write_text("{" + ",\n".join(sections) + "}\n")


def percentage_error(percentage: float, deals: int) -> float:
    """Return the standard error of a share in per cent, of a sample."""
    return sqrt(percentage * (100 - percentage) / deals)
