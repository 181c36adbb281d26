"""Checks of an engine: what it says of a layout depends on nothing else, and the referee accepts it.

``FOLDER/GAME.ENGINE.VERSION.jsonl`` has a line for each layout, first those of the statement's example and then the
first example deals: a JSON list of the layout and the columns of a `Batch`. Columns that results of earlier versions do
not have, those with a default in `ResultRow`, are left out if they say nothing of any of the layouts. Of games by rules
files, which share an engine, there are a few deals each. An engine with a node limit of its own is tried with fewer
deals and nodes.
"""

import json
from collections.abc import Sequence
from dataclasses import fields
from functools import lru_cache
from pathlib import Path

from dealmill.pipeline.errors import InvalidEvidence
from dealmill.pipeline.games import find_game
from dealmill.pipeline.games.batch import to_strings, to_texts
from dealmill.pipeline.games.contract import Game
from dealmill.pipeline.games.descriptions import UNKNOWN, Engine
from dealmill.pipeline.games.verdict import Verdict
from dealmill.pipeline.results.record import ResultRow
from dealmill.pipeline.solving.loading import function_of
from dealmill.pipeline.solving.solve import solve, solve_texts
from dealmill.testing.subject import CheckFailed, Row, Subject, example, numbered, require, small_limit, to_judge

MANY = 2_000
DEALS = 200
ALONE = 20


def the_referee_accepts_every_verdict(subject: Subject, engine: Engine) -> None:
    """Of 2,000 deals. Without a node limit, a complete engine decides each."""
    check = subject.game.compiled_check
    for layout, verdict, value, evidence in to_judge(engine, _solved_once(subject, engine)):
        require(verdict is not Verdict.FAILED, f"layout {layout}: failed: {evidence}")
        if verdict is Verdict.UNDECIDED:
            require(not engine.complete, f"layout {layout}: undecided without a node limit; is the engine complete?")
            continue
        require(evidence.isascii() and "\n" not in evidence, f"layout {layout}: evidence {evidence!r} is not ASCII")
        require((value is None) == (verdict is not Verdict.SCORED), f"layout {layout}: {verdict} with value {value}")
        try:
            check(engine.referee_name, layout, verdict, value, evidence)
        except InvalidEvidence as error:
            raise CheckFailed(f"layout {layout}: {verdict}, evidence {evidence}: {error}") from error


def every_verdict_has_a_word_in_an_answer(subject: Subject, engine: Engine) -> None:
    """`AnswerFormat` has a word for each verdict that the engine gives, except for undecided; `value_text` has a text
    for each value."""
    for layout, verdict, value, _ in _solved_once(subject, engine):
        if verdict is Verdict.UNDECIDED:
            continue
        word = subject.game.answer.word(verdict, value)
        require(word not in {"", UNKNOWN}, f"layout {layout}: AnswerFormat has no word for {verdict}")
        if value is not None:
            text = engine.value_text(value) if engine.value_text else None
            require(isinstance(text, str), f"layout {layout}: value_text says {text!r} of {value}, expected a text")


@lru_cache(maxsize=1)
def _solved_once(subject: Subject, engine: Engine) -> list[Row]:
    """Return the verdicts on many deals, which two checks of an engine, one after the other, share."""
    return subject.verdicts(engine, subject.deals_for(engine, 11, MANY))


def a_verdict_depends_only_on_its_layout(subject: Subject, engine: Engine) -> None:
    """Not on the order of layouts or on the others in a batch."""
    layouts = subject.deals_for(engine, 13, DEALS)
    whole = subject.solve(engine, layouts)
    backwards = subject.solve(engine, layouts[::-1])
    for index, layout in enumerate(layouts):
        for name in (field.name for field in fields(whole)):
            first, second = getattr(whole, name)[index], getattr(backwards, name)[~index]
            require(first == second, f"layout {layout}: {name} {first}, but {second} in another order")
            if index < ALONE:
                alone = getattr(subject.solve(engine, [layout]), name)[0]
                require(first == alone, f"layout {layout}: {name} {first}, but {alone} without the others")


def a_node_limit_leaves_layouts_undecided_and_changes_nothing_else(subject: Subject, engine: Engine) -> None:
    """A layout is undecided if and only if it takes more nodes."""
    layouts = subject.deals_for(engine, 14, DEALS)
    free = subject.solve(engine, layouts)
    for limit in (1, 5, max(free.nodes)):
        limited = subject.solve(engine, layouts, limit)
        lengths = solve_texts(subject.game.full_name(engine), to_texts(layouts), limit).evidence.lengths
        for index, layout in enumerate(layouts):
            what = f"layout {layout}: {free.nodes[index]} nodes, limit {limit}:"
            outcome = limited.verdicts[index], limited.values[index], limited.evidence[index]
            if free.nodes[index] <= limit:
                expected = free.verdicts[index], free.values[index], free.evidence[index]
                require(outcome == expected, f"{what} {outcome}, expected {expected}")
            else:
                require(outcome == (Verdict.UNDECIDED, None, None), f"{what} {outcome}, expected undecided")
                require(lengths[index] == 0, f"{what} undecided with evidence")
            require(limited.nodes[index] <= limit, f"{what} {limited.nodes[index]} nodes were searched")


def an_empty_batch_is_solved(subject: Subject, engine: Engine) -> None:
    """A batch can have no layouts."""
    require(len(function_of(subject.game, engine)(to_texts([]), 1).verdicts) == 0, "no layouts have verdicts")


CHECKS = (
    the_referee_accepts_every_verdict,
    every_verdict_has_a_word_in_an_answer,
    a_verdict_depends_only_on_its_layout,
    a_node_limit_leaves_layouts_undecided_and_changes_nothing_else,
    an_empty_batch_is_solved,
)


GOLDEN_DEALS, GOLDEN_DEALS_BY_RULES = 300, 10
"""The deals in a golden file of a game of its own, and of one by a rules file."""


def golden_file(folder: Path, game: Game, engine: Engine) -> Path:
    """Return the file of an engine's installed version."""
    return folder / f"{game.name}.{engine.name}.{engine.version}.jsonl"


def golden_lines(game: Game, engine: Engine, layouts: Sequence[str]) -> list[str]:
    """Return the lines of a golden file for these layouts."""
    solved = solve(game.full_name(engine), layouts, small_limit(engine))
    columns = {**solved.columns, "verdict": [verdict.word for verdict in solved.verdicts]}
    for name, default in ResultRow._field_defaults.items():
        if {*columns[name]} <= {default}:
            del columns[name]
    return [json.dumps(row) for row in zip(layouts, *columns.values(), strict=True)]


def golden_deals(game: Game) -> list[str]:
    """Return the deals whose results a golden file has, the first ones of seed 1."""
    if game.rules_text:
        return to_strings(game.deal(1, 1, GOLDEN_DEALS_BY_RULES))
    return example(game, "deals.txt").splitlines()[:GOLDEN_DEALS]


def write_golden(name: str, folder: Path) -> list[Path]:
    """Write the golden files of a game that are missing, and return them. A file that exists is never changed.

    Raises
    ------
    NotFoundError
        If there is no such game, or it cannot be used.
    """
    game = find_game(name)
    statement = example(game, "statement.txt").splitlines() if game.has_statement else []
    layouts = [entry.text for entry in game.read(numbered(statement))] + golden_deals(game)
    missing = [engine for engine in game.engines if not golden_file(folder, game, engine).exists()]
    for engine in missing:
        lines = golden_lines(game, engine, layouts)
        golden_file(folder, game, engine).write_text("".join(f"{line}\n" for line in lines))
    return [golden_file(folder, game, engine) for engine in missing]


def the_output_is_that_of_its_golden_file(subject: Subject, engine: Engine, folder: Path) -> None:
    """The output of an engine changes only with its version."""
    file = golden_file(folder, subject.game, engine)
    command = f"dealmill check-game {subject.game.name} --write-golden {folder}"
    require(file.exists(), f"there is no {file}; write it with: {command}")
    expected = file.read_text().splitlines()
    deals = golden_deals(subject.game)
    require(len(expected) >= len(deals), f"{file} has only {len(expected)} lines; remove it, and write it again")
    output = golden_lines(subject.game, engine, [json.loads(line)[0] for line in expected])
    for line, (new, old) in enumerate(zip(output, expected, strict=True), start=1):
        require(new == old, f"{file}, line {line}: the output is {new}, expected {old}; give the engine a new version")
