"""Where the golden files are and what stands in them."""

import json
from collections.abc import Sequence
from pathlib import Path

from dealmill.pipeline.fingerprint import fingerprint, whole_blocks
from dealmill.pipeline.games.contract import Engine, Game
from dealmill.pipeline.solve import solve, solve_texts

DEALS = 300
"""Written down one by one, behind the layouts of the statement."""
MANY = 100_000
"""Written down by their fingerprint, for what an engine says otherwise of one in thousands."""

FOLDER = Path(__file__).parent


def golden_file(game: Game, engine: Engine) -> Path:
    """The file of an engine's present version."""
    return FOLDER / f"{game.name}.{engine.name}.{engine.version}.jsonl"


def golden_layouts(game: Game) -> list[str]:
    """The layouts of a new golden file."""
    statement = (game.examples / f"{game.name}-statement.txt").read_text().splitlines()
    layouts = [entry.text for entry in game.layout.read(list(enumerate(statement, start=1)))]
    return layouts + (game.examples / f"{game.name}-deals.txt").read_text().splitlines()[:DEALS]


def golden_lines(game: Game, engine: Engine, layouts: Sequence[str]) -> list[str]:
    """What the engine says now: a JSON list of layout, verdict, value, nodes and evidence for each layout."""
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


def fingerprint_file(game: Game, engine: Engine) -> Path:
    """The file of an engine's present version and the present deals."""
    return FOLDER / f"{game.name}.{engine.name}.{engine.version}.deals-{game.deals.version}.txt"


def fingerprint_of_deals(game: Game, engine: Engine) -> str:
    """The fingerprint that a run over the first deals of seed 1 has."""
    deals = game.deal.deal(1, 1, MANY)
    return fingerprint(whole_blocks(1, deals, solve_texts(game.full_name(engine), deals)).values())
