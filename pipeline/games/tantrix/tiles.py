"""The 56 tiles. A tile is six letters: the colours of its sides, clockwise from the top side.

A tile connects its sides in pairs by three links of different colours, and no tile looks the same after half a turn. So
it has two sides of each of three colours, and is not a rotation of ABCABC.
"""

from itertools import product

SIDES = 6
HAND = 5
MAX_ON_FIELD = 51
"""All tiles except the hand of the player to move."""
COLOURS = "BGRY"


def rotations(tile: str) -> list[str]:
    """Return the six rotations of a tile."""
    return [tile[turn:] + tile[:turn] for turn in range(SIDES)]


def why_no_tile(text: str) -> str | None:
    """Return the reason why a text is not one of the tiles in any rotation, or None if it is."""
    shown = set(text)
    if unknown := sorted(shown - set(COLOURS)):
        return f"unknown colour{'s' * (len(unknown) > 1)} {', '.join(map(repr, unknown))} in {text!r}"
    if len(text) != SIDES:
        return f"{text} has {len(text)} side{'s' * (len(text) != 1)}, expected {SIDES}"
    if len(shown) != 3 or any(text.count(colour) != 2 for colour in shown):
        return f"{text} is not one of the 56 tiles: a tile has two sides of each of three colours"
    if text[:3] == text[3:]:
        return f"{text} is not one of the 56 tiles: it looks the same after half a turn"
    return None


LEAST = {
    tile: min(rotations(tile)) for tile in map("".join, product(COLOURS, repeat=SIDES)) if why_no_tile(tile) is None
}
"""The alphabetically first rotation, which stands for the tile, by each of its rotations (336 keys)."""

TILES = sorted(set(LEAST.values()))
"""The 56 tiles in alphabetical order."""
