"""Where the golden files are and how their lines are made."""

import json
from pathlib import Path

from pipeline.games.contract import Engine, Game
from pipeline.solve import solve

DEALS = 300


def golden_file(game: Game, engine: Engine) -> Path:
    """The file of an engine's present version."""
    return Path(__file__).parent / f"{game.name}.{engine.name}.{engine.version}.jsonl"


def golden_lines(game: Game, engine: Engine) -> list[str]:
    """What the engine says now: a JSON list of layout, verdict, value, nodes and evidence for each layout."""
    statement = (game.examples / f"{game.name}-statement.txt").read_text().splitlines()
    layouts = [entry.text for entry in game.layout.read(list(enumerate(statement, start=1)))]
    layouts += (game.examples / f"{game.name}-deals.txt").read_text().splitlines()[:DEALS]
    solved = solve(game.full_name(engine), layouts)
    rows = zip(
        layouts,
        [verdict.word for verdict in solved.verdicts],
        solved.values,
        solved.nodes,
        solved.evidence,
        strict=True,
    )
    return [json.dumps(row) for row in rows]
