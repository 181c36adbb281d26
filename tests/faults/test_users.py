"""Stores, brokers and folders of other users: they are used if permissions allow it, and otherwise refused with a
one-line error."""

import os
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from shlex import join
from tempfile import TemporaryDirectory

import pytest

from dealmill.workers.broker import LocalBroker
from tests.servers import dealmill, dealmill_command

RUN = ("run", "deal:memory:seed=1:1-2000")
OTHER_RUN = ("run", "deal:memory:seed=2:1-2000")
NOBODY, NAMELESS = 65_534, 12_345
"""The numbers of two users. The second has no name and no home."""
CHECKOUT = Path(__file__).resolve().parents[2]
As = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture
def folder() -> Iterator[Path]:
    """A folder that other users can enter."""
    with TemporaryDirectory(prefix="users-") as name:
        Path(name).chmod(0o755)
        yield Path(name)


@pytest.fixture(scope="module")
def cache() -> Iterator[Path]:
    """A folder with a cache folder of compiled engines for each user."""
    with TemporaryDirectory(prefix="users-") as name:
        Path(name).chmod(0o755)
        for user in (NOBODY, NAMELESS):
            (own := Path(name) / str(user)).mkdir()
            own.chmod(0o777)
        yield Path(name)


@pytest.fixture
def as_user(folder: Path, cache: Path) -> As:
    """Return a function that runs a command as another user."""
    (between := folder / "between").mkdir()

    def run(
        user: int, *command: str, cwd: Path, env: Mapping[str, str] | None = None
    ) -> "subprocess.CompletedProcess[str]":
        settings = {"XDG_CACHE_HOME": str(cache / str(user))} if env is None else env
        ran = run_as(user, *command, cwd=cwd, env=settings, between=between)
        assert "Traceback" not in ran.stderr, ran.stderr
        return ran

    return run


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


def made(folder: Path, mode: int) -> Path:
    """Create a folder with the given mode."""
    (work := folder / "work").mkdir()
    work.chmod(mode)
    return work


def refused(ran: "subprocess.CompletedProcess[str]") -> str:
    """Check that a command failed with a one-line error, and return that."""
    assert (ran.returncode, ran.stdout, ran.stderr.count("\n")) == (1, "", 1), ran
    return ran.stderr


def test_a_user_without_a_name_and_a_home(folder: Path, as_user: As) -> None:
    work = made(folder, 0o777)
    ran = as_user(NAMELESS, *RUN, cwd=work)
    assert ran.returncode == 0, ran.stderr
    assert f"{NAMELESS}@" in as_user(NAMELESS, "log", cwd=work).stdout
    assert as_user(NAMELESS, "audit", "1", cwd=work).returncode == 0


@pytest.mark.parametrize("home", ["missing", "of another user"])
def test_no_room_for_compiled_engines(home: str, folder: Path, as_user: As) -> None:
    (theirs := folder / "home").mkdir()
    env = {"HOME": "/nonexistent" if home == "missing" else str(theirs)}
    said = refused(as_user(NAMELESS, *RUN, cwd=made(folder, 0o777), env=env))
    assert "cannot be written to (Permission denied); name another cache folder with XDG_CACHE_HOME" in said


def test_a_store_that_others_may_write_to(folder: Path, as_user: As) -> None:
    work = made(folder, 0o777)
    assert dealmill(*RUN, cwd=work).returncode == 0
    (work / "dealmill.db").chmod(0o666)
    for user, command in ((NOBODY, OTHER_RUN), (NAMELESS, RUN), (NAMELESS, ("audit", "2"))):
        ran = as_user(user, *command, cwd=work)
        assert ran.returncode == 0, ran.stderr
    audited = dealmill("audit", "2", cwd=work)
    assert (audited.returncode, "2,000 valid" in audited.stderr) == (0, True), audited.stderr


@pytest.mark.parametrize(
    ("mode", "command"),
    [
        *((0o644, command) for command in (OTHER_RUN, ("audit", "1"))),  # not `work --drain`, which has nothing to do
        *((0o600, command) for command in (OTHER_RUN, ("audit", "1"), ("work", "--drain"))),
    ],
)
def test_a_store_that_others_may_not_write_to(mode: int, command: tuple[str, ...], folder: Path, as_user: As) -> None:
    work = made(folder, 0o755)
    assert dealmill(*RUN, cwd=work).returncode == 0
    (work / "dealmill.db").chmod(mode)
    said = refused(as_user(NAMELESS, *command, cwd=work))
    assert str(work) in said or "dealmill.db" in said
    assert dealmill("audit", "1", cwd=work).returncode == 0


def test_the_local_broker_of_another_user(folder: Path, cache: Path, as_user: As) -> None:
    if os.geteuid():
        pytest.skip("running as another user needs privileges")
    work = made(folder, 0o777)
    with LocalBroker(folder) as broker:
        env = {"XDG_CACHE_HOME": str(cache / str(NAMELESS)), "DEALMILL_BROKER_URL": broker.url}
        said = refused(as_user(NAMELESS, *RUN, cwd=work, env=env))
    assert "is not available" in said and "Permission denied" in said


def test_temporary_folders_of_others(folder: Path, cache: Path, as_user: As) -> None:
    work, tmp = made(folder, 0o777), folder / "tmp"
    tmp.mkdir()
    tmp.chmod(0o1777)
    for mode in (0o700, 0o755):
        (theirs := tmp / f"dealmill-{mode:o}").mkdir()
        (theirs / "owned").touch()
        theirs.chmod(mode)
    env = {"XDG_CACHE_HOME": str(cache / str(NAMELESS)), "TMPDIR": str(tmp)}
    ran = as_user(NAMELESS, *RUN, cwd=work, env=env)
    assert ran.returncode == 0, ran.stderr
    assert sorted(entry.name for entry in tmp.iterdir()) == ["dealmill-700", "dealmill-755"]
    tmp.chmod(0o755)
    assert as_user(NAMELESS, *OTHER_RUN, cwd=work, env=env).returncode == 0
