"""The options with which sources are read and runs are planned, each written down once.

Functions of the API take them as keyword arguments, ``**options``. A class says their names and defaults, and the types
beside it are what type checkers know of them.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import InitVar, dataclass, field
from typing import TypedDict

from dealmill.pipeline.arguments import node_limit
from dealmill.pipeline.errors import UsageError
from dealmill.pipeline.games.deals import DealRange
from dealmill.pipeline.store.runs.controls import Labels


class TableArguments(TypedDict, total=False):
    """The types of `TableOptions`."""

    game: str | None
    layout_column: str | None
    deals: DealRange | str | None
    number_column: str | None


class SourceArguments(TableArguments, total=False):
    """The types of `SourceOptions`."""

    anyway: bool


class RunArguments(SourceArguments, total=False):
    """The types of `RunOptions`."""

    max_nodes: int | None
    priority: int | None
    tags: str | Iterable[str]
    note: str | None


class VerdictArguments(TableArguments, total=False):
    """The types of `VerdictOptions`."""

    checked_as: str | None
    verdict_column: str | None
    verdict: str | None
    words: Mapping[str, str] | None
    columns: str | Sequence[str] | None
    absent: str | None
    of: str | None
    notation: str | None


@dataclass(frozen=True, kw_only=True)
class TableOptions:
    """The game of files, and what is read from them if they are tables or have numbers of deals."""

    game: str | None = None
    layout_column: str | None = None
    deals: "DealRange | str | None" = None
    number_column: str | None = None


@dataclass(frozen=True, kw_only=True)
class SourceOptions(TableOptions):
    """How sources are read: also files whose first entries are not layouts of the game, if `anyway`."""

    anyway: bool = False


@dataclass(frozen=True, kw_only=True)
class RunOptions(SourceOptions):
    """How sources are read, and runs over them planned and labelled.

    Raises
    ------
    UsageError
        If a number, a tag or the note cannot be used, so that nothing is read and solved before.
    """

    max_nodes: int | None = None
    priority: int | None = None
    tags: str | Iterable[str] = ()
    note: str | None = None
    packed: InitVar[bool | None] = None
    """It is refused with a reason until version 0.4.0."""
    labels: Labels = field(init=False)

    def __post_init__(self, packed: bool | None) -> None:
        if packed is not None:
            raise UsageError(
                "packed= is gone: leave it out, and each verdict is stored with its evidence; for billions of deals, "
                "use Store.survey"
            )
        object.__setattr__(self, "max_nodes", node_limit(self.max_nodes))
        object.__setattr__(self, "labels", Labels(self.priority, self.tags, self.note))


@dataclass(frozen=True, kw_only=True)
class VerdictOptions(TableOptions):
    """How a file of verdicts is read: see `dealmill.Store.import_verdicts`."""

    checked_as: str | None = None
    verdict_column: str | None = None
    verdict: str | None = None
    words: Mapping[str, str] | None = None
    columns: str | Sequence[str] | None = None
    absent: str | None = None
    of: str | None = None
    notation: str | None = None
