"""A fixture that declares programs as engines of Memory."""

import json
import math
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from dealmill.pipeline.programs import declared, solver
from dealmill.pipeline.solving import solve
from dealmill.pipeline.system.settings import settings

PROGRAM = Path(__file__).parent / "program.py"
Declare = Callable[..., Path]


def forget_settings() -> None:
    """Have the next call read the settings and the manifests again."""
    declared.places.cache_clear()
    declared._extended.clear()
    settings.cache_clear()


@pytest.fixture
def declare(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Declare]:
    """Return a function that writes a manifest for a copy of `program.py`, and returns its path.

    The arguments of the program and other keys of the manifest can be passed. However long they take, jobs are done as
    a whole.
    """
    folder = tmp_path / "engines"
    folder.mkdir()
    monkeypatch.setenv("DEALMILL_ENGINES", str(folder))
    monkeypatch.setattr(solve, "PART_SECONDS", math.inf)
    forget_settings()

    def declared(*arguments: str, **keys: object) -> Path:
        (folder / "program.py").write_text(PROGRAM.read_text())
        command = [sys.executable, "-I", "-S", "program.py", *arguments]
        manifest = {"game": "memory", "name": "program", "version": "1", "command": command, **keys}
        path = folder / f"{manifest['name']}.toml"
        path.write_text("\n".join(f"{key} = {json.dumps(value)}" for key, value in manifest.items()))
        return path

    yield declared
    solver._stop()
    monkeypatch.undo()
    forget_settings()
