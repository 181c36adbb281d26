"""Files that are meant to do harm, given to the real command: one clear sentence, little memory, and nothing lost."""

import gzip
import json
import os
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from dealmill.pipeline.errors import DealmillError, InputError
from dealmill.pipeline.games import find_game
from dealmill.pipeline.ingest.files import GZIP, open_binary
from dealmill.pipeline.solving.loading import load
from dealmill.pipeline.system.settings import settings
from tests.doing import deal
from tests.servers import clean_environment, dealmill_command, files_of_ordinary_user

GOOD = b"AABB\nABAB\nABBA\n"
MEBIBYTE = 1 << 20
HANDLES = 64
"""Files that a process may hold open: far fewer than it is given."""
ROOM = 48 * 1024
"""Kilobytes more than a small file takes: a few batches, and far less than any of these inputs."""


@dataclass(frozen=True, slots=True)
class Ran:
    """What came of a command; `peak` is the most memory it had, in kilobytes."""

    code: int
    out: str
    err: str
    peak: int


def run(*arguments: str | bytes, cwd: Path, stdin: str = "") -> Ran:
    """Run the real command, fed by a shell's command if one is given. A small process in between measures it (see
    `tests.servers.peak_memory`)."""
    between = (
        "import resource, subprocess, sys\n"
        f"resource.setrlimit(resource.RLIMIT_NOFILE, ({HANDLES}, {HANDLES}))\n"
        "code = subprocess.run(sys.argv[2:]).returncode\n"
        "open(sys.argv[1], 'w').write(f'{code} {resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss}')"
    )
    note = cwd.parent / f"{cwd.name}.note"
    command = [sys.executable, "-S", "-c", between, str(note), *dealmill_command([]), *arguments]
    with subprocess.Popen(["sh", "-c", stdin or ":"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as feeder:
        ran = subprocess.run(
            command,
            cwd=cwd,
            env=clean_environment(),
            stdin=feeder.stdout,
            capture_output=True,
            check=False,
            timeout=120,
        )
        assert feeder.stdout
        feeder.stdout.close()
    code, peak = map(int, note.read_text().split())
    return Ran(code, ran.stdout.decode(), ran.stderr.decode(), peak)


@pytest.fixture(scope="module")
def usual(tmp_path_factory: pytest.TempPathFactory) -> dict[str, int]:
    """The memory that commands take on a file of four mebibytes, for which the compiled check is loaded."""
    load("memory/two-pass")
    folder = tmp_path_factory.mktemp("usual")
    (folder / "memory.txt").write_bytes(GOOD * (4 * MEBIBYTE // len(GOOD)))
    return {
        "answer": run("answer", "memory", "memory.txt", cwd=folder).peak,
        "ingest": run("ingest", "memory.txt", cwd=folder).peak,
    }


def bomb(unit: bytes, gibibytes: int) -> bytes:
    """Gzip data of many members that unpacks to so much."""
    return gzip.compress(unit * (16 * MEBIBYTE // len(unit))) * (64 * gibibytes)


HOSTILE: dict[str, tuple[bytes, str]] = {
    "zeros": (bomb(b"\0", 10), "memory-zeros, line 4: the line is longer than 1,048,576 bytes"),
    "line": (bomb(b"A", 10), "memory-line, line 4: the line is longer than 1,048,576 bytes"),
    "long": (b"B" * 8 * MEBIBYTE, "memory-long, line 4: the line is longer than 1,048,576 bytes"),
    "utf-16": ("AABB\n".encode("utf-16"), "memory-utf-16, line 4: there is a NUL byte, so this is not text in UTF-8"),
    "cut": (gzip.compress(GOOD * 20_000)[:-100], "memory-cut is truncated: its compressed data is incomplete"),
    "empty": (b"", "memory-empty is empty"),
}
"""What comes behind three good layouts, and what is said of it. Of the zipped ones two unpack to ten gibibytes."""


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of these files."""
    folder = tmp_path_factory.mktemp("hostile")
    for kind, (contents, _) in HOSTILE.items():
        before = b"" if kind == "empty" else gzip.compress(GOOD) if contents.startswith(GZIP) else GOOD
        (folder / f"memory-{kind}").write_bytes(before + contents)
    return folder


def test_unreadable_files_take_little_memory_and_stop_no_other_file(hostile: Path, usual: dict[str, int]) -> None:
    (hostile / "memory").write_bytes(GOOD)
    read = run("ingest", *(f"memory-{kind}" for kind in HOSTILE), "memory", cwd=hostile)
    assert read.code == 1
    assert read.peak < usual["ingest"] + ROOM
    *bad, good = read.err.splitlines()
    assert len(bad) == len(HOSTILE)
    assert all(line.startswith("dealmill: memory-") for line in bad)
    assert all(message in read.err for _, message in HOSTILE.values())
    assert "memory (memory): 3 layouts, 0 duplicates, 0 rejected" in good
    # Of what breaks off nothing is read, for it is not known which file it is.
    assert layouts(hostile) == {f"memory-{kind}": 3 for kind in ("zeros", "line", "long", "utf-16")} | {"memory": 3}


@pytest.mark.parametrize("kind", ["zeros", "long"])
def test_answer_reports_damage_in_one_line_with_little_memory(kind: str, hostile: Path, usual: dict[str, int]) -> None:
    answered = run("answer", "memory", f"memory-{kind}", cwd=hostile)
    assert answered.code == 1
    assert HOSTILE[kind][1] in answered.err
    assert len(answered.err.splitlines()) == 1
    assert answered.peak < usual["answer"] + ROOM


def layouts(folder: Path) -> dict[str, int]:
    """How many layouts of each source are in the store, which must agree with what it says of them itself."""
    with sqlite3.connect(folder / "dealmill.db") as store:
        rows = store.execute(
            "SELECT name, accepted, (SELECT count(*) FROM items WHERE source_id = sources.id) FROM sources"
        ).fetchall()
    assert all(said == there for _, said, there in rows)
    return {name: said for name, said, _ in rows}


def test_an_endless_line_through_a_pipe_is_refused(usual: dict[str, int], tmp_path: Path) -> None:
    endless = "tr '\\0' A < /dev/zero"
    for command, arguments in (("answer", ["memory"]), ("ingest", ["-", "--game", "memory"])):
        ran = run(command, *arguments, cwd=tmp_path, stdin=endless)
        assert (ran.code, ran.err) == (
            1,
            "dealmill: -, line 1: the line is longer than 1,048,576 bytes; is this a file of layouts?\n",
        )
        assert ran.peak < usual[command] + ROOM


def test_a_layout_with_a_million_errors_stores_few_reasons(usual: dict[str, int], tmp_path: Path) -> None:
    line = "".join(map(chr, range(0x4E00, 0x4E00 + 990)))
    (tmp_path / "memory.txt").write_text(f"{line}\n" * 1_000)
    read = run("ingest", "memory.txt", "--anyway", cwd=tmp_path)
    assert "0 layouts, 0 duplicates, 1,000 rejected" in read.err
    assert len(read.err) < 200_000
    assert read.peak < usual["ingest"] + ROOM


def test_a_run_solves_the_good_files_and_ends_with_an_error(tmp_path: Path) -> None:
    (tmp_path / "memory-1.txt").write_bytes(GOOD)
    (tmp_path / "memory-2.txt").write_bytes(b"")
    (tmp_path / "memory-3.txt").write_bytes(GOOD * 2_000 + b"\0\n")
    (tmp_path / "memory-4.txt").write_bytes(GOOD[::-1].strip())
    ran = run("run", *(f"memory-{number}.txt" for number in (1, 2, 3, 4)), "--nl", cwd=tmp_path)
    assert ran.code == 1
    assert "dealmill: memory-2.txt is empty: there is no layout in it\n" in ran.err
    assert "dealmill: memory-3.txt, line 6001: there is a NUL byte, so this is not text in UTF-8\n" in ran.err
    [summary] = map(json.loads, ran.out.splitlines())
    assert summary["layouts"] == 3 + 6_000 + 3
    assert summary["scored"] == 3 + 6_000 + 3
    assert layouts(tmp_path) == {"memory-1.txt": 3, "memory-3.txt": 6_000, "memory-4.txt": 3}


NAMES = [
    b"memory\nnewline",
    b"memory\x1b]0;title\x07\x1b[31mred",
    b"memory' \"quotes`",
    b"memory'; DROP TABLE sources; --",
    b"memory\xff\xfe",
    b"memory%s%n{0}",
    b"memory <script>alert(1)",
    b"memory " + "\u202e\u2066txt.exe".encode(),
    b"-memory",
    b"--memory",
]


def test_hostile_file_names_are_plain_text(tmp_path: Path) -> None:
    deals = deal(find_game("memory"), 1, 1, len(NAMES))
    folder = tmp_path / "inner"
    folder.mkdir()
    for name, layout in zip(NAMES, deals, strict=True):
        (Path(os.fsdecode(bytes(folder) + b"/" + name))).write_text(f"{layout}\nnonsense \x1b[2J?\n")
    (tmp_path / "memory-outside").write_bytes(GOOD)
    read = run("ingest", "--", *NAMES, "../memory-outside", cwd=folder)
    assert read.code == 4
    assert read.err.count("1 layout, 0 duplicates, 1 rejected") == len(NAMES)
    assert len(layouts(folder)) == len(NAMES) + 1
    shown = run("query", "--rejected", "--source", "2", cwd=folder)
    assert "nonsense" in shown.out
    for number, name in enumerate((NAMES[0], NAMES[1], NAMES[4]), start=1):
        queued = run("queue", name, cwd=folder)
        assert (queued.code, queued.out) == (4, f"{number}\n"), queued.err
        queried = run("query", "--source", name, cwd=folder)
        pending = f"no verdict matches\nrun {number} is not finished: 1 layout pending\n"
        assert (queried.code, queried.err) == (0, pending)
    missing = run("ingest", b"no " + b"".join(NAMES[:2]), cwd=folder)
    assert missing.code == 1
    assert len(missing.err.splitlines()) == 1
    wrong = run("ingest", b"--\x1b[31m", cwd=folder)
    assert wrong.code == 2
    for text in (read.err, shown.out, shown.err, missing.err, wrong.err):
        assert all(line.isprintable() for line in text.split("\n"))


def test_an_unreadable_file_is_reported() -> None:
    with files_of_ordinary_user(), TemporaryDirectory() as folder:
        file = Path(folder) / "memory.txt"
        file.write_bytes(GOOD)
        file.chmod(0)
        with pytest.raises(InputError, match=r"memory\.txt cannot be read: Permission denied"):
            open_binary(str(file)).__enter__()


def test_a_named_pipe_is_read_like_a_file(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "memory-pipe")
    write = f"cat > '{tmp_path}/memory-pipe' <<'END'\n{GOOD.decode()}END"
    assert "3 layouts" in run("ingest", "memory-pipe", cwd=tmp_path, stdin=write).err
    assert run("answer", "memory", "memory-pipe", cwd=tmp_path, stdin=write).out == "4\n8\n8\n"


def test_a_command_takes_more_files_than_a_process_may_open(tmp_path: Path) -> None:
    deals = deal(find_game("memory"), 1, 1, 2 * HANDLES)
    for number, layout in enumerate(deals):
        (tmp_path / f"memory-{number}.txt").write_text(layout)
    read = run("ingest", *(f"memory-{number}.txt" for number in range(2 * HANDLES)), cwd=tmp_path)
    assert (read.code, read.err.count(": 1 layout,")) == (0, 2 * HANDLES)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (os.mkfifo, r"^\.env is not a regular file: remove it, or make it a text file"),
        (os.mkdir, r"^\.env is not a regular file"),
        (lambda name: Path(name).symlink_to("/dev/zero"), r"^\.env is not a regular file"),
        (lambda name: Path(name).write_bytes(b"\xff\xfe"), r"the file \.env cannot be read as text"),
    ],
)
def test_an_env_file_must_be_a_text_file(
    make: Callable[[str], object], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    make(".env")
    with pytest.raises(DealmillError, match=message):
        settings.__wrapped__()


def test_unknown_settings_are_named_once_with_the_nearest_known_one(tmp_path: Path) -> None:
    (tmp_path / ".env").write_text("DEALMILL_WROKERS=1\nDEALMILL_POSTGRES_PASSWORD=x\nOTHER=1\nDEALMILL_NOT_SET=\n")
    env = clean_environment({"DEALMILL_DATABASEURL": "sqlite:///x.db", "DEALMILL_X\x1b[2J": "1"})
    ran = subprocess.run(
        dealmill_command(["run", "deal:memory:seed=1:1-9", "--json"]),
        cwd=tmp_path,
        env=env,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (ran.returncode, json.loads(ran.stdout)[0]["layouts"]) == (0, 9)
    known = (
        "DATABASE_URL, BROKER_URL, ENGINES, WORKERS, LEASE_SECONDS, METRICS_PORT, METRICS_HOST, WEB_DATABASE_URL, "
        "WEB_TOKEN, WEB_HOSTS, LOG_FORMAT, RULES, USER, PLUGINS"
    )
    assert [line for line in ran.stderr.splitlines() if "unknown setting" in line] == [
        "dealmill: unknown setting DEALMILL_DATABASEURL: did you mean DEALMILL_DATABASE_URL?",
        "dealmill: unknown setting DEALMILL_WROKERS: did you mean DEALMILL_WORKERS?",
        f"dealmill: unknown setting DEALMILL_X\\x1b[2J: after DEALMILL_, use one of: {known}",
    ]


def test_a_deleted_working_directory_is_reported_in_one_sentence(tmp_path: Path) -> None:
    gone = 'mkdir gone && cd gone && rmdir ../gone && exec "$@"'
    for arguments in (["status"], ["run", "deal:memory:seed=1:1-9"], ["doctor"], ["db", "upgrade"]):
        ran = subprocess.run(
            ["sh", "-c", gone, "sh", *dealmill_command(arguments)],
            cwd=tmp_path,
            env=clean_environment(),
            capture_output=True,
            text=True,
            check=False,
        )
        told = "dealmill.db cannot be opened, because the working directory was deleted; change to another directory"
        assert (ran.returncode, ran.stdout, ran.stderr) == (1, "", f"dealmill: {told}\n")
