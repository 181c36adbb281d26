"""``python -m tests.install.release``, `make release`: build a release and check it as its users install it.

It checks that the version of the release is written wherever it stands, that the commit has its tag and nothing has
changed since. Then it builds the source distribution and the wheel, and installs each in a new environment.
It publishes nothing.
"""

import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from packaging.version import Version

from bench.reproduce.results import Results
from tests.install.environments import ROOT, Environment, build, installed_with_dependencies

DIST = ROOT / "dist"
SURVEY = "memory-two-pass"
"""The published figure that an installation has to find again: one of the quickest."""
STEPS = (
    ("doctor",),
    ("run", "deal:memory:seed=1:1-200"),
    ("audit", "last"),
    ("export", "last", "deals.jsonl", "--with-checker"),
    ("archive", "last", "deals.zip"),
    ("archive", "--check", "deals.zip"),
)
"""Commands that succeed in an empty folder."""


def main() -> int:
    """Print what is wrong, and else how the release is published; 1 if something is wrong."""
    version = version_of(ROOT)
    problems = [*unready(ROOT), *changed(ROOT, version)]
    if not problems:
        for old in DIST.glob("*"):
            old.unlink()
        wheel = build(DIST)
        for distribution in (*DIST.glob("*.tar.gz"), wheel):
            with TemporaryDirectory() as folder:
                environment = installed_with_dependencies(distribution, Path(folder))
                problems += [f"{distribution.name}: {text}" for text in faults(environment, Path(folder), version)]
    if problems:
        sys.stderr.write("".join(f"{problem}\n" for problem in problems))
        return 1
    names = "\n".join(f"  {path.relative_to(ROOT)}" for path in sorted(DIST.iterdir()))
    sys.stdout.write(f"Dealmill {version} is ready, and not published:\n{names}\n")
    return 0


def version_of(root: Path) -> str:
    """Return the version in pyproject.toml."""
    return str(tomllib.loads((root / "pyproject.toml").read_text())["project"]["version"])


def unready(root: Path) -> Iterator[str]:
    """Yield where the version of the release is missing."""
    version = version_of(root)
    if Version(version).is_devrelease:
        yield f"pyproject.toml: {version} is no release; write its version there, and then: make .venv/tested"
        return
    title, day = re.findall(r"^## (\S+)(?: – (\S+))?$", (root / "CHANGELOG.md").read_text(), re.MULTILINE)[0]
    if title != version:
        yield f"CHANGELOG.md: the newest section is {title}; close it as: ## {version} – the day"
    citation = (root / "CITATION.cff").read_text().splitlines()
    lines = [f"version: {version}", *([f"date-released: {day}"] if title == version else [])]
    yield from (f"CITATION.cff: there is no line {line}" for line in lines if line not in citation)
    if f"image: dealmill:{version}\n" not in (root / "compose.yaml").read_text():
        yield f"compose.yaml: the image is not dealmill:{version}"
    if not (root / "tests" / "store" / "upgrades" / f"{version}.json.gz").exists():
        yield f"tests/store/upgrades: there is no store of {version}; write it with: python -m tests.store.upgrades"


def changed(root: Path, version: str) -> Iterator[str]:
    """Yield how the checkout differs from the tagged commit."""
    if _git(root, "status", "--porcelain"):
        yield "there are changes that are not committed: git status"
    if f"v{version}" not in _git(root, "tag", "--points-at", "HEAD").split():
        yield f"the commit has no tag v{version}: git tag --annotate v{version}"


def _git(root: Path, *arguments: str) -> str:
    command = ["git", "-C", str(root), *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def faults(environment: Environment, folder: Path, version: str) -> Iterator[str]:
    """Yield what fails in an installation: in a new folder, away from the checkout."""
    work = folder / "work"
    work.mkdir()
    said = environment.dealmill("--version", cwd=work).stdout.strip()
    if not said.endswith(version):
        yield f"dealmill --version says {said!r}, not {version}"
    for step in STEPS:
        ran = environment.dealmill(*step, cwd=work)
        if ran.returncode:
            yield f"dealmill {' '.join(step)} failed: {ran.stdout}{ran.stderr}"
    checked = environment.run("-I", "-S", "deals.jsonl.check.py", "deals.jsonl", cwd=work)
    if checked.returncode:
        yield f"the checker failed: {checked.stdout}{checked.stderr}"
    [row] = [row for row in Results.load().surveys if row.anchor == SURVEY]
    surveyed = environment.dealmill(*row.command.split()[1:], "--json", cwd=work)
    if row.fingerprint not in surveyed.stdout:
        yield f"{row.command} does not give the fingerprint {row.fingerprint}: {surveyed.stdout}{surveyed.stderr}"


if __name__ == "__main__":
    sys.exit(main())
