"""What the fingerprint of a block is made of, written straight from arrays: the same bytes as `pipeline.fingerprint`
makes from lists, without a million small texts in between."""

import numpy as np

from pipeline.games.batch import Bytes, Codes, Numbers, Solved, Texts
from pipeline.games.contract import Verdict
from pipeline.games.kernel import inlined, kernel

SCORED, UNDECIDED = int(Verdict.SCORED), int(Verdict.UNDECIDED)

NULL = np.frombuffer(b"null", dtype=np.uint8)
COMMA, QUOTE, OPEN, CLOSE, MINUS = (np.uint8(ord(sign)) for sign in ',"[]-')
DIGITS = np.frombuffer(b"0123456789", dtype=np.uint8)
ZERO, ONE = np.uint64(0), np.uint64(1)
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
) -> np.uint64:
    verdicts, values = said
    count = len(verdicts)
    end = _begin(written, _number(first, written, _sign(OPEN, written, ZERO)))
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


@inlined
def _sign(sign: np.uint8, written: Bytes, end: np.uint64) -> np.uint64:
    """Write a sign behind `end`, and return the new end. Ends are unsigned, since other indexes are asked whether they
    count from the end of the array."""
    written[end] = sign
    return end + ONE


@inlined
def _begin(written: Bytes, end: np.uint64) -> np.uint64:
    return _sign(OPEN, written, _sign(COMMA, written, end))


@inlined
def _end(written: Bytes, end: np.uint64) -> np.uint64:
    """Close a list, in place of the comma behind its last entry if it has one."""
    return _sign(CLOSE, written, end - ONE if written[end - ONE] == COMMA else end)


@inlined
def _null(written: Bytes, end: np.uint64) -> np.uint64:
    for sign in NULL:
        end = _sign(sign, written, end)
    return end


@inlined
def _quoted(texts: tuple[Bytes, Numbers], number: int, written: Bytes, end: np.uint64) -> np.uint64:
    text, starts = texts
    begin, size = np.uint64(starts[number]), np.uint64(starts[number + 1] - starts[number])
    end = _sign(QUOTE, written, end)
    for k in range(size):
        written[end + k] = text[begin + k]
    return _sign(COMMA, written, _sign(QUOTE, written, end + size))


@inlined
def _number(number: int, written: Bytes, end: np.uint64) -> np.uint64:
    """Write a number of any sign; digits come from the last to the first."""
    if number < 0:
        end = _sign(MINUS, written, end)
        number = -number
    size = ONE
    rest = number // 10
    while rest:
        size += ONE
        rest //= 10
    for place in range(size):
        written[end + size - ONE - place] = DIGITS[number % 10]
        number //= 10
    return end + size
