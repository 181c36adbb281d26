"""The legal moves of Tantrix as data: one tile after the other is laid on the field, and taken back."""

from dealmill.pipeline.games.tantrix.rules import least_rotation, read_move, read_position
from dealmill.playback import Move, Pile, Playback, Step
from dealmill.verdicts import InvalidEvidence, Verdict


def playback(layout: str, verdict: Verdict | None = None, evidence: str | None = None) -> Playback:
    """Return the field and the hand, and the legal moves. Each step takes the tile of the step before back.

    Raises
    ------
    InvalidEvidence
        If the moves cannot be read, or lay a tile that is not in hand.
    """
    position = read_position(layout)
    places = {tile: f"hand {number}" for number, tile in enumerate(position.hand, start=1)}
    piles = {f"space {space}": Pile.face_up(tile) for space, tile in position.field.items()}
    piles |= {name: Pile.face_up(tile) for tile, name in places.items()}
    steps, back = list[Step](), list[Move]()
    for number, word in enumerate((evidence or "").split() if verdict is Verdict.SCORED else [], start=1):
        move = read_move(number, word)
        tile = least_rotation(move.tile)
        if tile not in places:
            raise InvalidEvidence(number, f"{tile} is not in hand")
        space = f"space {move.space}"
        steps.append(Step(word=word, moves=[*back, Move(source=places[tile], target=space, shows=move.tile)]))
        back = [Move(source=space, target=places[tile], shows=tile)]
        piles.setdefault(space, Pile.face_up())
    return Playback(table=piles, steps=steps)
