"""Benchmark of an engine on the hard layouts of its game: every verdict is refereed, and compared with a baseline.

The set of a game is a file of verdicts, as `dealmill.pipeline.ingest.verdicts` reads them: 150 layouts, with proofs.
"""

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median

import numpy as np

from dealmill.pipeline.errors import NotFoundError
from dealmill.pipeline.games import find_engine
from dealmill.pipeline.games.batch import Batch, Solved, Texts, concatenate_solved, concatenate_texts, to_batch, unpack
from dealmill.pipeline.games.contract import DECIDED, Game
from dealmill.pipeline.games.verdict import Verdict
from dealmill.pipeline.ingest.verdicts import read_verdicts
from dealmill.pipeline.node_counts import NodeCounts, compare_nodes
from dealmill.pipeline.referee import Judgement, Outcome, judge
from dealmill.pipeline.solve import load, solve_texts
from dealmill.pipeline.store.diff import Difference, DiffSummary
from dealmill.pipeline.store.storages.storage import RecordedVerdict

MAX_NODES = 10_000_000
"""The node limit for each layout, unless another one is given or the engine has one of its own."""
ROUNDS, ENOUGH_SECONDS = 9, 3.0
"""How often the set is solved, and the seconds after which no further round begins."""
FAILED = int(Verdict.FAILED)
LEAST_SECONDS = 0.02
"""The least time of a round: a set that takes less is solved again within it, since so short a time is mostly noise."""


@dataclass(frozen=True, slots=True)
class EngineFigures:
    """What an engine did on a set of layouts.

    The verdicts on them are `decided`, `undecided` or `failed`. `refused` has the positions of the verdicts that the
    referee found invalid, with its judgements. `microseconds` is the time per layout, by the clock: the median of the
    rounds. It is None for the recorded verdicts of the set.
    """

    engine: str
    version: str
    decided: int
    unproved: int
    undecided: int
    failed: int
    refused: Sequence[tuple[int, Judgement]]
    nodes: int
    microseconds: float | None


@dataclass(frozen=True, slots=True)
class EngineBench:
    """An engine on the benchmark set of its game, compared with a baseline.

    `other` is the engine and `one` the baseline, as in a `Diff`: another engine, or the verdicts in the set. It is None
    if the set answers another question than the engine. `nodes` compares the node counts of two engines on the layouts
    that both decided; None if there are none. What a node is, each engine decides, so those of the set are not
    compared.
    """

    layouts: int
    max_nodes: int
    one: EngineFigures | None
    other: EngineFigures
    differences: Sequence[Difference]
    nodes: NodeCounts | None

    @property
    def summary(self) -> DiffSummary:
        """The differences by kind."""
        return DiffSummary.of(self.differences)

    @property
    def time_ratio(self) -> float | None:
        """The time per layout divided by that of the baseline; None if that was not measured."""
        if self.one is None or self.one.microseconds is None or self.other.microseconds is None:
            return None
        return self.other.microseconds / self.one.microseconds

    @property
    def right(self) -> bool:
        """Whether the referee accepts every verdict, none failed, and none contradicts the baseline."""
        figures = [figures for figures in (self.one, self.other) if figures]
        return "contradicted" not in self.summary.counts and not any(each.refused or each.failed for each in figures)


def set_file(game: Game) -> Path:
    """Return the benchmark set of a game.

    Raises
    ------
    NotFoundError
        If it has none.
    """
    file = game.examples / f"{game.name}-hard.jsonl"
    if not file.exists():
        raise NotFoundError(f"{game.name} has no benchmark set: there is no file {file}")
    return file


def bench_engine(engine: str, baseline: str | None = None, max_nodes: int | None = None) -> EngineBench:
    """Solve the benchmark set of a game with an engine and, if one is given, a baseline; both in turn.

    Raises
    ------
    NotFoundError
        If there is no such engine, or its game has no set.
    """
    game, known = find_engine(engine)
    engines = [known, *([find_engine(baseline, game)[1]] if baseline else [])]
    names = [game.full_name(each) for each in engines]
    entries = list(read_verdicts(game, str(set_file(game))))
    layouts = concatenate_texts([part.layouts for part in entries])
    limit = (known.max_nodes or MAX_NODES) if max_nodes is None else max_nodes
    solved, microseconds = _solved(names, layouts, limit)
    measured, *baselines = [
        _figures(name, each.version, to_batch(output), layouts, time_)
        for name, each, output, time_ in zip(names, engines, solved, microseconds, strict=True)
    ]
    reference = baselines[0] if baselines else None
    if reference is None and known.rules_name == game.engines[0].rules_name:
        solved.append(concatenate_solved([part.solved for part in entries if part.solved]))
        reference = _figures(game.full_name(game.engines[0]), "of the set", to_batch(solved[1]), layouts, None)
    if reference is None:
        return EngineBench(len(layouts), limit, None, measured, [], None)
    nodes = _node_counts(solved[1], solved[0]) if baselines else None
    same_question = len({each.rules_name for each in engines}) == 1
    differences = _differences(layouts, solved[1], solved[0], same_question=same_question)
    return EngineBench(len(layouts), limit, reference, measured, differences, nodes)


def _solved(engines: Sequence[str], layouts: Texts, limit: int) -> tuple[list[Solved], list[float]]:
    """Return the output of each engine, and its time per layout in microseconds."""
    times: list[list[float]] = [[] for _ in engines]
    begun = time.perf_counter()
    outputs: list[Solved] = []
    while not times[-1] or (len(times[-1]) < ROUNDS and time.perf_counter() < begun + ENOUGH_SECONDS):
        if any(FAILED in output.verdicts for output in outputs):
            break  # its messages are not to be repeated
        outputs = []
        for engine, each in zip(engines, times, strict=True):
            load(engine)
            solve_texts(engine, layouts.part(0, 1), limit)  # starts a program, which takes time of its own
            start = time.perf_counter()
            output, passes = solve_texts(engine, layouts, limit), 1
            while time.perf_counter() < start + LEAST_SECONDS and FAILED not in output.verdicts:
                output, passes = solve_texts(engine, layouts, limit), passes + 1
            each.append((time.perf_counter() - start) / passes / len(layouts) * 1e6)
            outputs.append(output)
    return outputs, list(map(median, times))


def _figures(engine: str, version: str, batch: Batch, layouts: Texts, microseconds: float | None) -> EngineFigures:
    rows = zip(unpack(layouts), batch.verdicts, batch.values, batch.evidence, strict=True)
    judgements = enumerate((judge(engine, *row) for row in rows), start=1)
    return EngineFigures(
        engine,
        version,
        sum(verdict in DECIDED for verdict in batch.verdicts),
        sum(verdict in DECIDED and text is None for verdict, text in zip(batch.verdicts, batch.evidence, strict=True)),
        batch.verdicts.count(Verdict.UNDECIDED),
        batch.verdicts.count(Verdict.FAILED),
        [(position, judged) for position, judged in judgements if judged.outcome is Outcome.INVALID],
        sum(batch.nodes),
        microseconds,
    )


def _differences(layouts: Texts, reference: Solved, measured: Solved, *, same_question: bool) -> list[Difference]:
    pairs = zip(unpack(layouts), _recorded(reference), _recorded(measured), strict=True)
    return [Difference(layout, ours, theirs, same_question) for layout, ours, theirs in pairs if ours != theirs]


def _node_counts(reference: Solved, measured: Solved) -> NodeCounts | None:
    codes = [int(verdict) for verdict in DECIDED]
    both = np.flatnonzero(np.isin(reference.verdicts, codes) & np.isin(measured.verdicts, codes))
    return compare_nodes([np.array([both + 1, both + 1, reference.nodes[both], measured.nodes[both]])])


def _recorded(solved: Solved) -> Iterator[RecordedVerdict]:
    batch = to_batch(solved)
    rows = zip(batch.verdicts, batch.values, batch.evidence, strict=True)
    return (RecordedVerdict(position, *row) for position, row in enumerate(rows, start=1))
