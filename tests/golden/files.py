"""The fingerprints of very many deals, for what an engine says otherwise of one in thousands."""

from pathlib import Path

from dealmill.pipeline.digests import fingerprint, whole_blocks
from dealmill.pipeline.games.contract import Engine, Game
from dealmill.pipeline.solve import solve_texts

MANY = 100_000

FOLDER = Path(__file__).parent


def fingerprint_file(game: Game, engine: Engine) -> Path:
    """The file of an engine's present version and the present deals."""
    return FOLDER / f"{game.name}.{engine.name}.{engine.version}.deals-{game.deals.version}.txt"


def fingerprint_of_deals(game: Game, engine: Engine) -> str:
    """The fingerprint that a run over the first deals of seed 1 has."""
    deals = game.deal(1, 1, MANY)
    return fingerprint(whole_blocks(1, deals, solve_texts(game.full_name(engine), deals)).values())
