"""The Dockerfile and what it lets in, as far as can be seen without building the image; and its steps, run here."""

import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path, PurePosixPath

import pytest

from tests.deploy.files import ROOT, dockerfile
from tests.servers import clean_environment

INSTRUCTIONS = dockerfile()
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
CONTEXT = [
    source for name, rest in INSTRUCTIONS if name == "COPY" and "--from" not in rest for source in rest.split()[:-1]
]
"""The files and folders that are copied into the image."""


def instructions(name: str) -> list[str]:
    """What follows each instruction of this name."""
    return [rest for found, rest in INSTRUCTIONS if found == name]


def kept_out(path: str) -> bool:
    """Whether .dockerignore keeps a file out: the last line that matches it, or a folder it is in, decides."""
    out = False
    parts = PurePosixPath(path).parts
    above = ["/".join(parts[: end + 1]) for end in range(len(parts))]
    for line in (ROOT / ".dockerignore").read_text().splitlines():
        pattern = re.escape(line.lstrip("!")).replace(r"\*\*/", "(.*/)?").replace(r"\*", "[^/]*")
        if not line.startswith("#") and any(re.fullmatch(pattern, one) for one in above):
            out = not line.startswith("!")
    return out


def test_a_linter_that_parses_it_finds_nothing() -> None:
    linted = subprocess.run(
        [Path(sys.executable).parent / "hadolint", ROOT / "Dockerfile"], capture_output=True, text=True, check=False
    )
    assert (linted.returncode, linted.stdout) == (0, "")


def test_both_stages_use_one_pinned_supported_python() -> None:
    bases = {rest.partition(" AS ")[0] for rest in instructions("FROM")}
    assert len(instructions("FROM")) == 2
    [base] = bases
    found = re.fullmatch(r"python:(\d+\.\d+\.\d+)-slim-\w+@sha256:[0-9a-f]{64}", base)
    assert found, base
    required = PROJECT["project"]["requires-python"]
    least, actual = ([int(part) for part in version.split(".")] for version in (required.removeprefix(">="), found[1]))
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
    copied: set[str] = set()
    installed = []
    for name, rest in INSTRUCTIONS:
        if name == "COPY" and "--from" not in rest:
            *sources, target = rest.split()
            copied |= {f"{target}{source}" if target.endswith("/") else target for source in sources}
        elif rest.startswith("pip "):
            installed.append(rest)
            for word in re.findall(r"/build\S*", rest):
                assert any(one == word or one.startswith(f"{word}/") for one in copied), word
    locked, ours = installed
    assert "--require-hashes --requirement /build/requirements-server.txt" in locked
    assert "--no-deps" in ours


def test_the_build_context_has_every_copied_file() -> None:
    built_from = {PROJECT["project"]["readme"], *PROJECT["project"]["license-files"]}
    assert built_from | set(PROJECT["tool"]["hatch"]["build"]["targets"]["wheel"]["packages"]) <= set(CONTEXT)
    for source in CONTEXT:
        assert (ROOT / source).exists()
        for file in [ROOT / source, *(ROOT / source).rglob("*")]:
            if "__pycache__" not in file.parts:
                assert not kept_out(str(file.relative_to(ROOT))), file


@pytest.mark.parametrize(
    "path",
    [
        *(".git/config", ".env", "pipeline/.env", ".venv/bin/python", "tests/servers.py", "compose.yaml", "uv.lock"),
        *("dealmill.db", "dealmill.db-wal", "pipeline/dealmill.db", "workers/old.db-shm"),
        *(".pytest_cache/x", ".mypy_cache/x", "__pycache__/x.pyc", "pipeline/games/__pycache__/x.pyc", "dist/x.whl"),
    ],
)
def test_the_build_context_has_nothing_else(path: str) -> None:
    assert kept_out(path)


@pytest.mark.by_hand
def test_the_steps_of_the_image_leave_a_command_that_works(tmp_path: Path) -> None:
    """The steps of the first stage in a folder of our own, from a package registry; then what the image starts."""

    def here(text: str) -> str:
        return text.replace("/opt/", f"{tmp_path}/opt/").replace("/build", f"{tmp_path}/build")

    first_stage = INSTRUCTIONS[1 : 1 + [name for name, _ in INSTRUCTIONS[1:]].index("FROM")]
    (tmp_path / "build").mkdir()
    env = clean_environment({"PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"})
    env.pop("PYTHONPATH", None)
    for name, rest in first_stage:
        if name == "RUN":
            subprocess.run(["sh", "-c", here(rest)], env=env, check=True, cwd=tmp_path)
        else:
            *sources, target = here(rest).split()
            for source in sources:
                if (ROOT / source).is_dir():
                    shutil.copytree(ROOT / source, target, ignore=shutil.ignore_patterns("__pycache__"))
                else:
                    shutil.copy(ROOT / source, target)
    [entrypoint] = instructions("ENTRYPOINT")
    words = [*json.loads(entrypoint), "run", "deal:memory:seed=1:1-2000", "--json"]
    ran = subprocess.run(
        [tmp_path / "opt/dealmill/bin" / words[0], *words[1:]], env=env, cwd=tmp_path, capture_output=True, check=True
    )
    assert json.loads(ran.stdout)[0]["scored"] == 2000
