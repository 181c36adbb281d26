"""What a picture shows, read from its SVG: lines and the room that letters take."""

import re
from collections.abc import Iterator
from itertools import pairwise
from xml.etree import ElementTree

from dealmill.pipeline.games.pictures import NAMESPACE, Point, Scene

Box = tuple[float, float, float, float]
"""Left, top, right, bottom."""
WIDE = 0.75
"""The width of a capital letter in a wide bold font, in relation to its size."""
TALL = 0.73
"""The height of a capital letter."""
STEP = 1.0


def parsed(scene: Scene) -> ElementTree.Element:
    """The root element of a picture, which must be well-formed."""
    return ElementTree.fromstring(scene.svg)


def letters(scene: Scene) -> list[tuple[str, Box]]:
    """The texts of a picture, except those on badges, with the boxes that their letters fill."""
    boxes = []
    root = parsed(scene)
    groups = {element: group.attrib for group in root.iter(f"{{{NAMESPACE}}}g") for element in group}
    for element in root.iter(f"{{{NAMESPACE}}}text"):
        if element.get("class") != "light":
            look = {**groups.get(element, {}), **element.attrib}
            written, size = element.text or "", float(look["font-size"])
            x, base = float(look["x"]), float(look["y"])
            half = WIDE * size * len(written) / 2
            left = {"middle": x - half, "start": x, "end": x - 2 * half}[look["text-anchor"]]
            boxes.append((written, (left, base - TALL * size, left + 2 * half, base)))
    return boxes


def lines(scene: Scene, kind: str) -> list[list[Point]]:
    """The corners of each path of a class; a line with round turns stays within those of its sharp corners."""
    corners = []
    for element in parsed(scene).iter(f"{{{NAMESPACE}}}path"):
        if element.get("class") == kind:
            numbers = [float(number) for number in re.findall(r"-?\d+(?:\.\d+)?", element.get("d", ""))]
            corners.append(list(zip(numbers[::2], numbers[1::2], strict=True)))
    return corners


def count(scene: Scene, name: str, kind: str) -> int:
    """The number of elements of a class."""
    return sum(element.get("class") == kind for element in parsed(scene).iter(f"{{{NAMESPACE}}}{name}"))


def words(scene: Scene, kind: str) -> list[str]:
    """The texts of a class, in the order in which they are drawn."""
    elements = parsed(scene).iter(f"{{{NAMESPACE}}}text")
    return [element.text or "" for element in elements if element.get("class") == kind]


def along(corners: list[Point]) -> Iterator[Point]:
    """Points on a line, close to each other."""
    for (x, y), (to_x, to_y) in pairwise(corners):
        steps = 1 + int(max(abs(to_x - x), abs(to_y - y)) / STEP)
        for number in range(steps + 1):
            yield x + (to_x - x) * number / steps, y + (to_y - y) * number / steps


def covered(scene: Scene, kinds: tuple[str, ...]) -> list[str]:
    """The texts that are crossed by a line of these classes."""
    points = [point for kind in kinds for line in lines(scene, kind) for point in along(line)]
    return [
        letter
        for letter, (left, top, right, bottom) in letters(scene)
        if any(left <= x <= right and top <= y <= bottom for x, y in points)
    ]
