"""Loops of Tantrix tiles as data: each tile goes from its place beside the field to a space."""

from dealmill.pipeline.games.tantrix.loop.rules import read_layout, read_loop
from dealmill.pipeline.games.tantrix.rules import Space, least_rotation
from dealmill.playback import Move, Pile, Playback, Step
from dealmill.verdicts import Verdict


def playback(layout: str, verdict: Verdict | None = None, evidence: str | None = None) -> Playback:
    """Return the tiles, and how they are laid along the loop.

    Raises
    ------
    InvalidEvidence
        If the evidence is not a loop through all tiles.
    """
    given = read_layout(layout)
    places = {tile: f"tile {number}" for number, tile in enumerate(given.tiles, start=1)}
    piles = {name: Pile.face_up(tile) for tile, name in places.items()}
    steps = []
    for placed in read_loop(given, evidence) if verdict is Verdict.WINNABLE and evidence is not None else ():
        space = f"{Space(*placed.space)}"
        piles[f"space {space}"] = Pile.face_up()
        move = Move(source=places[least_rotation(placed.tile)], target=f"space {space}", shows=placed.tile)
        steps.append(Step(word=f"{space}:{placed.tile}", moves=[move]))
    return Playback(table=piles, steps=steps)
