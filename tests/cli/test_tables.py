"""Tables stay tables on every terminal: no line is wider than the terminal, and no number, engine or state is cut."""

import io
import re
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from dealmill.cli.tables import DISPENSABLE, IN_THE_MIDDLE, LEAST_IMPORTANT, NEVER_SHORTENED, WRAPPED, write_table
from dealmill.pipeline.games import find_game
from tests.cli.running import on_terminal
from tests.doing import deal
from tests.servers import dealmill

COLOUR = re.compile(r"\x1b\[[0-9;]*m")
NAMES = sorted({*DISPENSABLE, *LEAST_IMPORTANT, *IN_THE_MIDDLE, *NEVER_SHORTENED, "layouts", "run"} - WRAPPED)
TEXTS = st.text(st.sampled_from("abc é漢…-:/ 19"), max_size=70)
CELLS = st.one_of(st.none(), st.integers(-(10**9), 10**9), TEXTS, st.lists(st.integers(1, 99), max_size=3))


class Terminal(io.StringIO):
    """A standard output that is a terminal."""

    def isatty(self) -> bool:
        return True


def written(
    columns: Sequence[str],
    rows: Sequence[Mapping[str, object]],
    width: int,
    narrow: Sequence[str] = (),
    *,
    pager: bool = False,
) -> tuple[list[str], list[str]]:
    """Return the lines of a table on a terminal, and the columns that it says are not all there."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("COLUMNS", str(width))
        patched.setenv("NO_COLOR", "1")
        patched.setattr("sys.stdout", terminal := Terminal())
        cut = write_table(columns, rows, wide=False, narrow=narrow, pager=pager)
    return terminal.getvalue().split("\n")[:-1], cut


@given(st.lists(st.sampled_from(NAMES), min_size=1, max_size=14, unique=True), st.data(), st.integers(60, 130))
def test_every_row_is_one_line_that_fits_and_what_is_missing_is_named(
    columns: list[str], data: st.DataObject, width: int
) -> None:
    kinds = {name: st.integers(-(10**9), 10**9) if name in {"nodes", "layouts", "run"} else CELLS for name in columns}
    rows = data.draw(st.lists(st.fixed_dictionaries(kinds), max_size=5))
    lines, cut = written(columns, rows, width)
    assert len(lines) == 1 + len(rows)
    assert all(cell_len(line) <= width for line in lines)
    shown = lines[0].split()
    for number, name in ((number, name) for number in range(len(rows)) for name in {"nodes", "layouts"} & {*shown}):
        assert f"{rows[number][name]:,}" in lines[number + 1].split(), (name, lines)
    kept = [column for column in columns if column in shown]
    assert shown[: len(kept)] == kept
    empty = {name for name in columns if all(row[name] in (None, "", []) for row in rows)}
    assert {*columns} - {*shown} - empty <= {*cut} <= {*columns} - empty


@given(st.lists(st.sampled_from(NAMES), min_size=1, max_size=9, unique=True), st.data(), st.integers(1, 59))
def test_a_narrower_terminal_gets_a_line_for_each_row_too(columns: list[str], data: st.DataObject, width: int) -> None:
    rows = data.draw(st.lists(st.fixed_dictionaries(dict.fromkeys(columns, CELLS)), max_size=3))
    lines, _ = written(columns, rows, width)
    assert len(lines) == 1 + len(rows)
    assert all(cell_len(line) <= width for line in lines) or len(lines[0].split()) == 1


def test_what_says_least_goes_first_and_what_is_asked_is_whole() -> None:
    row = {
        "run": 12,
        "engine": "card-pairing/winnable",
        "version": "1",
        "source": "nights/2026-11/card-pairing.txt.gz",
        "layouts": 10**9,
        "results": "688,200,000 winnable, 311,800,000 unwinnable",
        "fingerprint": "b577e94dd093",
        "state": "not fully read: correct the input, or repeat the command",
    }
    narrow = ("run", "engine", "results", "source", "state")
    for width, source in ((60, False), (80, True), (100, True), (120, True)):
        lines, missing = written(list(row), [row], width, narrow)
        head, *rest = lines
        assert head.split() == [name for name in narrow if source or name != "source"]
        assert all(cell_len(line) <= width for line in lines)
        words = {word for line in rest for word in line.split()}
        assert {*f"{row['engine']} {row['results']} {row['state']}".split()} <= words, lines
        assert missing == [name for name in row if name not in head.split()]


def test_a_cell_is_wrapped_after_its_commas() -> None:
    row = {"engine": "klondike/winnable", "results": "8 winnable, 3 unwinnable, 1 undecided", "state": "finished"}
    lines, _ = written(list(row), [row], 48)
    assert [line[19:].split("  ")[0] for line in lines[1:]] == ["8 winnable,", "3 unwinnable,", "1 undecided"]


def test_a_layout_stays_whole_if_there_is_room_without_its_evidence() -> None:
    layout = "KJ6T 97J9 KJ76 6K6Q KTAJ AAT8 987A 7Q88 9QTQ"
    row = {"item": "1:1", "line": 1, "verdict": "unwinnable", "nodes": 11, "layout": layout, "evidence": "38 23 " * 30}
    for width in (62, 80, 120):
        assert layout in written(list(row), [row], width)[0][1]
    assert "…" in written(list(row), [row], 61)[0][1]


def test_a_long_table_goes_to_the_pager(monkeypatch: pytest.MonkeyPatch) -> None:
    paged: list[str] = []
    monkeypatch.setattr("click.echo_via_pager", lambda text, **_: paged.append(text))
    monkeypatch.setenv("LINES", "24")
    for rows, pager, expected in ((22, True, 0), (23, True, 1), (23, False, 0)):
        paged.clear()
        written(["run"], [{"run": number} for number in range(rows)], 80, pager=pager)
        assert len(paged) == expected


@pytest.mark.slow
def test_in_a_pipe_only_columns_limits_the_width_of_a_table(night: Path) -> None:
    def widest(env: Mapping[str, str]) -> int:
        return max(map(len, dealmill("query", "1", cwd=night, env=env).stdout.splitlines()))

    assert widest({"COLUMNS": "80"}) <= 80
    assert widest({}) > 110


@pytest.fixture(scope="module")
def night(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a store of runs over sources with long names, and rejects."""
    folder = tmp_path_factory.mktemp("night")
    for game in ("card-pairing", "memory"):
        name = folder / f"{game}_{'of-a-long-night-' * 6}.txt"
        name.write_text("\n".join([*deal(find_game(game), 1, 1, 30), "no layout at all", ""]))
        assert dealmill("run", name.name, cwd=folder).returncode == 4
    assert dealmill("audit", "1", cwd=folder).returncode == 0
    return folder


COMMANDS = {
    "status": 2,
    "status --workers": None,
    "status --sources": 2,
    "query 1": 30,
    "query 2": 30,
    "query 1 --rejected": 1,
    "log": 3,
    "games": None,
    "doctor": None,
    "query 2 --rejected --by-reason": None,
}
"""Commands that print a table, and its number of rows if it is known."""


def test_no_csv_has_two_columns_of_the_same_name(night: Path) -> None:
    for command in COMMANDS:
        heading = dealmill(*command.split(), "--csv", cwd=night).stdout.partition("\n")[0].split(",")
        assert len(set(heading)) == len(heading) > 1, (command, heading)


@pytest.mark.parametrize("width", [60, *(pytest.param(width, marks=pytest.mark.slow) for width in (80, 100, 120))])
def test_no_table_of_a_command_is_wider_than_the_terminal(night: Path, width: int) -> None:
    for command, rows in COMMANDS.items():
        lines = COLOUR.sub("", on_terminal(*command.split(), cwd=night, columns=width)).splitlines()
        table = [line for line in lines if not line.startswith(("left out", "more rows", "dealmill:"))]
        assert all(cell_len(line) <= width for line in table), (command, table)
        assert rows is None or len(table) >= rows + 1, (command, table)


def test_wide_tables_are_complete(night: Path) -> None:
    shown = on_terminal("query", "1", "--wide", cwd=night, columns=60)
    assert "…" not in shown and max(map(len, shown.splitlines())) > 60
    assert "left out" not in shown
