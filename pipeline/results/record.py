"""The fields of a result and of a run, each written down once: its name, its type, and what it means.

All that stores, reads, shows or describes results and runs takes the fields from here: Arrow tables, exports and their
checkers, imports, tables of commands, the JSON API and the documentation. The columns of the database are in
`dealmill.pipeline.store.database.tables`, since they change only with a migration. A checker contains the fields of a
result, so this module imports only the standard library.
"""

from datetime import datetime
from types import NoneType, UnionType
from typing import Annotated, Any, NamedTuple, TypedDict, get_args, get_type_hints

FRAME, STATUS, API = "data frames", "dealmill status", "the JSON API"
"""What shows runs as rows."""
JSON = (STATUS, API)


class Fact(NamedTuple):
    """What the name and the type of a field do not say.

    `meaning` is for readers of files and tables. `is_word` tells that the text is one of a few words, and
    `in_fingerprint` that the fingerprint of a run covers the field. `only` are the kinds of rows that have a field of
    runs, if not all have it.
    """

    meaning: str
    is_word: bool = False
    in_fingerprint: bool = False
    only: tuple[str, ...] = ()


class RecordField(NamedTuple):
    """A field of a class of rows; see `Fact` for all but the first three. `type` is that of values other than None."""

    name: str
    type: Any
    nullable: bool
    meaning: str
    is_word: bool
    in_fingerprint: bool
    only: tuple[str, ...]

    @property
    def is_text(self) -> bool:
        """Whether its values are texts of any length."""
        return self.type is str and not self.is_word


def fields_of(row: type) -> tuple[RecordField, ...]:
    """Return the fields of a class of rows, in their order."""
    fields = list[RecordField]()
    for name, hint in get_type_hints(row, include_extras=True).items():
        declared, fact = get_args(hint)
        types = get_args(declared) if isinstance(declared, UnionType) else (declared,)
        fields.append(RecordField(name, types[0], NoneType in types, *fact))
    return tuple(fields)


class ResultRow(NamedTuple):
    """A result in an export."""

    position: Annotated[int, Fact("the position in the run, from 1", in_fingerprint=True)]
    line: Annotated[
        int, Fact("the line of its file, or the number of the deal; 0 for a deal that an imported list leaves out")
    ]
    layout: Annotated[str, Fact("the layout in canonical text", in_fingerprint=True)]
    verdict: Annotated[str, Fact("the verdict in a word", is_word=True, in_fingerprint=True)]
    value: Annotated[int | None, Fact("the value of a scored layout", in_fingerprint=True)]
    nodes: Annotated[int, Fact("the number of nodes of the search")]
    evidence: Annotated[
        str | None, Fact("the trace or the certificate; the error if the verdict is failed", in_fingerprint=True)
    ]


RESULT = fields_of(ResultRow)
ANSWER = tuple(field.name for field in RESULT if field.in_fingerprint and field.name not in {"position", "layout"})
"""The names of the fields of an engine's answer to a layout, which fingerprints cover and diffs compare."""
ANSWERS = "verdicts, values and evidence"
"""The same in a sentence about many layouts."""
UNFINISHED = RecordField("unfinished", str, False, "why the run was not finished", True, False, ())
"""The field that each row of an export has after these if the run was not finished."""


class JudgementRow(NamedTuple):
    """The newest judgement of an audit on a result."""

    audit: Annotated[str, Fact("the outcome of the newest audit", is_word=True)]
    step: Annotated[int | None, Fact("the step of the evidence that is invalid")]
    reason: Annotated[str | None, Fact("why it is invalid")]


JUDGEMENT = fields_of(JudgementRow)


class RunRow(TypedDict):
    """A run and its progress."""

    run: Annotated[int, Fact("the number of the run")]
    game: Annotated[str, Fact("the game", is_word=True, only=(FRAME, API))]
    engine: Annotated[str, Fact("the full name of the engine", is_word=True)]
    version: Annotated[str, Fact("the version of the engine")]
    source: Annotated[str, Fact("the name of the file, of the range of deals or of the saved query")]
    max_nodes: Annotated[int | None, Fact("the node limit; none without one")]
    storage: Annotated[str, Fact("how the verdicts are stored", is_word=True)]
    checked_as: Annotated[
        str | None, Fact("the engine as which imported verdicts are checked, if theirs is not installed", only=JSON)
    ]
    repeats: Annotated[int | None, Fact("the run that this one is a rerun of")]
    priority: Annotated[int, Fact("jobs of runs with a higher one are done first", only=JSON)]
    layouts: Annotated[int, Fact("the number of layouts")]
    rejected: Annotated[int, Fact("the number of rejects of its source")]
    solved: Annotated[int, Fact("the number of layouts that have a verdict")]
    counts: Annotated[dict[str, int], Fact("the number of layouts by verdict, of those that occur")]
    unproved: Annotated[int, Fact("the number of verdicts that are claims without evidence", only=JSON)]
    mean: Annotated[float | None, Fact("the mean value of the scored layouts")]
    nodes: Annotated[int, Fact("the nodes of all searches", only=(FRAME, STATUS))]
    rate: Annotated[float | None, Fact("layouts per second in the last active minute", only=JSON)]
    ends: Annotated[datetime | None, Fact("the expected end", only=(API,))]
    state: Annotated[str, Fact("the state of the run", is_word=True)]
    retracted: Annotated[str | None, Fact("why the engine version was retracted")]
    started: Annotated[datetime | None, Fact("when its first job was started")]
    seconds: Annotated[float | None, Fact("from its first job to its last, with pauses, and the reading of its source")]
    cpu_seconds: Annotated[float | None, Fact("the processor seconds that its engine took, if they are on record")]
    tags: Annotated[list[str], Fact("its tags")]
    note: Annotated[str | None, Fact("the note about it")]


RUN = fields_of(RunRow)


def run_fields(kind: str) -> list[RecordField]:
    """Return the fields of runs that a kind of rows has: `FRAME`, `STATUS` or `API`."""
    return [field for field in RUN if not field.only or kind in field.only]
