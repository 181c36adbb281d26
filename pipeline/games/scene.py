"""A picture of a game with its caption."""

from collections.abc import Iterable
from dataclasses import dataclass
from html import escape

from dealmill.pipeline.games.svg import PAPER, element

NAMESPACE = "http://www.w3.org/2000/svg"
RANKS = {"T": "10", "0": "10"}
"""The ranks whose symbol in a layout is not the one on the card."""


@dataclass(frozen=True, slots=True)
class Scene:
    """A picture with its caption.

    `svg` is an SVG document of `width` by `height` units, without style sheets, scripts, ids and references. `alt`
    describes what it shows. `path` is the choice at each branch that leads to a leaf of a tree of cases; it is empty
    for a layout and for the steps of a play.
    """

    svg: str
    caption: str
    alt: str
    width: int
    height: int
    path: tuple[str, ...] = ()


def scene(
    width: float, height: float, parts: Iterable[str], caption: str, alt: str, path: tuple[str, ...] = ()
) -> Scene:
    """Return a scene of elements on paper of `width` by `height` units."""
    across, down = round(width), round(height)
    svg = element(
        "svg",
        element("title", escape(caption)),
        element("desc", escape(alt)),
        element("rect", class_="paper", width=across, height=down, rx=8, fill=PAPER),
        *parts,
        xmlns=NAMESPACE,
        viewBox=f"0 0 {across} {down}",
        role="img",
    )
    return Scene(svg, caption, alt, across, down, path)


def rank_name(symbol: str) -> str:
    """Return what is printed on a card."""
    return RANKS.get(symbol, symbol)
