"""What `make` says where Python will not do, or Coq is missing."""

import os
import subprocess
from pathlib import Path
from shutil import which

import pytest

ROOT = Path(__file__).parent.parent


@pytest.mark.parametrize("python", ["exit 1", "echo no module named venv >&2; exit 1", None])
def test_an_unsuitable_python_is_reported_in_one_line(python: str | None, tmp_path: Path) -> None:
    (tmp_path / "Makefile").write_text((ROOT / "Makefile").read_text())
    for name in ("requirements.txt", "pyproject.toml"):
        (tmp_path / name).touch()
    if python is not None:
        (tmp_path / "python").write_text(f"#!/bin/sh\n{python}\n")
        (tmp_path / "python").chmod(0o755)
    made = subprocess.run(
        ["make", "install", f"PYTHON={tmp_path / 'python'}"],
        cwd=tmp_path,
        env={"PATH": os.environ["PATH"]},  # and nothing of a make that may have started us
        capture_output=True,
        text=True,
        check=False,
    )
    assert made.returncode != 0
    assert made.stdout.strip().startswith("Dealmill needs Python 3.11 or newer with venv; install it")
    assert len(made.stdout.strip().splitlines()) == 1
    assert not (tmp_path / ".venv").exists()


def test_the_proofs_say_what_they_need(tmp_path: Path) -> None:
    for name in ("make", "sh"):
        (tmp_path / name).symlink_to(str(which(name)))
    made = subprocess.run(
        ["make", "proofs"], cwd=ROOT, env={"PATH": str(tmp_path)}, capture_output=True, text=True, check=False
    )
    assert made.returncode != 0
    assert made.stdout == "The proofs need Coq and OCaml; install them (Debian: apt install coq ocaml)\n"
