"""Two hosts, one of which is disconnected from the network and reconnected: network namespaces with a link between
them."""

import os
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest
from sqlalchemy import text

from dealmill.pipeline.games import find_engine
from dealmill.pipeline.store import revisions
from dealmill.pipeline.store.blocks import fingerprint_of
from dealmill.pipeline.store.database import Database, database_url
from dealmill.pipeline.store.plans import plan_run
from dealmill.pipeline.store.runs import find_run
from dealmill.workers.broker import find_server
from dealmill.workers.processes import die_with_parent
from tests.doing import a_run, a_source, dealer
from tests.servers import clean_environment, dealmill_command, running_postgres

ENGINE = "memory/two-pass"
LAYOUTS = 1_000
CHUNK = 10
SUBNET = os.getpid() % 2**14 * 4
"""The last two bytes of a subnet of four addresses. A session that is killed leaves its link and subnet behind."""
HERE, THERE = (f"10.213.{SUBNET >> 8}.{(SUBNET & 255) + number}" for number in (1, 2))
LEASE_SECONDS = 3
SECONDS = 120


class Network:
    """A network namespace, and a link to it."""

    def __init__(self) -> None:
        self.name = f"dealmill{os.getpid()}"
        self._near, self._far = f"near{os.getpid()}", f"far{os.getpid()}"

    def lay(self) -> bool:
        """Create the namespace and the link. Return whether that succeeded."""
        return all(
            subprocess.run(["ip", *words.split()], check=False, capture_output=True).returncode == 0
            for words in (
                f"netns add {self.name}",
                f"link add {self._near} type veth peer name {self._far} netns {self.name}",
                f"addr add {HERE}/30 dev {self._near}",
                f"link set {self._near} up",
                f"-n {self.name} addr add {THERE}/30 dev {self._far}",
                f"-n {self.name} link set {self._far} up",
                f"-n {self.name} link set lo up",
            )
        )

    @contextmanager
    def cut(self) -> Iterator[None]:
        """Take the link down for the duration of the `with` block."""
        subprocess.run(["ip", "-n", self.name, "link", "set", self._far, "down"], check=True)
        yield
        subprocess.run(["ip", "-n", self.name, "link", "set", self._far, "up"], check=True)

    def take_away(self) -> None:
        """Remove the link and the namespace."""
        subprocess.run(["ip", "link", "del", self._near], check=False, capture_output=True)
        subprocess.run(["ip", "netns", "del", self.name], check=False, capture_output=True)


@pytest.fixture
def network() -> Iterator[Network]:
    found = Network()
    try:
        if not found.lay():
            pytest.skip("creating network links needs privileges and the program ip")
        yield found
    finally:
        found.take_away()


def until(true: Callable[[], object], told: Path) -> None:
    deadline = time.monotonic() + SECONDS
    while not true():
        assert time.monotonic() < deadline, told.read_text()
        time.sleep(0.05)


@pytest.mark.long
def test_a_host_that_is_disconnected_and_reconnected_loses_and_duplicates_nothing(
    network: Network, tmp_path: Path
) -> None:
    told = tmp_path / "told"
    with ExitStack() as up:
        server = up.enter_context(running_postgres(HERE))
        up.enter_context(the_broker(tmp_path))
        direct = server.new_database()
        store = Database(database_url(direct))
        revisions.upgrade(store)
        layouts = dealer("memory")(1, 1, LAYOUTS)
        version = find_engine(ENGINE)[1].version

        def planned(name: str) -> int:
            return plan_run(store, a_source(store, ENGINE, layouts, name), ENGINE, version, None, chunk=CHUNK)

        first = planned("first.txt")
        settings = {
            "DEALMILL_DATABASE_URL": f"postgresql://dealmill@{HERE}/{direct.partition('?')[0].rpartition('/')[2]}",
            "DEALMILL_BROKER_URL": f"redis://{HERE}",
            "DEALMILL_WORKERS": "1",
            "DEALMILL_LEASE_SECONDS": str(LEASE_SECONDS),
        }
        far = up.enter_context(working(("ip", "netns", "exec", network.name), settings, told))
        until(lambda: find_run(store, first).solved, told)
        with ExitStack() as lonely:
            with store.writing() as connection:
                connection.execute(text("LOCK TABLE verdicts IN EXCLUSIVE MODE"))
                until(lambda: somebody_waits(store), told)  # in the transaction that writes the verdicts of a job
                lonely.enter_context(network.cut())
            near = up.enter_context(working((), settings, told))
            until(lambda: find_run(store, first).finished, told)  # including the job of the disconnected host
            assert far.poll() is None
            near.terminate()
            assert near.wait(60) == 0
            second = planned("second.txt")
        until(lambda: find_run(store, second).finished, told)  # no other host can do it
        far.terminate()
        assert far.wait(60) == 0
        undisturbed = Database(database_url(f"sqlite:///{tmp_path / 'undisturbed.db'}"))
        revisions.upgrade(undisturbed)
        expected = fingerprint_of(undisturbed, a_run(undisturbed, ENGINE, layouts).id, LAYOUTS)
        for run in (first, second):
            assert fingerprint_of(store, run, LAYOUTS) == expected
        with store.reading() as connection:
            assert connection.execute(text("SELECT count(*) FROM verdicts")).scalar_one() == 2 * LAYOUTS
        assert "Traceback" not in told.read_text(), told.read_text()


def somebody_waits(store: Database) -> bool:
    with store.reading() as connection:
        return bool(connection.execute(text("SELECT 1 FROM pg_locks WHERE NOT granted")).first())


@contextmanager
def the_broker(folder: Path) -> Iterator[None]:
    options = {"bind": HERE, "protected-mode": "no", "save": "", "dir": str(folder)}
    words = [word for key, value in options.items() for word in (f"--{key}", value)]
    server = subprocess.Popen([find_server(), *words], stdout=subprocess.DEVNULL, preexec_fn=die_with_parent)
    try:
        yield
    finally:
        server.kill()
        server.wait()


@contextmanager
def working(where: tuple[str, ...], settings: dict[str, str], told: Path) -> Iterator[subprocess.Popen[bytes]]:
    with told.open("ab") as said:
        host = subprocess.Popen(
            [*where, *dealmill_command(["work"])],
            env=clean_environment(settings),
            stdin=subprocess.DEVNULL,
            stdout=said,
            stderr=said,
            preexec_fn=die_with_parent,
        )
    try:
        yield host
    finally:
        host.kill()
        host.wait()
