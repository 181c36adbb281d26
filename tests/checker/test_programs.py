"""Checkers as their users start them: with bare Python of every version that is installed."""

import os
import pty
import re
import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

from tests.checker.loaded import FORMS

NEWEST = 20


@cache
def pythons() -> dict[tuple[int, int], str]:
    """The interpreters that are found, by version; the one that runs the tests always."""
    named = [shutil.which(f"python3.{minor}") for minor in range(8, NEWEST)]
    installed = sorted((Path.home() / ".pyenv" / "versions").glob("3.*/bin/python3"))
    paths = {}
    for python in [*map(str, installed), *filter(None, named), sys.executable]:
        command = [python, "-I", "-S", "-c", "import sys; print(*sys.version_info[:2])"]
        version = subprocess.run(command, capture_output=True, text=True, check=False)
        if version.returncode == 0:
            major, minor = map(int, version.stdout.split())
            paths[major, minor] = python
    return paths


def ran(python: str, export: Path, *options: str) -> subprocess.CompletedProcess[str]:
    """Start the checker of an export in an empty environment, from another folder."""
    command = [python, "-I", "-S", f"{export}.check.py", str(export), *options]
    return subprocess.run(command, cwd="/", env={}, capture_output=True, text=True, check=False)


@pytest.mark.parametrize(("engine", "suffix"), FORMS)
def test_every_installed_version_of_python_proves_every_export(
    engine: str, suffix: str, exports: Path, tmp_path: Path
) -> None:
    for version in [version for version in pythons() if version >= (3, 11)]:
        export = exports / f"{engine.replace('/', '-')}{suffix}"
        checked = ran(pythons()[version], export)
        assert (checked.returncode, checked.stderr) == (0, ""), (version, checked.stdout)
        assert "rows, as exported\nproved: " in checked.stdout

        altered = tmp_path / export.name
        shutil.copy(f"{export}.check.py", f"{altered}.check.py")
        lines = export.read_text().splitlines(keepends=True)
        altered.write_text("".join([*lines[:-1], lines[-1].replace("30", "29", 1)]))
        checked = ran(pythons()[version], altered)
        assert (checked.returncode, checked.stderr) == (1, ""), version
        assert re.search(rf"{altered}: row 30\b", checked.stdout)


def test_older_versions_are_refused(exports: Path) -> None:
    older = [python for version, python in pythons().items() if (3, 8) <= version < (3, 11)]
    for python in older:
        refused = ran(python, exports / "camelot-winnable.csv")
        assert (refused.returncode, refused.stdout) == (2, "")
        assert refused.stderr == "this program needs Python 3.11 or newer\n"
    if not older:
        pytest.skip("needs Python 3.8, 3.9 or 3.10")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["none.csv"], "none.csv cannot be read: No such file or directory"),
        (["."], ". cannot be read: Is a directory"),
        (["/dev/stdin"], "/dev/stdin cannot be read: "),
        ([], "the following arguments are required: FILE"),
        (["a.csv", "--sample", "0"], "--sample is 0, expected 1 to 30, the number of rows"),
        (["a.csv", "--sample", "31"], "--sample is 31, expected 1 to 30, the number of rows"),
        (["a.csv", "--sample", "x"], "invalid int value: 'x'"),
        (["a.csv", "--show", "31"], "--show is 31, expected 1 to 30, the number of rows"),
        (["a.csv", "--limit", "9"], "--limit: the evidence of this game has no limit"),
    ],
)
def test_wrong_usage_ends_with_2(words: list[str], message: str, exports: Path) -> None:
    command = [sys.executable, "-I", "-S", str(exports / "camelot-winnable.csv.check.py"), *words]
    refused = subprocess.run(command, cwd="/", input="", capture_output=True, text=True, check=False)
    assert (refused.returncode, refused.stdout) == (2, "")
    assert message in refused.stderr and "Traceback" not in refused.stderr


def test_progress_is_redrawn_on_a_terminal(exports: Path) -> None:
    export = exports / "camelot-winnable.csv"
    terminal, program_end = pty.openpty()
    command = [sys.executable, "-I", "-S", f"{export}.check.py", str(export)]
    subprocess.run(command, stdout=subprocess.DEVNULL, stderr=program_end, check=True)
    shown = os.read(terminal, 10_000)
    os.close(terminal)
    os.close(program_end)
    assert shown.startswith(b"\r0 of 30 rows (0%)") and shown.endswith(b"\r\x1b[K")
