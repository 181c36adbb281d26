"""The wheel, built once per session, and the environments it is installed in."""

import fcntl
import pickle
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

import pytest

from tests.install.environments import Environment, build, editable, installed

T = TypeVar("T")


@pytest.fixture(scope="session")
def shared(tmp_path_factory: pytest.TempPathFactory, worker_id: str) -> Path:
    """A folder that all processes of a test session share."""
    ours = tmp_path_factory.getbasetemp()
    folder = (ours if worker_id == "master" else ours.parent) / "install"
    folder.mkdir(exist_ok=True)
    return folder


def once(folder: Path, name: str, make: Callable[[Path], T]) -> T:
    """What `make` returns for a new folder, made by the first process that asks for it."""
    with (folder / f"{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        made = folder / f"{name}.pickle"
        if not made.exists():
            (folder / name).mkdir()
            made.write_bytes(pickle.dumps(make(folder / name)))
        return pickle.loads(made.read_bytes())  # type: ignore[no-any-return]  # noqa: S301 -- we wrote it


@pytest.fixture(scope="session")
def wheel(shared: Path) -> Path:
    """The wheel as it is built from the checkout."""
    return once(shared, "wheel", lambda folder: build(folder, "--wheel"))


@pytest.fixture(scope="session")
def from_wheel(shared: Path, wheel: Path) -> Environment:
    """An environment with the wheel. It takes the kernels that other tests have compiled, because its sources are
    theirs; those of `distributions` compile their own."""
    return replace(once(shared, "environment", lambda folder: installed(wheel, folder)), variables={})


@pytest.fixture(scope="session")
def distributions(shared: Path) -> Path:
    """A folder with the source distribution, and the wheel that is built from it."""
    return once(shared, "distributions", lambda folder: build(folder).parent)


@pytest.fixture(params=["from_wheel", "editable"])
def environment(request: pytest.FixtureRequest) -> Environment:
    """Each kind of installation."""
    if request.param == "editable":
        return editable()
    wheel_environment: Environment = request.getfixturevalue("from_wheel")
    return wheel_environment
