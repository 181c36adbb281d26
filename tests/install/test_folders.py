"""Dealmill works in a folder of the user's whose modules have the names of its own."""

import json
from pathlib import Path

import pytest

from tests.install.environments import ROOT, Environment, editable, hostile_folder

COMMAND = ("run", "deal:memory:seed=1:1-50", "--json")


@pytest.mark.parametrize("packages", [True, False], ids=["packages", "folders"])
def test_the_command_and_its_workers_import_nothing_from_the_folder(
    environment: Environment, packages: bool, tmp_path: Path
) -> None:
    hostile_folder(tmp_path, packages=packages, dependencies=True)
    ran = environment.dealmill(*COMMAND, cwd=tmp_path)
    assert ran.returncode == 0, ran.stderr
    [summary] = json.loads(ran.stdout)
    assert summary["scored"] == 50
    assert "was imported" not in ran.stderr


def test_the_modules_raise_what_would_be_seen(tmp_path: Path) -> None:
    hostile_folder(tmp_path, packages=True)
    for name in ("pipeline", "migrations", "workers", "tests", "celeryconfig"):
        ran = editable().run("-c", f"import {name}", cwd=tmp_path)
        assert ran.returncode == 1
        assert "was imported" in ran.stderr, (name, ran.stderr)


def test_an_editable_install_is_what_the_tests_run_in() -> None:
    ran = editable().run("-c", "import dealmill; print(dealmill.__file__)", cwd=Path("/"))
    assert ran.stdout.strip() == str(ROOT / "dealmill/__init__.py")
