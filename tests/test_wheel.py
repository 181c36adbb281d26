"""The built wheel works in another environment: migrations and examples travel with it."""

import json
import subprocess
import sys
import sysconfig
import venv
from pathlib import Path

import pytest

from tests.servers import clean_environment

ROOT = Path(__file__).parent.parent


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An environment with the wheel alone; its dependencies are borrowed from ours."""
    folder = tmp_path_factory.mktemp("wheel")
    subprocess.run(
        [sys.executable, "-m", "build", "--wheel", "--outdir", folder, ROOT], check=True, stdout=subprocess.DEVNULL
    )
    [wheel] = folder.glob("dealmill-*.whl")
    venv.create(folder / "env", with_pip=False, symlinks=True)
    install: list[str | Path] = [
        "-m",
        "pip",
        "--quiet",
        "--disable-pip-version-check",
        "--python",
        folder / "env/bin/python",
        "install",
    ]
    subprocess.run([sys.executable, *install, "--no-deps", wheel], check=True)
    [packages] = (folder / "env/lib").glob("python*/site-packages")
    (packages / "dependencies.pth").write_text(sysconfig.get_paths()["purelib"])
    return folder / "env"


def run(environment: Path, *arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    """The installed command, with a kernel cache of its own and away from the checkout."""
    env = clean_environment({"XDG_CACHE_HOME": str(cwd / "cache")})
    env.pop("PYTHONPATH", None)
    return subprocess.run(
        [environment / "bin/dealmill", *arguments],
        cwd=cwd,
        env=env,
        capture_output=True,
        text=True,
        check=False,
        timeout=280,
    )


def test_the_installed_wheel_solves_its_examples(environment: Path, tmp_path: Path) -> None:
    where = subprocess.run(
        [environment / "bin/python", "-c", "import dealmill; print(dealmill.__file__)"],
        cwd=tmp_path,
        env=clean_environment(),
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    assert where.startswith(str(environment))
    [hi_q] = [
        row
        for row in json.loads(run(environment, "games", "--json", cwd=tmp_path).stdout)
        if row["engine"] == "hi-q/greedy"
    ]
    assert str(hi_q["examples"]).startswith(str(environment))
    examples = sorted(map(str, Path(hi_q["examples"]).glob("*.txt")))
    assert len(examples) == 2
    ran = run(environment, "run", *examples, "--json", cwd=tmp_path)
    assert ran.returncode == 0, ran.stderr
    [summary] = json.loads(ran.stdout)
    assert summary["scored"] == 2004
    assert any((tmp_path / "cache" / "dealmill" / "kernels").iterdir())
    again = run(environment, "run", *examples, "--json", cwd=tmp_path)
    assert again.stderr.count("already solved") == 2
