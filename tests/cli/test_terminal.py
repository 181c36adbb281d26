"""What a person sees on a terminal: progress, and no control characters of a store that was tampered with."""

import json
import re
import sqlite3
import sys
import time
from pathlib import Path

import pytest
from rich.cells import cell_len

from dealmill.cli.progress import SECONDS_PER_LINE, shown_progress
from dealmill.pipeline.progress.events import Solving, words
from dealmill.progress import Auditing, Message
from tests.cli.running import on_terminal
from tests.servers import dealmill

CONTROL = re.compile(r"\x1b\[[0-9;?]*[a-zA-Z]")
ESCAPE = "\x1b]0;title\x07\x1b[31m\u202e\r"
SHOWN = "\\x1b]0;title\\x07\\x1b[31m\\u202e\\r"
TEXTS = [
    *(("items", "layout"), ("sources", "name"), ("verdicts", "evidence"), ("engines", "version")),
    *(("actions", "who"), ("actions", "why")),
]
"""Tables and columns with texts that commands print."""


def test_a_terminal_shows_every_step_and_escapes_file_names(tmp_path: Path) -> None:
    name = "memory-\x1b[7m.txt"
    (tmp_path / name).write_text("AABB\nABAB\n")
    shown = on_terminal("run", name, cwd=tmp_path)
    assert "\x1b[7m" not in shown
    steps = ["opening", "reading", "source 1: memory-", "solving", "all verdicts", "step by step"]
    assert steps == sorted(steps, key=shown.index)
    assert "2 layouts, 0 duplicates, 0 rejected" in shown
    assert "opening" in on_terminal("ingest", name, cwd=tmp_path)


def test_sixty_columns_have_room_for_bar_percent_and_place(tmp_path: Path) -> None:
    names = ["a-long-night-of-memory-deals-1.txt", "a-long-night-of-memory-deals-2.txt"]
    for seed, name in enumerate(names):
        text = dealmill("deal", "memory", "--count", "500", "--seed", str(seed), cwd=tmp_path).stdout
        (tmp_path / name).write_text(text)
    shown = CONTROL.sub("", on_terminal("run", *names, cwd=tmp_path, columns=60))
    drawn = [line for line in re.split("[\r\n]+", shown) if "━" in line]
    assert any(re.match(r"reading 2 of 2 ━+ 100% ", line) for line in drawn), drawn
    assert any(re.match(r"solving [━╸╺]+ +\d+% ", line) for line in drawn), drawn
    assert all(cell_len(line) <= 60 for line in drawn), drawn


def test_without_a_terminal_a_line_is_printed_from_time_to_time(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    now = 0.0
    monkeypatch.setattr(time, "monotonic", lambda: now)
    with shown_progress() as take:
        for judged in range(0, 300, 10):
            take(Auditing(judged, 300, 1, 0, 0))
            now += SECONDS_PER_LINE / 20
    assert capsys.readouterr().err == "auditing: 66 % (200 verdicts)\n"


def test_a_terminal_shows_lines_of_workers_without_time_but_for_work(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    line = "2026-11-28 03:12:07 farm-1:4711: compiling klondike/winnable (about 10 s, once per version)"
    for timed, shown in ((False, line.partition("4711: ")[2]), (True, line)):
        with shown_progress(timed=timed) as take:
            take(Message(line))
        lines = CONTROL.sub("", capsys.readouterr().err).replace("\r", "\n").splitlines()
        assert shown in [each.strip() for each in lines]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a store of one run in which every text ends in control characters."""
    folder = tmp_path_factory.mktemp("tampered")
    (folder / "memory.txt").write_text("ABBA\nABAB\n")
    assert dealmill("run", "memory.txt", cwd=folder).returncode == 0
    with sqlite3.connect(folder / "dealmill.db") as store:
        for table, column in TEXTS:
            store.execute(f"UPDATE {table} SET {column} = coalesce({column}, '') || ?", [ESCAPE])
    return folder


@pytest.mark.slow
@pytest.mark.parametrize(
    "arguments",
    ["show 1:1", "query", "query --csv", "query --nl", "status", "log --json", "audit 1", "export 1 a.csv"],
)
def test_stored_control_characters_are_escaped_on_a_terminal(arguments: str, folder: Path) -> None:
    shown = on_terminal(*arguments.split(), cwd=folder, codes=(0, 1, 3))
    for control in ("\x1b]", "\x1b[31m", "\u202e", "\x07", "Traceback"):
        assert control not in shown


def test_json_and_csv_contain_the_stored_text_unescaped(folder: Path) -> None:
    [first, _] = json.loads(dealmill("query", "--json", cwd=folder).stdout)
    assert first["layout"] == f"ABBA{ESCAPE}"
    assert f"ABBA{ESCAPE}".encode() in dealmill("query", "--csv", cwd=folder).stdout.encode()
    shown = dealmill("show", "1:1", cwd=folder).stdout
    assert f"layout: ABBA{SHOWN}\n" in shown


@pytest.mark.parametrize(
    ("rate", "written"), [(None, ""), (0.0, ""), (0.034, "0.034/s"), (1.0, "1/s"), (9.96, "10/s"), (1234.5, "1,234/s")]
)
def test_a_rate_of_less_than_one_a_second_is_no_zero(rate: float | None, written: str) -> None:
    assert words(Solving(1, 2, 1, "spider/winnable", "deal:spider:seed=1:1-2", rate))[1] == written
