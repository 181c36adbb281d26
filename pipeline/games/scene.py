"""The pictures of a game: one scene for a layout and one per step of its evidence."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from html import escape


@dataclass(frozen=True, slots=True)
class Scene:
    """A picture with the sentence that belongs below it.

    `svg` is a standalone SVG document without style sheets, scripts, ids and references, `width` by `height` units
    large. `alt` describes what it shows. `path` leads to a leaf of a tree of cases: the choice made at each branch from
    the root; it is empty for the scenes of a play.
    """

    svg: str
    caption: str
    alt: str
    width: int
    height: int
    path: tuple[str, ...] = ()


def plain(frames: Iterable[str]) -> Iterator[Scene]:
    """Yield text boards as pictures, until their game draws better ones."""
    for frame in frames:
        board, _, caption = frame.rpartition("\n\n")
        caption = " ".join(caption.split())
        lines = board.splitlines()
        width, height = 10 + 10 * max(map(len, lines)), 20 + 20 * len(lines)
        rows = "".join(
            f'<text x="10" y="{20 * number}" class="label" font-size="16" font-family="monospace" '
            f'xml:space="preserve">{escape(line)}</text>'
            for number, line in enumerate(lines, start=1)
        )
        yield Scene(
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img">'
            f"<title>{escape(caption)}</title><desc>{escape(board)}</desc>"
            f'<rect class="paper" width="{width}" height="{height}" fill="#fdfcf8"/>{rows}</svg>',
            caption,
            board,
            width,
            height,
        )
