"""Tables as other programs write them: the same rows in every form, bounded memory, and clear errors."""

import bz2
import csv
import gzip
import json
import lzma
import math
import re
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from functools import partial
from io import StringIO
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from pyarrow import parquet

from dealmill import InputError, Store, UsageError
from dealmill.pipeline.games import games
from dealmill.pipeline.games.batch import to_batch, to_strings
from dealmill.pipeline.games.verdict import Verdict
from dealmill.pipeline.ingest import files, reading
from dealmill.pipeline.ingest.files import LONGEST_LINE
from dealmill.pipeline.ingest.options import VerdictOptions
from dealmill.pipeline.ingest.tables import Column, Unreadable, is_missing, row_reader
from dealmill.pipeline.ingest.verdict_files import open_verdicts
from dealmill.pipeline.progress.events import silent
from dealmill.pipeline.store.database.connections import Database
from tests.doing import an_audit, deal

TITLES = ("layout", "verdict", "value", "nodes", "evidence")
NAN = math.nan
NUMBER = st.sampled_from([8.0, 8.5, 2.0**40, -3.0, 0.0, math.inf, NAN, None])
ROW = st.tuples(
    st.sampled_from(["AABB", "ABAB", " ABBA ", "A", "", None]),
    st.sampled_from(["scored", " Scored", "undecided", "failed", "won", "", None]),
    NUMBER,
    NUMBER,
    st.sampled_from(["1 2 3 4", "1 2", "é", "", "nan", None]),
)
TITLE = st.sampled_from([str, str.upper, str.title, " {} ".format, "{}\t".format])
Cells = Sequence[Any]
COMPRESS: dict[str, Callable[[bytes], bytes]] = {".gz": gzip.compress, ".bz2": bz2.compress, ".xz": lzma.compress}


def delimited(path: Path, titles: Cells, rows: Sequence[Cells], delimiter: str) -> None:
    text = StringIO()
    csv.writer(text, delimiter=delimiter).writerows([titles, *rows])
    path.write_text("\ufeffsep=;\n" * (delimiter == ";") + text.getvalue(), encoding="utf-8", newline="")


def json_lines(path: Path, titles: Cells, rows: Sequence[Cells]) -> None:
    lines = "".join([json.dumps(dict(zip(titles, row, strict=True))) + "\r\n" for row in rows])
    path.write_bytes(COMPRESS.get(path.suffix, bytes)(lines.encode()))


def json_array(path: Path, titles: Cells, rows: Sequence[Cells], indent: int | None) -> None:
    path.write_text(json.dumps([dict(zip(titles, row, strict=True)) for row in rows], indent=indent))


def parquet_table(path: Path, titles: Cells, rows: Sequence[Cells]) -> None:
    texts = [*([pa.string()] * 2), *([pa.float64()] * 2), pa.dictionary(pa.int32(), pa.string())]
    columns = [pa.array([row[at] for row in rows], kind) for at, kind in enumerate(texts)]
    parquet.write_table(pa.Table.from_arrays(columns, list(titles)), path, row_group_size=3)


WRITERS: dict[str, Callable[[Path, Cells, Sequence[Cells]], None]] = {
    "a.jsonl": json_lines,
    "a.jsonl.gz": json_lines,
    "a.jsonl.bz2": json_lines,
    "a.jsonl.xz": json_lines,
    "a.csv": partial(delimited, delimiter=","),
    "b.csv": partial(delimited, delimiter=";"),
    "a.tsv": partial(delimited, delimiter="\t"),
    "a.json": partial(json_array, indent=None),
    "b.json": partial(json_array, indent=2),
    "a.parquet": parquet_table,
}


def outcomes(path: Path, **options: Any) -> list[tuple[object, ...]]:
    """The claims in a file, and the reasons of its rejects, in order."""
    with ExitStack() as copies:
        table = open_verdicts(str(path), options.pop("engine", "memory/mine"), "1", copies, VerdictOptions(**options))
        rows = list[tuple[object, ...]]()
        for entries in table.entries(lambda _: None):
            assert entries.solved is not None
            batch = to_batch(entries.solved)
            has = entries.solved.has_evidence.tolist()
            evidence = [text if there else None for text, there in zip(batch.evidence, has, strict=True)]
            columns = (batch.verdicts, batch.values, batch.nodes, evidence)
            claims: list[tuple[object, ...]] = list(zip(to_strings(entries.layouts), *columns, strict=True))
            for index, reject in zip(entries.reject_indexes.tolist(), entries.rejects, strict=True):
                claims.insert(index, tuple(re.sub("^(the .*?) is .*", r"\1", reason) for reason in reject.reasons))
            rows += claims
        return rows


@pytest.mark.slow
@settings(max_examples=60, suppress_health_check=list(HealthCheck), deadline=None)
@given(st.lists(ROW, min_size=1, max_size=12), TITLE)
@example([("AABB", "scored", 8.0, NAN, "1 2 3 4"), ("ABAB", "undecided", NAN, 10.0, None)], str)
@example([(None, None, NAN, None, None), ("ABAB", "scored", 8.5, None, "")], str.upper)
def test_all_forms_give_the_same_verdicts(
    tmp_path: Path, rows: list[tuple[Any, ...]], title: Callable[[str], str]
) -> None:
    by_form = dict[str, object]()
    for name, write in WRITERS.items():
        write(tmp_path / name, [title(each) for each in TITLES], rows)
        by_form[name] = outcomes(tmp_path / name)
    assert by_form == dict.fromkeys(WRITERS, by_form["a.jsonl"])
    empty = [all(map(is_missing, row)) for row in rows]
    assert len(by_form["a.jsonl"]) == empty.count(False)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("text", "value"),
    [("8", 8), ("8.0", 8), ("8.", 8), ("+8", 8), ("8.00e+00", 8), ("1e3", 1000), ("-3.0", -3), (" 8 ", 8)],
)
def test_a_whole_number_is_one_however_it_is_written(tmp_path: Path, text: str, value: int) -> None:
    (tmp_path / "memory.csv").write_text(f"layout,verdict,value\nAABB,scored,{text}\n")
    assert outcomes(tmp_path / "memory.csv")[0][2] == value


@pytest.mark.parametrize("text", ["8.5", "1_0", "0x8", "8,0", "1e99", "9" * 30, "8 8", "inf", "٣"])
def test_what_is_no_whole_number_is_rejected(tmp_path: Path, text: str) -> None:
    (tmp_path / "memory.csv").write_text(f'layout,verdict,value\nAABB,scored,"{text}"\n')
    assert outcomes(tmp_path / "memory.csv") == [("the value",)]


DEALS = {"deals": "deal:memory:seed=1:pairs=4", "number_column": "seed"}
WORDS = {"Solved": "scored", "unknown": "undecided", "true": "scored"}


def test_results_by_number_in_other_words(tmp_path: Path) -> None:
    first, second, third = deal(games()["memory"], 1, 1, 3, pairs=4)
    rows: list[Cells] = [
        [1.0, "solved", 8.0],
        [2, " UNKNOWN", NAN],
        [3, True, 9],
        [2, "maybe", 8],
        [0, "solved", 8],
        [NAN, 1, 2],
    ]
    expected = [
        (first, "scored", 8, 0, None),
        (second, "undecided", None, 0, None),
        (third, "scored", 9, 0, None),
        ("the verdict", "the value"),
        ("the number of the deal",),
        ("the number of the deal", "the verdict", "the value"),
    ]
    for name in ("a.jsonl", "a.csv", "b.csv", "a.json"):
        WRITERS[name](tmp_path / name, ["seed", "Result", "value"], rows)
        verdicts = outcomes(tmp_path / name, **DEALS, words=WORDS)
        assert [(row[0], str(row[1]), *row[2:]) if len(row) == 5 else row for row in verdicts] == expected


def test_a_word_may_be_given_twice_with_one_meaning(tmp_path: Path) -> None:
    (tmp_path / "memory.csv").write_text("layout,verdict\nAABB,Undecided\nABAB,UNKNOWN\n")
    words = {"UNDECIDED": "undecided", "unknown": "undecided", " Unknown": "undecided"}
    assert [str(row[1]) for row in outcomes(tmp_path / "memory.csv", words=words)] == ["undecided", "undecided"]


@pytest.mark.parametrize(
    ("text", "columns"),
    [
        ("1,scored,8\n2,undecided,\nx,failed,\n", "number,verdict,value"),
        ("1;scored;8;0.3 s, fast;\n2;undecided;;;\nx;failed;;;\n", "number,verdict,value"),
        ("# number, verdict\n  1\tscored\t8\n\n#\n2\tundecided\t\nx\tfailed\t\n", "number,verdict,value"),
        ("sep=,\n 1, scored, y, 8\n2, undecided, y,\nx, failed, y,\n", "number,verdict,,value"),
        ("  1  scored   8\n102 scored 8\n 2 undecided  nan\nx failed nan\n", ["Number", "verdict", "value"]),
    ],
)
@pytest.mark.parametrize("name", ["memory.csv", "memory.txt.gz", "memory"])
def test_a_text_without_a_header_has_the_columns_that_are_named(
    tmp_path: Path, name: str, text: str, columns: str | list[str]
) -> None:
    (tmp_path / name).write_bytes(gzip.compress(text.encode()) if name.endswith("gz") else text.encode())
    first, second, *_, last = deal(games()["memory"], 1, 1, 102, pairs=4)
    expected: list[tuple[object, ...]] = [
        (first, "scored", 8, 0, None),
        (second, "undecided", None, 0, None),
        ("the number of the deal",),
    ]
    if "102" in text:
        expected.insert(1, (last, "scored", 8, 0, None))
    verdicts = outcomes(tmp_path / name, deals="deal:memory:seed=1:pairs=4", columns=columns)
    assert [(row[0], str(row[1]), *row[2:]) if len(row) == 5 else row for row in verdicts] == expected


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("memory.csv", "1,scored\n", "memory.csv, line 1: the line has 2 cells, but --columns names 3"),
        ("memory.txt", '# a\n1,"scored,8\n', "line 2: the line has 1 cell, but --columns names 3"),
        ("memory.jsonl", "{}", "memory.jsonl has the names of its columns: leave out --columns"),
        ("memory.parquet", "", "memory.parquet has the names of its columns"),
    ],
)
def test_a_text_with_too_few_columns_is_refused(tmp_path: Path, name: str, text: str, message: str) -> None:
    (tmp_path / name).write_text(text)
    with pytest.raises((InputError, UsageError), match=message):
        outcomes(tmp_path / name, deals="deal:memory:seed=1", columns="number,verdict,value")


def test_verdicts_in_another_column(tmp_path: Path) -> None:
    for name in ("a.jsonl", "a.csv", "b.json"):
        WRITERS[name](tmp_path / name, ["layout", "result", "Status"], [["AABB", "failed", "Undecided"]])
        for options, verdict in (
            ({"verdict_column": "status"}, Verdict.UNDECIDED),
            ({}, Verdict.FAILED),
            ({"verdict": "undecided"}, Verdict.UNDECIDED),
        ):
            assert [row[1] for row in outcomes(tmp_path / name, **options)] == [verdict]


CAMELOT = "deal:camelot:seed=1"


@pytest.mark.parametrize(
    ("options", "first", "last"),
    [
        ({"deals": CAMELOT, "of": "3-50"}, 3, 50),
        ({"deals": f"{CAMELOT}:3-50"}, 3, 50),
        ({"deals": f"{CAMELOT}:1-60", "of": "6-6"}, 6, 6),
    ],
)
def test_numbers_that_a_list_leaves_out_have_the_other_verdict(
    sqlite_store: Database,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    options: dict[str, Any],
    first: int,
    last: int,
) -> None:
    monkeypatch.setattr("dealmill.pipeline.games.deals.DEALT_AT_ONCE", 16)
    listed = [40, 6, 23, 6, 24]
    (tmp_path / "won.txt").write_text("# won\n" + "".join(f"{number}\n" for number in listed) + "2\n")
    run = Store(sqlite_store).import_verdicts(
        tmp_path / "won.txt",
        engine="mine",
        version="1",
        columns="number",
        verdict="winnable",
        absent="lost",
        words={"lost": "unwinnable"},
        progress=silent,
        **options,
    )
    inside = [number for number in listed if first <= number <= last]
    absent = [number for number in range(first, last + 1) if number not in listed]
    dealt = deal(games()["camelot"], 1, 1, 50)
    assert [(result.layout, result.verdict.word, result.line > 1) for result in run.results()] == [
        *((dealt[number - 1], "winnable", True) for number in inside),
        *((dealt[number - 1], "unwinnable", False) for number in absent),
    ]
    assert len(list(run.rejects())) == len(listed) + 1 - len(inside)
    audit = an_audit(sqlite_store, run.status())
    assert (audit.no_evidence, audit.faults) == (len(inside) + len(absent), 0)


def test_a_list_of_which_a_number_cannot_be_read_leaves_out_nothing_for_sure(
    sqlite_store: Database, tmp_path: Path
) -> None:
    store, path = Store(sqlite_store), tmp_path / "won.csv"
    options: dict[str, Any] = {"deals": CAMELOT, "absent": "unwinnable", "of": "1-50"}
    path.write_text("number,verdict\n7,winnable\n9,perhaps\n#11,winnable\n")
    with pytest.raises(InputError, match=r"line 4: the number of the deal is '#11', not a whole number; correct it"):
        store.import_verdicts(path, engine="mine", version="1", progress=silent, **options)
    assert store.sources() == []
    path.write_text("number,verdict\n7,winnable\n9,perhaps\n11,winnable\n")
    run = store.import_verdicts(path, engine="mine", version="1", progress=silent, **options)
    assert (run.progress.solved, run.progress.rejected) == (49, 1), "number 9 has a row"


def test_numbers_instead_of_layouts_are_recognised(sqlite_store: Database, tmp_path: Path) -> None:
    path = tmp_path / "won.csv"
    path.write_text("layout,verdict\n7,winnable\n")
    with pytest.raises(InputError, match="if these are numbers of deals, name the deals with --deals"):
        Store(sqlite_store).import_verdicts(path, engine="mine", version="1", game="camelot", progress=silent)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"number_column": "seed"}, "--number-column needs --deals"),
        ({**DEALS, "layout_column": "deal"}, "exclude each other"),
        ({**DEALS, "deals": "memory.txt"}, "is not a range of deals"),
        ({**DEALS, "deals": "deal:camelot:seed=1"}, "different games: --engine memory, --deals camelot"),
        ({"words": {"solved": "winnable"}}, "'winnable' is not a verdict of memory/two-pass"),
        ({"words": {"scored": "undecided"}}, "'scored' has two meanings, scored and undecided"),
        ({"words": {"yes": "scored", " YES ": "undecided"}}, "' YES ' has two meanings, scored and undecided"),
        ({"verdict": "scored", "verdict_column": "result"}, "--verdict and --verdict-column exclude each other"),
        ({"verdict": "won"}, "--verdict 'won' is not a verdict of memory/mine; choose one of: scored, undecided"),
        ({"columns": "seed,value"}, "--columns seed,value: there is no column layout and no column verdict or result"),
        ({"columns": ["layout", "verdict", "Layout"]}, "more than one column layout"),
        ({"absent": "failed", "of": "1-9"}, "--absent needs --deals"),
        ({**DEALS, "of": "1-9"}, "--of needs --absent"),
        ({**DEALS, "absent": "failed"}, "must know which numbers the list is about: add them, as in --of 1-3000"),
        ({**DEALS, "absent": "failed", "of": "9"}, "'9' is not a range of numbers; write FIRST-LAST"),
        ({**DEALS, "absent": "failed", "of": "9-1"}, "--of 9-1: the first number is greater"),
        ({**DEALS, "absent": "failed", "of": "0-9"}, "--of 0-9 is not a part of deal:memory"),
        ({**DEALS, "absent": "failed", "of": "1-1000000001"}, "has 1,000,000,001 deals, .* at most: name a part"),
        ({**DEALS, "absent": "lost", "of": "1-9"}, "--absent 'lost' is not a verdict"),
        ({**DEALS, "absent": "scored", "of": "1-9"}, "needs a value for each deal"),
    ],
)
def test_options_that_cannot_be_combined_are_refused(tmp_path: Path, options: dict[str, Any], message: str) -> None:
    (tmp_path / "memory.csv").write_text("seed,result\n1,solved\n")
    with pytest.raises(UsageError, match=message):
        outcomes(tmp_path / "memory.csv", **options)


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        (
            "memory.csv",
            "AABB,scored,8\n",
            "line 1: there is no column layout and no column verdict or result, only 'aabb'",
        ),
        (
            "memory.csv",
            "layout|verdict\n",
            "only 'layout|verdict'.*; columns are separated by commas, semicolons, tabs or blanks",
        ),
        ("memory.csv", "id,deal,verdict\n", "no column layout, only .*'deal'.*--layout-column"),
        ("memory.csv", "1,scored\n", r"no column verdict or result, only '1', 'scored'.*--columns if"),
        ("memory.csv", "layout,Layout ,verdict\n", "more than one column layout"),
        ("memory.json", '[{"layout": "AABB", "verdict": "undecided"}', "element 1 of the JSON array cannot be read"),
        ("memory.json", '[{"layout": "AABB"},]', "element 2 of the JSON array"),
        ("memory.json", '[{"layout": "AABB"}] 5', "element 2 of the JSON array"),
        ("memory.xlsx", "", r"must end in \.jsonl, \.json, \.csv, \.tsv, \.parquet"),
    ],
)
def test_an_error_names_what_is_there_and_what_is_expected(tmp_path: Path, name: str, text: str, message: str) -> None:
    (tmp_path / name).write_bytes(text.encode())
    with pytest.raises((InputError, UsageError), match=message):
        outcomes(tmp_path / name)


def test_no_name_in_a_json_object_is_lost(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text(
        '{"layout": "AABB", "verdict": "undecided", "verdict": "failed"}\n{"deal": "AABB", "verdict": "undecided"}\n'
    )
    assert outcomes(tmp_path / "a.jsonl") == [
        ("there is more than one column verdict",),
        (
            "there is no column layout, only 'deal', 'verdict'; choose another one with --layout-column (--deals for "
            "numbers of deals)",
        ),
    ]


@pytest.mark.slow
def test_a_cell_has_one_limit_in_every_form(tmp_path: Path) -> None:
    long = {"layout": "AABB", "verdict": "scored", "value": 4, "evidence": "1" * LONGEST_LINE}
    good = {**long, "evidence": None}
    parquet.write_table(pa.Table.from_pylist([good, long, good]), tmp_path / "a.parquet")
    assert [len(row) for row in outcomes(tmp_path / "a.parquet")] == [5, 1, 5]
    for name in ("a.jsonl", "a.json"):
        WRITERS[name](tmp_path / name, list(long), [list(long.values())])
        with pytest.raises(InputError, match="longer than 1,048,576"):
            outcomes(tmp_path / name)
    huge = {**good, "evidence": "1" * (50 << 20)}
    parquet.write_table(pa.Table.from_pylist([huge]), tmp_path / "b.parquet", use_dictionary=False, compression="zstd")
    with pytest.raises(InputError, match=r"row group 1 has .* bytes in 1 rows of . columns"):
        outcomes(tmp_path / "b.parquet")


def test_transactions_are_bounded_by_bytes(
    sqlite_store: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reading, "BATCH_BYTES", 100_000)
    monkeypatch.setattr("dealmill.pipeline.ingest.files.READ_BYTES", 20_000)
    row = {"layout": "AABB", "verdict": "scored", "value": 4, "evidence": "1 2 3 4 " * 1_000}
    (tmp_path / "memory.jsonl").write_text((json.dumps(row) + "\n") * 100)
    run = Store(sqlite_store).import_verdicts(tmp_path / "memory.jsonl", engine="mine", version="1", progress=silent)
    assert 6 < run.progress.jobs < 13
    assert run.progress.solved == 100
    assert an_audit(sqlite_store, run.status()).faults == 0


@pytest.mark.parametrize("change", ["grow", "replace"])
@pytest.mark.parametrize("kind", ["verdicts", "layouts", "table"])
def test_a_file_that_changes_while_it_is_read_is_not_complete(
    sqlite_store: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, change: str, kind: str
) -> None:
    store, file = Store(sqlite_store), tmp_path / ("memory.txt" if kind == "layouts" else "memory.csv")
    text = {"verdicts": "layout,verdict\nAABB,undecided\n", "table": "deal\nAABB\n", "layouts": "AABB\n"}[kind]
    file.write_text(text)
    opened = reading.Reading.finish

    def changed(self: reading.Reading, *arguments: Any) -> None:
        if change == "grow":
            with file.open("a") as more:
                more.write("ABAB,undecided\n" if kind == "verdicts" else "ABAB\n")
        else:
            file.unlink()
            file.write_text(text.replace("AABB", "ABBA"))
        opened(self, *arguments)

    monkeypatch.setattr(reading.Reading, "finish", changed)
    if kind == "verdicts":
        with pytest.raises(InputError, match=r"was changed while it was read.*delete 1"):
            store.import_verdicts(file, engine="mine", version="1", progress=silent)
    else:
        ingestion = store.ingest(file, layout_column="deal" if kind == "table" else None, progress=silent)
        assert "was changed while it was read" in str(ingestion.errors[0])
    assert [source.complete for source in store.sources()] == [False]


@pytest.mark.parametrize("name", ["a.jsonl", "a.csv", "b.csv", "a.json", "a.jsonl.gz"])
def test_layouts_are_read_from_a_column(sqlite_store: Database, tmp_path: Path, name: str) -> None:
    store, path = Store(sqlite_store), tmp_path / name
    WRITERS[name](path, ["id", "Deal"], [[17, "AABB"], [18, "ABAB"], [19, "A"], [None, None], [20, "ABAB"]])
    [source] = store.ingest(path, game="memory", layout_column="deal", progress=silent).sources
    assert (source.accepted, source.duplicates, source.rejected) == (3, 1, 1)
    [second] = store.ingest(path, game="memory", layout_column="id", anyway=True, progress=silent).sources
    assert (second.id != source.id, second.accepted, second.rejected) == (True, 0, 4)
    with pytest.raises(UsageError, match="has no columns"):
        store.ingest("deal:memory:seed=1:1-3", layout_column="deal", progress=silent)
    (tmp_path / "memory.txt").write_text("AABB\n")
    with pytest.raises(UsageError, match=r"must end in \.jsonl"):
        store.ingest(tmp_path / "memory.txt", layout_column="deal", progress=silent)


def test_a_table_without_its_column_names_the_option(sqlite_store: Database, tmp_path: Path) -> None:
    (tmp_path / "memory.csv").write_text("id,deal\n" + "17,AABB\n" * 30)
    [error] = Store(sqlite_store).ingest(tmp_path / "memory.csv", progress=silent).errors
    assert "its column of layouts with --layout-column" in str(error)


BOARD = "4C 2C 9C 8C QS 4S 2H\n5H QH 3C AC 3H 4H QD\nQC 9S 6H 9H 3S KS 3D\n5D 2S JC 5C JH 6D AS\n2D KD TH TC TD 8D\n"
BOARD += "7H JS KH TS KC 7C\nAH 5S 6S AD 8H JD\n7S 6C 7D 4D 8S 9D\n"
BOARDS = [BOARD, f"Foundations: H-0 C-0 D-0 S-0\n{BOARD.replace('4C', ': 4C', 1)}\n", "", "4C 2C\n5H", BOARD]


@pytest.mark.parametrize("name", ["a.csv", "b.csv", "a.tsv", "a.jsonl", "a.jsonl.gz", "b.json", "a.parquet"])
@pytest.mark.parametrize("blocks", [None, 60])
def test_boards_of_several_lines_are_read_from_cells(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, blocks: int | None
) -> None:
    if blocks:
        monkeypatch.setattr(files, "READ_BYTES", blocks)
    rows: list[Cells] = [(board, "winnable", NAN, NAN, None) for board in BOARDS]
    WRITERS[name](tmp_path / name, ["pysol_format", *TITLES[1:]], rows)
    found = outcomes(tmp_path / name, engine="freecell/mine", layout_column="pysol_format")
    [microsoft_24] = deal(games()["freecell"], 0, 24, 1)
    won = (microsoft_24, Verdict.WINNABLE, None, 0, None)
    assert found == [won, won, ("the layout",), ("line 1: the number of columns is 2, expected 8",), won]


@pytest.mark.parametrize(
    ("damaged", "lines"),
    [
        ('A"BB,x\n"ABAB,x\nABBA,x\n', [3]),
        ('"AABB,x\n' + "ABBA,x\n" * 300, [2]),
        ('"AABB,x\n"ABBA",x\n', [2]),
        ('"AABB\n",ABBA,x\nABBA,x\n', [2, 3]),
        ('"AABB,x', [2]),
    ],
)
def test_a_quote_that_is_missing_costs_only_its_line(tmp_path: Path, damaged: str, lines: list[int]) -> None:
    (tmp_path / "memory.csv").write_text(f"layout,note\n{damaged}")
    with (tmp_path / "memory.csv").open("rb") as file:
        rows = [
            row for part in row_reader("a.csv")(file, "a.csv", [Column(("layout",))], lambda _: None) for row in part
        ]
    assert [number for number, cells in rows if isinstance(cells[0], Unreadable)] == lines
    assert len(rows) == len(damaged.splitlines())
