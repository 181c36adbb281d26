"""What is tried: real layouts, evidence and files, mutated by a few signs, and anything at all."""

import gzip
import io
from collections.abc import Iterator
from itertools import chain
from typing import BinaryIO

from hypothesis import strategies as st

from dealmill.pipeline.games.contract import Game
from dealmill.pipeline.ingest.files import lines_of, text_blocks
from dealmill.testing.subject import example, real_lines

TOUCHED = 3
"""Edits of one text: few, so that what comes out is nearly right."""

anything = st.text(max_size=60) | st.binary(max_size=60).map(lambda data: data.decode("utf-8", "replace"))
headers = st.sampled_from(["", " ", "0", "1", "2", "3", "17", "*", "+1", "-1", "٣", "1.5", "9" * 30])
wild_numbers = st.integers(-3, 120) | st.integers(-(2**70), 2**70)


def numbered_lines(file: BinaryIO, name: str) -> Iterator[tuple[int, str]]:
    """The lines of a file with their numbers, one by one."""
    return chain.from_iterable(lines_of(*block) for block in text_blocks(file, name))


@st.composite
def mutated(draw: st.DrawFn, texts: st.SearchStrategy[str]) -> str:
    """One of the texts with a few signs swapped, taken out, doubled, put in or replaced."""
    text = draw(texts)
    for _ in range(draw(st.integers(0, TOUCHED))):
        at, end = draw(st.integers(0, len(text))), draw(st.integers(0, len(text)))
        low, high = sorted((at, end))
        match draw(st.sampled_from(["swap", "delete", "double", "insert", "cut", "case"])):
            case "swap" if high < len(text) and low < high:
                text = f"{text[:low]}{text[high]}{text[low + 1 : high]}{text[low]}{text[high + 1 :]}"
            case "delete":
                text = text[:low] + text[low + 1 :]
            case "double":
                text = text[:high] + text[low:high] + text[high:]
            case "insert":
                text = (
                    text[:at]
                    + draw(st.sampled_from(sorted(set(text))) | st.characters() if text else st.characters())
                    + text[at:]
                )
            case "cut":
                text = text[:low] + text[high:]
            case "case":
                text = text[:low] + text[low:high].swapcase() + text[high:]
    return text


def files(game: Game) -> st.SearchStrategy[list[str]]:
    """The lines of a file that may be of a game."""
    real = st.sampled_from(real_lines(game))
    line = real | mutated(real) | headers | anything
    statement = example(game, "statement.txt").splitlines() if game.has_statement else real_lines(game)
    return st.lists(line, max_size=8) | mutated(st.just("\n".join(statement))).map(lambda text: text.split("\n"))


class Chunked(io.RawIOBase):
    """Bytes that come as a pipe gives them: as few at a time as it likes, after the first two."""

    def __init__(self, data: bytes, sizes: list[int]) -> None:
        self._data = io.BytesIO(data)
        self._sizes = [2, *sizes]

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: bytearray) -> int:  # type: ignore[override]
        size = self._sizes.pop(0) if self._sizes else len(buffer)
        return self._data.readinto(memoryview(buffer)[: min(size, len(buffer))])


pieces = st.sampled_from(
    [b"\n", b"\r\n", b"\r", b"\0", b"\xef\xbb\xbf", b"\xff\xfe", b"\x1f\x8b", b"A" * 70, b"ab", b""]
)
contents = st.lists(pieces | st.binary(max_size=12), max_size=12).map(b"".join)


@st.composite
def zipped(draw: st.DrawFn) -> bytes:
    """Gzip data, which may be of several members, cut off, or damaged."""
    data = b"".join(gzip.compress(part, mtime=0) for part in draw(st.lists(contents, min_size=1, max_size=3)))
    match draw(st.sampled_from(["whole", "cut", "damaged", "longer"])):
        case "cut":
            return data[: draw(st.integers(0, len(data)))]
        case "damaged":
            at = draw(st.integers(0, len(data) - 1))
            return data[:at] + draw(st.binary(max_size=3)) + data[at + 1 :]
        case "longer":
            return data + draw(st.binary(max_size=20))
    return data
