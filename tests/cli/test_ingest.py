"""``dealmill ingest``: every layout is stored or rejected with reasons, whatever the form of the file."""

import bz2
import gzip
import json
import lzma
import tracemalloc
import zipfile
from pathlib import Path

import pytest

from dealmill.pipeline.ingest.options import SourceOptions
from dealmill.pipeline.ingest.sources import open_readings
from dealmill.pipeline.progress.events import silent
from dealmill.pipeline.store.database.connections import Database
from tests.cli.running import rows
from tests.servers import dealmill

GOOD = b"AABB\nABAB\nABBA\n"
FORMS = {
    "plain, without the last line break": ("memory.txt", GOOD.rstrip()),
    "gzip": ("memory.txt.gz", gzip.compress(GOOD)),
    "standard input": ("-", GOOD),
    "gzip from standard input": ("-", gzip.compress(GOOD)),
    "lines of Windows": ("memory.txt", GOOD.replace(b"\n", b"\r\n")),
    "a byte order mark": ("memory.txt", b"\xef\xbb\xbf" + GOOD),
    "a name that is not UTF-8": ("memory-\udce4.txt", GOOD),
}
"""Names and contents of the same source."""


def test_rejects_are_reported_and_stored_with_line_and_all_reasons(tmp_path: Path) -> None:
    (tmp_path / "memory.txt").write_text("\n".join(["AABB", "A1", "", "ABAB", "AAB?"]))
    read = dealmill("ingest", "memory.txt", cwd=tmp_path)
    assert read.returncode == 4
    assert "2 layouts, 0 duplicates, 2 rejected" in read.stderr
    assert "memory.txt, line 2: " in read.stderr
    rejects = rows("query", "--rejected", "--source", "1", cwd=tmp_path)
    assert [(reject["line"], reject["text"]) for reject in rejects] == [(2, "A1"), (5, "AAB?")]
    assert all(len(reject["reasons"]) >= 2 for reject in rejects)


@pytest.mark.parametrize("form", FORMS)
def test_plain_gzipped_and_piped_files_give_the_same_source(form: str, tmp_path: Path) -> None:
    name, contents = FORMS[form]
    if name != "-":
        (tmp_path / name).write_bytes(contents)
    read = dealmill("ingest", name, "--game", "memory", cwd=tmp_path, stdin=contents if name == "-" else b"")
    assert read.returncode == 0, read.stderr
    assert "3 layouts, 0 duplicates, 0 rejected" in read.stderr


def test_queue_reads_a_file_as_ingest_does_and_knows_its_game_later(tmp_path: Path) -> None:
    (tmp_path / "letters.txt").write_text("AABB\nABAB\nA\n")
    queued = dealmill("queue", "letters.txt", "--game", "memory", cwd=tmp_path)
    assert (queued.returncode, queued.stdout) == (4, "1\n")
    assert "source 1: letters.txt (memory): 2 layouts, 0 duplicates, 1 rejected" in queued.stderr
    (tmp_path / "letters.txt").write_text("AABB\n")
    for words in (["letters.txt"], ["./letters.txt", "--game", "memory"], ["2"]):
        assert dealmill("queue", *words, cwd=tmp_path).stdout == "2\n", words


def test_a_single_deal_is_said_to_be_one(tmp_path: Path) -> None:
    read = dealmill("ingest", "deal:memory:seed=1:100", "deal:memory:seed=1:1", cwd=tmp_path)
    hint = "this is a single deal, number 100; the first 100 deals are deal:memory:seed=1:1-100"
    assert read.stderr.count("this is a single deal") == 1 and hint in read.stderr


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


def test_layouts_before_damage_are_stored_and_a_repaired_file_is_read_completely(tmp_path: Path) -> None:
    (tmp_path / "memory.txt").write_bytes(GOOD * 4_000 + b"\0\n")
    assert dealmill("ingest", "memory.txt", cwd=tmp_path).returncode == 1
    (tmp_path / "memory.txt").write_bytes(GOOD * 4_000)
    read = dealmill("ingest", "memory.txt", cwd=tmp_path)
    assert "12,000 layouts, 11,997 duplicates, 0 rejected" in read.stderr
    assert read.returncode == 0


OLD_MAC, DOS = b"AABB\rABAB\rABBA\r", b"AABB\r\nABAB\r\nABBA\r\n\x1a"


@pytest.mark.parametrize("text", [OLD_MAC, DOS, bz2.compress(OLD_MAC), lzma.compress(DOS)])
def test_text_is_read_however_its_lines_end_and_it_is_compressed(text: bytes, tmp_path: Path) -> None:
    (tmp_path / "memory.txt").write_bytes(text)
    read = dealmill("ingest", "memory.txt", cwd=tmp_path)
    assert (read.returncode, "3 layouts, 0 duplicates, 0 rejected" in read.stderr) == (0, True)


def test_an_archive_is_called_so(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "memory.zip", "w") as archive:
        archive.writestr("memory.txt", OLD_MAC)
    read = dealmill("ingest", "memory.zip", cwd=tmp_path)
    assert read.stderr.startswith("dealmill: memory.zip is a zip archive: unpack it first")


def test_a_file_of_another_game_is_recognised(tmp_path: Path) -> None:
    (tmp_path / "memory.txt").write_text("98AK 7T8T Q6KA 9J79 T67J 67JA 9KKJ 86AQ 8TQQ\n")
    read = dealmill("ingest", "memory.txt", cwd=tmp_path)
    assert read.returncode == 4
    assert "name another game with --game" in read.stderr


def test_nothing_is_stored_of_a_long_file_of_another_game_unless_it_is_wanted(tmp_path: Path) -> None:
    (tmp_path / "memory.txt").write_text("98AK 7T8T Q6KA 9J79\n" * 20 + "AABB\n")
    (tmp_path / "memory-good.txt").write_text("98AK\n" * 19 + "AABB\n")
    ran = dealmill("run", "memory.txt", "memory-good.txt", cwd=tmp_path)
    assert ran.returncode == 1
    assert (
        "memory.txt seems to be of another game: none of its first 20 entries is a layout of memory (line 1: "
        in ran.stderr
    )
    rows = json.loads(dealmill("status", "--json", cwd=tmp_path).stdout)
    assert [row["source"] for row in rows] == ["memory-good.txt"]
    assert dealmill("ingest", "memory.txt", "--anyway", cwd=tmp_path).returncode == 4
    assert '"line": 21' in dealmill("find", "AABB", "--game", "memory", "--json", cwd=tmp_path).stdout


@pytest.mark.slow
def test_a_waiting_file_takes_little_memory(database: Database, tmp_path: Path) -> None:
    files = [tmp_path / f"memory-{number}.txt" for number in range(200)]
    for number, file in enumerate(files):
        file.write_text("AABB\n" * number + "ABAB\n")
    names = [str(file) for file in files]
    with open_readings(database, names, SourceOptions(), silent):
        pass
    tracemalloc.start()
    before, _ = tracemalloc.get_traced_memory()
    with open_readings(database, names, SourceOptions(), silent) as waiting:
        held = tracemalloc.get_traced_memory()[0] - before
    tracemalloc.stop()
    assert len(waiting.opened) == len(names)
    assert held < 2_000 * len(names)
