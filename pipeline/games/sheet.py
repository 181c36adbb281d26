"""Several scenes on one sheet, each with its caption."""

from collections.abc import Sequence
from textwrap import wrap

from dealmill.pipeline.games.scene import NAMESPACE, Scene
from dealmill.pipeline.games.svg import INKED, NOTE, PAPER, Style, element, text

LETTERS = 52
"""The letters in a line of a caption."""
SIZE = 1 / (0.62 * LETTERS)
"""The size of letters in relation to the width of a caption; in a wide font, a letter is 0.62 times as wide."""
NARROWEST = 340
"""The least width of a caption."""
GAP = 18


def sheet(scenes: Sequence[Scene], columns: int = 1) -> str:
    """Return an SVG document with some scenes in rows, each with its path and caption below it."""
    width = max(NARROWEST, *(scene.width for scene in scenes))
    size = width * SIZE
    line_height = 1.4 * size
    parts: list[str] = []
    y: float = GAP
    for start in range(0, len(scenes), columns):
        row = [(scene, _captions(scene)) for scene in scenes[start : start + columns]]
        tallest = max(scene.height for scene, _ in row)
        for column, (scene, captions) in enumerate(row):
            x = GAP + column * (width + GAP)
            parts.append(_placed(scene, x, y))
            below = y + tallest + line_height
            parts += [
                text(x, below + number * line_height, line, size, style, anchor="start")
                for number, (line, style) in enumerate(captions)
            ]
        y += tallest + max(len(captions) for _, captions in row) * line_height + 2 * GAP
    across = min(columns, len(scenes)) * (width + GAP) + GAP
    paper = element("rect", class_="paper", width=across, height=y, fill=PAPER)
    return element("svg", paper, *parts, xmlns=NAMESPACE, viewBox=f"0 0 {across} {round(y)}")


def _captions(scene: Scene) -> list[tuple[str, Style]]:
    path = [(line, NOTE) for choice in scene.path for line in wrap(choice, LETTERS)]
    return [*path, *((line, INKED) for line in wrap(scene.caption, LETTERS))]


def _placed(scene: Scene, x: float, y: float) -> str:
    """Return the document of a scene as an element of another one."""
    return scene.svg.replace("<svg ", f'<svg x="{x:g}" y="{y:.1f}" width="{scene.width}" height="{scene.height}" ', 1)
