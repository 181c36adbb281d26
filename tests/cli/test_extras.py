"""Commands without the optional dependencies: what needs one says how to install it, and all else works."""

from itertools import chain
from pathlib import Path

import pytest

from dealmill.pipeline.system.extras import EXTRAS
from tests.servers import dealmill

SOURCE = "deal:memory:seed=1:1-50"


@pytest.fixture(scope="module")
def without_extras(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The environment of processes that can import none of the modules of the extras."""
    return _without(tmp_path_factory.mktemp("without"), *chain.from_iterable(modules for modules, _ in EXTRAS.values()))


def _without(folder: Path, *modules: str) -> dict[str, str]:
    for module in modules:
        (folder / f"{module}.py").write_text(f"raise ModuleNotFoundError(\"No module named '{module}'\")\n")
    return {"PYTHONPATH": str(folder), "DEALMILL_WORKERS": "1"}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("extra", "command", "settings"),
    [
        ("parquet", ("export", "1", "out.parquet"), {}),
        ("pictures", ("survey", "memory", "--count", "1000", "--report", "out"), {}),
        ("postgresql", ("run", SOURCE), {"DEALMILL_DATABASE_URL": "postgresql://somebody:secret@127.0.0.1/night"}),
        ("web", ("web",), {}),
        ("metrics", ("run", SOURCE), {"DEALMILL_METRICS_PORT": "9100"}),
    ],
)
def test_a_missing_extra_is_named_before_any_work(
    folder: Path, without_extras: dict[str, str], extra: str, command: tuple[str, ...], settings: dict[str, str]
) -> None:
    before = sorted(folder.iterdir())
    ran = dealmill(*command, cwd=folder, env=without_extras | settings)
    assert (ran.returncode, ran.stdout) == (2, "")
    [module, *_], _ = EXTRAS[extra]
    assert f"pip install 'dealmill[{extra}]' (No module named '{module}')" in ran.stderr
    assert len(ran.stderr.splitlines()) == 1 and "secret" not in ran.stderr
    assert sorted(folder.iterdir()) == before


@pytest.mark.slow
def test_an_extra_is_missing_if_one_of_its_modules_is(folder: Path, tmp_path: Path) -> None:
    env = _without(tmp_path, "fontpkg_arimo") | {"DEALMILL_WORKERS": "1"}
    ran = dealmill("survey", "memory", "--count", "1000", "--report", "out", cwd=folder, env=env)
    assert ran.returncode == 2 and "pip install 'dealmill[pictures]' (No module named 'fontpkg_arimo')" in ran.stderr


@pytest.mark.slow
def test_everything_else_works_without_extras(tmp_path: Path, without_extras: dict[str, str]) -> None:
    commands = (
        ("run", SOURCE),
        ("query", "1"),
        ("show", "1:1"),
        ("audit", "1"),
        ("rerun", "1"),
        ("status",),
        ("export", "1", "out.csv"),
        ("export", "1", "out.jsonl"),
        ("survey", "memory", "--count", "1000"),
        ("log",),
        ("games",),
        ("doctor",),
    )
    for command in commands:
        ran = dealmill(*command, cwd=tmp_path, env=without_extras)
        assert ran.returncode == 0, (command, ran.stderr)
