"""The statement's input in, the statement's output out: a stream, with nothing stored. Blocks of layouts are solved at
the same time, one on each core, and answered in their order."""

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from typing import TextIO

import numpy as np

from dealmill.pipeline.games.batch import Numbers, Solved, unpack
from dealmill.pipeline.games.contract import UNKNOWN, AnswerFormat, Engine, Game
from dealmill.pipeline.games.entries import Entries
from dealmill.pipeline.games.verdict import Verdict
from dealmill.pipeline.solve import load, solve_texts

Complain = Callable[[str], object]
"""Called with a message for every layout that has no answer."""


@dataclass(frozen=True, slots=True)
class Answered:
    """How many layouts got an answer, were no layouts, and broke the engine."""

    answered: int
    rejected: int
    failed: int


def answer(game: Game, engine: Engine, entries: Iterable[Entries], output: TextIO, complain: Complain) -> Answered:
    """Answer all layouts in the order they come in; ``?`` for one that has no answer."""
    form, name = game.answer, game.full_name(engine)
    seen = rejected = failed = 0
    output.write(form.opening)
    for part, solved in _solved(name, entries):
        broken = np.flatnonzero(solved.verdicts == int(Verdict.FAILED))
        for _, complaint in sorted([*_against(part), *_about(name, part, solved, broken)]):
            complain(complaint)
        output.write(form.between if seen and len(part) else "")
        output.write(form.between.join(_words(form, part, solved)))
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


def _against(part: Entries) -> Iterator[tuple[int, str]]:
    """Complaints about what is no layout, with their lines."""
    for reject in part.rejects:
        yield reject.line, f"line {reject.line}: {'; '.join(reject.reasons)}"


def _about(engine: str, part: Entries, solved: Solved, broken: Numbers) -> Iterator[tuple[int, str]]:
    """Complaints about layouts that broke the engine, with their lines."""
    lines = part.lines[broken].tolist()
    for line, error in zip(lines, unpack(solved.evidence.chosen(broken)), strict=True):
        yield line, f"line {line}: {engine} broke down: {error}"


def _words(form: AnswerFormat, part: Entries, solved: Solved) -> list[str]:
    """A word for each entry."""
    known = {int(verdict): form.word(verdict, None) for verdict in Verdict}
    scored = int(Verdict.SCORED)
    said = zip(solved.verdicts.tolist(), solved.values.tolist(), strict=True)
    words = [str(value) if code == scored else known[code] for code, value in said]
    for place in part.places.tolist():  # in their order, so that those before it are in
        words.insert(place, UNKNOWN)
    return words
