"""Run commands as other users."""

import os
import subprocess
import sys
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from shlex import join

import pytest

from tests.servers import dealmill_command

NOBODY, NAMELESS = 65_534, 12_345
"""The numbers of two users. The second has no name and no home."""
CHECKOUT = Path(__file__).resolve().parents[2]


def run_as(
    user: int, *command: str, cwd: Path, env: Mapping[str, str], between: Path
) -> "subprocess.CompletedProcess[str]":
    """Run the real command as another user; `between` is an empty folder. Skip the test if that is not possible.

    The command runs in a mount namespace in which Python, the checkout and the folders of the test are accessible, even
    if they are in a folder that only its owner may enter.
    """
    if not (CHECKOUT / "pyproject.toml").stat().st_mode & 0o004:
        pytest.skip("other users cannot read the files of the checkout; allow them to with: chmod -R go+rX .")
    needed = (sys.base_prefix, sys.prefix, str(CHECKOUT), str(between.parent), env.get("XDG_CACHE_HOME", str(cwd)))
    setpriv = ["setpriv", "--reuid", str(user), "--regid", str(user), "--clear-groups", "--"]
    script = "\n".join(["set -e", *map(join, _opened(map(Path, needed), between)), f'exec {join(setpriv)} "$@"'])
    enter = ["unshare", "--mount", "sh", "-c", script, "sh"]
    if os.geteuid() or subprocess.run([*enter, "true"], check=False, capture_output=True).returncode:
        pytest.skip("running as another user needs root's privileges and the programs unshare and setpriv (util-linux)")
    return subprocess.run(
        [*enter, *dealmill_command(command)],
        cwd=cwd,
        env={"PATH": os.environ["PATH"], "HOME": "/nonexistent", **env},
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )


def _opened(needed: Iterable[Path], between: Path) -> Iterator[tuple[str, ...]]:
    """Yield commands that replace each closed folder by one that has only the needed folders in it.

    It is built in the folder `between`, because that, too, can be in the closed folder.
    """
    closed: dict[Path, set[Path]] = {}
    for folder in {folder.resolve() for folder in needed}:
        for outer in (*reversed(folder.parents), folder):
            if not outer.stat().st_mode & 0o001:
                closed.setdefault(outer, set()).update(folder.iterdir() if outer == folder else [folder])
                break
    for outer, folders in closed.items():
        yield "mount", "-t", "tmpfs", "-o", "mode=755", "tmpfs", str(between)
        for folder in sorted(folders):  # outer ones first
            target = between / folder.relative_to(outer)
            yield "mkdir", "-p", str(target.parent)
            if folder.is_dir():
                yield "mkdir", "-p", str(target)
            else:
                yield "touch", str(target)
            yield "mount", "--bind", str(folder), str(target)
        yield "mount", "--rbind", str(between), str(outer)
