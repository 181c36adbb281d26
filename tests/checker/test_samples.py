"""``--sample``, ``--show``, ``--limit`` and ``--source`` of checkers."""

import json
import sys
import time
from hashlib import sha256
from io import StringIO
from pathlib import Path

import pytest

from dealmill.pipeline.games import find_game
from dealmill.pipeline.games.sampling import sampled
from dealmill.pipeline.outputs.checker.build import checker, sections_of
from dealmill.pipeline.outputs.checker.facts import Export
from dealmill.pipeline.outputs.checker.writing import checker_path
from tests.checker.loaded import Checker


@pytest.fixture
def damaged(exports: Path, tmp_path: Path) -> Path:
    """An export whose row 17 is not proved."""
    path = tmp_path / "a.jsonl"
    rows = [json.loads(line) for line in (exports / "hi-q-greedy.jsonl").read_text().splitlines()]
    rows[16]["evidence"] += " 1-9"
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    return path


def test_a_checker_takes_the_same_sample_as_an_audit(exports: Path, damaged: Path) -> None:
    checker = Checker(exports / "hi-q-greedy.jsonl")
    seen = set()
    for seed in range(20):
        chosen = [sampled(number, 3, 30, seed) for number in (1, 2, 3)]
        checked = checker.check(damaged, "--sample", "3", "--seed", str(seed), believed=True)
        seen.add(checked.code)
        if 17 in chosen:
            assert checked.code == 1 and f"{damaged}: row 17 (position 17) is invalid: step " in checked.out
        else:
            assert checked.code == 0
            assert "proved: 3 scored\nnot checked: the evidence of the other 27 rows\n" in checked.out
    assert seen == {0, 1}


def test_rows_outside_the_sample_are_read_but_not_proved(exports: Path, tmp_path: Path) -> None:
    checker = Checker(exports / "hi-q-greedy.jsonl")
    lines = (exports / "hi-q-greedy.jsonl").read_text().splitlines(keepends=True)
    for row in range(30):
        altered = tmp_path / "a.jsonl"
        altered.write_text("".join([*lines[:row], "{}\n", *lines[row + 1 :]]))
        checked = checker.check(altered, "--sample", "1", believed=True)
        assert checked.code == 1 and f"row {row + 1} cannot be read" in checked.out


def test_a_lack_of_memory_proves_nothing_and_is_no_fault_of_the_row(exports: Path) -> None:
    path = exports / "hi-q-greedy.jsonl"
    checker = Checker(path)

    def check(*_: object) -> None:
        raise MemoryError

    checker.names["check"] = check
    assert checker.check(path) == (2, "", f"there is not enough memory to check {path}\n")


def test_a_row_is_shown_by_the_number_of_its_deal(exports: Path, tmp_path: Path) -> None:
    rows = [json.loads(line) for line in (exports / "hi-q-greedy.jsonl").read_text().splitlines()]
    renumbered = tmp_path / "renumbered.jsonl"
    renumbered.write_text("".join(json.dumps({**row, "line": row["line"] + 1_000}) + "\n" for row in rows))
    checker = Checker(exports / "hi-q-greedy.jsonl")
    shown = checker.check(renumbered, "--deal", "1005", believed=True)
    assert shown.out.startswith(f"row of position 5: {rows[4]['verdict']}\n{rows[4]['layout']}\n")
    assert "no row is of deal or line 5" in checker.check(renumbered, "--deal", "5", believed=True).out


def test_a_row_that_is_shown_is_proved_and_no_other_but_those_of_a_sample(exports: Path, damaged: Path) -> None:
    checker, seen = Checker(exports / "hi-q-greedy.jsonl"), list[str]()
    check, layouts = checker.names["check"], [json.loads(line)["layout"] for line in damaged.read_text().splitlines()]

    def counted(engine: str, layout: str, *claim: object) -> None:
        seen.append(layout)
        check(engine, layout, *claim)

    checker.names["check"] = counted
    for sample in (0, 3, 30):
        seen.clear()
        rows = {5, *(sampled(number, sample, 30, 1) for number in range(1, sample + 1))}
        options = ["--sample", str(sample)] if sample else []
        checked = checker.check(damaged, "--show", "5", *options, believed=True)
        proved = [number for number in sorted(rows) if number <= 17 or 17 not in rows]
        assert seen == [layouts[number - 1] for number in proved]
        assert checked.out.startswith(f"row of position 5: scored\n{layouts[4]}\n")
        assert checked.code == (17 in rows)
        if 17 not in rows:
            assert (
                f"proved: {len(rows)} scored\nnot checked: the evidence of the other {30 - len(rows)} rows"
                in checked.out
            )


def test_losses_above_the_limit_are_checked_with_a_higher_one(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    layout = "/".join(["black-hole 2H", "4H", *["-"] * 15]) + " hole:AS"
    row = {"position": 1, "line": 1, "layout": layout, "verdict": "unwinnable", "value": None, "nodes": 1}
    path.write_text(json.dumps({**row, "evidence": "* 2"}) + "\n")
    sections = sections_of(find_game("black-hole"), path)
    words = ("winnable", "unwinnable")
    facts = Export(path.name, "", 1, "black-hole/winnable", 1, words, "deal:black-hole:seed=1:1-1", None, None)
    checker_path(path).write_text(checker(sections, facts, {"run": "1"}))
    program = Checker(path)
    assert program.check(path, believed=True).code == 0
    needs = "needs a higher --limit, or Dealmill"
    checked = program.check(path, "--limit", "1", believed=True)
    assert checked.code == 3
    assert checked.out.splitlines()[:3] == [
        f"row 1 (position 1) {needs}: 2 positions are more than the 1 that plain Python visits",
        f"{path}: 1 row, as exported",
        f"{needs}: 1 unwinnable",
    ]
    program.names["check"] = program.names["replace"](program.names["check"], limit=1)
    assert program.check(path, "--show", "1", "--limit", "2", believed=True).code == 0
    assert "--limit is 0, expected a number of positions" in program.check(path, "--limit", "0").err


def test_progress_is_written_to_a_file_also_within_a_long_row(exports: Path) -> None:
    path = exports / "hi-q-greedy.jsonl"
    checker = Checker(path)
    checker.names["REPORT"] = 0.01
    rows, check = iter(range(30)), checker.names["check"]

    def slow(*claim: object) -> None:
        done = f"{next(rows)} of 30 rows"
        while isinstance(sys.stderr, StringIO) and done.startswith("12 ") and done not in sys.stderr.getvalue():
            time.sleep(0.001)
        check(*claim)

    checker.names["check"] = slow
    checked = checker.check(path)
    assert checked.code == 0 and "\n12 of 30 rows (40%), 0 s\n" in f"\n{checked.err}" and "\r" not in checked.err


def write_source(path: Path, lines: list[str]) -> str:
    """Write a source, and return its digest."""
    text = "".join(f"{line}\n" for line in lines)
    path.write_text(text, newline="")
    return sha256(text.encode()).hexdigest()


def test_layouts_are_compared_with_the_lines_of_the_source(exports: Path, tmp_path: Path) -> None:
    path = exports / "memory-two-pass.jsonl"
    checker, source = Checker(path), tmp_path / "source.txt"
    layouts = [json.loads(line)["layout"] for line in path.read_text().splitlines()]

    digest = write_source(source, layouts)
    checked = checker.check(path, "--source", str(source), source_sha256=digest)
    assert checked.code == 0
    assert "in the source: 30 layouts, each in its line\n" in checked.out and "whether" not in checked.out

    digest = write_source(source, ["AABB", f"  {layouts[1]}\r", *layouts[2:20], "#"])
    checked = checker.check(path, "--source", str(source), source_sha256=digest)
    assert checked.code == 0
    assert "in the source: 19 layouts, each in its line\n" in checked.out
    assert "not checked: whether the other 11 layouts and their lines are those of memory.txt\n" in checked.out


def test_another_file_is_not_the_source(exports: Path) -> None:
    path = exports / "memory-two-pass.csv"
    checked = Checker(path).check(path, "--source", str(path))
    assert checked.code == 1
    assert f"{path}: {path} is not the source: SHA-256 " in checked.out


def test_source_is_refused_for_numbered_deals(exports: Path) -> None:
    path = exports / "memory-two-pass.csv"
    checked = Checker(path).check(path, "--source", str(path), source="deal:memory:seed=1:1-30", source_sha256=None)
    assert checked.code == 2
    assert "--source cannot be used, because deal:memory:seed=1:1-30 is not a file" in checked.err
