"""``export`` as a user runs it: the file, the message, a full disk, Ctrl-C, and memory."""

import csv
import json
import signal
import subprocess
import time
from pathlib import Path

import pytest
from pyarrow import parquet

from dealmill.pipeline.outputs.export import FORMS, GROUP
from dealmill.pipeline.store.queries.results import PAGE
from tests.cli.conftest import SOURCE
from tests.cli.running import run_alone, started
from tests.servers import dealmill, peak_memory

FEW, MANY = PAGE * GROUP, PAGE * GROUP * 3 // 2
"""The layouts of a row group of Parquet, which is held in memory, and of more than one."""


@pytest.fixture(scope="module")
def much(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a store, a short run and a long one."""
    folder = tmp_path_factory.mktemp("much")
    deals = (f"deal:memory:seed=1:1-{count}" for count in (FEW, MANY))
    assert dealmill("run", *deals, cwd=folder).returncode == 0
    return folder


def test_a_run_is_exported_in_each_format(solved: Path) -> None:
    for suffix in FORMS:
        ran = dealmill("export", "last", f"all{suffix}", cwd=solved)
        assert (ran.returncode, ran.stdout) == (0, "")
        assert ran.stderr == f"3,000 verdicts of run 1 written to all{suffix}\n"
    shown = [json.loads(line) for line in dealmill("query", "1", "--nl", cwd=solved).stdout.splitlines()]
    for row in shown:
        row["position"] = int(row.pop("item").partition(":")[2])
    assert [json.loads(line) for line in (solved / "all.jsonl").read_text().splitlines()] == shown
    assert parquet.read_table(solved / "all.parquet").to_pylist() == shown
    with (solved / "all.csv").open(newline="") as file:
        assert [row["evidence"] for row in csv.DictReader(file)] == [row["evidence"] for row in shown]
    [status] = json.loads(dealmill("status", "1", "--json", cwd=solved).stdout)
    assert parquet.read_metadata(solved / "all.parquet").metadata[b"fingerprint"].decode() == status["fingerprint"]

    words = ("--verdict", "unwinnable", "--verdict", "failed")
    assert dealmill("export", "1", "lost.jsonl", *words, cwd=solved).returncode == 0
    lost = [json.loads(line) for line in (solved / "lost.jsonl").read_text().splitlines()]
    assert lost == [row for row in shown if row["verdict"] == "unwinnable"] != []


def test_a_checker_is_written_beside_the_file(solved: Path) -> None:
    ran = dealmill("export", "1", "the proof.csv", "--with-checker", cwd=solved)
    assert ran.returncode == 0
    written, hint = ran.stderr.splitlines()
    assert written == "3,000 verdicts of run 1 written to the proof.csv"
    assert hint == "check it with: python3 -I -S 'the proof.csv.check.py' 'the proof.csv'"
    check = ["sh", "-c", f"{hint.partition(': ')[2]} --sample 100"]
    checked = subprocess.run(check, cwd=solved, capture_output=True, text=True, check=True)
    assert checked.stdout.startswith("the proof.csv: 3,000 rows, as exported\nproved: ")


@pytest.mark.slow
@pytest.mark.parametrize("suffix", FORMS)
def test_a_full_disk_leaves_no_partial_file(suffix: str, solved: Path) -> None:
    ran = run_alone("export", "1", f"full{suffix}", cwd=solved, script='ulimit -f 80; exec "$@"')
    assert (ran.returncode, ran.stderr) == (1, f"dealmill: full{suffix} cannot be written: File too large\n")
    assert not list(solved.glob("full*")) and not list(solved.glob(".*"))


def test_an_unfinished_run_is_exported_only_on_request(tmp_path: Path) -> None:
    assert dealmill("ingest", SOURCE, cwd=tmp_path).returncode == 0
    assert dealmill("queue", "1", cwd=tmp_path).returncode == 0
    ran = dealmill("export", "1", "a.csv", cwd=tmp_path)
    assert (ran.returncode, ran.stderr) == (
        1,
        "dealmill: run 1 is not finished (3,000 of 3,000 layouts pending); finish it first, or write what it has with "
        "--unfinished (unfinished=True in Python)\n",
    )
    ran = dealmill("export", "1", "a.csv", "--unfinished", cwd=tmp_path)
    message = "dealmill: run 1 is not finished (3,000 of 3,000 layouts pending), and has no such results yet\n"
    assert (ran.returncode, ran.stderr) == (1, message)
    assert not list(tmp_path.glob("*.csv"))


@pytest.mark.slow
@pytest.mark.parametrize("suffix", FORMS)
def test_an_interrupted_export_leaves_no_partial_file(suffix: str, much: Path) -> None:
    with started("export", "2", f"cut{suffix}", cwd=much) as running:
        while running.poll() is None and not list(much.glob(".dealmill-*.part")):
            time.sleep(0.005)
        running.send_signal(signal.SIGTERM)
        _, stderr = running.communicate()
    assert (running.returncode, stderr.strip()) == (130, "dealmill: interrupted")
    assert not list(much.glob("cut*")) and not list(much.glob(".dealmill-*"))


@pytest.mark.slow
def test_memory_does_not_grow_with_the_number_of_rows(much: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(much)
    monkeypatch.setenv("ARROW_DEFAULT_MEMORY_POOL", "system")  # Arrow's own varies by ten megabytes between runs
    (much / "nothing").touch()
    peaks = {
        suffix: [peak_memory(["export", run, f"{run}{suffix}"], much / "nothing", much / "printed") for run in "12"]
        for suffix in (".csv", ".parquet")
    }
    few, many = ((much / f"{run}.csv").stat().st_size for run in "12")
    for suffix, (less, more) in peaks.items():
        assert more - less < (many - few) >> 10, suffix
