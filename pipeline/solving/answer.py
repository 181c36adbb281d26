"""Answer input in the format of a problem statement with output in its format. Nothing is stored.

Blocks of layouts are solved in parallel, one per core, and answered in input order.
"""

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from typing import TextIO

import numpy as np

from dealmill.pipeline.games.batch import Entries, Numbers, Solved, to_strings
from dealmill.pipeline.games.contract import Game
from dealmill.pipeline.games.descriptions import UNKNOWN, AnswerFormat, Engine
from dealmill.pipeline.games.verdict import Verdict
from dealmill.pipeline.solving.loading import load
from dealmill.pipeline.solving.solve import solve_texts

ReportProblem = Callable[[str], object]
"""Called with a message for each layout that has no answer."""


@dataclass(frozen=True, slots=True)
class Answered:
    """The numbers of layouts that were answered, were rejected as invalid, and made the engine fail."""

    answered: int
    rejected: int
    failed: int


def answer(game: Game, engine: Engine, entries: Iterable[Entries], output: TextIO, complain: ReportProblem) -> Answered:
    """Write an answer for every layout to `output`, in input order; ``?`` for a layout that has no answer."""
    form, name = game.answer, game.full_name(engine)
    seen = rejected = failed = 0
    output.write(form.opening)
    for part, solved in _solved(name, entries):
        broken = np.flatnonzero(solved.verdicts == int(Verdict.FAILED))
        for _, complaint in sorted([*_reject_messages(part), *_failure_messages(name, part, solved, broken)]):
            complain(complaint)
        output.write(form.between if seen and len(part) else "")
        output.write(form.between.join(_answers(form, part, solved)))
        seen += len(part)
        rejected += len(part.rejects)
        failed += len(broken)
    output.write("\n" if seen else "")
    output.write(form.closing)
    return Answered(seen - rejected - failed, rejected, failed)


def _solved(engine: str, entries: Iterable[Entries]) -> Iterator[tuple[Entries, Solved]]:
    load(engine)
    cores = os.cpu_count() or 1
    begun = deque[tuple[Entries, Future[Solved]]]()
    with ThreadPoolExecutor(cores) as threads:
        for part in entries:
            begun.append((part, threads.submit(solve_texts, engine, part.layouts)))
            if len(begun) > cores:
                first, solving = begun.popleft()
                yield first, solving.result()
        for first, solving in begun:
            yield first, solving.result()


def _reject_messages(part: Entries) -> Iterator[tuple[int, str]]:
    """Yield the line number and a message for each reject."""
    for reject in part.rejects:
        yield reject.line, f"line {reject.line}: {'; '.join(reject.reasons)}"


def _failure_messages(engine: str, part: Entries, solved: Solved, broken: Numbers) -> Iterator[tuple[int, str]]:
    """Yield the line number and a message for each layout on which the engine failed."""
    lines = part.lines[broken].tolist()
    for line, error in zip(lines, to_strings(solved.evidence.take(broken)), strict=True):
        yield line, f"line {line}: {engine} failed: {error}"


def _answers(form: AnswerFormat, part: Entries, solved: Solved) -> list[str]:
    """Return the answer of each entry, in order."""
    known = {int(verdict): form.word(verdict, None) for verdict in Verdict}
    scored = int(Verdict.SCORED)
    pairs = zip(solved.verdicts.tolist(), solved.values.tolist(), strict=True)
    words = [str(value) if code == scored else known[code] for code, value in pairs]
    for index in part.reject_indexes.tolist():  # ascending, so that all earlier ones are already inserted
        words.insert(index, UNKNOWN)
    return words
