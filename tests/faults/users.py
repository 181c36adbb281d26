"""Run commands as other users."""

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.servers import dealmill_command

NOBODY, NAMELESS = 65_534, 12_345
"""The numbers of two users. The second has no name and no home."""

ENTER = """
if [ -n "$2" ]; then
    mount --bind "$3" "$4" && mount -t tmpfs -o mode=755 tmpfs "$2" && mkdir -p "$3" && mount --bind "$4" "$3"
fi
user="$1"; shift 4
exec setpriv --reuid "$user" --regid "$user" --clear-groups -- "$@"
"""
"""A script that becomes another user in a mount namespace in which Python is accessible even if it is installed in a
private folder of root."""


def run_as(
    user: int, *command: str, cwd: Path, env: Mapping[str, str], between: Path
) -> "subprocess.CompletedProcess[str]":
    """Run the real command as another user; `between` is an empty folder. Skip the test if that is not possible."""
    python = Path(sys.base_prefix)
    closed = next((str(one) for one in reversed(python.parents) if not one.stat().st_mode & 0o001), "")
    enter = ["unshare", "--mount", "sh", "-c", ENTER, "sh", str(user), closed, str(python), str(between)]
    if os.geteuid() or subprocess.run([*enter, "true"], check=False, capture_output=True).returncode:
        pytest.skip("running as another user needs privileges and the programs unshare and setpriv")
    return subprocess.run(
        [*enter, *dealmill_command(command)],
        cwd=cwd,
        env={"PATH": os.environ["PATH"], "HOME": "/nonexistent", **env},
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
