"""Paths, settings and environments that a command must survive: each costs one sentence, and nothing else."""

import socket
from pathlib import Path

import pytest

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
        f"dealmill: {target} is part of the store that is exported; name another file\n",
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
    "memory-missing": "there is no file memory-missing",
    "memory-a.txt/x": "there is no file memory-a.txt/x",
    "memory" * 99: "cannot be read: File name too long",
}


@pytest.mark.parametrize("command", [["ingest"], ["run"], ["run", "--engine", "two-pass"]])
def test_a_wrong_path_stops_only_itself(command: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "memory-a.txt").write_text("ABAB\n")
    (tmp_path / "memory-b.txt").write_text("ABBA\nAABB\n")
    (tmp_path / "memory-folder").mkdir()
    (tmp_path / "memory-loop").symlink_to("memory-loop")
    (tmp_path / "memory-device").symlink_to("/dev/null")
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind("memory-socket")
        ran = dealmill(*command, "memory-a.txt", *WRONG_PATHS, "memory-b.txt", cwd=tmp_path)
    assert ran.returncode == 1
    lines = ran.stderr.splitlines()
    for line, (name, message) in zip(lines, WRONG_PATHS.items(), strict=False):
        assert line.startswith("dealmill: ")
        assert name in line
        assert message in line
    sources = [line for line in lines if line.startswith("source ")]
    assert sources == [
        "source 1: memory-a.txt (memory): 1 layout, 0 duplicates, 0 rejected",
        "source 2: memory-b.txt (memory): 2 layouts, 0 duplicates, 0 rejected",
    ]


def test_paths_that_are_all_wrong_create_no_store(tmp_path: Path) -> None:
    ran = dealmill("run", "memory-missing", "none", cwd=tmp_path)
    assert (ran.returncode, ran.stdout) == (1, "")
    assert ran.stderr == "dealmill: there is no file memory-missing\ndealmill: there is no file none\n"
    assert list(tmp_path.iterdir()) == []
