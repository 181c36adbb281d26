"""What an archive says of a run."""

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from dealmill.pipeline.arguments import MAX_ITEMS, MAX_NODES
from dealmill.pipeline.games import EngineKey, RecordedEngine
from dealmill.pipeline.games.descriptions import RulesText
from dealmill.pipeline.store.runs.status import RunStatus, repeating_command
from dealmill.pipeline.store.sources.source import Source

RUN, RULES, RESULTS, BLOCKS = "run.json", "rules.toml", "results.jsonl", "blocks.jsonl"
"""The files of a run. It has results, or blocks if its deals are not stored."""


def path_in(number: int, name: str) -> str:
    """Return the path of a file of a run in an archive; runs are numbered from 1."""
    return f"data/{number}/{name}"


Count = Annotated[int, Field(ge=0, le=MAX_ITEMS)]


class Part(BaseModel):
    """A part of an archive, which has exactly the fields of its class."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class ArchivedRules(Part):
    """Rules of a game that are on record, but for their text, which is a file of its own."""

    digest: str
    family: str


class ArchivedSource(Part):
    """The source of a run: a file, or numbered deals. `sha256` is that of the text of a file, in hexadecimal digits;
    `deals` are the numbers, dealt by `generator` (see `dealmill.pipeline.games.deals.DealRange.numbers`)."""

    name: str
    sha256: str | None
    generator: str | None
    deals: Mapping[str, Any] | None


class ArchivedRun(Part):
    """A run without its results: what it was, and what its results add up to. Of one that
    does not store the results of its deals, an archive has the digests and sums of its blocks."""

    format: Literal["dealmill-archive/1"] = "dealmill-archive/1"
    game: str
    engine: str
    version: str
    checked_as: str | None
    max_nodes: int | None = Field(ge=1, le=MAX_NODES)
    rules: ArchivedRules | None
    source: ArchivedSource
    layouts: Count
    rejected: Count
    counts: Mapping[str, Count]
    nodes: int = Field(ge=0)
    fingerprint: str
    stores_results: bool

    @classmethod
    def of(cls, run: RunStatus, source: Source, fingerprint: str) -> "ArchivedRun":
        """Return what an archive says of a finished run."""
        return cls(
            game=run.game,
            engine=run.engine,
            version=run.version,
            checked_as=run.checked_as,
            max_nodes=run.max_nodes,
            rules=run.rules and ArchivedRules(digest=run.rules.digest, family=run.rules.family),
            source=ArchivedSource(
                name=source.name,
                sha256=source.text_sha256,
                generator=source.generator,
                deals=source.deals,
            ),
            layouts=run.items,
            rejected=run.rejected,
            counts={verdict.word: count for verdict, count in run.counts.items()},
            nodes=run.nodes,
            fingerprint=fingerprint,
            stores_results=run.storage.stores_layouts,
        )

    def text(self) -> str:
        """Return it as JSON."""
        return self.model_dump_json(indent=2) + "\n"

    @property
    def command(self) -> str | None:
        """The command that repeats it, as `repeating_command` gives it. The deals must be checked before."""
        if self.checked_as is not None:
            return None
        source = self.source
        return repeating_command(self.game, self.engine, self.max_nodes, source.name, source.deals, self.layouts)

    def judged_as(self, rules: RulesText | None) -> EngineKey:
        """Return the engine as which the referee checks its verdicts."""
        return RecordedEngine(self.checked_as or self.engine, rules)
