"""``dealmill ingest``: every layout kept or rejected with reasons, whatever the file."""

import gzip
import json
import tracemalloc
from pathlib import Path

import pytest

from dealmill.pipeline.ingest.sources import open_readings
from dealmill.pipeline.progress import silent
from dealmill.pipeline.store.database import Database
from tests.servers import dealmill

GOOD = ["AABB", "ABAB", "ABBA"]


def rows(*arguments: str, cwd: Path) -> list[dict[str, object]]:
    """The rows that a command prints as JSON."""
    found: list[dict[str, object]] = json.loads(dealmill(*arguments, "--json", cwd=cwd).stdout)
    return found


def test_rejects_are_reported_and_stored_with_line_and_all_reasons(tmp_path: Path) -> None:
    (tmp_path / "memory.txt").write_text("\n".join(["AABB", "A1", "", "ABAB", "AAB?"]))
    read = dealmill("ingest", "memory.txt", cwd=tmp_path)
    assert read.returncode == 4
    assert "2 layouts, 0 duplicates, 2 rejected" in read.stderr
    assert "memory.txt, line 2: " in read.stderr
    kept = rows("query", "--rejected", "--source", "1", cwd=tmp_path)
    assert [(reject["line"], reject["text"]) for reject in kept] == [(2, "A1"), (5, "AAB?")]
    assert all(len(reject["reasons"]) >= 2 for reject in kept)  # type: ignore[arg-type]


@pytest.mark.parametrize("form", ["plain", "gz", "stdin", "stdin-gz", "crlf", "bom", "latin-1 name"])
def test_plain_gzipped_and_piped_files_give_the_same_source(form: str, tmp_path: Path) -> None:
    text = "\n".join(GOOD).encode()
    name, stdin = "memory.txt", b""
    match form:
        case "gz":
            name = "memory.txt.gz"
            (tmp_path / name).write_bytes(gzip.compress(text))
        case "stdin" | "stdin-gz":
            name, stdin = "-", gzip.compress(text) if form == "stdin-gz" else text
        case "crlf":
            (tmp_path / name).write_bytes(b"\r\n".join(text.split(b"\n")))
        case "bom":
            (tmp_path / name).write_bytes(b"\xef\xbb\xbf" + text)
        case "latin-1 name":
            name = "memory-\udce4.txt"
            (tmp_path / name).write_bytes(text)
        case _:
            (tmp_path / name).write_bytes(text)
    read = dealmill("ingest", name, "--game", "memory", cwd=tmp_path, stdin=stdin)
    assert read.returncode == 0, read.stderr
    assert "3 layouts, 0 duplicates, 0 rejected" in read.stderr


def test_a_file_and_its_gzip_are_one_source(tmp_path: Path) -> None:
    text = "\n".join(GOOD).encode()
    (tmp_path / "memory.txt").write_bytes(text)
    (tmp_path / "memory.txt.gz").write_bytes(gzip.compress(text))
    assert dealmill("ingest", "memory.txt", "memory.txt.gz", cwd=tmp_path).stderr.count("source 1:") == 2


def test_rejects_are_shown_once_and_a_copy_is_named_with_its_source(tmp_path: Path) -> None:
    for name in ("memory.txt", "memory-copy.txt"):
        (tmp_path / name).write_text("AABB\nA\nB\nC\nD\nE\n")
    counts = "source 1: memory.txt (memory): 1 layout, 0 duplicates, 5 rejected"
    first = dealmill("ingest", "memory.txt", cwd=tmp_path)
    assert first.stderr.splitlines() == [
        counts,
        *(
            f"  memory.txt, line {line}: letter {letter} occurs only once"
            for line, letter in ((2, "A"), (3, "B"), (4, "C"))
        ),
        "  … 2 more; count all by reason: dealmill query --source 1 --rejected --by-reason",
    ]
    assert dealmill("ingest", "memory.txt", cwd=tmp_path).stderr.splitlines() == [counts]
    copy = dealmill("ingest", "memory-copy.txt", cwd=tmp_path)
    assert (copy.returncode, copy.stderr) == (4, f"memory-copy.txt has the same contents as {counts}\n")


def test_duplicates_are_counted(tmp_path: Path) -> None:
    (tmp_path / "memory.txt").write_text("AABB\nAABB\nABAB\n")
    assert "3 layouts, 1 duplicate, 0 rejected" in dealmill("ingest", "memory.txt", cwd=tmp_path).stderr


@pytest.mark.parametrize(
    ("name", "contents", "message"),
    [
        ("memory-none.txt", None, "there is no file memory-none.txt"),
        ("memory-empty.txt", b" \n\n", "memory-empty.txt is empty"),
        (
            "memory-binary.txt",
            b"AABB\n\x00\x01\n",
            "memory-binary.txt, line 2: there is a NUL byte, so this is not a text file",
        ),
        ("memory-long.txt", b"AABB\n" + b"A" * 3_000_000, "memory-long.txt, line 2: the line is longer than"),
        ("memory-cut.gz", gzip.compress(b"AABB\n" * 50_000, mtime=0)[:-20], "memory-cut.gz is truncated"),
        ("memory-bad.gz", gzip.compress(b"AABB\n" * 500, mtime=0)[:-8] + b"not a sum", "memory-bad.gz is damaged"),
        ("letters.txt", b"AABB\n", "the name of letters.txt contains no game; choose one with --game"),
        ("memory-or-camelot.txt", b"AABB\n", "contains several games"),
    ],
)
def test_a_bad_file_gives_a_one_line_error(name: str, contents: bytes | None, message: str, tmp_path: Path) -> None:
    if contents is not None:
        (tmp_path / name).write_bytes(contents)
    read = dealmill("ingest", name, cwd=tmp_path)
    assert read.returncode == 1
    assert message in read.stderr
    assert len(read.stderr.strip().splitlines()) == 1
    assert "Traceback" not in read.stderr


def test_a_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "memory").mkdir()
    read = dealmill("ingest", "memory", cwd=tmp_path)
    assert read.returncode == 1
    assert "memory is a folder; name the files in it" in read.stderr


def test_all_names_are_checked_before_any_work(tmp_path: Path) -> None:
    (tmp_path / "memory.txt").write_text("AABB\n")
    (tmp_path / "letters.txt").write_text("AABB\n")
    assert dealmill("ingest", "memory.txt", "letters.txt", cwd=tmp_path).returncode == 1
    assert not (tmp_path / "dealmill.db").exists()


def test_layouts_before_damage_are_stored_and_a_repaired_file_is_read_completely(tmp_path: Path) -> None:
    good = "".join(f"{text}\n" for text in GOOD)
    (tmp_path / "memory.txt").write_bytes(good.encode() * 4_000 + b"\0\n")
    assert dealmill("ingest", "memory.txt", cwd=tmp_path).returncode == 1
    (tmp_path / "memory.txt").write_bytes(good.encode() * 4_000)
    read = dealmill("ingest", "memory.txt", cwd=tmp_path)
    assert "12,000 layouts, 11,997 duplicates, 0 rejected" in read.stderr
    assert read.returncode == 0


def test_a_file_of_another_game_is_recognised(tmp_path: Path) -> None:
    (tmp_path / "memory.txt").write_text("98AK 7T8T Q6KA 9J79 T67J 67JA 9KKJ 86AQ 8TQQ\n")
    read = dealmill("ingest", "memory.txt", cwd=tmp_path)
    assert read.returncode == 4
    assert "if this is a file of another game" in read.stderr


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("deal:nothing:seed=1:1-5", "there is no game 'nothing'"),
        ("deal:memory:1-5", "write deal:GAME:seed=S:FIRST-LAST"),
        ("deal:memory:seed=1:5-1", "5-1 is not a range"),
        (
            f"deal:memory:seed=1:9-{2**63 - 1}",
            "the last deal must be a whole number from 1 to 2⁶³ − 2, not 9223372036854775807",
        ),
        (f"deal:memory:seed=1:{2**63 - 1}", "the first deal must be a whole number from 1 to 2⁶³ − 2"),
        ("deal:memory:seed=1:0-5", "the first deal must be a whole number from 1"),
        ("deal:memory:seed=1:pegs=3:1-5", "have no parameter 'pegs'; available: pairs"),
        ("deal:memory:seed=1:pairs=99:1-5", "must be a whole number from 1 to 52, not 99"),
        ("deal:memory:seed=99999999999999999999:1-5", "the seed must be a whole number from 0"),
        ("deal:", "write deal:GAME:seed=S:FIRST-LAST"),
    ],
)
def test_an_invalid_range_is_refused_with_an_example(source: str, message: str, tmp_path: Path) -> None:
    read = dealmill("ingest", source, cwd=tmp_path)
    assert read.returncode == 2
    assert message in read.stderr


def test_a_waiting_file_takes_little_memory(store: Database, tmp_path: Path) -> None:
    files = [tmp_path / f"memory-{number}.txt" for number in range(200)]
    for number, file in enumerate(files):
        file.write_text("AABB\n" * number + "ABAB\n")
    names = [str(file) for file in files]
    with open_readings(store, names, None, silent):
        pass
    tracemalloc.start()
    before, _ = tracemalloc.get_traced_memory()
    with open_readings(store, names, None, silent) as waiting:
        held = tracemalloc.get_traced_memory()[0] - before
    tracemalloc.stop()
    assert len(waiting.opened) == len(names)
    assert held < 2_000 * len(names)
