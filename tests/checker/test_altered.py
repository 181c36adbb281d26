"""A checker refuses every altered export, and names the first row that no longer is proved."""

import csv
import json
import random
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dealmill.pipeline.evidence.referee import Outcome, judge
from dealmill.pipeline.games.verdict import Verdict
from dealmill.pipeline.store.storages.arrow import COLUMNS
from tests.checker.loaded import ENGINES, FORMS, FORMS_OF_GAMES, Checked, Checker

Row = dict[str, Any]

each_form = pytest.mark.parametrize(("engine", "suffix"), FORMS)
each_form_of_a_game = pytest.mark.parametrize(("engine", "suffix"), FORMS_OF_GAMES)
each_engine = pytest.mark.parametrize("engine", ENGINES)
few_examples = settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])

HOSTILE = ["", " ", "\0", "\r", "\n", "\x1b[2J", "\ud800", "牌", "%s", "{}", "9" * 5_000, "-1", "'; --", '"', "NaN"]


def path_of(exports: Path, engine: str, suffix: str) -> Path:
    return exports / f"{engine.replace('/', '-')}{suffix}"


@cache
def checker_of(export: Path) -> Checker:
    return Checker(export)


def rows_of(export: Path) -> list[Row]:
    """The rows of an export in JSON Lines."""
    return [json.loads(line) for line in export.read_text().splitlines()]


def write(path: Path, rows: Sequence[Row]) -> None:
    """Write rows as an export does."""
    if path.suffix == ".jsonl":
        path.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
        return
    with path.open("w", newline="", encoding="utf-8", errors="surrogatepass") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(COLUMNS)
        writer.writerows(row.values() for row in rows)


def first_bad_row(engine: str, rows: Sequence[Row], count: int) -> int | None:
    """The number of the first row that Dealmill itself would not accept in an export of all rows of a run; None if it
    accepts all."""
    words = {verdict.word: verdict for verdict in Verdict}
    for number, row in enumerate(rows, start=1):
        claim = words.get(row["verdict"], 0) if isinstance(row["verdict"], str) else 0
        if (
            number > count
            or row["position"] != number
            or {type(row[name]) for name in ("position", "line", "nodes")} != {int}
            or type(row["layout"]) is not str
            or type(row["value"]) not in (int, type(None))
            or type(row["evidence"]) not in (str, type(None))
            or (row["value"] is not None and claim != Verdict.SCORED)
            or judge(engine, row["layout"], claim, row["value"], row["evidence"]).outcome is Outcome.INVALID
        ):
            return number
    return None if len(rows) == count else len(rows) + 1


@each_form
def test_an_export_is_proved(engine: str, suffix: str, exports: Path) -> None:
    path = path_of(exports, engine, suffix)
    rows = rows_of(path_of(exports, engine, ".jsonl"))
    checked = checker_of(path).check(path)
    assert (checked.code, checked.err) == (0, "")
    words = [row["verdict"] for row in rows]
    proved = ", ".join(f"{words.count(word)} {word}" for word in ("winnable", "unwinnable", "scored") if word in words)
    left = [f"nothing to prove: {words.count('undecided')} undecided"] if "undecided" in words else []
    assert checked.out.splitlines() == [
        f"{path}: {len(rows)} rows, as exported",
        f"proved: {proved}",
        *left,
        "not checked: node counts",
        "not checked: the fingerprint of the run",
        f"not checked: whether the layouts and their lines are those of {engine.partition('/')[0]}.txt",
    ]


def test_undecided_and_failed_rows_need_no_proof(exports: Path) -> None:
    """Or the tests here would not see them."""
    verdicts = {row["verdict"] for row in rows_of(exports / "card-pairing-winnable.jsonl")}
    assert verdicts == {"winnable", "unwinnable", "undecided"}


@each_engine
@few_examples
@given(data=st.data())
def test_an_altered_cell_is_accepted_only_if_dealmill_accepts_it(
    engine: str, exports: Path, tmp_path: Path, data: st.DataObject
) -> None:
    path = path_of(exports, engine, ".jsonl")
    rows = rows_of(path)
    index, column = data.draw(st.integers(0, len(rows) - 1)), data.draw(st.sampled_from(COLUMNS))
    others = st.sampled_from([row[column] for row in rows])
    scalars = st.none() | st.booleans() | st.integers(-3, 200) | st.floats(0, 9) | st.sampled_from(HOSTILE)
    words = st.sampled_from(["winnable", "unwinnable", "scored", "undecided", "failed", "lost"])
    rows[index][column] = data.draw(others | scalars | words | st.just([]))
    altered = tmp_path / path.name
    write(altered, rows)
    checked = checker_of(path).check(altered, believed=True)
    expected = first_bad_row(engine, rows, len(rows))
    assert (checked.code, checked.err) == (0 if expected is None else 1, ""), checked
    if expected:
        assert checked.out.startswith(f"{altered}: row {expected}"), (checked, expected)
    assert checked.out.isascii() or "牌" in checked.out
    if altered.read_bytes() != path.read_bytes():
        changed, *_ = checker_of(path).check(altered).out.splitlines()
        assert checker_of(path).check(altered).code == 1
        assert changed.startswith(f"{altered} is not the file that was exported: SHA-256 ")


Alteration = Callable[[list[bytes], random.Random], list[bytes]]


def dropped(lines: list[bytes], chance: random.Random) -> list[bytes]:
    index = chance.randrange(len(lines))
    return lines[:index] + lines[index + 1 :]


def doubled(lines: list[bytes], chance: random.Random) -> list[bytes]:
    index = chance.randrange(len(lines))
    return [*lines[: index + 1], *lines[index:]]


def swapped(lines: list[bytes], chance: random.Random) -> list[bytes]:
    low, high = sorted(chance.sample(range(len(lines)), 2))
    return [*lines[:low], lines[high], *lines[low + 1 : high], lines[low], *lines[high + 1 :]]


def cut(lines: list[bytes], chance: random.Random) -> list[bytes]:
    whole = b"".join(lines)
    return [whole[: chance.randrange(len(whole))]]


def without_the_last_byte(lines: list[bytes], chance: random.Random) -> list[bytes]:
    return [*lines[:-1], lines[-1][:-1]]


def without_the_last(lines: list[bytes], chance: random.Random) -> list[bytes]:
    return lines[:-1]


def appended(lines: list[bytes], chance: random.Random) -> list[bytes]:
    return [*lines, chance.choice([b"\n", b"{}\n", b"x", b"\0", lines[-1]])]


@each_form_of_a_game
@pytest.mark.parametrize("alter", [dropped, doubled, swapped, cut, without_the_last_byte, without_the_last, appended])
def test_missing_duplicate_and_moved_rows_are_found_even_if_the_digest_is_replaced(
    alter: Alteration, engine: str, suffix: str, exports: Path, tmp_path: Path
) -> None:
    path = path_of(exports, engine, suffix)
    altered = tmp_path / path.name
    lines = path.read_bytes().splitlines(keepends=True)
    for seed in range(4):
        altered.write_bytes(b"".join(alter(lines, random.Random(seed))))
        for believed in (False, True):
            checked = checker_of(path).check(altered, believed=believed)
            assert (checked.code, checked.err) == (1, ""), (seed, checked)
            assert checked.out.splitlines()[-1].startswith(f"{altered}: row "), (seed, checked)


@each_form_of_a_game
@few_examples
@given(data=st.data())
def test_no_bytes_make_a_checker_print_a_traceback(
    engine: str, suffix: str, exports: Path, tmp_path: Path, data: st.DataObject
) -> None:
    path = path_of(exports, engine, suffix)
    original = path.read_bytes()
    low, high = sorted((data.draw(st.integers(0, len(original))), data.draw(st.integers(0, len(original)))))
    altered = tmp_path / path.name
    altered.write_bytes(original[:low] + data.draw(st.binary(max_size=8)) + original[min(high, low + 8) :])
    checked = checker_of(path).check(altered, believed=True)
    assert checked.code in (0, 1) and checked.err == "" and checked.out.isprintable() is False


def check_text(export: Path, text: str | bytes, folder: Path) -> tuple[Checked, Path]:
    """Have the checker of an export check another text, as if it had been exported; return what it prints, and the path
    of the text."""
    altered = folder / export.name
    altered.write_bytes(text if isinstance(text, bytes) else text.encode())
    return checker_of(export).check(altered, believed=True), altered


@pytest.mark.parametrize(
    ("suffix", "line", "reason"),
    [
        (".jsonl", b"\n", "Expecting value"),
        (".jsonl", b"[1]\n", "the line is not an object with position, line, layout"),
        (".jsonl", b'{"position": 1}\n', "the line is not an object with position, line, layout"),
        (".jsonl", b"[" * 100_000 + b"\n", "cannot be read"),
        (".jsonl", b'{"position": ' + b"9" * 5_000 + b"}\n", "cannot be read"),
        (".jsonl", b"\xff\n", "codec can't decode"),
        (".jsonl", b"5", "the file ends in the middle of a line"),
        (".csv", b"\n", "it has 0 columns, expected 7"),
        (".csv", b"1,2\n", "it has 2 columns, expected 7"),
        (".csv", b'1,1,"A"B,scored,1,1,\n', "',' expected after '\"'"),
        (".csv", b'1,1,"A\n', "unexpected end of data"),
    ],
)
def test_a_line_that_is_not_a_row_is_named(
    suffix: str, line: bytes, reason: str, exports: Path, tmp_path: Path
) -> None:
    export = exports / f"memory-two-pass{suffix}"
    first_row = 1 if suffix == ".jsonl" else 2  # after the heading
    text = b"".join([*export.read_bytes().splitlines(keepends=True)[:first_row], line])
    checked, altered = check_text(export, text, tmp_path)
    assert checked.code == 1
    assert checked.out.startswith(f"{altered}: row 2 cannot be read: ") and reason in checked.out


def test_a_row_after_the_last_is_refused_even_if_it_claims_nothing(exports: Path, tmp_path: Path) -> None:
    export = exports / "camelot-winnable.jsonl"
    row = {**rows_of(export)[-1], "position": 31, "verdict": "undecided", "evidence": None}
    checked, altered = check_text(export, f"{export.read_text()}{json.dumps(row)}\n", tmp_path)
    assert (checked.code, checked.out) == (1, f"{altered}: row 31: only 30 rows were exported\n")


def test_an_undecided_row_has_neither_value_nor_evidence(exports: Path, tmp_path: Path) -> None:
    export = exports / "card-pairing-winnable.jsonl"
    row = [row["verdict"] for row in rows_of(export)].index("undecided") + 1
    text = export.read_text().splitlines(keepends=True)
    text[row - 1] = text[row - 1].replace('"value": null', '"value": 7')
    checked, altered = check_text(export, "".join(text), tmp_path)
    assert checked.out == f"{altered}: row {row}: the verdict is undecided, but there is a value\n"
    export = export.with_suffix(".csv")
    text = export.read_text().splitlines(keepends=True)
    text[row] = f"{text[row].rstrip()}A\n"
    checked, altered = check_text(export, "".join(text), tmp_path)
    reason = "is invalid: step 0: the verdict is undecided, but there is evidence"
    assert checked.out == f"{altered}: row {row} (position {row}) {reason}\n"


def test_a_column_that_is_given_twice_is_refused(exports: Path, tmp_path: Path) -> None:
    """A reader that takes the last one would see another verdict than one that takes the first."""
    export = exports / "camelot-winnable.jsonl"
    text = export.read_text().replace('{"position": 1,', '{"verdict": "failed", "position": 1,', 1)
    assert "row 1 cannot be read" in check_text(export, text, tmp_path)[0].out


@pytest.mark.parametrize("number", ["01", "1.0", " 1", "1_0", "٣", "+1", "1e0", "x", ""])
def test_a_number_in_csv_is_written_in_one_way(number: str, exports: Path, tmp_path: Path) -> None:
    export = exports / "memory-two-pass.csv"
    text = export.read_text().replace("\n1,", f"\n{number},", 1)
    assert "row 1 cannot be read: " in check_text(export, text, tmp_path)[0].out


def test_an_empty_trace_is_evidence_in_csv_too(exports: Path, tmp_path: Path) -> None:
    export = exports / "hi-q-greedy.csv"
    lines = export.read_text().splitlines(keepends=True)
    one_peg = "1,1,XOO/OOO/OOOOOOO/OOOOOOO/OOOOOOO/OOO/OOO,scored,1,0,\n"
    assert check_text(export, "".join([lines[0], one_peg, *lines[2:]]), tmp_path)[0].code == 0


def test_an_export_with_further_columns_is_refused(exports: Path, tmp_path: Path) -> None:
    path = path_of(exports, "camelot/winnable", ".csv")
    altered = tmp_path / path.name
    altered.write_text("".join(f"{line},1\n" for line in path.read_text().splitlines()))
    checked = checker_of(path).check(altered, believed=True)
    assert checked.code == 1 and "the first line of the file is not position,line," in checked.out
