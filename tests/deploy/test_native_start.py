"""The services of compose.yaml start together and solve a run."""

import json
from pathlib import Path

import pytest
from redis import AuthenticationError, Redis

from tests.deploy.natively import PASSWORDS, UP_SECONDS, Deployment, find_client, until
from tests.servers import Postgres

LAYOUTS = 20_000


def test_the_services_start_solve_a_run_and_stop(postgres_server: Postgres, tmp_path: Path) -> None:
    farm = Deployment(tmp_path, postgres_server)
    watched = ["postgres", "worker", "web", *(["valkey"] if find_client() else [])]
    assert not any(map(farm.healthy, watched))
    with farm.database(), farm.running("valkey") as broker:
        for _ in range(2):  # as at each start
            with farm.running("migrate") as migration:
                assert migration.wait(UP_SECONDS) == 0
        with farm.running("worker") as worker, farm.running("web"):
            assert farm.dealmill("queue", f"deal:memory:seed=1:1-{LAYOUTS}").returncode == 0
            until(lambda: farm.psql("dealmill", "SELECT count(*) FROM verdicts").strip() == str(LAYOUTS))
            until(lambda: all(map(farm.healthy, watched)))
            worker.terminate()
            assert worker.wait(30) == 0
        [run] = json.loads(farm.dealmill("status", "--json").stdout)
        assert (run["state"], run["scored"]) == ("finished", LAYOUTS)
        assert not farm.healthy("worker")
        known = Redis(port=int(farm.ports["valkey"]), password=PASSWORDS["DEALMILL_VALKEY_PASSWORD"])
        assert known.config_get("save", "appendonly") == {"save": "", "appendonly": "no"}
        with pytest.raises(AuthenticationError):
            Redis(port=int(farm.ports["valkey"])).ping()
        words = Path(f"/proc/{broker.pid}/cmdline").read_text()
        assert "valkey-server" in words and PASSWORDS["DEALMILL_VALKEY_PASSWORD"] not in words
