"""Benchmark of an engine on the hard layouts of its game: every verdict is refereed, and compared with a baseline.

A set of a game is a file of verdicts, as `dealmill.pipeline.ingest.verdict_files` reads them: 150 layouts, with proofs.
"""

import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from math import ceil
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from dealmill.pipeline.arguments import DifferenceKind
from dealmill.pipeline.errors import NotFoundError
from dealmill.pipeline.evidence.referee import Outcome, judge
from dealmill.pipeline.games import find_engine
from dealmill.pipeline.games.batch import (
    Batch,
    Solved,
    Texts,
    concatenate_solved,
    concatenate_texts,
    to_batch,
    to_strings,
)
from dealmill.pipeline.games.contract import Game
from dealmill.pipeline.games.descriptions import DECIDED
from dealmill.pipeline.games.verdict import Verdict
from dealmill.pipeline.ingest.verdict_files import read_verdicts
from dealmill.pipeline.results.node_counts import NodeCounts, compare_nodes
from dealmill.pipeline.results.record import ANSWER
from dealmill.pipeline.results.result import RecordedVerdict
from dealmill.pipeline.results.time_ratio import TimeRatio, time_ratio_of
from dealmill.pipeline.solving.loading import load
from dealmill.pipeline.solving.solve import solve_texts
from dealmill.pipeline.store.diffs.difference import Difference, DiffSummary

MAX_NODES = 10_000_000
"""The node limit for each layout, unless another one is given or the engine has one of its own."""
HARD = "hard"
"""The name of the set that every game of Dealmill has."""
ROUNDS, ENOUGH_SECONDS = 3, 3.0
"""How often two engines solve the set in turn, and the seconds after which no further round begins."""
FAILED = int(Verdict.FAILED)
LEAST_SECONDS = 1e-3
"""The least time that is measured: a layout that takes less is solved many times at once, since a call takes up to
0.1 ms beside the search."""
CLOCK_SECONDS = 1e-7
"""What a call takes at least, for a clock that stands still meanwhile."""


class Wrongness(StrEnum):
    """What is wrong with a verdict, the surest first."""

    REFUSED = "refused"
    """The referee refuses its evidence, such as an illegal move."""
    FAILED = "failed"
    """The engine failed on the layout."""
    DISPROVED = "disproved"
    """It has no evidence, and the other side proves another verdict."""
    CONTRADICTED = "contradicted"
    """The other side has another verdict, and both are proved, or neither."""


@dataclass(frozen=True, slots=True)
class WrongVerdict:
    """A verdict of an engine (its full name) that is wrong or failed, with the position of its layout in the set, from
    1. `reason` is what the referee says, the error, or the verdict of the other side with its evidence."""

    engine: str
    position: int
    layout: str
    verdict: Verdict
    value: int | None
    reason: str
    wrongness: Wrongness

    def __str__(self) -> str:
        """Return the verdict with its value."""
        return words_of(self.verdict, self.value)


@dataclass(frozen=True, slots=True)
class EngineFigures:
    """What an engine did on a set of layouts.

    The verdicts on them are `decided`, `undecided` or `failed`, and of those that are decided, the referee found
    `refused` invalid; `wrong` has both. `microseconds` is the mean of the least times of the layouts in all rounds: the
    processor time of this process, or the time by the clock if one of the engines is a program. It is None for the
    recorded verdicts of the set.
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
    compared. `time_ratio` compares the time of each layout with that of the baseline; None if that was not measured.
    """

    layouts: int
    max_nodes: int
    one: EngineFigures | None
    other: EngineFigures
    differences: Sequence[Difference]
    nodes: NodeCounts | None
    time_ratio: TimeRatio | None

    @property
    def summary(self) -> DiffSummary:
        """The differences by kind."""
        return DiffSummary.of(self.differences)

    @property
    def wrong(self) -> list[WrongVerdict]:
        """The verdicts of both that are wrong or failed, the surest first, then in the order of the set. If the two
        contradict each other, and the referee refuses neither, one of them is among these: that without a proof or, if
        both or neither has one, that of the engine."""
        wrong = [verdict for side in (self.one, self.other) if side for verdict in side.wrong]
        named = {verdict.position for verdict in wrong}
        contradicting = [each for each in self.differences if each.kind is DifferenceKind.CONTRADICTED]
        wrong += [self._contradicting(each) for each in contradicting if each.other.position not in named]
        return sorted(wrong, key=lambda verdict: (SUREST.index(verdict.wrongness), verdict.position))

    def wrong_by_kind(self) -> list[tuple[WrongVerdict, int]]:
        """Return the first of the `wrong` verdicts of each kind and engine, and how many others there are."""
        kinds = [(verdict.wrongness, verdict.engine) for verdict in self.wrong]
        counts, first = Counter(kinds), dict(zip(reversed(kinds), reversed(self.wrong), strict=True))
        return [(first[kind], counts[kind] - 1) for kind in dict.fromkeys(kinds)]

    def _contradicting(self, difference: Difference) -> WrongVerdict:
        assert self.one is not None  # noqa: S101 -- there is a difference
        sides = [(self.other, difference.other), (self.one, difference.one)]
        if difference.one.unproved and not difference.other.unproved:
            sides.reverse()
        (wrong, verdict), (right, proved) = sides
        assert verdict.verdict is not None and proved.verdict is not None  # noqa: S101 -- both decided the layout
        assert verdict.position is not None  # noqa: S101 -- the same
        disproved = verdict.unproved and not proved.unproved
        proof = "without a proof" if proved.evidence is None else f"proved by {proved.evidence}"
        return WrongVerdict(
            wrong.engine,
            verdict.position,
            difference.layout,
            verdict.verdict,
            verdict.value,
            f"{right.engine} {right.version} says {words_of(proved.verdict, proved.value)}, {proof}",
            Wrongness.DISPROVED if disproved else Wrongness.CONTRADICTED,
        )

    @property
    def right(self) -> bool:
        """Whether the referee accepts every verdict, none failed, and none contradicts the baseline."""
        return not self.wrong


SUREST = list(Wrongness)
"""In this order, wrong verdicts are listed."""


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
    clock = time.perf_counter if any(each.program for each in engines) else time.process_time
    solved, seconds = _solved(names, layouts, limit, clock)
    measured, *baselines = [
        _figures(name, each.version, to_batch(output), layouts, float(times.mean()) * 1e6)
        for name, each, output, times in zip(names, engines, solved, seconds, strict=True)
    ]
    reference = baselines[0] if baselines else None
    if reference is None and known.referee_name == game.engines[0].referee_name:
        solved.append(concatenate_solved([part.solved for part in entries if part.solved]))
        reference = _figures(game.full_name(game.engines[0]), "of the set", to_batch(solved[1]), layouts, None)
    if reference is None:
        return EngineBench(len(layouts), limit, None, measured, [], None, None)
    time_ratio = time_ratio_of(zip(*seconds[::-1].tolist(), strict=True)) if baselines else None
    nodes = _node_counts(solved[1], solved[0]) if baselines else None
    same_question = len({each.referee_name for each in engines}) == 1
    differences = _differences(layouts, solved[1], solved[0], same_question=same_question)
    return EngineBench(len(layouts), limit, reference, measured, differences, nodes, time_ratio)


def _solved(
    engines: Sequence[str], layouts: Texts, limit: int, clock: Callable[[], float]
) -> tuple[list[Solved], NDArray[np.float64]]:
    """Return the output of each engine, and its seconds for each layout: the least of the rounds, as a row for each
    engine. In a round, each engine solves all layouts: two programs would be started again for each layout otherwise.
    """
    outputs: list[Solved] = []
    rounds: list[list[list[float]]] = []
    copies = np.ones((len(engines), len(layouts)), dtype=np.int64)
    begun = time.perf_counter()
    while not rounds or (len(rounds) < ROUNDS and time.perf_counter() < begun + ENOUGH_SECONDS):
        times: list[list[float]] = []
        for number, engine in enumerate(engines):
            load(engine)
            solve_texts(engine, layouts.part(0, 1), limit)  # starts a program, which takes time of its own
            timed = [_timed(engine, layouts, index, copies[number], limit, clock) for index in range(len(layouts))]
            times.append([seconds for _, seconds in timed])
            if not rounds:
                outputs.append(concatenate_solved([output for output, _ in timed]))
        rounds.append(times)
        if len(engines) == 1 or any(FAILED in output.verdicts for output in outputs):
            break  # there is nothing to compare, or messages of failures would be repeated
    return outputs, np.array(rounds).min(axis=0)


def _timed(
    engine: str, layouts: Texts, index: int, copies: NDArray[np.int64], limit: int, clock: Callable[[], float]
) -> tuple[Solved, float]:
    """Return the output for a layout, and the seconds that it takes. A short time is that of many `copies` of the
    layout, whose number is kept for the next round."""
    while True:
        batch = layouts.take(np.full(copies[index], index, dtype=np.int64))
        start = clock()
        output = solve_texts(engine, batch, limit)
        seconds = max(clock() - start, CLOCK_SECONDS)
        if seconds >= LEAST_SECONDS / 2 or FAILED in output.verdicts:
            return output.part(0, 1), seconds / int(copies[index])
        copies[index] = max(2 * copies[index], ceil(copies[index] * LEAST_SECONDS / seconds))


def _figures(engine: str, version: str, batch: Batch, layouts: Texts, microseconds: float | None) -> EngineFigures:
    rows = zip(to_strings(layouts), batch.verdicts, batch.values, batch.evidence, strict=True)
    wrong = []
    for position, (layout, verdict, value, evidence) in enumerate(rows, start=1):
        judged = judge(engine, layout, verdict, value, evidence)
        if verdict is Verdict.FAILED or judged.outcome is Outcome.INVALID:
            wrongness = Wrongness.FAILED if verdict is Verdict.FAILED else Wrongness.REFUSED
            reason = str(evidence) if wrongness is Wrongness.FAILED else f"the referee: {judged}"
            wrong.append(WrongVerdict(engine, position, layout, verdict, value, reason, wrongness))
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
    pairs = zip(to_strings(layouts), _recorded(reference), _recorded(measured), strict=True)
    return [Difference(layout, ours, theirs, same_question) for layout, ours, theirs in pairs if ours != theirs]


def _node_counts(reference: Solved, measured: Solved) -> NodeCounts | None:
    codes = [int(verdict) for verdict in DECIDED]
    both = np.flatnonzero(np.isin(reference.verdicts, codes) & np.isin(measured.verdicts, codes))
    return compare_nodes([np.array([both + 1, both + 1, reference.nodes[both], measured.nodes[both]])])


def _recorded(solved: Solved) -> Iterator[RecordedVerdict]:
    columns = to_batch(solved).columns
    rows = zip(*(columns[name] for name in ANSWER), strict=True)
    return (RecordedVerdict(position, *row) for position, row in enumerate(rows, start=1))
