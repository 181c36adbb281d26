"""Rules files of users, in the folder that DEALMILL_RULES names: games without code, found by name everywhere."""

import json
import os
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import dealmill
from dealmill.pipeline.errors import NotFoundError, UnknownSettingWarning, UsageError
from dealmill.pipeline.games import broken_games, find_game
from dealmill.pipeline.games.patience import GAMES
from dealmill.testing import checks_of, each_once
from tests.doing import forget_games
from tests.plugins.sites import install_peg_row
from tests.servers import dealmill as command

SMALL = """\
# A small deck, which is quickly solved.
title = "Small \\"fan\\""
family = "Ours"

[deck]
ranks = 4

[tableau]
count = 5
build = "red-black"
move = "run"

[cells]
count = 1
"""


@pytest.fixture
def rules(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder of rules files with the game small."""
    folder = tmp_path / "rules"
    folder.mkdir()
    (folder / "small.toml").write_text(SMALL)
    monkeypatch.setenv("DEALMILL_RULES", str(folder))
    forget_games()
    yield folder
    forget_games()


@pytest.mark.slow
def test_a_users_file_meets_all_checks_of_games(rules: Path) -> None:
    assert find_game("small").title == 'Small "fan"'
    with each_once() as tracebacks:
        outcomes = {check: check.outcome(tracebacks) for check in checks_of("small")}
    assert [f"{check}: {outcome.sentence}" for check, outcome in outcomes.items() if outcome.state == "failed"] == []


@pytest.mark.slow
def test_a_users_game_is_found_by_name_in_commands_and_in_other_processes(rules: Path) -> None:
    cwd, env = rules.parent, {"DEALMILL_RULES": "rules"}
    listed = command("games", "--nl", cwd=cwd, env=env)
    assert [
        row["family"] for row in map(json.loads, listed.stdout.splitlines()) if row["engine"] == "small/winnable"
    ] == ["Ours"]
    dealt = command("deal", "small", "--seed", "1", "--count", "3", cwd=cwd, env=env)
    (cwd / "small.txt").write_text(dealt.stdout)
    answered = command("answer", "small", "small.txt", cwd=cwd, env=env)
    assert re.fullmatch(r"((un)?winnable\n){3}", answered.stdout), answered.stderr
    for arguments in (
        ("run", "small.txt"),
        ("run", "deal:small:seed=1:1-3"),
        ("diff", "1", "2"),
        ("audit", "2"),
        ("survey", "small", "--count", "1000"),
        ("show", "small", dealt.stdout.splitlines()[0]),
    ):
        ran = command(*arguments, cwd=cwd, env=env)
        assert ran.returncode == 0, (arguments, ran.stdout, ran.stderr)


def test_printed_rules_are_a_file_of_the_same_game(rules: Path) -> None:
    printed = command("games", "small", "--rules", cwd=rules.parent, env={"DEALMILL_RULES": "rules"}).stdout
    (rules / "again.toml").write_text(printed)
    forget_games()
    small, again = find_game("small"), find_game("again")
    assert small.rules_text and again.rules_text == small.rules_text
    assert again.engines == small.engines
    (rules / "again.toml").unlink()
    differing = command(
        "games", "--differ", "small", "free-cell-1-cell", "--nl", cwd=rules.parent, env={"DEALMILL_RULES": "rules"}
    )
    keys = {row["key"]: row["small"] for row in map(json.loads, differing.stdout.splitlines())}
    assert keys["deck.ranks"] == 4 and "cells.count" not in keys


@pytest.mark.parametrize("name", ["klondike", "memory"])
def test_a_name_that_is_taken_is_refused_with_both_origins(name: str, rules: Path) -> None:
    (rules / f"{name}.toml").write_text(SMALL)
    [broken] = broken_games()
    origin = GAMES.folder / "klondike.toml" if name == "klondike" else "dealmill.pipeline.games.memory:GAME"
    assert str(broken).startswith(
        f"DEALMILL_RULES offers the game {name} = {rules / f'{name}.toml'}, which cannot be used"
    )
    assert f"{origin} of dealmill" in broken.error and "has this name: rename the file" in broken.error
    with pytest.warns(UnknownSettingWarning, match=re.escape(str(broken))):
        assert find_game(name).title != 'Small "fan"'
    assert dealmill.games()[name]


def test_a_command_says_once_that_it_does_not_use_a_file_whose_name_is_taken(rules: Path) -> None:
    (rules / "klondike.toml").write_text(SMALL)
    ran = command(
        "run", "deal:klondike:seed=1:1-2", "--max-nodes", "100", cwd=rules.parent, env={"DEALMILL_RULES": "rules"}
    )
    assert ran.stderr.count("has this name: rename the file") == 1, ran.stderr


def test_a_file_may_begin_with_a_byte_order_mark(rules: Path) -> None:
    (rules / "windows.toml").write_bytes(b"\xef\xbb\xbf" + SMALL.replace("\n", "\r\n").encode())
    forget_games()
    assert find_game("windows").engines == find_game("small").engines


WRONG: dict[str, tuple[str, bytes, str]] = {
    "a key": (
        "wrong",
        b'title = "A"\n[cells]\ncount = 21\nsize = 1',
        "cells.count = 21: expected a number from 0 to 20",
    ),
    "not played": (
        "wrong",
        b'title = "A"\n[foundations]\ndirection = "down"',
        'foundations.direction = "down": the engine and the referee do not play',
    ),
    "not UTF-8": ("wrong", b"title = \xff", "it is not text in UTF-8"),
    "too long": ("wrong", b"#" * 100_000, "it has more than 65,536 characters"),
    "nested": ("wrong", b"title = " + b"[" * 60_000, "it is not a TOML file"),
    "a huge number": ("wrong", b"title = " + b"9" * 60_000, "it is not a TOML file"),
    "a bad name": ("Wrong", SMALL.encode(), "its name is not valid"),
}


@pytest.mark.parametrize(("name", "text", "error"), WRONG.values(), ids=WRONG)
def test_a_file_with_mistakes_is_reported_with_its_path_and_stops_nothing_else(
    name: str, text: bytes, error: str, rules: Path
) -> None:
    path = rules / f"{name}.toml"
    path.write_bytes(text)
    [broken] = broken_games()
    assert str(path) in str(broken) and error in broken.error and not broken.traceback
    with pytest.raises(NotFoundError, match=re.escape(str(path))):
        find_game(name)
    assert "small" in dealmill.games()


def test_what_is_no_file_is_not_opened(rules: Path) -> None:
    (rules / "folder.toml").mkdir()
    os.mkfifo(rules / "pipe.toml")
    assert [broken.error for broken in broken_games()] == ["it is not a file"] * 2


def test_a_folder_that_is_missing_is_named(rules: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DEALMILL_RULES", str(rules / "none"))
    forget_games()
    with pytest.raises(UsageError, match=r"DEALMILL_RULES names .*none, which is not a readable folder of rules files"):
        dealmill.games()


@pytest.mark.slow
def test_runs_of_a_packages_game_stay_readable_when_a_patience_has_its_name(rules: Path) -> None:
    """As those of FreeCell by the package that offered it. Rules judge only what was recorded with rules."""
    cwd, site = rules.parent, rules.parent / "site"
    install_peg_row(site)
    packaged = {"PYTHONPATH": str(site)}
    assert command("run", "deal:peg-row:seed=1:1-20", cwd=cwd, env=packaged).returncode == 0
    (rules / "peg-row.toml").write_text(SMALL)
    env = {"DEALMILL_RULES": "rules"}
    assert command("run", "deal:peg-row:seed=1:1-20", cwd=cwd, env=env).returncode == 0
    queried = [command("query", "1", "--nl", cwd=cwd, env=each).stdout for each in (packaged, env)]
    assert queried[0] == queried[1] and len(queried[0].splitlines()) == 20
    for arguments in (("status", "1"), ("export", "1", "a.csv"), ("audit", "2")):
        ran = command(*arguments, cwd=cwd, env=env)
        assert ran.returncode == 0, (arguments, ran.stderr)
    assert "40 missing" in command("diff", "1", "2", cwd=cwd, env=env).stderr
    for words in ("show 1:1", "audit 1", "rerun 1 --any-version", "export 1 b.csv --with-checker", "pack 1 a.json"):
        refused = command(*words.split(), cwd=cwd, env=env)
        answer = (words, refused.stdout, refused.stderr)
        assert refused.returncode, answer
        assert "judge and draw it with Dealmill 0.1.0 and that package" in refused.stderr, answer


def test_a_name_that_is_an_alias_of_a_game_is_refused(rules: Path) -> None:
    assert find_game("free-cell").name == "freecell"
    (rules / "free-cell.toml").write_text(SMALL)
    forget_games()
    [broken] = broken_games()
    assert broken.error == "it is another name of freecell: rename the file"
    with pytest.warns(UnknownSettingWarning, match="it is another name of freecell"):
        assert find_game("free-cell").name == "freecell"
