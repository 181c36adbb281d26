"""The 56 tiles. A tile is six letters: the colours of its sides, clockwise from the one facing up.

A tile joins its sides in pairs by three links of different colours, and no tile looks the same turned halfway: so it
shows three colours twice each, and is no rotation of ABCABC.
"""

from itertools import product

SIDES = 6
HAND = 5
MOST_ON_FIELD = 51
"""All tiles less the hand of the player to move."""
COLOURS = "BGRY"


def rotations(tile: str) -> list[str]:
    """The six ways to place a tile."""
    return [tile[turn:] + tile[:turn] for turn in range(SIDES)]


def why_no_tile(text: str) -> str | None:
    """What keeps a text from being one of the tiles, in any rotation."""
    shown = set(text)
    if unknown := sorted(shown - set(COLOURS)):
        return f"unknown colour{'s' * (len(unknown) > 1)} {', '.join(map(repr, unknown))} in {text!r}"
    if len(text) != SIDES:
        return f"{text} has {len(text)} sides, not {SIDES}"
    if len(shown) != 3 or any(text.count(colour) != 2 for colour in shown):
        return f"{text} is none of the 56 tiles: they show three colours twice each"
    if text[:3] == text[3:]:
        return f"{text} is none of the 56 tiles: it looks the same turned halfway"
    return None


LEAST = {
    tile: min(rotations(tile)) for tile in map("".join, product(COLOURS, repeat=SIDES)) if why_no_tile(tile) is None
}
"""For a tile in each of its rotations (336 keys) the alphabetically first rotation, which stands for the tile."""

TILES = sorted(set(LEAST.values()))
"""The 56 tiles in alphabetical order."""
