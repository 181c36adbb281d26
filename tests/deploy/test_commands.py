"""Every command and every health check of compose.yaml does what it is there for."""

import json
from collections.abc import Iterator
from contextlib import ExitStack
from copy import copy
from pathlib import Path

import httpx2
import pytest
from redis import AuthenticationError, Redis
from redis.backoff import ConstantBackoff
from redis.retry import Retry

from dealmill.pipeline.store.database.tables import REVISION
from tests.deploy.natively import PASSWORDS, PORTS, Deployment, find_client, free_port, until
from tests.servers import Postgres

LAYOUTS = 20_000


@pytest.fixture(scope="module")
def deployment(postgres_server: Postgres, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Deployment]:
    """Both servers, and a database whose tables `migrate` has made."""
    deployed = Deployment(tmp_path_factory.mktemp("deploy"), postgres_server)
    with ExitStack() as up:
        up.enter_context(deployed.database())
        up.enter_context(deployed.running("valkey"))
        migrate(deployed)
        yield deployed


def migrate(deployment: Deployment) -> None:
    """Run `migrate` to its end."""
    with deployment.running("migrate") as migration:
        assert migration.wait(60) == 0


def elsewhere(deployment: Deployment) -> Deployment:
    """The same with ports on which nobody listens."""
    moved = copy(deployment)
    moved.ports = {name: free_port() for name in PORTS}
    return moved


def with_wrong(deployment: Deployment, password: str) -> Deployment:
    """The same with one password that is not the server's."""
    other = copy(deployment)
    other.passwords = PASSWORDS | {password: "not-the-password"}
    return other


def client(deployment: Deployment) -> Redis:
    """Somebody who knows the broker's password, and tries for ten seconds."""
    return Redis(
        port=int(deployment.ports["valkey"]),
        password=deployment.passwords["DEALMILL_VALKEY_PASSWORD"],
        retry=Retry(ConstantBackoff(0.1), 100),
        decode_responses=True,
    )


def test_the_migration_can_be_repeated_at_every_start(deployment: Deployment) -> None:
    migrate(deployment)
    assert deployment.psql("dealmill", "SELECT version_num FROM alembic_version").strip() == REVISION


def test_the_health_check_of_the_database_works(deployment: Deployment) -> None:
    assert deployment.healthy("postgres")
    assert not elsewhere(deployment).healthy("postgres")
    assert deployment.psql("dealmill", "SHOW max_connections") == "500\n"


@pytest.mark.skipif(find_client() is None, reason="no wheel has redis-cli for this Python; install it")
def test_the_health_check_of_the_broker_works(deployment: Deployment) -> None:
    until(lambda: deployment.healthy("valkey"))
    assert not elsewhere(deployment).healthy("valkey")
    assert not with_wrong(deployment, "DEALMILL_VALKEY_PASSWORD").healthy("valkey")


def test_the_broker_stores_nothing_and_hides_its_password(deployment: Deployment, tmp_path: Path) -> None:
    other = elsewhere(deployment)
    other.folder = tmp_path
    with other.running("valkey") as broker:
        friend = client(other)
        assert friend.ping()
        assert friend.config_get("save", "appendonly") == {"save": "", "appendonly": "no"}
        with pytest.raises(AuthenticationError):
            Redis(port=int(other.ports["valkey"])).ping()
        friend.set("a", "message")
        words = Path(f"/proc/{broker.pid}/cmdline").read_text()
        assert "valkey-server" in words
        assert PASSWORDS["DEALMILL_VALKEY_PASSWORD"] not in words
        broker.terminate()
        assert broker.wait(10) == 0
    assert not list(tmp_path.iterdir())


def test_the_pages_need_the_token(deployment: Deployment) -> None:
    with deployment.running("web") as refused:
        assert refused.wait(60) == 2
        assert "set DEALMILL_WEB_TOKEN" in (refused.stderr.read() if refused.stderr else "")
    guarded = copy(deployment)
    guarded.settings = {"DEALMILL_WEB_TOKEN": "let me in, please", "DEALMILL_WEB_HOSTS": "farm.example"}
    with guarded.running("web"):
        until(lambda: guarded.healthy("web"))
        address = f"http://127.0.0.1:{guarded.ports['web']}/"
        known = {"Authorization": "Bearer let me in, please", "Host": "farm.example"}
        for headers, code in ((known, 200), ({**known, "Host": "evil.example"}, 400), ({"Host": "farm.example"}, 401)):
            assert httpx2.get(address, headers=headers).status_code == code
    assert not guarded.healthy("web")


@pytest.mark.parametrize("password", PASSWORDS)
def test_a_wrong_password_is_refused_and_not_printed(deployment: Deployment, password: str) -> None:
    with with_wrong(deployment, password).running("worker") as worker:
        assert worker.wait(60) == 1
        assert worker.stderr
        stderr = worker.stderr.read()
    assert stderr.startswith("dealmill: ")
    assert "password" in stderr.lower() or "AUTH" in stderr
    assert not any(secret in stderr for secret in ("not-the-password", *PASSWORDS.values()))


def test_workers_solve_queued_runs_and_can_be_stopped_and_started(deployment: Deployment) -> None:
    broker = client(deployment)

    def waiting() -> int:
        return sum(one["cmd"] == "brpop" for one in broker.client_list())

    def asked(what: str) -> str:
        return deployment.psql("dealmill", f"SELECT {what}").strip()

    def solve(first: int) -> None:
        deals = f"deal:memory:seed=1:{first + 1}-{first + LAYOUTS}"
        assert deployment.dealmill("queue", deals).returncode == 0
        until(lambda: asked("count(*) FROM verdicts") == str(first + LAYOUTS))

    with deployment.running("worker") as one:
        until(lambda: waiting() == 1)
        assert deployment.healthy("worker")
        solve(0)
        with deployment.running("worker") as other:
            until(lambda: waiting() == 2)
            one.terminate()
            assert one.wait(30) == 0
            solve(LAYOUTS)
            other.terminate()
            assert other.wait(30) == 0
    assert asked("count(DISTINCT worker) FROM jobs") == "2"
    runs = json.loads(deployment.dealmill("status", "--json").stdout)
    assert [(run["state"], run["scored"]) for run in runs] == [("finished", LAYOUTS)] * 2
    assert not deployment.healthy("worker")
