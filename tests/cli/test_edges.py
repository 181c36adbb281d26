"""Paths, settings and environments that a command survives: each gives one line of error, and harms nothing else."""

import csv
import ctypes
import errno
import fcntl
import gzip
import io
import platform
import signal
import socket
import sqlite3
import struct
import sys
from contextlib import closing
from pathlib import Path

import pytest

from tests.cli.running import run_alone, started
from tests.servers import dealmill

DEALS = "deal:memory:seed=1:1-50"


@pytest.fixture(scope="module")
def solved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a store and a run in it. Tests leave the store as it is."""
    folder = tmp_path_factory.mktemp("solved")
    assert dealmill("run", DEALS, cwd=folder).returncode == 0
    return folder


@pytest.mark.parametrize("link", ["symbolic", "hard", "beside", "through a folder"])
def test_an_export_never_overwrites_its_store(link: str, solved: Path, tmp_path: Path) -> None:
    target, store = tmp_path / "memory.csv", solved / "dealmill.db"
    match link:
        case "symbolic":
            target.symlink_to(store)
        case "hard":
            target.hardlink_to(store)
        case "beside":
            target.symlink_to(f"{store}-wal")
        case "through a folder":
            (tmp_path / "folder").symlink_to(solved)
            target.symlink_to("folder/dealmill.db")
    before = store.read_bytes()
    ran = dealmill("export", "1", str(target), "--force", cwd=solved)
    assert (ran.returncode, ran.stderr) == (
        1,
        f"dealmill: {target} is part of the store; name another file\n",
    )
    assert store.read_bytes() == before
    target.rename(tmp_path / "proof.csv.check.py")
    ran = dealmill("export", "1", str(tmp_path / "proof.csv"), "--force", "--with-checker", cwd=solved)
    assert (ran.returncode, "is part of the store" in ran.stderr) == (1, True)
    assert store.read_bytes() == before


def test_an_export_never_overwrites_a_store_with_the_name_of_an_export(solved: Path, tmp_path: Path) -> None:
    store = tmp_path / "store.csv"
    store.write_bytes((solved / "dealmill.db").read_bytes())
    env = {"DEALMILL_DATABASE_URL": f"sqlite:///{store}"}
    ran = dealmill("export", "1", "store.csv", "--force", cwd=tmp_path, env=env)
    assert (ran.returncode, "is part of the store" in ran.stderr) == (1, True)


def test_a_report_never_overwrites_its_store(tmp_path: Path) -> None:
    (tmp_path / "report").mkdir()
    (tmp_path / "report" / "survey.md").symlink_to("../dealmill.db")
    ran = dealmill("survey", "memory", "--count", "1000", "--report", "report", cwd=tmp_path)
    assert (ran.returncode, "report/survey.md is part of the store" in ran.stderr) == (1, True)
    assert dealmill("status", "1", cwd=tmp_path).returncode == 0


@pytest.mark.parametrize("name", ["", ".", "/", "..", "dealmill.db"])
def test_a_backup_needs_a_name_of_its_own(name: str, solved: Path) -> None:
    ran = dealmill("db", "backup", name, cwd=solved)
    assert (ran.returncode, ran.stderr) == (1, f"dealmill: {name or '.'} exists: name a new file for the backup\n")


WRONG_PATHS = {
    "memory-folder": "is a folder; name the files in it, for example memory-folder/*",
    "memory-loop": "cannot be read: Too many levels of symbolic links",
    "memory-device": "is a device, not a file",
    "memory-socket": "is a socket, not a file",
    "memory-io": "cannot be read: Input/output error",
    "memory-missing": "there is no file memory-missing",
    "memory-a.txt/x": "there is no file memory-a.txt/x",
    "memory" * 99: "cannot be read: File name too long",
}
WRONG_CONTENTS = {
    "memory-empty.txt": (b" \n\n", "is empty"),
    "memory-binary.txt": (b"AABB\n\x00\x01\n", ", line 2: there is a NUL byte, so this is not text in UTF-8"),
    "memory-long.txt": (b"AABB\n" + b"A" * 3_000_000, ", line 2: the line is longer than"),
    "memory-cut.gz": (gzip.compress(b"AABB\n" * 50_000, mtime=0)[:-20], "is truncated"),
    "memory-bad.gz": (gzip.compress(b"AABB\n" * 500, mtime=0)[:-8] + b"not a sum", "is damaged"),
}


@pytest.mark.parametrize("command", [["ingest"], ["run"], ["run", "--engine", "two-pass"]])
def test_a_file_that_cannot_be_read_stops_only_itself(
    command: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "memory-a.txt").write_text("ABAB\n")
    (tmp_path / "memory-b.txt").write_text("ABBA\nAABB\n")
    (tmp_path / "memory-folder").mkdir()
    (tmp_path / "memory-loop").symlink_to("memory-loop")
    (tmp_path / "memory-device").symlink_to("/dev/null")
    (tmp_path / "memory-io").symlink_to("/proc/self/mem")
    for name, (contents, _) in WRONG_CONTENTS.items():
        (tmp_path / name).write_bytes(contents)
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind("memory-socket")
        ran = dealmill(*command, "memory-a.txt", *WRONG_PATHS, *WRONG_CONTENTS, "memory-b.txt", cwd=tmp_path)
    assert ran.returncode == 1
    errors = [line for line in ran.stderr.splitlines() if line.startswith("dealmill: ")]
    messages = {**WRONG_PATHS, **{name: message for name, (_, message) in WRONG_CONTENTS.items()}}
    for name, message in messages.items():
        assert [error for error in errors if name in error and message in error], name
    assert len(errors) == len(messages)
    assert "memory-a.txt (memory): 1 layout," in ran.stderr and "memory-b.txt (memory): 2 layouts," in ran.stderr


def test_characters_that_the_output_does_not_have_are_escaped(solved: Path) -> None:
    for arguments, text in ((["show", "1:1"], "\\u2592"), (["run", "--help"], "Usage")):
        ran = run_alone(*arguments, cwd=solved, env={"PYTHONIOENCODING": "latin-1"})
        assert (ran.returncode, ran.stderr, text in ran.stdout) == (0, "", True)


@pytest.mark.skipif(sys.platform != "linux", reason="other systems do not limit the address space")
def test_too_little_memory_is_one_sentence(tmp_path: Path) -> None:
    for arguments in (["show", "memory", "ABAB"], ["deal", "memory", "--count", "3", "--seed", "1"]):
        ran = run_alone(*arguments, cwd=tmp_path, script='ulimit -v 200000; exec "$@"')
        assert (ran.returncode, ran.stdout) == (1, "")
        assert ran.stderr.startswith("dealmill: there is not enough memory; ") and ran.stderr.count("\n") == 1


def test_too_few_open_files_are_one_sentence(tmp_path: Path) -> None:
    ran = run_alone("run", DEALS, cwd=tmp_path, script='ulimit -n 8; exec "$@"')
    assert (ran.returncode, ran.stdout) == (1, "")
    assert ran.stderr == "dealmill: too many files are open; allow more, for example with: ulimit -n 1024\n"


def test_warnings_that_are_errors_stop_nothing(tmp_path: Path) -> None:
    ran = run_alone("run", DEALS, cwd=tmp_path, env={"PYTHONWARNINGS": "error", "DEALMILL_WROKERS": "2"})
    assert ran.returncode == 0
    unknown, source, *hints = ran.stderr.splitlines()
    assert unknown == "dealmill: unknown setting DEALMILL_WROKERS: did you mean DEALMILL_WORKERS?"
    assert source.startswith("source 1: ")
    assert [hint.partition(":")[0] for hint in hints] == ["all verdicts", "step by step"]


NESTED = {
    "lines": "A0=x\n" + "".join(f"A{number + 1}=${{A{number}}}${{A{number}}}\n" for number in range(40)),
    "one name": "A=x\n" + "A=${A}${A}\n" * 40,
    "defaults": "A=${B:-" + "x" * 1_000 + "}\n" + "A=${A}${A}\n" * 40,
    "the environment": "A=${PATH}\n" + "A=${A}${A}\n" * 40,
    "many values": f"A={'x' * 90_000}\n" + "".join(f"B{number}=${{A}}\n" for number in range(10_000)),
}


@pytest.mark.parametrize("nested", NESTED)
def test_variables_in_the_settings_cannot_grow(nested: str, tmp_path: Path) -> None:
    (tmp_path / ".env").write_text(NESTED[nested])
    ran = dealmill("status", cwd=tmp_path)
    assert (ran.returncode, "in .env expand to more than 1,000,000 characters" in ran.stderr) == (1, True)


def test_an_enormous_file_of_settings_is_not_read(tmp_path: Path) -> None:
    with (tmp_path / ".env").open("wb") as file:
        file.truncate(1 << 40)
    ran = dealmill("status", cwd=tmp_path)
    assert (ran.returncode, ".env is larger than 1,000,000 bytes" in ran.stderr) == (1, True)


def test_variables_in_the_settings_are_expanded(tmp_path: Path) -> None:
    (tmp_path / ".env").write_text("NAME=some\nDEALMILL_DATABASE_URL=sqlite:///${NAME}${OTHER:-where}.db\n")
    assert f"there is no store in {tmp_path / 'somewhere.db'}" in dealmill("status", cwd=tmp_path).stderr


def test_formulas_are_escaped_for_spreadsheets_and_can_be_restored(solved: Path, tmp_path: Path) -> None:
    texts = ["=1+1", "+1", "-1", "@SUM(A1)", "'=1", "7-9", "01", "3:1", "2E5", "MAR1", "1.50", "9" * 12, "true"]
    same = ["1=1", "0", "12345678901", "38 23 57", "KK6A QKT8", "march"]
    (tmp_path / "memory.txt").write_text("".join(f"{text}\n" for text in texts + same))
    assert dealmill("ingest", "memory.txt", cwd=tmp_path).returncode == 4
    cells = {}
    for form in ("--csv", "--excel"):
        listed = dealmill("query", "--rejected", "--source", "1", form, cwd=tmp_path)
        cells[form] = [row["text"] for row in csv.DictReader(io.StringIO(listed.stdout))]
    assert cells["--excel"] == [f"'{text}" for text in texts] + same
    assert [cell.removeprefix("'") for cell in cells["--excel"]] == cells["--csv"] == texts + same
    assert dealmill("export", "1", str(tmp_path / "a.csv"), "--excel", cwd=solved).returncode == 0


FCNTL = {"x86_64": 72, "aarch64": 25}
"""The number of the system call that locks files, by machine."""


def lose_locks() -> None:
    """Have the kernel refuse all locks of this process and its children, as a file system without locks does."""
    load, equal, end = 0x20, 0x15, 0x06
    refused = 0x50000 | errno.ENOLCK
    steps = [
        (load, 0, 0, 0),  # the number of the system call
        (equal, 0, 4, FCNTL[platform.machine()]),
        (load, 0, 0, 24),  # its second argument
        (equal, 1, 0, fcntl.F_SETLK),
        (equal, 0, 1, fcntl.F_SETLKW),
        (end, 0, 0, refused),
        (end, 0, 0, 0x7FFF0000),  # allowed
    ]
    code = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *step) for step in steps))
    program = ctypes.create_string_buffer(struct.pack("HxxxxxxP", len(steps), ctypes.addressof(code)))
    system = ctypes.CDLL(None, use_errno=True)
    if system.prctl(38, 1, 0, 0, 0) or system.prctl(22, 2, program):
        raise OSError(ctypes.get_errno(), "seccomp")


@pytest.mark.skipif(platform.machine() not in FCNTL, reason="needs a processor of the type x86-64 or aarch64")
@pytest.mark.parametrize("arguments", [["run", "deal:memory:seed=2:1-9"], ["doctor"]])
def test_a_file_system_without_locks_is_reported_at_once(arguments: list[str], solved: Path) -> None:
    ran = run_alone(*arguments, cwd=solved, preexec_fn=lose_locks)
    assert ran.returncode == 1
    assert "dealmill.db cannot be locked (No locks available): its file system has no locks" in ran.stdout + ran.stderr
    assert "Traceback" not in ran.stderr


def test_a_command_says_that_it_waits_for_a_lock_and_can_be_ended(tmp_path: Path) -> None:
    assert dealmill("run", DEALS, cwd=tmp_path).returncode == 0
    with closing(sqlite3.connect(tmp_path / "dealmill.db", isolation_level=None)) as blocker:
        blocker.execute("BEGIN IMMEDIATE")
        with started("run", "deal:memory:seed=2:1-9", cwd=tmp_path) as waiting:
            assert waiting.stderr is not None
            message = f"waiting for a lock on {tmp_path / 'dealmill.db'}, which another process holds\n"
            assert waiting.stderr.readline() == message
            waiting.send_signal(signal.SIGTERM)
            told = "dealmill: interrupted; repeat the command to continue where it stopped"
            assert waiting.stderr.read().strip() == told
        assert waiting.returncode == 130
        blocker.execute("ROLLBACK")
    assert dealmill("status", "1", cwd=tmp_path).returncode == 0
