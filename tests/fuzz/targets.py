"""Every reader of something from outside, with what must hold whatever it is given.

`TARGETS` make a property by its name; a sixth game adds its own. The tests try some hundred inputs of each, and
`python -m tests.soak` as many as it is given time for.
"""

import gzip
import io
import os
import zlib
from codecs import BOM_UTF8
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache, partial
from tempfile import TemporaryFile
from typing import BinaryIO, cast
from unittest.mock import patch

import click
from hypothesis import example, given
from hypothesis import strategies as st

from dealmill.cli.options import Range
from dealmill.pipeline.errors import DealmillError, InputError, InvalidEvidence, NotFoundError, UsageError
from dealmill.pipeline.evidence.referee import Outcome, judge
from dealmill.pipeline.games import games
from dealmill.pipeline.games.batch import Batch, to_strings
from dealmill.pipeline.games.contract import Game
from dealmill.pipeline.games.covering import GAMES as COVERING_GAMES
from dealmill.pipeline.games.deals import parse_deal_range
from dealmill.pipeline.games.descriptions import Engine, Layout, Reject
from dealmill.pipeline.games.patience import GAMES as PATIENCES
from dealmill.pipeline.games.reading import MAX_REASONS, MAX_RECORDED_CHARACTERS
from dealmill.pipeline.games.verdict import Verdict
from dealmill.pipeline.ingest import files, verdict_files
from dealmill.pipeline.ingest.cells import LayoutColumn, LayoutTable
from dealmill.pipeline.printable import printable
from dealmill.pipeline.solving.solve import solve
from dealmill.pipeline.store.database.urls import database_url
from dealmill.pipeline.store.queries.results import parse_item
from dealmill.pipeline.survey.growth import Width
from dealmill.pipeline.system.settings import settings as configured
from dealmill.testing.subject import real_lines
from tests.doing import SAMPLE_PATIENCES
from tests.fuzz import inputs
from tests.games.covering.files import TEXTS as COVERING_TEXTS
from tests.games.patience.files import TEXTS

Property = Callable[[], None]

LONGEST_REASON = InvalidEvidence.MAX_CHARACTERS + 3
LIMIT = 10_000
"""Nodes: enough for most layouts, and for none too many."""
PLAYED, FEW_PLAYS = "chances", 2
"""The engine whose nodes are whole plays, and how many are tried. Its referee takes seconds for each layout; its
evidence is in `tests/games/patience/test_chances.py` and `tests/games/covering/test_player.py`."""
SECRET = "hunter2hunter2"  # noqa: S105


def reading(game: Game) -> Property:
    """Reading never raises, keeps what is right in its canonical text, and says what is wrong with the rest."""

    @given(inputs.files(game))
    def reads(lines: list[str]) -> None:
        for entry in game.read(enumerate(lines, start=1)):
            assert 1 <= entry.line <= max(len(lines), 1)
            match entry:
                case Layout(text=text):
                    assert_canonical(game, text)
                case Reject(text=text, reasons=reasons):
                    assert len(text) <= MAX_RECORDED_CHARACTERS
                    assert 0 < len(reasons) <= MAX_REASONS + 1
                    assert all(reason and len(reason) <= MAX_RECORDED_CHARACTERS for reason in reasons)

    return reads


def assert_canonical(game: Game, text: str) -> None:
    """A text that was taken is one line of ASCII, reads back as itself, is solved by every engine and can be drawn."""
    assert text.isascii() and text.isprintable() and text == text.strip()
    assert list(game.read([(7, text)])) == [Layout(7, text)]
    for engine in game.engines:
        assert said(game.full_name(engine), text).verdicts[0] is not Verdict.FAILED
    assert list(game.frames(text))


@cache
def said(engine: str, layout: str) -> Batch:
    """What an engine says of one layout."""
    return solve(engine, [layout], FEW_PLAYS if engine.endswith(f"/{PLAYED}") else LIMIT)


def judging(game: Game, engine: Engine) -> Property:
    """Whatever stands beside a layout: the referee never raises, and proves nothing but what the engine says."""
    name = game.full_name(engine)
    layouts = [entry.text for line in real_lines(game) for entry in game.read([(1, line)]) if isinstance(entry, Layout)]
    evidence = [text for layout in layouts if (text := said(name, layout).evidence[0]) is not None]
    long = st.sampled_from(["9" * 5_000, "[" * 5_000])

    @st.composite
    def verdicts(draw: st.DrawFn) -> tuple[str, int, int | None, str | None]:
        layout = draw(st.sampled_from(layouts))
        true = said(name, layout)
        near = st.sampled_from([true.evidence[0] or ""])
        value = true.values[0]
        values = st.just(value) | st.none() | inputs.wild_numbers | st.just((value or 0) + 1)
        return (
            draw(st.just(layout) | st.just(layout) | inputs.mutated(st.just(layout)) | inputs.anything),
            draw(
                st.just(int(true.verdicts[0]))
                | st.sampled_from([int(verdict) for verdict in Verdict])
                | inputs.wild_numbers
            ),
            draw(values),
            draw(
                near
                | inputs.mutated(near)
                | inputs.mutated(st.sampled_from(evidence or ["-"]))
                | long
                | inputs.anything
                | st.none()
            ),
        )

    @given(verdicts())
    def judges(drawn: tuple[str, int, int | None, str | None]) -> None:
        layout, verdict, value, proof = drawn
        judgement = judge(name, layout, verdict, value, proof)
        canonical = list(game.read([(1, layout)])) == [Layout(1, layout)]
        if judgement.outcome is Outcome.INVALID:
            assert judgement.reason and len(judgement.reason) <= LONGEST_REASON
            assert judgement.step is not None and judgement.step >= 0
        if judgement.outcome is Outcome.VALID and canonical:
            true = said(name, layout)
            assert true.verdicts[0] in (verdict, Verdict.UNDECIDED)
            assert true.values[0] in (value, None)
            assert len(list(game.frames(layout, Verdict(verdict), proof))) > 1
        elif canonical and verdict in list(Verdict):
            try:
                list(game.frames(layout, Verdict(verdict), proof))
            except InvalidEvidence as error:
                assert str(error)

    return judges


@given(inputs.contents | inputs.zipped(), st.lists(st.integers(1, 40), max_size=40))
@example(BOM_UTF8 + b"AABB\n" + BOM_UTF8 + b"ABAB\n", [1])
@example(b"AABB\rABAB\r\nABBA\r\n\x1a", [1, 5])
def lines(data: bytes, sizes: list[int]) -> None:
    """The lines of a file are those that a reader finds who takes it in at once."""
    with (
        patch.object(files, "LONGEST_LINE", 64),
        patch.object(files, "READ_BYTES", 16),
        patch.object(files, "BLOCK_BYTES", 128),
    ):
        expected, breaks = naive_lines(data)
        read: list[tuple[int, str]] = []
        broke = False
        try:
            read += inputs.numbered_lines(io.BufferedReader(cast(io.RawIOBase, inputs.Chunked(data, sizes))), "name")
        except InputError as error:
            broke = True
            assert str(error).startswith("name")
        assert broke == breaks
        assert expected is None or read == (expected[: len(read)] if breaks else expected)


def naive_lines(data: bytes) -> tuple[list[tuple[int, str]] | None, bool]:
    """The lines, None if it is not to be said how many can be read, and whether reading breaks off somewhere."""
    if data.startswith(files.GZIP):
        try:
            data = gzip.decompress(data)
        except (EOFError, OSError, zlib.error):
            return None, True
    *lines, last = data.replace(b"\r\n", b"\n").replace(b"\r", b"\n").split(b"\n")
    if last := last.removesuffix(files.DOS_END):
        lines.append(last)
    lines = [line.removeprefix(BOM_UTF8) for line in lines]
    breaks = any(b"\0" in line or len(line) >= files.LONGEST_LINE for line in lines)
    return [(number, line.decode("utf-8", "replace")) for number, line in enumerate(lines, 1)], breaks


ROWS = [
    '{"layout": "AABB", "verdict": "scored", "value": 4, "nodes": 2, "evidence": "1 2 3 4"}',
    '{"layout": "ABAB", "verdict": "undecided", "nodes": 7}',
    "layout,verdict,value,nodes,evidence",
    "AABB,scored,4,2,1 2 3 4",
    '"ABAB",undecided,,7,',
]


@contextmanager
def file_of(data: bytes) -> Iterator[BinaryIO]:
    """A real file, whose size can be asked for."""
    with TemporaryFile() as file:
        file.write(data)
        file.seek(0)
        yield cast(BinaryIO, file)


@given(
    st.sampled_from(["memory.jsonl", "memory.json", "memory.csv", "memory.txt"]),
    st.lists(inputs.mutated(st.sampled_from(ROWS)) | inputs.anything),
)
def files_of_verdicts(name: str, rows: list[str]) -> None:
    """Each row is a verdict that can be stored or a reject with reasons, in order, or the file is refused."""
    data = "\n".join(rows).encode("utf-8", "replace")
    game = games()["memory"]
    engine = verdict_files.ImportEngine.of(game, "mine", "1", None, {})
    titles = ROWS[-3].split(",") if name.endswith(".txt") else None
    table = LayoutTable(name, LayoutColumn(game), lambda: file_of(data), titles)
    try:
        parts = list(verdict_files.VerdictTable(engine, table).entries(lambda _: None))
    except InputError as error:
        assert str(error).startswith(name) and str(error).isprintable()
        return
    for entries in parts:
        bad = entries.reject_indexes.tolist()
        ordered = [*map(int, entries.lines)]
        for at, reject in zip(bad, entries.rejects, strict=True):
            ordered.insert(at, reject.line)
            assert reject.reasons and all(reason and reason.isprintable() for reason in reject.reasons)
        assert ordered == sorted(set(ordered))
        assert entries.solved is not None
        for layout, evidence in zip(to_strings(entries.layouts), to_strings(entries.solved.evidence), strict=True):
            assert_canonical(game, layout)
            assert evidence.isascii() and (evidence.isprintable() or not evidence)


@given(
    inputs.mutated(
        st.sampled_from(
            [
                "deal:camelot:seed=1:1-1000",
                "deal:hi-q:seed=7:pegs=16:3-",
                "deal:memory:seed=0:9",
                "deal:memory:seed=0:1,15,19-25",
                "deal:camelot:seed=1:1-1000000:sample=500:sample-seed=7",
            ]
        )
    )
    | inputs.anything
)
def deal_ranges(text: str) -> None:
    """A range of deals is read as it is written, or refused with how to write one."""
    try:
        deals = parse_deal_range(text)
    except (NotFoundError, UsageError) as error:
        assert str(error).isprintable()
        return
    assert parse_deal_range(deals.name).name == deals.name


@given(inputs.mutated(st.sampled_from([*TEXTS.values(), *COVERING_TEXTS.values()])) | inputs.anything)
def rules_files(text: str) -> None:
    """Rules are refused, or their canonical text is the same rules and they deal layouts of the game."""
    for family in (PATIENCES, COVERING_GAMES):
        try:
            game = family.load("fuzzed", text)
        except UsageError:
            continue
        assert game.rules_text is not None
        assert family.load("again", game.rules_text.text).rules_text == game.rules_text
        for layout in to_strings(game.deal(1, 1, 2)):
            assert list(game.read([(1, layout)])) == [Layout(1, layout)]


@given(inputs.mutated(st.sampled_from(["70..80", "..80", "-3..", "3:17", "0.1%", "0.001", "5"])) | inputs.anything)
def arguments(text: str) -> None:
    """The types of options take a text or say that it is none."""
    for convert in (partial(Range().convert, param=None, ctx=None), parse_item, partial(Width.parse, scored=False)):
        try:
            assert convert(text) is not None
        except (click.BadParameter, UsageError) as error:
            assert str(error).isprintable()


@given(
    st.sampled_from(["DATABASE_URL", "BROKER_URL", "WORKERS", "LEASE_SECONDS"]),
    inputs.mutated(st.sampled_from([f"postgresql://me:{SECRET}@there:5432/base", "sqlite:///a.db", "3", "1e5", "nan"]))
    | inputs.anything,
    st.booleans(),
)
def settings_of_the_environment(name: str, text: str, secret: bool) -> None:
    """A setting is used, or one clear sentence says which one is wrong without showing it."""
    value = f"{text}{SECRET}" if secret else text
    value = value.replace("\0", "").encode("utf-8", "replace").decode()
    with patch.dict(os.environ, {f"DEALMILL_{name}": value}):
        try:
            database_url(configured.__wrapped__().database_url)
        except DealmillError as error:
            assert f"DEALMILL_{name}" in str(error)
            assert SECRET not in str(error)
            assert "\n" not in str(error)


@given(st.text())
def printables(text: str) -> None:
    """What goes to a terminal is one line without anything that it obeys."""
    assert printable(text).isprintable()
    assert (printable(text) == text) == text.isprintable()


FUZZED = [game for game in games().values() if not game.rules_text or game.name in SAMPLE_PATIENCES]
"""All games, but of patiences, which share their readers and their referee, only some."""
TARGETS: dict[str, Callable[[], Property]] = {
    **{f"layouts of {game.name}": partial(reading, game) for game in FUZZED},
    **{
        f"verdicts of {game.full_name(engine)}": partial(judging, game, engine)
        for game in FUZZED
        for engine in game.engines
        if engine.name != PLAYED
    },
    "lines of a file": lambda: lines,
    "files of verdicts": lambda: files_of_verdicts,
    "ranges of deals": lambda: deal_ranges,
    "rules files": lambda: rules_files,
    "options": lambda: arguments,
    "settings": lambda: settings_of_the_environment,
    "what is told": lambda: printables,
}
