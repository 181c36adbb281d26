"""The fingerprints of very many deals, for what an engine says otherwise of one in thousands."""

from pathlib import Path

from dealmill.pipeline.evidence.digests import fingerprint, whole_blocks
from dealmill.pipeline.games.contract import Game
from dealmill.pipeline.games.descriptions import Engine
from dealmill.pipeline.solving.solve import solve_texts

MANY, FEWER = 100_000, 10_000
SLOW = {"hi-q/fewest", "tantrix-loop/winnable", "card-pairing/odds"}
"""Engines that solve `FEWER` deals in seconds."""

FOLDER = Path(__file__).parent


def fingerprint_file(game: Game, engine: Engine) -> Path:
    """The file of an engine's present version and the present deals."""
    return FOLDER / f"{game.name}.{engine.name}.{engine.version}.deals-{game.deals.version}.txt"


def fingerprint_of_deals(game: Game, engine: Engine) -> str:
    """The fingerprint that a run over the first deals of seed 1 has."""
    name = game.full_name(engine)
    deals = game.deal(1, 1, FEWER if name in SLOW else MANY)
    return fingerprint(whole_blocks(1, deals, solve_texts(name, deals)).values())
