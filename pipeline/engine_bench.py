"""Benchmark of an engine on the hard layouts of its game: every verdict is refereed, and compared with a baseline.

A set of a game is a file of verdicts, as `dealmill.pipeline.ingest.verdicts` reads them: 150 layouts, with proofs.
"""

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median

import numpy as np

from dealmill.pipeline.arguments import DifferenceKind
from dealmill.pipeline.errors import NotFoundError
from dealmill.pipeline.games import find_engine
from dealmill.pipeline.games.batch import Batch, Solved, Texts, concatenate_solved, concatenate_texts, to_batch, unpack
from dealmill.pipeline.games.contract import DECIDED, Game
from dealmill.pipeline.games.verdict import Verdict
from dealmill.pipeline.ingest.verdicts import read_verdicts
from dealmill.pipeline.node_counts import NodeCounts, compare_nodes
from dealmill.pipeline.referee import Outcome, judge
from dealmill.pipeline.solve import load, solve_texts
from dealmill.pipeline.store.diffs.difference import Difference, DiffSummary
from dealmill.pipeline.store.storages.storage import RecordedVerdict

MAX_NODES = 10_000_000
"""The node limit for each layout, unless another one is given or the engine has one of its own."""
HARD = "hard"
"""The name of the set that every game of Dealmill has."""
ROUNDS, ENOUGH_SECONDS = 9, 3.0
"""How often the set is solved, and the seconds after which no further round begins."""
FAILED = int(Verdict.FAILED)
LEAST_SECONDS = 0.02
"""The least time of a round: a set that takes less is solved again within it, since so short a time is mostly noise."""


@dataclass(frozen=True, slots=True)
class WrongVerdict:
    """A verdict of an engine (its full name) that is wrong or failed, with the position of its layout in the set, from
    1. `reason` is what the referee says, the error, or the verdict of the baseline with its evidence."""

    engine: str
    position: int
    layout: str
    verdict: Verdict
    value: int | None
    reason: str

    def __str__(self) -> str:
        """Return the verdict with its value."""
        return words_of(self.verdict, self.value)


@dataclass(frozen=True, slots=True)
class EngineFigures:
    """What an engine did on a set of layouts.

    The verdicts on them are `decided`, `undecided` or `failed`, and of those that are decided, the referee found
    `refused` invalid; `wrong` has both. `microseconds` is the time per layout, by the clock: the median of the rounds.
    It is None for the recorded verdicts of the set.
    """

    engine: str
    version: str
    decided: int
    unproved: int
    undecided: int
    failed: int
    refused: int
    nodes: int
    microseconds: float | None
    wrong: Sequence[WrongVerdict]


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
    def wrong(self) -> list[WrongVerdict]:
        """The verdicts of both that are wrong or failed, in the order of the set. A verdict that contradicts that of
        the baseline is among them if the referee refuses neither."""
        wrong = [verdict for side in (self.one, self.other) if side for verdict in side.wrong]
        named = {verdict.position for verdict in wrong}
        contradicting = [each for each in self.differences if each.kind is DifferenceKind.CONTRADICTED]
        wrong += [self._contradicting(each) for each in contradicting if each.other.position not in named]
        return sorted(wrong, key=lambda verdict: verdict.position)

    def _contradicting(self, difference: Difference) -> WrongVerdict:
        theirs, position = difference.one, difference.other.position
        assert self.one is not None and position is not None  # noqa: S101 -- both have a verdict on each layout
        assert theirs.verdict is not None and difference.other.verdict is not None  # noqa: S101 -- the same
        proof = "without a proof" if theirs.evidence is None else f"proved by {theirs.evidence}"
        reason = f"{self.one.engine} {self.one.version} says {words_of(theirs.verdict, theirs.value)}, {proof}"
        verdict, value = difference.other.verdict, difference.other.value
        return WrongVerdict(self.other.engine, position, difference.layout, verdict, value, reason)

    @property
    def right(self) -> bool:
        """Whether the referee accepts every verdict, none failed, and none contradicts the baseline."""
        return not self.wrong


def words_of(verdict: Verdict, value: int | None) -> str:
    """Return a verdict with its value."""
    return verdict.word if value is None else f"{verdict.word} {value:,}"


def set_file(game: Game, name: str = HARD) -> Path:
    """Return the benchmark set of a game with this name.

    Raises
    ------
    NotFoundError
        If it has none.
    """
    file = game.examples / f"{game.name}-{name}.jsonl"
    if not file.exists():
        others = sorted(path.stem.removeprefix(f"{game.name}-") for path in game.examples.glob(f"{game.name}-*.jsonl"))
        known = f"; it has: {', '.join(others)}" if others else ""
        raise NotFoundError(f"{game.name} has no benchmark set {name!r}: there is no file {file}{known}")
    return file


def bench_engine(
    engine: str, baseline: str | None = None, max_nodes: int | None = None, set_name: str = HARD
) -> EngineBench:
    """Solve a benchmark set of a game with an engine and, if one is given, a baseline; both in turn.

    Raises
    ------
    NotFoundError
        If there is no such engine, or its game has no such set.
    """
    game, known = find_engine(engine)
    engines = [known, *([find_engine(baseline, game)[1]] if baseline else [])]
    names = [game.full_name(each) for each in engines]
    entries = list(read_verdicts(game, str(set_file(game, set_name))))
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
    wrong = []
    for position, (layout, verdict, value, evidence) in enumerate(rows, start=1):
        judged = judge(engine, layout, verdict, value, evidence)
        if verdict is Verdict.FAILED or judged.outcome is Outcome.INVALID:
            reason = str(evidence) if verdict is Verdict.FAILED else f"the referee: {judged}"
            wrong.append(WrongVerdict(engine, position, layout, verdict, value, reason))
    failed = batch.verdicts.count(Verdict.FAILED)
    return EngineFigures(
        engine,
        version,
        sum(verdict in DECIDED for verdict in batch.verdicts),
        sum(verdict in DECIDED and text is None for verdict, text in zip(batch.verdicts, batch.evidence, strict=True)),
        batch.verdicts.count(Verdict.UNDECIDED),
        failed,
        len(wrong) - failed,
        sum(batch.nodes),
        microseconds,
        wrong,
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
