"""The built wheel holds one importable name and all that belongs to it, and solves its own examples."""

import json
import os
from hashlib import sha256
from pathlib import Path
from zipfile import ZipFile

from tests.install.environments import ROOT, Environment


def contents(wheel: Path) -> dict[str, str]:
    """The digest of every file in a wheel."""
    with ZipFile(wheel) as archive:
        return {name: sha256(archive.read(name)).hexdigest() for name in archive.namelist()}


def package() -> dict[str, str]:
    """The digest of every file in the package of the checkout, behind its links, too."""
    files = (
        Path(folder, name)
        for folder, _, names in os.walk(ROOT / "dealmill", followlinks=True)
        for name in names
        if "__pycache__" not in folder
    )
    return {str(file.relative_to(ROOT)): sha256(file.read_bytes()).hexdigest() for file in files}


def test_the_wheel_is_the_package_under_one_name(wheel: Path) -> None:
    files = contents(wheel)
    [metadata] = {name.partition("/")[0] for name in files} - {"dealmill"}
    assert metadata.endswith(".dist-info")
    assert {name: digest for name, digest in files.items() if not name.startswith(metadata)} == package()
    assert {
        "dealmill/py.typed",
        "dealmill/__init__.pyi",
        "dealmill/migrations/env.py",
        "dealmill/pipeline/games/memory/examples/memory-statement.txt",
        "dealmill/workers/__main__.py",
    } <= set(files)


def test_the_source_distribution_builds_the_same_wheel(wheel: Path, distributions: Path) -> None:
    [built] = distributions.glob("*.whl")
    assert contents(built) == contents(wheel)


def test_the_installed_wheel_solves_its_examples(from_wheel: Environment, tmp_path: Path) -> None:
    home = from_wheel.python.parent.parent
    cache = tmp_path / "cache"
    where = from_wheel.run("-c", "import dealmill; print(dealmill.__file__)", cwd=tmp_path)
    assert where.stdout.startswith(str(home))
    games = json.loads(from_wheel.dealmill("games", "--json", cwd=tmp_path).stdout)
    [folder] = {row["examples"] for row in games if row["engine"] == "hi-q/greedy"}
    assert folder.startswith(str(home))
    examples = sorted(Path(folder).glob("*.txt"))
    assert len(examples) == 2
    ran = from_wheel.dealmill("run", *examples, "--json", cwd=tmp_path, XDG_CACHE_HOME=str(cache))
    assert ran.returncode == 0, ran.stderr
    [summary] = json.loads(ran.stdout)
    assert summary["scored"] == 2004
    assert any((cache / "dealmill" / "kernels").iterdir())
    second = from_wheel.dealmill("run", *examples, "--json", cwd=tmp_path)
    assert second.stderr.count("already solved") == 2
