"""The statement's input in, the statement's output out: a stream, with nothing stored."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import TextIO

from dealmill.pipeline.games.contract import UNKNOWN, Engine, Game, Layout, Reject
from dealmill.pipeline.games.verdict import Verdict
from dealmill.pipeline.solve import solve

BATCH = 2_000

Complain = Callable[[str], object]
"""Called with a message for every layout that has no answer."""


@dataclass(frozen=True, slots=True)
class Answered:
    """How many layouts got an answer, were no layouts, and broke the engine."""

    answered: int
    rejected: int
    failed: int


def answer(
    game: Game, engine: Engine, lines: Iterable[tuple[int, str]], output: TextIO, complain: Complain
) -> Answered:
    """Answer all layouts in the order they come in; ``?`` for one that has no answer."""
    form = game.answer
    entries = iter(game.layout.read(lines))
    seen = rejected = failed = 0
    output.write(form.opening)
    while batch := list(islice(entries, BATCH)):
        words = []
        for entry, (verdict, value, evidence) in zip(batch, _verdicts(game, engine, batch), strict=True):
            if isinstance(entry, Reject):
                complain(f"line {entry.line}: {'; '.join(entry.reasons)}")
                rejected += 1
            elif verdict is Verdict.FAILED:
                complain(f"line {entry.line}: {game.full_name(engine)} broke down: {evidence}")
                failed += 1
            words.append(UNKNOWN if verdict is None else form.word(verdict, value))
        output.write(form.between if seen else "")
        output.write(form.between.join(words))
        seen += len(words)
    output.write("\n" if seen else "")
    output.write(form.closing)
    return Answered(seen - rejected - failed, rejected, failed)


def _verdicts(
    game: Game, engine: Engine, batch: list[Layout | Reject]
) -> Iterator[tuple[Verdict | None, int | None, str | None]]:
    solved = solve(game.full_name(engine), [entry.text for entry in batch if isinstance(entry, Layout)])
    verdicts = zip(solved.verdicts, solved.values, solved.evidence, strict=True)
    for entry in batch:
        yield next(verdicts) if isinstance(entry, Layout) else (None, None, None)
