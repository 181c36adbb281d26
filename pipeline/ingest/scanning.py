"""Conversion of a file to entries, block by block.

If a file has one layout per line, the compiled check of the game finds the lines that are canonical layouts, which are
nearly all lines of most files. The reader of the game reads the other lines, one by one. That reader is the reference,
and reads all lines of a small file.
"""

import os
from collections.abc import Callable, Iterable, Iterator
from functools import cache, partial
from itertools import chain
from typing import BinaryIO

import numpy as np

from dealmill.pipeline.errors import DealmillError, InputError
from dealmill.pipeline.games.batch import (
    Bytes,
    Entries,
    Mask,
    Numbers,
    Texts,
    concatenate_texts,
    lengths_to_starts,
    to_texts,
)
from dealmill.pipeline.games.contract import Game
from dealmill.pipeline.games.descriptions import Layout, Reject
from dealmill.pipeline.games.functions import CanonicalMask
from dealmill.pipeline.games.reading import EachLine, Line, is_skipped
from dealmill.pipeline.ingest.files import Reached, decoded, is_compressed, lines_of, text_blocks
from dealmill.pipeline.solving.loading import load_mask

LoadMask = Callable[[], CanonicalMask | None]
"""Returns the compiled mask of canonical texts, or None to read without it."""
ENTRIES_PER_PART = 2_000
"""Entries that are read one by one before they are yielded together."""
ENOUGH = 4 << 20
"""The bytes that the reader of a game reads in about the time it takes to load the compiler."""
UNPACKED = 2
"""How many times its size the text of a compressed file has at least; gzipped, 2.2 for layouts, 4 with verdicts."""
NEWLINE = ord("\n")


def scan(
    file: BinaryIO, name: str, game: Game, find_mask: LoadMask, reached: Reached = lambda _: None
) -> Iterator[Entries]:
    """Yield the entries of a file; `find_mask` is called before each block of a file with one layout per line."""
    blocks = text_blocks(file, name, reached)
    for number, block in blocks:
        first = next((line for line in lines_of(number, block) if not is_skipped(line[1])), None)
        if first is None:
            continue
        each, rest = game.each_line(first[1].strip()), chain([(number, block)], blocks)
        if each is None:
            yield from _read(game, chain.from_iterable(lines_of(*block) for block in rest))
        else:
            yield from _scan_lines(each, rest, find_mask)


def _scan_lines(each: EachLine, blocks: Iterable[tuple[int, bytes]], find_mask: LoadMask) -> Iterator[Entries]:
    for number, block in blocks:
        check = find_mask()
        yield _scanned(each, number, block, check) if check else _read_lines(each, lines_of(number, block))
    yield Entries.of(list(each.missing()))


def _read(game: Game, lines: Iterable[Line]) -> Iterator[Entries]:
    entries = list[Layout | Reject]()
    try:
        for entry in game.read(lines):
            entries.append(entry)
            if len(entries) == ENTRIES_PER_PART:
                yield Entries.of(entries)
                entries = []
    except InputError:
        yield Entries.of(entries)
        raise
    yield Entries.of(entries)


def _read_lines(each: EachLine, lines: Iterable[Line]) -> Entries:
    return Entries.of([entry for line in lines if (entry := each.entry(*line))])


def _scanned(each: EachLine, number: int, block: bytes, check: CanonicalMask) -> Entries:
    """Return the entries of a block whose first line has the number `number`."""
    text = np.frombuffer((block + b"\n").replace(b"\r\n", b"\n"), dtype=np.uint8)
    ends = np.flatnonzero(text == NEWLINE)
    starts = np.concatenate(([0], ends[:-1] + 1))
    canonical = check(text, starts, ends)
    unusual = list(_unusual(each, number, canonical, lambda at: decoded(text[starts[at] : ends[at]].tobytes())))
    layouts = _without_ends(text, starts, ends, canonical)
    indexes = np.flatnonzero(canonical)
    if tidied := [(at, entry.text) for at, entry in unusual if isinstance(entry, Layout)]:
        indexes = np.concatenate((indexes, [at for at, _ in tidied]))
        order = np.argsort(indexes)
        layouts = concatenate_texts([layouts, to_texts([text for _, text in tidied])]).take(order)
        indexes = indexes[order]
    bad = [(at, entry) for at, entry in unusual if isinstance(entry, Reject)]
    before = np.searchsorted(indexes, np.array([at for at, _ in bad], dtype=np.int64))
    return Entries(number + indexes, layouts, [reject for _, reject in bad], before + np.arange(len(bad)))


def _unusual(
    each: EachLine, number: int, canonical: Mask, line: Callable[[int], str]
) -> Iterator[tuple[int, Layout | Reject]]:
    """Yield the entries of the lines that must be read one by one, with their indexes in the block.

    These lines are marked as not `canonical` afterwards, whatever their content.
    """
    count, at = len(canonical), 0
    for odd in chain(np.flatnonzero(~canonical).tolist(), [count]):
        while at <= odd and at < count:
            passed = min(odd - at, each.room)
            at += passed
            each.pass_over(passed, number + at - 1)
            if at == count:
                return
            canonical[at] = False
            if entry := each.entry(number + at, line(at)):
                yield at, entry
            at += 1


def _without_ends(text: Bytes, starts: Numbers, ends: Numbers, canonical: Mask) -> Texts:
    """Return the canonical lines as texts, without line ends."""
    if not canonical.all():
        text = text[np.repeat(canonical, ends - starts + 1)]
    whole = np.frombuffer(text.tobytes().replace(b"\n", b""), dtype=np.uint8)
    return Texts(whole, lengths_to_starts((ends - starts)[canonical]))


def mask_loader(game: Game, file: BinaryIO) -> LoadMask:
    """Return a function that loads the mask of a game for the layouts of a file; it returns None if the file is too
    small to make that worthwhile, or the mask cannot be loaded."""
    size = os.fstat(file.fileno()).st_size
    worthwhile = size * (UNPACKED if is_compressed(file) else 1) >= ENOUGH
    return partial(_mask_or_none, game) if worthwhile else lambda: None


@cache
def _mask_or_none(game: Game) -> CanonicalMask | None:
    try:
        return load_mask(game)
    except DealmillError:  # an engine reports it; a file can be read without
        return None
