"""Rejects, counted by reason."""

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from dealmill.pipeline.games.contract import Reject

VARYING = re.compile(
    r"""('(?:[^'\\]|\\.)*(?:'|$) | "(?:[^"\\]|\\.)*(?:"|$) | -?\d+(?:\W{1,3}\d+)* | \b[A-Z]+\b | (?<=stack\ )\w\b)""",
    re.VERBOSE,
)
"""Quoted text, numbers and lists of numbers, symbols and tiles, and names of stacks."""


ELLIPSIS = "…"


@dataclass(frozen=True, slots=True)
class RejectReason:
    """A reason that `count` rejects have, `example` being the first of them.

    Reasons that differ only in numbers, symbols or quoted texts are counted as one, with ``…`` where they differ.
    """

    reason: str
    count: int
    example: Reject


def count_reasons(rejects: Iterable[Reject]) -> list[RejectReason]:
    """Return the reasons of rejects with their counts, most frequent first. A reject counts once for each of them."""
    texts: dict[tuple[str, ...], list[str]] = {}
    counts = Counter[tuple[str, ...]]()
    examples: dict[tuple[str, ...], Reject] = {}
    for reject in rejects:
        found = set()
        for reason in reject.reasons:
            parts = VARYING.split(reason)
            kind = tuple(parts[::2])
            known = texts.setdefault(kind, parts)
            known[:] = [one if one == other else ELLIPSIS for one, other in zip(known, parts, strict=True)]
            examples.setdefault(kind, reject)
            found.add(kind)
        counts.update(found)
    kinds = sorted(texts, key=lambda kind: -counts[kind])
    return [RejectReason("".join(texts[kind]), counts[kind], examples[kind]) for kind in kinds]
