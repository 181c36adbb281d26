"""The recipe of docs/deploy.md for new passwords: its own commands, with real servers, workers and pages."""

import shlex
import stat
import subprocess
from contextlib import ExitStack
from pathlib import Path

import psycopg
import pytest
from redis import AuthenticationError, Redis

from tests.deploy.files import ROOT
from tests.deploy.natively import PASSWORDS, UP_SECONDS, Deployment, until
from tests.servers import Postgres

RECIPE = (
    (ROOT / "docs" / "deploy.md")
    .read_text()
    .partition("To change all passwords")[2]
    .partition("```sh\n")[2]
    .partition("```")[0]
)
TOKEN = "DEALMILL_WEB_TOKEN=let me in, please"  # noqa: S105
LAYOUTS = 50_000


def test_all_passwords_are_changed_by_the_commands_of_the_page(postgres_server: Postgres, tmp_path: Path) -> None:
    farm = Deployment(tmp_path, postgres_server)
    checkout = tmp_path / "checkout"
    checkout.mkdir()
    file = checkout / ".env"
    file.write_text("\n".join([*map("=".join, PASSWORDS.items()), TOKEN]) + "\n")
    with farm.database(), ExitStack() as all_services:
        running = dict[str, ExitStack]()

        def start(name: str) -> None:
            running[name] = all_services.enter_context(ExitStack())
            process = running[name].enter_context(farm.running(name))
            if name == "migrate":
                assert process.wait(UP_SECONDS) == 0

        for name in ("valkey", "migrate", "worker", "web"):
            start(name)
        assert farm.dealmill("queue", f"deal:memory:seed=1:1-{LAYOUTS}").returncode == 0
        until(lambda: farm.psql("dealmill", "SELECT count(*) > 0 FROM verdicts").strip() == "t")
        printed = ""
        for line in RECIPE.splitlines():
            match shlex.split(line):
                case ["docker", "compose", "--profile", "web", "stop", *names]:
                    for name in names:
                        running.pop(name).close()
                case ["docker", "compose", "exec", "postgres", *words]:
                    typed = printed.strip().partition("=")[2]
                    farm.in_database(words, f"{typed}\n{typed}\n")
                case ["docker", "compose", "--profile", "web", "up", "--detach"]:
                    farm.passwords = dict(entry.split("=", 1) for entry in file.read_text().splitlines())
                    running.pop("valkey").close()  # made again, since its password is another one
                    for name in ("valkey", "migrate", "worker", "web"):
                        start(name)
                case ["docker", "compose", "exec", "worker", *words]:
                    assert words == farm.service("worker")["healthcheck"]["test"][1:]
                    until(lambda: farm.healthy("worker") and farm.healthy("web"))
                case _:
                    printed = subprocess.run(
                        ["sh", "-c", line], cwd=checkout, check=True, capture_output=True, text=True
                    ).stdout
        assert TOKEN in file.read_text() and stat.S_IMODE(file.stat().st_mode) == 0o600
        assert farm.passwords.keys() >= PASSWORDS.keys() and not {*PASSWORDS.values()} & {*farm.passwords.values()}
        until(lambda: farm.psql("dealmill", "SELECT count(*) FROM verdicts").strip() == str(LAYOUTS))
        for user, name in (("dealmill", "DEALMILL_POSTGRES_PASSWORD"), ("dealmill_web", "DEALMILL_WEB_PASSWORD")):
            url = f"postgresql://{user}:{{}}@127.0.0.1:{farm.ports['postgres']}/dealmill"
            psycopg.connect(url.format(farm.passwords[name])).close()
            with pytest.raises(psycopg.OperationalError, match="password authentication failed"):
                psycopg.connect(url.format(PASSWORDS[name]))
        with pytest.raises(AuthenticationError):
            Redis(port=int(farm.ports["valkey"]), password=PASSWORDS["DEALMILL_VALKEY_PASSWORD"]).ping()
