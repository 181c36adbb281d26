"""A file scanned with the compiled check has the entries that the reader of its game finds line by line."""

import gzip
import io
import os
import tempfile
from typing import cast
from unittest.mock import patch

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dealmill.pipeline.errors import InputError
from dealmill.pipeline.games import find_game
from dealmill.pipeline.games.batch import Entries, concatenate_entries, to_strings, to_texts
from dealmill.pipeline.games.caches import CacheError
from dealmill.pipeline.games.contract import Game
from dealmill.pipeline.games.descriptions import Layout, Reject
from dealmill.pipeline.ingest import files, scanning
from dealmill.pipeline.ingest.scanning import ENOUGH, mask_loader, scan
from dealmill.testing.subject import real_lines
from tests.doing import deal, each_game
from tests.fuzz import inputs

few = settings(max_examples=40)
"""For each game, so that the files of all games are as many as those of a property by default, twice."""
KINDS = [*["canonical"] * 4, "real", "mutated", "lower", "blank", "wide", "noise", "comment"]


@st.composite
def contents(draw: st.DrawFn, game: Game) -> bytes:
    """A file: mostly canonical layouts, with anything else among them, and sometimes with damage at its end."""
    canonical, real = deal(game, 9, 1, 40), real_lines(game)
    lines = [draw(inputs.headers).encode()] if draw(st.booleans()) else []
    for kind in draw(st.lists(st.sampled_from(KINDS), max_size=40)):
        layout = draw(st.sampled_from(canonical))
        match kind:
            case "canonical":
                line = layout
            case "real":
                line = draw(st.sampled_from([*real, "*"]))
            case "mutated":
                line = draw(inputs.mutated(st.just(layout)))
            case "lower":
                line = layout.swapcase()
            case "blank":
                line = draw(st.sampled_from(["", " ", "\t", "\u2003"]))
            case "comment":
                line = draw(st.sampled_from(["#", f"# {layout}", f"  #{layout}"]))
            case "wide":
                line = f" {layout} "
            case _:
                line = draw(inputs.anything)
        lines.append(line.encode("utf-8", "surrogatepass"))
    ends = draw(st.sampled_from([b"\n", b"\r\n", b"\n\n"]))
    return ends.join(lines) + draw(st.sampled_from([b"", ends, b"\r", ends + b"A\0B\n"]))


def listed(entries: Entries) -> list[Layout | Reject]:
    """Entries one by one, in their order."""
    pairs = zip(entries.lines.tolist(), to_strings(entries.layouts), strict=True)
    entry_list: list[Layout | Reject] = [Layout(line, text) for line, text in pairs]
    for index, reject in zip(entries.reject_indexes.tolist(), entries.rejects, strict=True):
        entry_list.insert(index, reject)
    return entry_list


def scanned(game: Game, data: bytes, sizes: list[int], *, compiled: bool) -> tuple[list[Entries], str | None]:
    """What a scan finds, and the error that ends it."""
    file = io.BufferedReader(cast(io.RawIOBase, inputs.Chunked(data, sizes)))
    parts = list[Entries]()
    try:
        for entries in scan(file, "name", game, lambda: game.mask if compiled else None):
            parts.append(entries)
    except InputError as error:
        return parts, str(error)
    return parts, None


def read(game: Game, data: bytes) -> tuple[list[Layout | Reject], str | None]:
    """The same by the reader of the game alone."""
    entries = list[Layout | Reject]()
    try:
        for entry in game.read(inputs.numbered_lines(io.BytesIO(data), "name")):
            entries.append(entry)
    except InputError as error:
        return entries, str(error)
    return entries, None


@each_game
@given(data=st.data())
@few
def test_comments_are_skipped_in_every_format(game: Game, data: st.DataObject) -> None:
    [file] = game.examples.glob("*-statement.txt")
    lines = data.draw(st.sampled_from([file.read_text().splitlines(), deal(game, 9, 1, 5)]))
    comments = data.draw(st.lists(st.tuples(st.integers(0, len(lines)), st.sampled_from(["#", " # 5", "#*"]))))
    commented = list(lines)
    for index, comment in sorted(comments, reverse=True):
        commented.insert(index, comment)
    plain, with_comments = (
        [entry for part in scanned(game, "\n".join(text).encode(), [], compiled=False)[0] for entry in listed(part)]
        for text in (lines, commented)
    )
    assert [type(entry) for entry in with_comments] == [type(entry) for entry in plain]
    assert [entry.text for entry in with_comments] == [entry.text for entry in plain]
    assert all(
        commented[entry.line - 1] == lines[before.line - 1] for entry, before in zip(with_comments, plain, strict=True)
    )


@each_game
@given(data=st.data())
@few
def test_a_scan_finds_what_the_reader_finds(game: Game, data: st.DataObject) -> None:
    file = data.draw(contents(game))
    sizes = data.draw(st.lists(st.integers(1, 400), max_size=10))
    with patch.object(files, "READ_BYTES", data.draw(st.sampled_from([64, 1 << 12]))):
        for compiled in (True, False):
            parts, error = scanned(game, file, sizes, compiled=compiled)
            assert ([entry for part in parts for entry in listed(part)], error) == read(game, file)


@each_game
@given(data=st.data())
@few
def test_entries_can_be_skipped_and_joined(game: Game, data: st.DataObject) -> None:
    file = data.draw(contents(game))
    with patch.object(files, "READ_BYTES", 256):
        parts, _ = scanned(game, file, [256] * 40, compiled=True)
    expected = [entry for part in parts for entry in listed(part)]
    whole = concatenate_entries([Entries.of([]), *parts])
    assert listed(whole) == expected
    assert len(whole) == len(expected)
    count = data.draw(st.integers(0, len(expected)))
    assert listed(whole.after(count)) == expected[count:]
    assert listed(Entries.of(expected)) == expected


CONTENTS = {
    "large": (b"\0" * ENOUGH, True),
    "small": (b"\0" * (ENOUGH - 1), False),
    "large when unpacked": (gzip.compress(os.urandom(ENOUGH // 2)), True),
}


@pytest.mark.parametrize(("content", "worthwhile"), CONTENTS.values(), ids=CONTENTS)
def test_the_check_is_loaded_for_a_large_file(
    content: bytes, worthwhile: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    texts = to_texts(["AABB", "AAB", "ABBA"])
    with tempfile.TemporaryFile() as file:
        file.write(content)
        file.seek(0)
        check = mask_loader(find_game("memory"), file)()
        assert file.tell() == 0
        if not worthwhile:
            assert check is None
            return
        assert check
        assert check(texts.text, texts.starts[:-1], texts.starts[1:]).tolist() == [True, False, True]

        def unavailable(_game: Game) -> None:
            raise CacheError("no room")

        monkeypatch.setattr(scanning, "load_mask", unavailable)
        scanning._mask_or_none.cache_clear()
        assert mask_loader(find_game("memory"), file)() is None
        scanning._mask_or_none.cache_clear()
