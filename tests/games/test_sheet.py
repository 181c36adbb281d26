"""Sheets of scenes, and texts in pictures."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

import dealmill
from dealmill import InvalidEvidence, Result, UsageError, Verdict
from dealmill.pipeline.games.card_pairing.picture import scenes
from dealmill.pipeline.games.pictures import NAMESPACE, Scene, scene, sheet, text
from tests.games.drawn import parsed, words

HOSTILE = '</text><script>alert(\'&amp;\')</script>"" onload="x'


@given(st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Cs"], exclude_characters="\ufffe\uffff")))
def test_any_text_stays_text(words_in_it: str) -> None:
    drawn = scene(100, 100, [text(10, 10, words_in_it, 12)], words_in_it, words_in_it)
    title, description, _, written = parsed(drawn)
    assert (title.text or "", description.text or "", written.text or "") == (words_in_it,) * 3
    assert len(list(parsed(drawn).iter())) == 5


def test_a_hostile_rank_is_drawn_as_text() -> None:
    first, *_ = scenes(" ".join("<>&\"'"))
    assert words(first, "ink") == ["<", ">", "&", '"', "'"]


def placed(drawn: str) -> list[dict[str, float]]:
    """Where the scenes of a sheet are."""
    inner = parsed(Scene(drawn, "", "", 0, 0)).iter(f"{{{NAMESPACE}}}svg")
    return [{key: float(each.attrib[key]) for key in ("x", "y", "width", "height")} for each in list(inner)[1:]]


@pytest.mark.parametrize(("columns", "count"), [(1, 1), (2, 2), (3, 3), (None, 4)])
def test_scenes_on_a_sheet_keep_their_size_and_do_not_overlap(columns: int | None, count: int) -> None:
    scenes = [scene(100 + 60 * number, 90, [], HOSTILE * 4, "-", ("a choice",)) for number in range(5)]
    drawn = sheet(scenes, columns)
    boxes = placed(drawn)
    assert [(box["width"], box["height"]) for box in boxes] == [(each.width, each.height) for each in scenes]
    assert len({box["x"] for box in boxes}) == count
    rows = sorted({box["y"] for box in boxes})
    assert all(below - above > 90 for above, below in pairwise(rows)), "captions lie between rows"
    assert all(left["x"] + left["width"] < right["x"] for left, right in pairwise(boxes[:count]))


def test_a_result_draws_all_its_scenes_or_one() -> None:
    result = dealmill.solve("memory", "ABBA")
    drawn = list(result.scenes())
    assert placed(result.svg()) and len(placed(result.svg())) == len(drawn) == 5
    assert result.svg(0) == drawn[0].svg and result.svg(4) == drawn[4].svg
    for step in (-1, 5):
        with pytest.raises(UsageError, match=f"there is no step {step}, expected 0 to 4"):
            result.svg(step)


def test_a_notebook_shows_a_few_scenes() -> None:
    for layout, count in (("ABBA", 4), ("AA", 2), ("ABCDEFGHABCDEFGH", 4)):
        shown = dealmill.solve("memory", layout)._repr_svg_()
        assert shown is not None and len(placed(shown)) == count


def test_a_result_that_cannot_be_drawn_has_no_picture() -> None:
    broken = Result("memory/two-pass", "ABBA", Verdict.SCORED, 4, 0, "1 1", 1, 1)
    assert broken._repr_svg_() is None
    with pytest.raises(InvalidEvidence):
        broken.svg()
    failed = Result("memory/two-pass", "no layout", Verdict.FAILED, None, 0, "killed", 1, 1)
    assert failed._repr_svg_() is None
    assert list(failed.scenes()) == []
    with pytest.raises(UsageError, match="the recorded text is not a layout"):
        failed.svg()
