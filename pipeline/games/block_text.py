"""What the fingerprint of a block is made of, written straight from arrays: the same bytes as `pipeline.fingerprint`
makes from lists, without a million small texts in between."""

import numpy as np

from pipeline.games.batch import Bytes, Codes, Numbers, Solved, Texts
from pipeline.games.contract import Verdict
from pipeline.games.kernel import kernel

SCORED, UNDECIDED = int(Verdict.SCORED), int(Verdict.UNDECIDED)

NULL = np.frombuffer(b"null", dtype=np.uint8)
COMMA, QUOTE, OPEN, CLOSE, MINUS, ZERO = (np.uint8(ord(sign)) for sign in ',"[]-0')
LONGEST_NUMBER = len("-9223372036854775808")
AROUND_ONE = 2 * LONGEST_NUMBER + 2 * len('"",') + len(",")
"""The most that one layout adds besides its text and its evidence."""
AROUND_ALL = LONGEST_NUMBER + 16


def block_text(first: int, layouts: Texts, solved: Solved) -> bytes:
    """The JSON array of `first`, layouts, verdicts, values and evidence, without spaces, with null for what does not
    count. No text may hold what JSON writes otherwise: quotes, backslashes, control characters."""
    room = len(layouts.text) + len(solved.evidence.text) + AROUND_ONE * len(layouts) + AROUND_ALL
    written = np.empty(room, dtype=np.uint8)
    end = _write(
        first,
        (layouts.text, layouts.starts),
        (solved.verdicts, solved.values),
        (solved.evidence.text, solved.evidence.starts),
        written,
    )
    return written[:end].tobytes()


@kernel
def _write(
    first: int,
    layouts: tuple[Bytes, Numbers],
    said: tuple[Codes, Numbers],
    evidence: tuple[Bytes, Numbers],
    written: Bytes,
) -> int:
    verdicts, values = said
    count = len(verdicts)
    end = _number(first, written, _sign(OPEN, written, 0))
    end = _begin(written, end)
    for i in range(count):
        end = _quoted(layouts, i, written, end)
    end = _begin(written, _end(written, end))
    for i in range(count):
        end = _sign(COMMA, written, _number(verdicts[i], written, end))
    end = _begin(written, _end(written, end))
    for i in range(count):
        end = _number(values[i], written, end) if verdicts[i] == SCORED else _null(written, end)
        end = _sign(COMMA, written, end)
    end = _begin(written, _end(written, end))
    for i in range(count):
        if verdicts[i] == UNDECIDED:
            end = _sign(COMMA, written, _null(written, end))
        else:
            end = _quoted(evidence, i, written, end)
    return _sign(CLOSE, written, _end(written, end))


@kernel
def _sign(sign: np.uint8, written: Bytes, end: int) -> int:
    written[end] = sign
    return end + 1


@kernel
def _begin(written: Bytes, end: int) -> int:
    return _sign(OPEN, written, _sign(COMMA, written, end))


@kernel
def _end(written: Bytes, end: int) -> int:
    """Close a list, in place of the comma behind its last entry if it has one."""
    return _sign(CLOSE, written, end - 1 if written[end - 1] == COMMA else end)


@kernel
def _null(written: Bytes, end: int) -> int:
    written[end : end + len(NULL)] = NULL
    return end + len(NULL)


@kernel
def _quoted(texts: tuple[Bytes, Numbers], number: int, written: Bytes, end: int) -> int:
    text, starts = texts
    end = _sign(QUOTE, written, end)
    for at in range(starts[number], starts[number + 1]):
        written[end] = text[at]
        end += 1
    return _sign(COMMA, written, _sign(QUOTE, written, end))


@kernel
def _number(number: int, written: Bytes, end: int) -> int:
    """Write a number of any sign; digits come from the last to the first."""
    if number < 0:
        end = _sign(MINUS, written, end)
        number = -number
    size = 1
    rest = number // 10
    while rest:
        size += 1
        rest //= 10
    for place in range(end + size - 1, end - 1, -1):
        written[place] = ZERO + number % 10
        number //= 10
    return end + size
