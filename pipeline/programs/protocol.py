"""The line protocol: what is sent to a program, and what it must answer. docs/engines.md describes it for authors."""

import json
from collections.abc import Sequence
from typing import Any, NamedTuple

from dealmill.pipeline.arguments import VERDICT_NUMBERS
from dealmill.pipeline.games.functions import NO_LIMIT
from dealmill.pipeline.games.verdict import Verdict
from dealmill.pipeline.programs.manifest import Manifest

PROTOCOL = 1
MAX_BYTES = 1 << 20
"""The longest line of a program, in bytes."""
OUT_OF_TURN = "it answered out of turn: it wrote something else than the answer for the layout that was sent"
ANSWERS = (Verdict.WINNABLE, Verdict.UNWINNABLE, Verdict.SCORED, Verdict.UNDECIDED)
"""What programs can answer."""


class BadAnswer(ValueError):
    """A line that the protocol does not allow; the message says why."""


class Answer(NamedTuple):
    """The answer of a program for a layout, an entry for each list of a `Batch`. `value` is None unless it is scored;
    `evidence` is None if the layout is undecided, and if the program only claims its verdict."""

    verdict: Verdict
    value: int | None = None
    nodes: int = 0
    evidence: str | None = None


def greeting(manifest: Manifest, max_nodes: int) -> bytes:
    """Return the first line that is sent."""
    limit = None if max_nodes >= NO_LIMIT else max_nodes
    return json.dumps({"dealmill": PROTOCOL, "game": manifest.game, "max_nodes": limit}).encode() + b"\n"


def check_greeting(line: bytes, manifest: Manifest) -> None:
    """Check the first line of a program.

    Raises
    ------
    BadAnswer
        If it speaks another protocol, or is not what its manifest says.
    """
    fields = _object(line)
    expected = {"dealmill": PROTOCOL, "game": manifest.game, "name": manifest.name, "version": manifest.version}
    for key, value in expected.items():
        if fields.get(key) != value:
            raise BadAnswer(f"it says that {key!r} is {_quoted(fields.get(key))}, not {_quoted(value)}")


def read_answer(line: bytes, layout: str, max_nodes: int, verdicts: Sequence[Verdict] = ANSWERS) -> Answer:
    """Read the answer for a layout; `verdicts` are those that the engine can give.

    Raises
    ------
    BadAnswer
        If it is not one. The message depends on nothing but the line, the layout and the limit.
    """
    fields = _object(line)
    if fields.get("layout") != layout:
        raise BadAnswer(OUT_OF_TURN)
    word = fields.get("verdict")
    verdict = next((verdict for verdict in verdicts if verdict.word == word), None)
    if verdict is None:
        words = ", ".join(verdict.word for verdict in verdicts)
        raise BadAnswer(f"the verdict is {_quoted(word)}, not one of: {words}")
    nodes = _number(fields, "nodes")
    if nodes < 0:
        raise BadAnswer(f"it searched {nodes} nodes, which is less than 0")
    if nodes > max_nodes:
        raise BadAnswer(f"it searched {nodes} nodes, which is more than the limit of {max_nodes}")
    value = _number(fields, "value") if verdict is Verdict.SCORED else None
    if verdict is not Verdict.SCORED and fields.get("value") is not None:
        raise BadAnswer(f"the verdict is {verdict}, but there is a value")
    return Answer(verdict, value, nodes, _evidence(fields, verdict))


def _evidence(fields: dict[str, Any], verdict: Verdict) -> str | None:
    evidence = fields.get("evidence")
    if evidence is None:
        return None
    if verdict is Verdict.UNDECIDED:
        raise BadAnswer("the verdict is undecided, but there is evidence")
    if not isinstance(evidence, str) or not evidence.isascii() or not evidence.isprintable():
        raise BadAnswer(f"the evidence is {_quoted(evidence)}, not one line of ASCII text")
    return evidence


def _number(fields: dict[str, Any], key: str) -> int:
    number = fields.get(key)
    if type(number) is not int or number not in VERDICT_NUMBERS:  # a boolean is not a number
        raise BadAnswer(f"{key!r} is {_quoted(number)}, not a whole number of at most 40 bits")
    return number


def _object(line: bytes) -> dict[str, Any]:
    try:
        fields = json.loads(line.decode())
    except (ValueError, RecursionError):  # also if it is not UTF-8
        fields = None
    if not isinstance(fields, dict):
        raise BadAnswer(f"it wrote {_quoted(line.decode(errors='replace'))}, not a JSON object")
    return fields


def _quoted(value: object) -> str:
    text = ascii(value)
    end = text[-1] if isinstance(value, str | list | dict) else ""  # the closing quote or bracket
    return text if len(text) <= 60 else f"{text[:60]}...{end}"
