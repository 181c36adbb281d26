"""Environments that Dealmill is installed in, and folders in which a user might start it."""

import subprocess
import sys
import sysconfig
import venv
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from tests.servers import clean_environment

ROOT = Path(__file__).parent.parent.parent
TWO_WORKERS = {"DEALMILL_WORKERS": "2"}


@dataclass(frozen=True)
class Environment:
    """An environment with Dealmill: its interpreter, and variables for its processes."""

    python: Path
    variables: Mapping[str, str] = field(default_factory=dict)

    @property
    def all_variables(self) -> dict[str, str]:
        """The variables of its processes: ours without settings of Dealmill and folders of modules, and its own."""
        env = clean_environment({**TWO_WORKERS, **self.variables})
        env.pop("PYTHONPATH", None)
        return env

    def run(self, *arguments: str | Path, cwd: Path, **variables: str) -> subprocess.CompletedProcess[str]:
        """Run its interpreter."""
        return self._run(self.python, *arguments, cwd=cwd, **variables)

    def dealmill(self, *arguments: str | Path, cwd: Path, **variables: str) -> subprocess.CompletedProcess[str]:
        """Run the installed command."""
        return self._run(self.python.parent / "dealmill", *arguments, cwd=cwd, **variables)

    def _run(self, *command: str | Path, cwd: Path, **variables: str) -> subprocess.CompletedProcess[str]:
        env = {**self.all_variables, **variables}
        return subprocess.run(command, cwd=cwd, env=env, capture_output=True, text=True, check=False, timeout=280)


def editable() -> Environment:
    """Our own environment, into which `make install` has put the checkout."""
    return Environment(Path(sys.executable))


def installed(distribution: Path, folder: Path) -> Environment:
    """A new environment with a wheel or a source distribution alone; its dependencies are borrowed from ours."""
    environment = _with_distribution(folder, "--no-deps", distribution)
    [packages] = (folder / "env/lib").glob("python*/site-packages")
    (packages / "dependencies.pth").write_text(sysconfig.get_paths()["purelib"])
    return environment


def installed_with_dependencies(distribution: Path, folder: Path) -> Environment:
    """A new environment with a wheel or a source distribution, and the dependencies that it declares, with pages."""
    return _with_distribution(folder, f"{distribution}[web]")


def _with_distribution(folder: Path, *arguments: str | Path) -> Environment:
    venv.create(folder / "env", with_pip=False, symlinks=True)
    python = folder / "env/bin/python"
    pip = (sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check", "--python", python)
    subprocess.run([*pip, "install", *arguments], check=True)
    return Environment(python, {"XDG_CACHE_HOME": str(folder / "cache")})


def build(folder: Path, *arguments: str) -> Path:
    """Build in a folder, by default the source distribution and a wheel from it; returns the wheel."""
    command: list[str | Path] = [sys.executable, "-m", "build", *arguments, "--outdir", folder, ROOT]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    [wheel] = folder.glob("dealmill-*.whl")
    return wheel


RAISES = "raise RuntimeError(f'{__file__} was imported')\n"
MISLEADS = "broker_url = result_backend = 'redis://wrong.invalid:1/0'\nimports = ['wrong']\ntask_always_eager = True\n"
OF_A_PROJECT = ("pipeline", "migrations", "celeryconfig", "cli", "settings", "tasks", "conftest", "env")
"""Modules that a user's project may well have."""
OF_DEPENDENCIES = ("alembic", "celery", "click", "kombu", "numba", "numpy", "pydantic", "redis", "sqlalchemy")
"""Modules that take the place of a dependency, and of Dealmill itself, for Python code beside them."""


def hostile_folder(folder: Path, *, packages: bool, dependencies: bool = False) -> Path:
    """A user's project whose modules have names like ours, and raise an error when they are imported.

    Its folders ``workers/`` and ``tests/`` are `packages` or only folders with modules; in the second case, its
    ``celeryconfig.py`` can be imported and names a wrong broker. With `dependencies`, there are also modules named like
    Dealmill and its dependencies, which do not concern a command.
    """
    names = (*OF_A_PROJECT, "dealmill", *OF_DEPENDENCIES) if dependencies else OF_A_PROJECT
    for name in names:
        (folder / f"{name}.py").write_text(RAISES)
    for name in ("workers", "tests"):
        (folder / name).mkdir()
        for module in ("__main__", "app", "tasks", "servers", *(["__init__"] if packages else [])):
            (folder / name / f"{module}.py").write_text(RAISES)
    if not packages:
        (folder / "celeryconfig.py").write_text(MISLEADS)
    return folder
