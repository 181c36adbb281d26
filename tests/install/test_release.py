"""What `make release` checks: both distributions work outside of the checkout, and an unfinished release is refused."""

import subprocess
from dataclasses import replace
from pathlib import Path
from shutil import copy, copytree

import pytest

import dealmill
from tests.install.environments import ROOT, editable, installed
from tests.install.release import STEPS, changed, faults, unready, version_of

VERSION = "9.1.0"


@pytest.mark.long
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("pattern", ["*.tar.gz", "*.whl"])
def test_a_distribution_works_outside_of_the_checkout(pattern: str, distributions: Path, tmp_path: Path) -> None:
    [distribution] = distributions.glob(pattern)
    assert list(faults(installed(distribution, tmp_path), tmp_path, dealmill.__version__)) == []


def test_what_fails_in_an_installation_is_said(tmp_path: Path) -> None:
    broken = replace(editable(), variables={"DEALMILL_DATABASE_URL": f"sqlite:///{tmp_path}/missing/a.db"})
    said = [fault.partition(" failed")[0] for fault in faults(broken, tmp_path, VERSION)]
    assert said[0] == f"dealmill --version says 'dealmill {dealmill.__version__}', not {VERSION}"
    assert said[1:-2] == [f"dealmill {' '.join(step)}" for step in STEPS]
    assert said[-2] == "the checker"
    assert said[-1].startswith("dealmill survey memory --engine memory/two-pass --count 1000000 does not give")


@pytest.fixture
def release(tmp_path: Path) -> Path:
    """A copy of the files that name the version, as those of a finished release."""
    for name in ("pyproject.toml", "CITATION.cff", "CHANGELOG.md", "compose.yaml"):
        copy(ROOT / name, tmp_path / name)
    stores = tmp_path / "tests" / "store" / "upgrades"
    copytree(ROOT / "tests" / "store" / "upgrades", stores)
    (stores / f"{VERSION}.json.gz").touch()
    now = version_of(tmp_path)
    edit(tmp_path / "pyproject.toml", f'version = "{now}"', f'version = "{VERSION}"')
    edit(tmp_path / "CHANGELOG.md", "## Unreleased", f"## {VERSION} – 2027-01-02")
    edit(tmp_path / "compose.yaml", f"image: dealmill:{now}", f"image: dealmill:{VERSION}")
    lines = {"version": f"version: {VERSION}", "date-released": "date-released: 2027-01-02"}
    citation = (tmp_path / "CITATION.cff").read_text().splitlines()
    (tmp_path / "CITATION.cff").write_text("\n".join(lines.get(line.partition(":")[0], line) for line in citation))
    return tmp_path


def edit(path: Path, old: str, new: str) -> None:
    """Replace a text that a file has."""
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new, 1))


def test_a_finished_release_is_ready(release: Path) -> None:
    assert list(unready(release)) == []


def test_a_version_between_releases_is_none() -> None:
    [problem] = unready(ROOT)
    assert problem.startswith(f"pyproject.toml: {version_of(ROOT)} is no release; write its version there")


@pytest.mark.parametrize(
    ("name", "old", "new", "problem"),
    [
        (
            "CHANGELOG.md",
            f"## {VERSION} – 2027-01-02",
            "## Unreleased",
            "CHANGELOG.md: the newest section is Unreleased",
        ),
        ("CITATION.cff", f"version: {VERSION}", "version: 9.0.0", f"CITATION.cff: there is no line version: {VERSION}"),
        ("CITATION.cff", "2027-01-02", "2027-01-01", "CITATION.cff: there is no line date-released: 2027-01-02"),
        ("compose.yaml", f"dealmill:{VERSION}", "dealmill:9.0.0", f"compose.yaml: the image is not dealmill:{VERSION}"),
    ],
)
def test_a_missing_version_is_said(name: str, old: str, new: str, problem: str, release: Path) -> None:
    edit(release / name, old, new)
    [said] = unready(release)
    assert said.startswith(problem)


def test_a_missing_store_is_said(release: Path) -> None:
    (release / "tests" / "store" / "upgrades" / f"{VERSION}.json.gz").unlink()
    [said] = unready(release)
    assert said.startswith(f"tests/store/upgrades: there is no store of {VERSION}")


def test_the_commit_has_the_tag_and_nothing_has_changed(tmp_path: Path) -> None:
    def git(*arguments: str) -> None:
        identity = ("-c", "user.name=A", "-c", "user.email=a@b.example")
        subprocess.run(["git", "-C", tmp_path, *identity, *arguments], check=True, capture_output=True)

    git("init")
    (tmp_path / "file").touch()
    git("add", "file")
    git("commit", "--message", "Begin")
    assert list(changed(tmp_path, VERSION)) == [f"the commit has no tag v{VERSION}: git tag --annotate v{VERSION}"]
    git("tag", "--annotate", f"v{VERSION}", "--message", "Release")
    assert list(changed(tmp_path, VERSION)) == []
    (tmp_path / "file").write_text("changed")
    assert list(changed(tmp_path, VERSION)) == ["there are changes that are not committed: git status"]
