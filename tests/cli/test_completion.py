"""Shell completion, through the classes of Click that the scripts of the shells call."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from click.shell_completion import BashComplete, FishComplete, ShellComplete, ZshComplete

import dealmill as api
from dealmill.cli import dealmill
from dealmill.pipeline.games import find_game
from dealmill.pipeline.store.database.revisions import OLDEST
from tests.servers import clean_environment

SHELLS = [BashComplete, *(pytest.param(shell, marks=pytest.mark.slow) for shell in (ZshComplete, FishComplete))]
HOSTILE = "memory\x1b[2J\n.txt"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working directory, without a store."""
    for name in [name for name in os.environ if name.startswith("DEALMILL_")]:
        monkeypatch.delenv(name)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def store(folder: Path) -> Path:
    """A store with two sources, the second with a hostile name, and two runs over the first."""
    (folder / "memory.txt").write_text("AABB\n")
    (folder / HOSTILE).write_text("ABBA\n")
    with api.open() as opened:
        opened.ingest("memory.txt", HOSTILE)
        opened.queue(1)
        opened.queue(1, engine="incremental")
    return folder


def completed(*words: str, typed: str = "") -> list[tuple[str, str | None]]:
    """The completions of the last word of a command, with their help texts."""
    shell = ShellComplete(dealmill, {}, "dealmill", "_DEALMILL_COMPLETE")
    return [(item.value, item.help) for item in shell.get_completions(list(words), typed)]


@pytest.mark.parametrize("words", [["query"], ["status"], ["audit"], ["rerun"], ["diff", "1"], ["export"]])
def test_runs_are_completed_newest_first(words: list[str], store: Path) -> None:
    assert completed(*words) == [
        ("2", "memory/incremental on memory.txt"),
        ("1", "memory/two-pass on memory.txt"),
        ("last", "the newest run"),
    ]
    assert completed(*words, typed="l") == [("last", "the newest run")]


@pytest.mark.parametrize("words", [["queue"], ["query", "--source"]])
def test_sources_are_completed_by_number(words: list[str], store: Path) -> None:
    assert completed(*words) == [("2", "memory\\x1b[2J\\n.txt (memory)"), ("1", "memory.txt (memory)")]


@pytest.mark.parametrize("words", [["run"], ["queue"], ["query"], ["show"], ["answer"], ["survey"], ["retract"]])
def test_engines_are_completed_without_a_store(words: list[str], folder: Path) -> None:
    names = [f"{game.name}/{engine.name}" for game in api.games().values() for engine in game.engines]
    assert [name for name, _ in completed(*words, "--engine")] == names
    assert [name for name, _ in completed(*words, "--engine", typed="cam")] == ["camelot/winnable"]
    assert list(folder.iterdir()) == []


@pytest.mark.parametrize("words", [["deal"], ["survey"], ["answer"], ["show"], ["run", "--game"], ["query", "--game"]])
def test_games_are_completed(words: list[str], folder: Path) -> None:
    assert [name for name, _ in completed(*words)] == list(api.games())
    assert completed(*words, typed="luca") == [("lucas", find_game("lucas").name)]
    assert [name for name, _ in completed(*words, typed="cam")] == ["camelot"]


@pytest.mark.parametrize("words", [["query"], ["queue"]])
@pytest.mark.parametrize("trouble", ["no store", "older store", "no server", "bad setting", "unknown setting"])
def test_nothing_is_created_and_no_error_is_printed(
    trouble: str, words: list[str], folder: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    match trouble:
        case "older store":
            api.db.upgrade(revision=OLDEST)
        case "no server":
            monkeypatch.setenv("DEALMILL_DATABASE_URL", "postgresql://u:p@127.0.0.1:1/d")
        case "bad setting":
            monkeypatch.setenv("DEALMILL_WORKERS", "none")
        case "unknown setting":
            monkeypatch.setenv("DEALMILL_WROKERS", "2")
    before = sorted(folder.iterdir())
    capfd.readouterr()
    assert completed(*words) in ([], [("last", "the newest run")])
    assert capfd.readouterr() == ("", "")
    assert sorted(folder.iterdir()) == before
    if trouble == "older store":
        assert api.db.current() == OLDEST


@pytest.mark.parametrize("shell", SHELLS, ids=lambda shell: shell.name)
def test_each_shell_gets_a_script_that_calls_the_command(shell: type[ShellComplete], store: Path) -> None:
    script = asked(store, _DEALMILL_COMPLETE=f"{shell.name}_source")
    assert f"_DEALMILL_COMPLETE={shell.name}_complete" in script
    number = "" if shell is FishComplete else "2"
    printed = asked(store, _DEALMILL_COMPLETE=f"{shell.name}_complete", COMP_WORDS="dealmill query ", COMP_CWORD=number)
    assert "last" in printed


def asked(folder: Path, **variables: str) -> str:
    """What the installed command prints for these variables."""
    ran = subprocess.run(
        [Path(sys.executable).parent / "dealmill"],
        cwd=folder,
        env=clean_environment(variables),
        capture_output=True,
        text=True,
        check=True,
    )
    assert ran.stderr == ""
    return ran.stdout
