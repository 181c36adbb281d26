"""Checks of text boards and pictures."""

import re
from contextlib import suppress
from functools import lru_cache
from itertools import islice
from random import Random
from xml.etree import ElementTree

from dealmill.pipeline.errors import InvalidEvidence
from dealmill.pipeline.games.descriptions import Engine
from dealmill.pipeline.games.pictures import NAMESPACE, Scene
from dealmill.pipeline.games.verdict import Verdict
from dealmill.testing.subject import CheckFailed, Row, Subject, altered_texts, assumes, require

ELEMENTS = {"title", "desc", "g", "rect", "circle", "path", "text"}
ATTRIBUTES = {
    *("class", "x", "y", "width", "height", "rx", "cx", "cy", "r", "d", "transform"),
    *("fill", "stroke", "stroke-width", "stroke-dasharray", "pointer-events"),
    *("text-anchor", "font-family", "font-size", "font-weight"),
}
UNREADABLE = ("?", "\0", "-1", "<script>alert(1)</script>", "\ud800", "9" * 400, "z z z")
LAYOUTS_PER_VERDICT = 5
"""Layouts with each verdict."""
ALTERATIONS = 6
WIDEST = 100


def a_board_is_drawn_for_the_layout_and_every_step(subject: Subject, engine: Engine) -> None:
    """As text, at most 100 characters wide."""
    for layout, verdict, _, evidence in subject.some_of_each_verdict(engine, LAYOUTS_PER_VERDICT):
        boards = list(subject.game.frames(layout, verdict, evidence))
        require(len(boards) > 1, f"layout {layout}: nothing is drawn for evidence {evidence}")
        require(list(subject.game.frames(layout)) == boards[:1], f"layout {layout}: the first board differs")
        widest = max(len(line) for board in boards for line in board.splitlines())
        require(widest <= WIDEST, f"layout {layout}: a board is {widest} characters wide, expected {WIDEST}")


def a_picture_is_a_document_for_any_page(subject: Subject, engine: Engine) -> None:
    """A picture is SVG without style sheets, scripts and references; every step looks different."""
    for (layout, *_), scenes in _drawn_once(subject, engine):
        require(len(scenes) > 1, f"layout {layout}: nothing is drawn for its evidence")
        for scene in scenes:
            _require_document(layout, scene)
        require(len({scene.svg for scene in scenes}) == len(scenes), f"layout {layout}: two steps look the same")


def pictures_depend_only_on_their_arguments(subject: Subject, engine: Engine) -> None:
    """And only the layout is drawn if nothing is proved."""
    for (layout, verdict, _, evidence), scenes in _drawn_once(subject, engine):
        redrawn = list(subject.game.scenes(layout, verdict, evidence))
        require(redrawn == scenes, f"layout {layout}: its pictures differ the second time")
        for drawn in (
            subject.game.scenes(layout),
            subject.game.scenes(layout, Verdict.UNDECIDED, "out of memory"),
            subject.game.scenes(layout, Verdict.FAILED, "out of memory"),
        ):
            require(list(drawn) == scenes[:1], f"layout {layout}: more than the layout is drawn without evidence")


@assumes("a board keeps its size during a play")
def pictures_of_a_play_have_one_size(subject: Subject, engine: Engine) -> None:
    """So that nothing jumps when a page steps through them."""
    for (layout, verdict, *_), scenes in _drawn_once(subject, engine):
        if verdict is not Verdict.UNWINNABLE:
            sizes = {(scene.width, scene.height) for scene in scenes}
            require(len(sizes) == 1, f"layout {layout}: pictures of {len(sizes)} sizes")


def a_path_leads_to_one_case(subject: Subject, engine: Engine) -> None:
    """Either all pictures after the first have a path, each its own, or none has one."""
    for (layout, *_), (first, *steps) in _drawn_once(subject, engine):
        paths = [scene.path for scene in steps if scene.path]
        require(first.path == (), f"layout {layout}: the picture of the layout has a path")
        require(len(paths) in (0, len(steps)), f"layout {layout}: {len(paths)} of {len(steps)} pictures have a path")
        require(len(set(paths)) == len(paths), f"layout {layout}: two pictures have the same path")


def evidence_that_cannot_be_read_is_an_error(subject: Subject, engine: Engine) -> None:
    """`InvalidEvidence`."""
    for layout, verdict, *_ in subject.some_of_each_verdict(engine, 1):
        for evidence in UNREADABLE:
            require(not _drawn(subject, layout, verdict, evidence), f"layout {layout}: evidence {evidence!r} is drawn")


def altered_evidence_is_drawn_or_an_error(subject: Subject, engine: Engine) -> None:
    """Evidence in a store can be damaged."""
    random = Random(5)
    for layout, verdict, _, evidence in subject.some_of_each_verdict(engine, LAYOUTS_PER_VERDICT):
        for text in islice(altered_texts([evidence.encode()], random), ALTERATIONS):
            claim = random.choice([verdict, Verdict.WINNABLE, Verdict.UNWINNABLE, Verdict.SCORED])
            for scene in _drawn(subject, layout, claim, text.decode("utf-8", "replace")):
                _require_document(layout, scene)


@lru_cache(maxsize=1)
def _drawn_once(subject: Subject, engine: Engine) -> list[tuple[Row, list[Scene]]]:
    """Return layouts of each verdict with their pictures, which four checks of an engine share."""
    rows = subject.some_of_each_verdict(engine, LAYOUTS_PER_VERDICT)
    return [(row, list(subject.game.scenes(row.layout, row.verdict, row.evidence))) for row in rows]


def _drawn(subject: Subject, layout: str, verdict: Verdict, evidence: str) -> list[Scene]:
    """Return the pictures, or nothing if the evidence is refused."""
    try:
        with suppress(InvalidEvidence):
            require(
                list(subject.game.frames(layout, verdict, evidence)), f"layout {layout}: not even the layout is drawn"
            )
        with suppress(InvalidEvidence):
            return list(subject.game.scenes(layout, verdict, evidence))
    except Exception as error:
        raise CheckFailed(
            f"layout {layout}: {verdict}, evidence {evidence!r}: {type(error).__name__}: {error}"
        ) from error
    return []


def _require_document(layout: str, scene: Scene) -> None:
    """Fail unless a picture is a document that any page can show and restyle."""

    def met(condition: object, fault: str) -> None:
        require(condition, f"layout {layout}: the picture {scene.caption!r} {fault}")

    root = ElementTree.fromstring(scene.svg)  # noqa: S314 -- the package whose game is checked has written it
    met(root.tag == f"{{{NAMESPACE}}}svg", "is not SVG")
    met(root.attrib == {"viewBox": f"0 0 {scene.width} {scene.height}", "role": "img"}, "has another size or role")
    title, description, paper, *drawn = root
    met((title.text, description.text) == (scene.caption, scene.alt), "has another title or description")
    met(scene.caption.strip() and scene.alt.strip(), "has no caption or no description")
    met(paper.get("class") == "paper", "has no paper")
    met((paper.get("width"), paper.get("height")) == (str(scene.width), str(scene.height)), "has paper of another size")
    met(drawn, "is empty")
    groups = [group for group in root.iter(f"{{{NAMESPACE}}}g") if group.get("class")]
    within = {element for group in groups for element in group.iter()}
    for element in list(root.iter())[1:]:
        name = element.tag.removeprefix(f"{{{NAMESPACE}}}")
        met(name in ELEMENTS, f"has an element {name}")
        met(element.attrib.keys() <= ATTRIBUTES, f"has attributes of {name} that are not allowed: {element.attrib}")
        has_class = element.get("class") or element in within
        met(name in {"title", "desc", "g"} or has_class, f"has a {name} without a class")
        for value in element.attrib.values():
            met("url(" not in value and not re.search(r"nan|inf|None", value), f"has the attribute {value!r}")
        met(name != "text" or (element.text or "").strip(), "has an empty text")


CHECKS = (
    a_board_is_drawn_for_the_layout_and_every_step,
    a_picture_is_a_document_for_any_page,
    pictures_depend_only_on_their_arguments,
    pictures_of_a_play_have_one_size,
    a_path_leads_to_one_case,
    evidence_that_cannot_be_read_is_an_error,
    altered_evidence_is_drawn_or_an_error,
)
