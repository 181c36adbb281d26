"""Signs in a store that was tampered with, which a terminal would obey."""

import json
import sqlite3
from pathlib import Path

import pytest

from tests.cli.test_progress import seen
from tests.servers import dealmill

ESCAPE = "\x1b]0;title\x07\x1b[31m\u202e\r"
SHOWN = "\\x1b]0;title\\x07\\x1b[31m\\u202e\\r"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a store of one run in which every text ends in signs that steer a terminal."""
    folder = tmp_path_factory.mktemp("steering")
    (folder / "memory.txt").write_text("ABBA\nABAB\n")
    assert dealmill("run", "memory.txt", cwd=folder).returncode == 0
    with sqlite3.connect(folder / "dealmill.db") as store:
        for table, column in (
            ("items", "layout"),
            ("sources", "name"),
            ("verdicts", "evidence"),
            ("engines", "version"),
            ("actions", "who"),
            ("actions", "why"),
        ):
            store.execute(f"UPDATE {table} SET {column} = coalesce({column}, '') || ?", [ESCAPE])
    return folder


@pytest.mark.parametrize(
    "arguments",
    ["show 1:1", "query", "query --csv", "query --nl", "status", "log", "log --json", "audit 1", "export 1 a.csv"],
)
def test_stored_control_characters_are_escaped_on_a_terminal(arguments: str, folder: Path) -> None:
    told = seen(*arguments.split(), cwd=folder, codes=(0, 1, 3))
    for sign in ("\x1b]", "\x1b[31m", "\u202e", "\x07"):
        assert sign not in told
    ran = dealmill(*arguments.split(), cwd=folder)
    assert "Traceback" not in ran.stderr


def test_json_and_csv_contain_the_stored_text_unescaped(folder: Path) -> None:
    [first, _] = json.loads(dealmill("query", "--json", cwd=folder).stdout)
    assert first["layout"] == f"ABBA{ESCAPE}"
    assert f"ABBA{ESCAPE}".encode() in dealmill("query", "--csv", cwd=folder).stdout.encode()
    shown = dealmill("show", "1:1", cwd=folder).stdout
    assert f"layout: ABBA{SHOWN}\n" in shown
