"""Manifests: what they declare, where they are found, and what is wrong with them."""

import json
import os
from copy import copy
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dealmill.pipeline.errors import NotFoundError, ProgramError, UnknownSettingWarning
from dealmill.pipeline.games import find_engine, find_game, games, installed
from dealmill.pipeline.programs.declared import broken_programs
from dealmill.pipeline.programs.manifest import STRINGS, read_program
from dealmill.pipeline.programs.solver import check_programs
from tests.programs.conftest import Declare, forget_settings

MEANT = {"game": "memory", "name": "program", "version": "1", "command": ["true"]}
WRONG = {
    "is not TOML": ("game = ", "is not a TOML file"),
    "has no name": ({"name": None}, "name: Field required"),
    "has a name with capitals": ({"name": "Solver"}, "name: String should match pattern"),
    "has a name that is a path": ({"name": "../solver"}, "name: String should match pattern"),
    "has a version with a plus": ({"version": "1+2"}, "version: String should match pattern"),
    "has a number as its version": ({"version": 1}, "version: Input should be a valid string"),
    "has an unknown key": ({"memry": 4}, "memry: Extra inputs are not permitted"),
    "has no command": ({"command": []}, "command: Tuple should have at least 1 item"),
    "has a command line": ({"command": "./solver"}, "command: Input should be a valid tuple"),
    "has no time": ({"seconds": 0}, "seconds: Input should be greater than 0"),
    "has endless time": ({"seconds": 10**9}, "seconds: Input should be less than or equal to 3600"),
    "has no memory": ({"memory": 0}, "memory: Input should be greater than or equal to 1"),
    "names no program": ({"command": ["no-such-program"]}, "no executable file no-such-program on PATH"),
    "names no program here": ({"command": ["./solver"]}, "no executable file ./solver in "),
    "names a program that is no executable": ({"command": ["./program.toml"]}, "no executable file ./program.toml in "),
    "names no file": ({"files": ["data"]}, "files: there is no file data in "),
    "takes the name of another engine": ({"name": "two-pass"}, "there is already an engine memory/two-pass"),
    "is checked as nothing": ({"checked_as": "three-pass"}, "there is no engine memory/three-pass"),
    "is of no game": ({"game": "polo"}, "there is no game 'polo'"),
    "has a line break in its summary": ({"summary": "a\nb"}, "summary: String should match pattern"),
    "is enormous": ("#" * 1_000_000, "so it is not a manifest"),
    "has deep arrays": ("a = " + "[" * 99_000, "so it is not a manifest"),
    "has deep tables": ("a = " + "{b = " * 19_000, "so it is not a manifest"),
    "has a long key": (".".join("a" * 20_000) + " = 1", "so it is not a manifest"),
    "has a long table": (f"[{'.'.join('a' * 20_000)}]", "so it is not a manifest"),
    "has a long number": (f"seconds = {'9' * 5_000}", "so it is not a manifest"),
    "has many keys": ("".join(f"a{number} = 1\n" for number in range(9_000)), "; and 8,99"),
    "has a command with a NUL": ({"command": ["true", "\0"]}, "command.1: String should match pattern"),
    "is a folder": (None, "is not a regular file"),
}


def write(path: Path, manifest: str | dict[str, object]) -> None:
    if isinstance(manifest, dict):
        keys = {**MEANT, **manifest}.items()
        manifest = "\n".join(f"{key} = {json.dumps(value)}" for key, value in keys if value is not None)
    path.write_text(manifest)


@pytest.mark.slow
@pytest.mark.parametrize("wrong", WRONG)
def test_a_manifest_that_cannot_be_used_stops_nothing_else(wrong: str, declare: Declare) -> None:
    sound = declare(name="sound")
    path = sound.with_name("program.toml")
    if WRONG[wrong][0] is None:
        path.mkdir()
    else:
        write(path, WRONG[wrong][0])  # type: ignore[arg-type]
    assert [engine.name for engine in find_game("memory").engines][-1] == "sound"
    broken = broken_programs(games())
    assert list(broken) == [path]
    assert broken[path].startswith(str(path))
    assert WRONG[wrong][1] in broken[path]


@pytest.mark.parametrize("text", ['"""', '\\"""' * 25_000, '\\"' * 50_000, "'" * 3 + "[" * 99_990])
def test_strings_are_set_aside_in_one_pass(text: str) -> None:
    assert "[" not in STRINGS.sub("", text)


def test_brackets_and_dots_in_strings_do_not_count(declare: Declare) -> None:
    signs = "[{." * 200
    path = declare(signs, f"'{signs}", summary=f'{signs} # \\ " {signs}')
    assert read_program(path).manifest.command[-1] == f"'{signs}"


@pytest.mark.parametrize(
    ("manifest", "errors"),
    [
        (None, ["{path} is not a regular file"]),
        ({"command": ["./pipe"]}, ["{path}: command: ./pipe is not a regular file"]),
        ({"command": ["true", "pipe"]}, []),
        ({"files": ["pipe"]}, ["{path}: files: there is no file pipe in {path.parent}"]),
    ],
)
def test_a_pipe_is_not_waited_for(manifest: dict[str, object] | None, errors: list[str], declare: Declare) -> None:
    path = declare(name="sound").with_name("program.toml")
    pipe = path.with_name("pipe")
    os.mkfifo(pipe, 0o755)
    if manifest:
        write(path, manifest)
    else:
        path.symlink_to(pipe)
    assert "sound" in [engine.name for engine in find_game("memory").engines]
    assert list(broken_programs(games()).values()) == [error.format(path=path) for error in errors]


@pytest.mark.slow
def test_the_files_of_a_program_are_bounded(declare: Declare) -> None:
    path = declare(files=["table"])
    with path.with_name("table").open("wb") as file:
        file.truncate(200_000_000_000)
    assert list(broken_programs(games()).values()) == [f"{path}: its files are larger than 1,000 MB together"]
    program = read_program(declare())
    grown = replace(program, files=(path.with_name("table"),))
    with pytest.raises(ProgramError, match="larger than 1,000 MB together"):
        grown.version()


def test_a_file_that_becomes_a_pipe_is_not_waited_for(declare: Declare) -> None:
    path = declare(files=["table"])
    table = path.with_name("table")
    table.write_text("1")
    program = read_program(path)
    table.unlink()
    os.mkfifo(table)
    with pytest.raises(ProgramError, match=f"{path}: {table} is not a regular file"):
        program.version()


@pytest.mark.parametrize(
    ("setting", "reason"), [("x" * 5_000, "File name too long"), ("missing.toml", "No such file or directory")]
)
def test_a_setting_that_names_no_manifest_stops_nothing(
    setting: str, reason: str, declare: Declare, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = declare()
    monkeypatch.setenv("DEALMILL_ENGINES", f"{path}:{setting}")
    forget_settings()
    with pytest.warns(UnknownSettingWarning, match="DEALMILL_ENGINES names .*, which does not exist"):
        assert find_engine("memory/program")
    [error] = broken_programs(games()).values()
    assert error.endswith(f"{setting} cannot be read: {reason}")


def test_who_looks_for_a_broken_program_is_told_why(declare: Declare) -> None:
    declare(seconds=-1)
    with pytest.raises(NotFoundError, match=r"there is no engine 'memory/program'.*seconds: Input should be greater"):
        find_engine("memory/program")


def test_a_broken_manifest_is_read_again(declare: Declare) -> None:
    path = declare(files=["data"])
    assert broken_programs(games())
    path.with_name("data").write_text("here")
    assert not broken_programs(games())
    assert find_engine("memory/program")[1].name == "program"


def test_a_game_may_bring_manifests(declare: Declare, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = declare().parent
    monkeypatch.delenv("DEALMILL_ENGINES")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("dealmill.pipeline.games.contract.Game.folder", folder.parent)
    forget_settings()
    assert find_engine("memory/program")[1].program is not None


def test_a_game_may_have_no_other_engines(declare: Declare, monkeypatch: pytest.MonkeyPatch) -> None:
    path = declare()
    game = copy(find_game("memory"))
    game.engines = ()
    assert list(installed._faults(game, "memory")) == ["it has no engine"]
    monkeypatch.setattr("dealmill.pipeline.games.contract.Game.folder", path.parent.parent)
    monkeypatch.setattr(installed, "load", lambda _offer: game)
    assert list(installed._faults(game, "memory")) == []
    owner, engine = find_engine("memory")
    assert (engine.name, engine.referee_name, owner.engines) == ("program", "program", (engine,))
    declare(memory=-1)
    with pytest.raises(
        NotFoundError, match=r"memory has no engine that can be used; .*memory: Input should be greater"
    ):
        find_engine("memory")


def test_the_version_covers_arguments_and_files(declare: Declare) -> None:
    versions = set()
    for arguments, keys in [((), {}), (("a",), {}), (("ab",), {}), (("a", "b"), {}), ((), {"version": "2"})]:
        declare(*arguments, **keys)
        versions.add(find_engine("memory/program")[1].version)
    path = declare(files=["data/table"])
    (path.parent / "data").mkdir()
    for content in ("1", "2"):
        (path.parent / "data" / "table").write_text(content)
        versions.add(find_engine("memory/program")[1].version)
    assert len(versions) == 7


def test_the_guards_of_the_machine_are_not_part_of_the_version(declare: Declare) -> None:
    declare()
    version = find_engine("memory/program")[1].version
    declare(seconds=1, memory=2, handshake_seconds=3, summary="another")
    assert find_engine("memory/program")[1].version == version


@given(st.text(max_size=200))
def test_any_text_is_a_manifest_or_an_error(tmp_path_factory: pytest.TempPathFactory, text: str) -> None:
    path = tmp_path_factory.getbasetemp() / "any.toml"
    path.write_bytes(text.encode("utf-8", "surrogatepass"))
    with pytest.raises(ProgramError, match=r"any\.toml"):
        read_program(path)


def test_the_doctor_starts_every_program(declare: Declare) -> None:
    declare()
    assert check_programs(games()) == "memory/program: started"
    declare("does not start", name="silent")
    declare(name="broken", memory=-1)
    with pytest.raises(
        ProgramError, match=r"memory: Input should.*memory/silent did not start: it ended with"
    ) as error:
        check_programs(games())
    assert "memory/program" not in str(error.value)
