"""``dealmill find`` and `Store.find`: where a layout is stored, and its results in runs."""

import json
from collections.abc import Callable
from functools import partial
from pathlib import Path
from subprocess import CompletedProcess

import pytest

import dealmill
from dealmill.pipeline.store.database.connections import Database
from dealmill.pipeline.store.planning.run_planning import insert_run
from dealmill.pipeline.store.runs.engines import retract
from tests import servers
from tests.doing import a_run, a_source, do_runs, queue_compact

INCREMENTAL, TWO_PASS, PAIRS = "memory/incremental", "memory/two-pass", "card-pairing/winnable"
LAYOUT = "AJT6 QQA6 69J8 KJ87 JK6K 99QT KT89 7AQ7 TA87"


Find = Callable[..., CompletedProcess[str]]


@pytest.fixture
def url(database: Database) -> str:
    return database.url.render_as_string(hide_password=False)


@pytest.fixture
def find(url: str, tmp_path: Path) -> Find:
    """The command ``dealmill find``."""
    return partial(servers.dealmill, "find", cwd=tmp_path, env={"DEALMILL_DATABASE_URL": url})


def test_every_source_and_every_run_is_listed(database: Database, url: str, find: Find) -> None:
    a_run(database, TWO_PASS, ["AABB", "ABAB", "ABAB"])
    a_run(database, INCREMENTAL, ["AABB", "ABAB", "ABAB"])
    a_source(database, TWO_PASS, ["ABAB"], "b.txt")
    with dealmill.open(url) as api:
        matches = api.find("ABAB")
    assert [(match.source.name, match.position, match.run and match.run.id) for match in matches] == [
        ("a.txt", 2, 1),
        ("a.txt", 2, 2),
        ("a.txt", 3, 1),
        ("a.txt", 3, 2),
        ("b.txt", 1, None),
    ]
    with dealmill.open(url) as api:
        expected = [api.result(f"{match.run.id}:{match.position}") for match in matches if match.run]
    assert [match.result for match in matches if match.run] == expected
    rows = json.loads(find("ABAB", "--json").stdout)
    assert rows[0] == {
        "item": "1:2",
        "engine": TWO_PASS,
        "verdict": "scored",
        "value": expected[0].value,
        "source": 1,
        "position": 2,
        "line": 2,
        "name": "a.txt",
    }
    assert (rows[-1]["item"], rows[-1]["name"]) == (None, "b.txt")


def test_any_accepted_form_of_a_layout_is_found(database: Database, url: str, tmp_path: Path, find: Find) -> None:
    a_run(database, PAIRS, [LAYOUT])
    statement = tmp_path / "layout.txt"
    statement.write_text(f"# a comment\n\n1\n{LAYOUT}\n")
    for argument, typed in ((LAYOUT.lower().replace(" ", "  "), ""), (str(statement), ""), ("-", f"{LAYOUT}\n")):
        assert find(argument, "--csv", stdin=typed).stdout.splitlines()[1:] == [f"1:1,{PAIRS},unwinnable,,1,1,1,a.txt"]
    with dealmill.open(url) as api:
        [result] = api.find_run(1).results()
        for same in (result, dealmill.Layout(1, LAYOUT), statement, LAYOUT):
            assert [match.result for match in api.find(same)] == [result]


def test_what_is_not_stored_is_not_found(database: Database, url: str, find: Find) -> None:
    with dealmill.open(url) as api:
        number = queue_compact(database, "deal:memory:seed=1:1-1000")
        do_runs(database)
        layout = api.find_run(number).result(5).layout
    missing = find(layout)
    assert (missing.stdout, missing.returncode) == ("", 0)
    assert "the store does not have this layout" in missing.stderr
    assert "not searched: 1 range of numbered deals that are not stored (compact runs and surveys)" in missing.stderr
    assert find(layout, "--json").stdout == "[]\n"
    assert "not searched" not in find(LAYOUT).stderr


def test_runs_without_a_verdict_are_named(database: Database, find: Find) -> None:
    a_run(database, TWO_PASS, ["ABAB"])
    retract(database, TWO_PASS, "1", "it errs")
    insert_run(database, a_source(database, INCREMENTAL, []), INCREMENTAL, "1", None)
    ran = find("ABAB", "--nl")
    assert [json.loads(line)["verdict"] for line in ran.stdout.splitlines()] == [None, None]
    assert "run 1 was retracted (it errs)\nrun 2 is not finished\n" in ran.stderr


def test_a_file_with_two_layouts_is_refused(find: Find, tmp_path: Path) -> None:
    (tmp_path / "two.txt").write_text("AABB\nABAB\n")
    ran = find(str(tmp_path / "two.txt"), "--game", "memory")
    assert ran.returncode == 2
    assert ran.stderr == "dealmill: this is not exactly one layout of memory\n"


@pytest.mark.parametrize(
    ("layout", "game", "why"),
    [
        ("no layout", None, "not exactly one layout of any game; name its game with --game"),
        ("ABBC", "memory", "letter A occurs only once; letter C occurs only once"),
        ("AABB\nABAB", "memory", "not exactly one layout of memory"),
        ("", None, "not exactly one layout"),
    ],
)
def test_a_text_that_is_not_a_layout_is_refused(url: str, layout: str, game: str | None, why: str) -> None:
    with dealmill.open(url) as api, pytest.raises(dealmill.BadLayout, match=why):
        api.find(layout, game=game)
