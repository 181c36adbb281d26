"""The line protocol: what is sent to a program, and what it must answer. docs/engines.md describes it for authors."""

import json
from typing import Any, NamedTuple

from dealmill.pipeline.games.contract import NO_LIMIT
from dealmill.pipeline.games.verdict import Verdict
from dealmill.pipeline.programs.manifest import Manifest

PROTOCOL = 1
MOST_BYTES = 1 << 20
"""The longest line of a program, in bytes."""
OUT_OF_TURN = "it answered out of turn: it wrote something else than the answer for the layout that was sent"
NUMBERS = range(-(2**62), 2**62 + 1)
VERDICTS = {
    verdict.word: verdict for verdict in (Verdict.WINNABLE, Verdict.UNWINNABLE, Verdict.SCORED, Verdict.UNDECIDED)
}


class BadAnswer(ValueError):
    """A line that the protocol does not allow; the message says why."""


class Answer(NamedTuple):
    """The answer of a program for a layout; `value` is 0 unless it is scored, and `evidence` empty if undecided."""

    verdict: Verdict
    value: int
    nodes: int
    evidence: str


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
    said = _object(line)
    expected = {"dealmill": PROTOCOL, "game": manifest.game, "name": manifest.name, "version": manifest.version}
    for key, value in expected.items():
        if said.get(key) != value:
            raise BadAnswer(f"it says that {key!r} is {_shown(said.get(key))}, not {_shown(value)}")


def read_answer(line: bytes, layout: str, max_nodes: int) -> Answer:
    """Read the answer for a layout.

    Raises
    ------
    BadAnswer
        If it is not one. The message depends on nothing but the line, the layout and the limit.
    """
    said = _object(line)
    if said.get("layout") != layout:
        raise BadAnswer(OUT_OF_TURN)
    word = said.get("verdict")
    verdict = VERDICTS.get(word) if isinstance(word, str) else None
    if verdict is None:
        raise BadAnswer(f"the verdict is {_shown(word)}, not one of: {', '.join(VERDICTS)}")
    nodes = _number(said, "nodes")
    if nodes < 0:
        raise BadAnswer(f"it searched {nodes} nodes, which is less than 0")
    if nodes > max_nodes:
        raise BadAnswer(f"it searched {nodes} nodes, which is more than the limit of {max_nodes}")
    value = _number(said, "value") if verdict is Verdict.SCORED else 0
    if verdict is not Verdict.SCORED and said.get("value") is not None:
        raise BadAnswer(f"the verdict is {verdict}, but there is a value")
    return Answer(verdict, value, nodes, _evidence(said, verdict))


def _evidence(said: dict[str, Any], verdict: Verdict) -> str:
    evidence = said.get("evidence")
    if verdict is Verdict.UNDECIDED:
        if evidence is not None:
            raise BadAnswer("the verdict is undecided, but there is evidence")
        return ""
    if not isinstance(evidence, str) or not evidence.isascii() or not evidence.isprintable():
        raise BadAnswer(f"the evidence is {_shown(evidence)}, not one line of ASCII text")
    return evidence


def _number(said: dict[str, Any], key: str) -> int:
    number = said.get(key)
    if type(number) is not int or number not in NUMBERS:  # a boolean is not a number
        raise BadAnswer(f"{key!r} is {_shown(number)}, not a whole number of at most 62 bits")
    return number


def _object(line: bytes) -> dict[str, Any]:
    try:
        said = json.loads(line.decode())
    except (ValueError, RecursionError):  # also if it is not UTF-8
        said = None
    if not isinstance(said, dict):
        raise BadAnswer(f"it wrote {_shown(line.decode(errors='replace'))}, not a JSON object")
    return said


def _shown(value: object) -> str:
    text = ascii(value)
    end = text[-1] if isinstance(value, str | list | dict) else ""  # the closing quote or bracket
    return text if len(text) <= 60 else f"{text[:60]}...{end}"
