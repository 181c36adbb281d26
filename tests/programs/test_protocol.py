"""What a program may write, for any lines; and that answers depend on the layout alone."""

import json
import random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dealmill.pipeline.games import find_game
from dealmill.pipeline.games.functions import NO_LIMIT
from dealmill.pipeline.games.verdict import Verdict
from dealmill.pipeline.programs.manifest import Manifest
from dealmill.pipeline.programs.protocol import OUT_OF_TURN, Answer, BadAnswer, check_greeting, greeting, read_answer
from dealmill.pipeline.solving.solve import solve
from tests.doing import deal
from tests.programs.conftest import Declare

LAYOUT = "AABB"
MANIFEST = Manifest(game="memory", name="any", version="1", command=("any",))
NUMBERS = st.none() | st.booleans() | st.integers(-(2**70), 2**70) | st.floats()
ANYTHING = st.none() | st.text(max_size=8) | NUMBERS | st.lists(st.integers(), max_size=2)
ANSWERS = st.fixed_dictionaries(
    {},
    optional={
        "layout": st.just(LAYOUT) | ANYTHING,
        "verdict": st.sampled_from(["winnable", "unwinnable", "scored", "undecided", "failed"]) | ANYTHING,
        "value": NUMBERS,
        "nodes": NUMBERS,
        "evidence": ANYTHING,
    },
)
DECIDED = {"winnable": Verdict.WINNABLE, "unwinnable": Verdict.UNWINNABLE}


def naive(answer: dict[str, Any], limit: int) -> Answer | None:
    """The answer in an object, None if it is not one."""

    def whole(number: object) -> bool:
        return isinstance(number, int) and not isinstance(number, bool) and abs(number) < 2**40

    nodes, value, evidence = answer.get("nodes"), answer.get("value"), answer.get("evidence")
    if answer.get("layout") != LAYOUT or not whole(nodes) or not 0 <= answer["nodes"] <= limit:
        return None
    text = evidence is None or (isinstance(evidence, str) and all(" " <= sign <= "~" for sign in evidence))
    match answer.get("verdict"):
        case "winnable" | "unwinnable" as word if value is None and text:
            return Answer(DECIDED[word], 0, answer["nodes"], evidence)
        case "scored" if whole(value) and text:
            return Answer(Verdict.SCORED, answer["value"], answer["nodes"], evidence)
        case "undecided" if value is None and evidence is None:
            return Answer(Verdict.UNDECIDED, 0, answer["nodes"], None)
    return None


@given(ANSWERS, st.sampled_from([0, 5, NO_LIMIT]))
def test_an_answer_is_read_or_refused(answer: dict[str, Any], limit: int) -> None:
    expected = naive(answer, limit)
    line = json.dumps(answer).encode()
    if expected is None:
        with pytest.raises(BadAnswer) as refused:
            read_answer(line, LAYOUT, limit)
        reason = str(refused.value)
        assert reason.isascii()
        assert reason.isprintable()
        assert len(reason) < 300
    else:
        assert read_answer(line, LAYOUT, limit) == expected


GOOD = {"layout": LAYOUT, "verdict": "scored", "value": 4, "nodes": 4, "evidence": "1 2"}
REASONS: list[tuple[bytes | dict[str, object], str]] = [
    (b"[1, 2]", "it wrote '[1, 2]', not a JSON object"),
    (b'{"verdict": "\xff"}', 'it wrote \'{"verdict": "\\ufffd"}\', not a JSON object'),
    (b'{"layout": ' + b"9" * 10_000 + b"}", f"it wrote '{{\"layout\": {'9' * 48}...', not a JSON object"),
    (b"[" * 500_000, f"it wrote '{'[' * 59}...', not a JSON object"),
    ({"layout": None}, OUT_OF_TURN),
    ({"verdict": "failed"}, "the verdict is 'failed', not one of: winnable, unwinnable, scored, undecided"),
    ({"value": None}, "'value' is None, not a whole number of at most 40 bits"),
    ({"value": 8.0}, "'value' is 8.0, not a whole number of at most 40 bits"),
    ({"value": True}, "'value' is True, not a whole number of at most 40 bits"),
    ({"value": 2**64}, f"'value' is {2**64}, not a whole number of at most 40 bits"),
    ({"evidence": 8}, "the evidence is 8, not one line of ASCII text"),
    ({"evidence": "1 2\n3 4"}, "the evidence is '1 2\\n3 4', not one line of ASCII text"),
    ({"evidence": "\u03b1"}, "the evidence is '\\u03b1', not one line of ASCII text"),
    ({"nodes": 10**9}, "it searched 1000000000 nodes, which is more than the limit of 40"),
    ({"nodes": -1}, "it searched -1 nodes, which is less than 0"),
]
"""Lines, or changes of a good answer, with the reason for which they are refused."""


@pytest.mark.parametrize(("line", "reason"), REASONS, ids=[reason[:40] for _, reason in REASONS])
def test_a_refused_answer_has_a_reason(line: bytes | dict[str, object], reason: str) -> None:
    if isinstance(line, dict):
        line = json.dumps({**GOOD, **line}).encode()
    with pytest.raises(BadAnswer) as refused:
        read_answer(line, LAYOUT, 40)
    assert str(refused.value) == reason


@given(st.binary(max_size=100))
def test_any_other_line_is_refused_with_a_reason(line: bytes) -> None:
    with pytest.raises(BadAnswer):
        read_answer(line, LAYOUT, NO_LIMIT)
    with pytest.raises(BadAnswer):
        check_greeting(line, MANIFEST)


def test_the_greeting_has_a_limit_or_none() -> None:
    assert json.loads(greeting(MANIFEST, NO_LIMIT)) == {"dealmill": 1, "game": "memory", "max_nodes": None}
    assert json.loads(greeting(MANIFEST, 7)) == {"dealmill": 1, "game": "memory", "max_nodes": 7}


def test_answers_do_not_depend_on_order_or_company(declare: Declare) -> None:
    layouts = deal(find_game("memory"), 3, 1, 40, pairs=6)
    faults = {"exits with 3": layouts[7], "invents a verdict": layouts[7], "answers twice": layouts[7]}
    chance = random.Random(1)
    for fault, poison in faults.items():
        declare(fault, poison)
        whole = solve("memory/program", layouts)
        expected = dict(zip(layouts, zip(whole.verdicts, whole.values, whole.evidence, strict=True), strict=True))
        for _ in range(4):
            some = chance.choices(layouts, k=12)
            batch = solve("memory/program", some)
            answers = list(zip(batch.verdicts, batch.values, batch.evidence, strict=True))
            assert answers == [expected[layout] for layout in some]
