"""Golden files: the output of each version of each engine, byte for byte.

``FOLDER/GAME.ENGINE.VERSION.jsonl`` has a line for each layout, first those of the statement's example and then the
first example deals: a JSON list of layout, verdict, value, nodes and evidence.
"""

import json
from collections.abc import Sequence
from pathlib import Path

from dealmill.pipeline.games import find_game
from dealmill.pipeline.games.contract import Engine, Game
from dealmill.pipeline.solve import solve
from dealmill.testing.subject import Subject, numbered, require
from dealmill.testing.texts import example

DEALS = 300


def golden_file(folder: Path, game: Game, engine: Engine) -> Path:
    """Return the file of an engine's installed version."""
    return folder / f"{game.name}.{engine.name}.{engine.version}.jsonl"


def golden_lines(game: Game, engine: Engine, layouts: Sequence[str]) -> list[str]:
    """Return the lines of a golden file for these layouts."""
    solved = solve(game.full_name(engine), layouts)
    verdicts = [verdict.word for verdict in solved.verdicts]
    rows = zip(layouts, verdicts, solved.values, solved.nodes, solved.evidence, strict=True)
    return [json.dumps(row) for row in rows]


def write_golden(name: str, folder: Path) -> list[Path]:
    """Write the golden files of a game that are missing, and return them. A file that exists is never changed.

    Raises
    ------
    NotFoundError
        If there is no such game, or it cannot be used.
    """
    game = find_game(name)
    statement = game.layout.read(numbered(example(game, "statement.txt").splitlines()))
    layouts = [entry.text for entry in statement] + example(game, "deals.txt").splitlines()[:DEALS]
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
    require(len(expected) > DEALS, f"{file} has only {len(expected)} lines; remove it, and write it again")
    found = golden_lines(subject.game, engine, [json.loads(line)[0] for line in expected])
    for line, (new, old) in enumerate(zip(found, expected, strict=True), start=1):
        require(new == old, f"{file}, line {line}: the output is {new}, expected {old}; give the engine a new version")
