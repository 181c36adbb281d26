"""Fixtures for tests of games."""

import fcntl
import subprocess
from pathlib import Path
from shutil import which

import pytest

from tests.games.proved import PROOFS


@pytest.fixture(scope="session")
def programs() -> Path:
    """The folder with the programs that are proved in Coq, built if need be."""
    if not (which("coqc") and which("ocamlopt")):
        pytest.skip("the proofs need coq and ocaml")
    with (PROOFS / "Makefile").open() as file:
        fcntl.flock(file, fcntl.LOCK_EX)  # test processes build it one after the other
        subprocess.run(["make", "--silent", "--directory", PROOFS], check=True)
    return PROOFS / "build"
