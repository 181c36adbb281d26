"""What the pictures of every game must keep, found by itself: a new folder is tested without a line here."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dealmill.pipeline.errors import InvalidEvidence
from dealmill.pipeline.games import games
from dealmill.pipeline.games.contract import Engine, Game
from dealmill.pipeline.games.scene import NAMESPACE, Scene
from dealmill.pipeline.games.verdict import Verdict
from dealmill.pipeline.solve import solve
from tests.doing import deal
from tests.games.drawn import parsed

ENGINES = [(game, engine) for game in games().values() for engine in game.engines]
ELEMENTS = {"title", "desc", "g", "rect", "circle", "path", "text"}
ATTRIBUTES = {
    *("class", "x", "y", "width", "height", "rx", "cx", "cy", "r", "d", "transform"),
    *("fill", "stroke", "stroke-width", "stroke-dasharray"),
    *("text-anchor", "font-family", "font-size", "font-weight"),
}
EVIDENT = (Verdict.WINNABLE, Verdict.UNWINNABLE, Verdict.SCORED)
DEALS = 6

each_engine = pytest.mark.parametrize(
    ("game", "engine"), ENGINES, ids=[game.full_name(engine) for game, engine in ENGINES]
)


def solved(game: Game, engine: Engine, seed: int, count: int = 1) -> list[tuple[str, Verdict, str | None]]:
    layouts = deal(game, seed, 1, count)
    batch = solve(game.full_name(engine), layouts)
    return list(zip(layouts, batch.verdicts, batch.evidence, strict=True))


def assert_drawn(scene: Scene) -> None:
    """A scene is an SVG document that any page can show: nothing active, nothing from elsewhere, no style sheet."""
    root = parsed(scene)
    assert root.tag == f"{{{NAMESPACE}}}svg"
    assert root.attrib == {"viewBox": f"0 0 {scene.width} {scene.height}", "role": "img"}
    title, description, paper, *drawn = root
    assert (title.text, description.text) == (scene.caption, scene.alt)
    assert scene.caption.strip() and scene.alt.strip()
    assert paper.get("class") == "paper"
    assert (paper.get("width"), paper.get("height")) == (str(scene.width), str(scene.height))
    assert drawn
    for element in list(root.iter())[1:]:
        name = element.tag.removeprefix(f"{{{NAMESPACE}}}")
        assert name in ELEMENTS
        assert element.attrib.keys() <= ATTRIBUTES
        assert name in {"title", "desc", "g"} or element.get("class"), "a page restyles by class"
        assert all("url(" not in value and not re.search(r"nan|inf|None", value) for value in element.attrib.values())
        assert name != "text" or (element.text or "").strip()


@each_engine
@settings(max_examples=15)
@given(seed=st.integers(0, 2**32))
def test_every_scene_is_a_document_for_any_page(game: Game, engine: Engine, seed: int) -> None:
    [(layout, verdict, evidence)] = solved(game, engine, seed)
    scenes = list(game.picture.scenes(layout, verdict, evidence))
    assert len(scenes) > 1
    for scene in scenes:
        assert_drawn(scene)
    assert len({scene.svg for scene in scenes}) == len(scenes), "every step looks different"


@each_engine
def test_scenes_depend_on_nothing_but_their_arguments(game: Game, engine: Engine) -> None:
    for layout, verdict, evidence in solved(game, engine, 2, DEALS):
        scenes = list(game.picture.scenes(layout, verdict, evidence))
        assert list(game.picture.scenes(layout, verdict, evidence)) == scenes
        assert list(game.picture.scenes(layout)) == scenes[:1]
        for nothing in (Verdict.UNDECIDED, Verdict.FAILED):
            assert list(game.picture.scenes(layout, nothing, "out of memory")) == scenes[:1]


@each_engine
def test_scenes_of_a_play_have_one_size(game: Game, engine: Engine) -> None:
    """So that nothing jumps when a page steps through them."""
    for layout, verdict, evidence in solved(game, engine, 3, DEALS):
        if verdict is not Verdict.UNWINNABLE:
            assert len({(scene.width, scene.height) for scene in game.picture.scenes(layout, verdict, evidence)}) == 1


@each_engine
def test_a_path_leads_to_one_case(game: Game, engine: Engine) -> None:
    for layout, verdict, evidence in solved(game, engine, 4, DEALS):
        first, *steps = game.picture.scenes(layout, verdict, evidence)
        assert first.path == ()
        paths = [scene.path for scene in steps if scene.path]
        assert len(paths) in (0, len(steps))
        assert len(set(paths)) == len(paths)


@each_engine
@pytest.mark.parametrize("evidence", ["?", "\0", "-1", "<script>alert(1)</script>", "\ud800", "9" * 400, "z z z"])
def test_evidence_that_cannot_be_read_is_an_error(game: Game, engine: Engine, evidence: str) -> None:
    [(layout, verdict, _)] = solved(game, engine, 5)
    with pytest.raises(InvalidEvidence):
        list(game.picture.scenes(layout, verdict, evidence))


@each_engine
@settings(max_examples=40)
@given(data=st.data())
def test_altered_evidence_is_drawn_or_an_error(game: Game, engine: Engine, data: st.DataObject) -> None:
    [(layout, verdict, evidence)] = solved(game, engine, data.draw(st.integers(0, 9)))
    assert evidence is not None
    other = data.draw(st.sampled_from(evidence + " -" if evidence else "? "))
    place = data.draw(st.integers(0, len(evidence)))
    altered = evidence[:place] + other + evidence[place + data.draw(st.integers(0, 2)) :]
    try:
        scenes = list(game.picture.scenes(layout, data.draw(st.sampled_from([verdict, *EVIDENT])), altered))
    except InvalidEvidence as error:
        assert str(error)
    else:
        for scene in scenes:
            assert_drawn(scene)
