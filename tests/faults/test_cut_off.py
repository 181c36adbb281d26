"""Two hosts, one of which is disconnected from the network and reconnected: network namespaces with a link between
them."""

import os
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest
from sqlalchemy import text

from dealmill.pipeline.programs.bounds import die_with_parent
from dealmill.pipeline.store.database.connections import Database
from dealmill.workers.broker import find_server
from tests.faults.farm import Farm
from tests.servers import clean_environment, dealmill_command, running_postgres

LAYOUTS = 1_000
CHUNK = 10
SUBNET = os.getpid() % 2**14 * 4
"""The last two bytes of a subnet of four addresses. A session that is killed leaves its link and subnet behind."""
HERE, THERE = (f"10.213.{SUBNET >> 8}.{(SUBNET & 255) + number}" for number in (1, 2))


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
    links = Network()
    try:
        if not links.lay():
            pytest.skip("creating network links needs privileges and the program ip")
        yield links
    finally:
        links.take_away()


@pytest.mark.long
def test_a_host_that_is_disconnected_and_reconnected_loses_and_duplicates_nothing(
    network: Network, tmp_path: Path
) -> None:
    with ExitStack() as up:
        server = up.enter_context(running_postgres(HERE))
        up.enter_context(the_broker(tmp_path))
        url = server.new_database()
        farm = Farm(tmp_path, url, 1, LAYOUTS, CHUNK)
        farm.plan()
        settings = {
            **farm.settings,
            "DEALMILL_DATABASE_URL": f"postgresql://dealmill@{HERE}/{url.partition('?')[0].rpartition('/')[2]}",
            "DEALMILL_BROKER_URL": f"redis://{HERE}",
        }
        far = up.enter_context(working(("ip", "netns", "exec", network.name), settings, farm.output_file))
        farm.until(farm.solved)
        with ExitStack() as lonely:
            with farm.store.writing() as connection:
                connection.execute(text("LOCK TABLE verdicts IN EXCLUSIVE MODE"))
                farm.until(lambda: somebody_waits(farm.store))  # in the transaction that writes the verdicts of a job
                lonely.enter_context(network.cut())
            near = up.enter_context(working((), settings, farm.output_file))
            farm.until_solved(farm.planned)  # including the job of the disconnected host
            assert far.poll() is None
            near.terminate()
            assert near.wait(60) == 0
            farm.plan()
        farm.until_solved(farm.planned)  # no other host can do it
        far.terminate()
        assert far.wait(60) == 0
        farm.check()


def somebody_waits(database: Database) -> bool:
    with database.reading() as connection:
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
def working(where: tuple[str, ...], settings: dict[str, str], output_file: Path) -> Iterator[subprocess.Popen[bytes]]:
    with output_file.open("ab") as output:
        host = subprocess.Popen(
            [*where, *dealmill_command(["work"])],
            env=clean_environment(settings),
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            preexec_fn=die_with_parent,
        )
    try:
        yield host
    finally:
        host.kill()
        host.wait()
