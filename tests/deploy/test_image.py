"""The Dockerfile and what it lets in, as far as can be seen without building the image; and its steps, run here."""

import re
import subprocess
import sys
import tomllib
from pathlib import Path

from tests.deploy.files import ROOT, dockerfile

INSTRUCTIONS = dockerfile()
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
CONTEXT = [
    source for name, rest in INSTRUCTIONS if name == "COPY" and "--from" not in rest for source in rest.split()[:-1]
]
"""The files and folders that are copied into the image."""


def instructions(name: str) -> list[str]:
    """What follows each instruction of this name."""
    return [rest for instruction, rest in INSTRUCTIONS if instruction == name]


def test_a_linter_that_parses_it_finds_nothing() -> None:
    linted = subprocess.run(
        [Path(sys.executable).parent / "hadolint", ROOT / "Dockerfile"], capture_output=True, text=True, check=False
    )
    assert (linted.returncode, linted.stdout) == (0, "")


def test_both_stages_use_one_pinned_supported_python() -> None:
    bases = {rest.partition(" AS ")[0] for rest in instructions("FROM")}
    assert len(instructions("FROM")) == 2
    [base] = bases
    match = re.fullmatch(r"python:(\d+\.\d+\.\d+)-slim-\w+", base)
    assert match, base
    required = PROJECT["project"]["requires-python"]
    least, actual = ([int(part) for part in version.split(".")] for version in (required.removeprefix(">="), match[1]))
    assert actual >= least


def test_it_runs_as_an_ordinary_user_who_owns_the_cache() -> None:
    names = [name for name, _ in INSTRUCTIONS]
    [user] = instructions("USER")
    assert int(user) > 0
    assert names.index("USER") > max(at for at, name in enumerate(names) if name in {"RUN", "COPY"})
    [make_user] = [rest for rest in instructions("RUN") if "useradd" in rest]
    assert f"--uid {user} " in make_user
    [environment] = instructions("ENV")
    cache = dict(word.split("=") for word in environment.split())["XDG_CACHE_HOME"]
    assert make_user.endswith(f"--owner dealmill --group dealmill {cache}")
    assert f":{cache}" in (ROOT / "compose.yaml").read_text()


def test_everything_that_is_installed_is_hash_checked_and_copied_in_before() -> None:
    built_from = {PROJECT["project"]["readme"], *PROJECT["project"]["license-files"]}
    assert built_from | set(PROJECT["tool"]["hatch"]["build"]["targets"]["wheel"]["packages"]) <= set(CONTEXT)
    copied: set[str] = set()
    installed = []
    for name, rest in INSTRUCTIONS:
        if name == "COPY" and "--from" not in rest:
            *sources, target = rest.split()
            assert all((ROOT / source).exists() for source in sources)
            copied |= {f"{target}{source}" if target.endswith("/") else target for source in sources}
        elif rest.startswith("pip "):
            installed.append(rest)
            for word in re.findall(r"/build\S*", rest):
                assert any(path == word or path.startswith(f"{word}/") for path in copied), word
    locked, ours = installed
    assert "--require-hashes --requirement /build/requirements-server.txt" in locked
    assert "--no-deps" in ours
