"""Packs: layouts chosen from a run, in grades of difficulty, in one file that can be checked without the store.

`pack_choice.py` chooses the layouts, `pack_check.py` proves such a file again.
"""

import csv
import json
from collections.abc import Sequence
from datetime import date as Date  # noqa: N812 -- `date` is a field
from datetime import timedelta
from io import StringIO
from os import PathLike
from pathlib import Path
from typing import Final, Literal

from pydantic import BaseModel, ConfigDict, Field, SerializerFunctionWrapHandler, model_serializer

from dealmill.pipeline.arguments import MAX_NODES
from dealmill.pipeline.errors import InputError, OutputError, UsageError
from dealmill.pipeline.games import EngineKey, RecordedEngine, find_engine, game_by
from dealmill.pipeline.games.descriptions import RulesText
from dealmill.pipeline.games.playback import Playback
from dealmill.pipeline.games.reading import is_canonical
from dealmill.pipeline.games.verdict import Verdict
from dealmill.pipeline.results.measures import Measure, grading_measures
from dealmill.pipeline.results.record import RESULT
from dealmill.pipeline.results.result import Result
from dealmill.pipeline.system.atomic import atomic_file

FORMAT: Final = "dealmill-pack/1"
WEEK: Final = (1, 1, 2, 2, 3, 3, 4)
"""The grades from Monday to Sunday by the chance of a careful player, if none are given."""


def measure_of(engine: EngineKey, name: str) -> Measure:
    """Return the number that grades the results of an engine, given by its full name.

    Raises
    ------
    UsageError
        If there is no such number.
    """
    measures = grading_measures(find_engine(engine)[1])
    if name not in measures:
        raise UsageError(f"{engine} has no number {name!r}; choose one of: {', '.join(measures)}")
    return measures[name]


class Part(BaseModel):
    """A part of a pack, which has exactly the fields of its class."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class Origin(Part):
    """The run that gave results: its engine, node limit and fingerprint.

    If its verdicts were imported for an engine that is not installed, the referee checks them as those of `checked_as`.
    """

    engine: str
    version: str
    checked_as: str | None
    max_nodes: int | None = Field(ge=1, le=MAX_NODES)
    fingerprint: str

    @property
    def referee_engine(self) -> str:
        """The full name of the installed engine as which the referee checks its verdicts."""
        return self.checked_as or self.engine


class Found(Part):
    """What a run found for a layout: the verdict, its value, the nodes searched and the evidence."""

    verdict: str
    value: int | None
    nodes: int
    evidence: str | None

    @classmethod
    def of(cls, result: Result) -> "Found":
        """Return what a result says."""
        columns = {name: getattr(result, name) for name in cls.model_fields}
        return cls.model_validate({**columns, "verdict": result.verdict.word})


class Entry(Part):
    """A layout with its solution and its grade.

    `position` counts the layouts of the run from 1; `line` is the line of its file, or the number of the deal. `number`
    is the number by which it is graded. `graded_by` is the result with that number, if it is of another run. `playback`
    is the solution as data, if the game tells. `date` is the day of a pack with a calendar, and is left out of others.
    """

    position: int
    line: int
    layout: str
    verdict: str
    value: int | None
    nodes: int
    evidence: str | None
    grade: int
    number: int
    graded_by: Found | None = None
    playback: Playback | None = None
    date: Date | None = None

    @classmethod
    def of(cls, result: Result, grade: int, number: int, graded_by: Found | None, date: Date | None = None) -> "Entry":
        """Return the entry of a result."""
        return cls(
            position=result.position,
            line=result.line,
            layout=result.layout,
            **Found.of(result).model_dump(),
            grade=grade,
            number=number,
            graded_by=graded_by,
            playback=result.playback(),
            date=date,
        )

    def result(self, run: Origin) -> Result:
        """Return the result of the run, which is not stored here."""
        columns = {field.name: getattr(self, field.name) for field in RESULT}
        columns["verdict"] = Verdict.of(self.verdict)
        return Result(run.engine, **columns, checked_as=run.checked_as)

    @property
    def row(self) -> dict[str, object]:
        """The same as values for JSON."""
        without = {"playback"} if self.date else {"playback", "date"}
        row = self.model_dump(mode="json", exclude=without)
        return {**row, "playback": self.playback and self.playback.row}


class Grade(Part):
    """A grade: the lowest and the highest number in it, and how many layouts of the run it has."""

    grade: int
    low: int
    high: int
    layouts: int


class Deals(Part):
    """The numbered deals that the layouts are from, as in ``deal:GAME:seed=…``; `last` is None without an end.

    If they are only some deals of that range, there is their list of `numbers`, or the size and the seed of the sample,
    or the name of the `column` of a file that has their numbers. The others are left out.
    """

    seed: int
    parameters: dict[str, int]
    first: int
    last: int | None
    numbers: str | None = None
    sample: int | None = None
    sample_seed: int | None = None
    column: str | None = None

    @model_serializer(mode="wrap")
    def _chosen(self, serialize: SerializerFunctionWrapHandler) -> dict[str, object]:
        optional = {"numbers", "sample", "sample_seed", "column"}
        fields: dict[str, object] = serialize(self)
        return {name: value for name, value in fields.items() if value is not None or name not in optional}


class Calendar(Part):
    """The days of a pack with a layout for each day, both ends included.

    `by_weekday` are the grades from Monday to Sunday; without it, there is one grade or, if the chance of a careful
    player grades, those of `WEEK`.
    """

    first: Date
    last: Date
    by_weekday: tuple[int, ...] | None = None

    @classmethod
    def of(cls, days: tuple[Date, Date] | None, by_weekday: Sequence[int] | None) -> "Calendar | None":
        """Return the calendar from a first to a last day; None without days.

        Raises
        ------
        UsageError
            If there are grades by weekday, but no days.
        """
        if days is None:
            if by_weekday is not None:
                raise UsageError("grades by weekday are for a pack with a calendar")
            return None
        return cls(first=days[0], last=days[1], by_weekday=None if by_weekday is None else tuple(by_weekday))

    @property
    def grades(self) -> dict[Date, int]:
        """The grade of each day, in the order of days."""
        days = [self.first + timedelta(number) for number in range((self.last - self.first).days + 1)]
        return {day: self.by_weekday[day.weekday()] if self.by_weekday else 1 for day in days}


class Rules(Part):
    """The rules of a game that is a file, as they were when the source was read."""

    digest: str
    family: str
    text: str


class Pack(Part):
    """A pack of layouts, in ascending order of their positions.

    If `descending`, grade 1 has the highest numbers. `generator` and `deals` are None if the source is a file. `rules`
    is left out unless the game is a rules file, and `calendar` unless there is a layout for each day; these are in the
    order of their dates.
    """

    format: Literal["dealmill-pack/1"]
    dealmill: str
    game: str
    source: str
    generator: str | None
    deals: Deals | None
    run: Origin
    graded_by: Origin | None
    by: str
    descending: bool
    seed: int
    grades: list[Grade]
    layouts: list[Entry] = Field(min_length=1)
    rules: Rules | None = None
    calendar: Calendar | None = None

    @property
    def rules_text(self) -> RulesText | None:
        """The rules of its game; None if that is not a rules file."""
        return None if self.rules is None else RulesText(**self.rules.model_dump())

    def key(self, engine: str) -> EngineKey:
        """Return an engine by its full name and the rules of the game."""
        return RecordedEngine(engine, self.rules_text)

    def write_pictures(self, folder: str | PathLike[str], *, open_cards: bool = False) -> int:
        """Write an SVG picture of each layout to a folder, which is made if there is none. Return their number.

        The name of a file is that of the grade and the position, or the day of a pack with a calendar. Cards that lie
        face down and those of the stock show their backs, unless `open_cards`.

        Raises
        ------
        NotFoundError
            If the game is not installed.
        InputError
            If a text is not a layout.
        OutputError
            If the folder or a file cannot be written.
        """
        game, path = game_by(self.game, self.rules_text), Path(folder)
        try:
            path.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise OutputError(f"{path} cannot be made: {error.strerror or error}") from error
        for entry in self.layouts:
            if not is_canonical(game, entry.layout):
                raise InputError(f"the layout at position {entry.position} of the pack is not one of {self.game}")
            scene = next(game.scenes(entry.layout))
            name = f"{entry.date}" if entry.date else f"grade-{entry.grade}-{entry.position}"
            with atomic_file(path / f"{name}.svg", force=True) as file:
                file.write(f"{(scene if open_cards else scene.closed).svg}\n".encode())
        return len(self.layouts)

    def csv_text(self) -> str:
        """Return a row for each layout, with the columns of an export first, and a heading."""
        text = StringIO(newline="")
        left_out = {"graded_by", "playback", *([] if self.calendar else ["date"])}
        plain = [name for name in Entry.model_fields if name not in left_out]
        second = [*Found.model_fields] if self.graded_by else []
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow([*plain, *(f"graded_by_{name}" for name in second)])
        for entry in self.layouts:
            mine = [getattr(entry, name) for name in plain]
            writer.writerow(mine + [getattr(entry.graded_by, name) for name in second])
        return text.getvalue()

    def json_text(self) -> str:
        """Return the pack as JSON, with a line for each layout."""
        without = {"layouts"} | {name for name in ("rules", "calendar") if getattr(self, name) is None}
        about = json.dumps(self.model_dump(mode="json", exclude=without), indent=1)
        entries = ",\n".join("  " + json.dumps(entry.row) for entry in self.layouts)
        return f'{about[:-2]},\n "layouts": [\n{entries}\n ]\n}}\n'
