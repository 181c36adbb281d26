"""What compose.yaml promises: nothing open, nothing root, no password in it, and everything watched and restarted."""

import re
import subprocess
import sys
from typing import Any

import pytest

from dealmill.pipeline.system.settings import Settings
from tests.deploy.files import COMPOSE, OURS, REQUIRED, ROOT, compose, services, variables

SERVICES: dict[str, Any] = compose()["services"]
PAGE = (ROOT / "docs" / "deploy.md").read_text()

each_service = pytest.mark.parametrize("name", SERVICES)


def test_the_file_is_valid_under_the_compose_specification() -> None:
    schema = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", "vendor.compose-spec"]
    checked = subprocess.run([*schema, COMPOSE], capture_output=True, text=True, check=False)
    assert checked.returncode == 0, checked.stdout


@each_service
def test_services_run_without_privileges_and_open_ports(name: str) -> None:
    service = SERVICES[name]
    assert service["read_only"] is True
    assert service["cap_drop"] == ["ALL"]
    assert service["security_opt"] == ["no-new-privileges:true"]
    assert service["networks"] == (["farm", "outside"] if name == "web" else ["farm"])
    assert service.get("ports", []) == (["127.0.0.1:8000:8000"] if name == "web" else [])
    assert not service.keys() & {"privileged", "cap_add", "network_mode", "pid", "ipc", "devices"}
    assert service["image"] == OURS or service["user"] not in {"root", "0"}
    assert compose()["networks"]["farm"] == {"internal": True}


@each_service
def test_an_image_is_pinned_or_built_here_once_and_never_pulled(name: str) -> None:
    service = SERVICES[name]
    if service["image"] == OURS:
        assert service["pull_policy"] == "never"
        assert [each["build"] for each in SERVICES.values() if "build" in each] == ["."]
    else:
        assert re.search(r":\d+\.\d+(\.\d+)?-[\w.]+$", service["image"])


def test_the_database_is_where_the_image_keeps_it() -> None:
    """From PostgreSQL 18 on the image keeps it below this folder; what is mounted elsewhere would stay empty."""
    assert SERVICES["postgres"]["image"].startswith("postgres:18")
    assert SERVICES["postgres"]["volumes"] == ["database:/var/lib/postgresql"]


def test_every_variable_is_required_and_documented() -> None:
    assert "$" not in REQUIRED.sub("", COMPOSE.read_text())
    for name in variables():
        assert f"`{name}`" in PAGE
        with pytest.raises(KeyError, match=name):
            services(dict.fromkeys(variables() - {name}, "x"))


@each_service
def test_passwords_come_from_the_environment_and_stand_in_no_command(name: str) -> None:
    service = services(dict.fromkeys(variables(), "hunter2"))[name]
    for key, value in service["environment"].items():
        if re.search("PASSWORD|AUTH", key):
            assert value == "hunter2"
        elif "@" in str(value):
            assert re.search(r"://\w*:hunter2@", value)
    assert "hunter2" not in str({key: value for key, value in service.items() if key != "environment"})


def test_each_service_gets_the_settings_that_it_needs_and_no_other_password() -> None:
    def settings_of(name: str) -> set[str]:
        return {key.removeprefix("DEALMILL_").lower() for key in SERVICES[name]["environment"]}

    every = {*Settings.__dataclass_fields__}
    of_pages = {"web_database_url", "web_token", "web_hosts"}
    assert settings_of("worker") == every - of_pages
    assert settings_of("web") == of_pages | {"plugins", "engines", "rules"}
    assert settings_of("migrate") == settings_of("worker") | {"web_database_url"}


def test_workers_have_limits() -> None:
    assert SERVICES["worker"]["pids_limit"] > 0
    for given, limit in (({}, "8g"), ({"DEALMILL_WORKER_MEMORY": "32g"}, "32g")):
        assert services(dict.fromkeys(variables(), "x") | given)["worker"]["mem_limit"] == limit
    assert "`DEALMILL_WORKER_MEMORY`" in PAGE


def test_what_replaces_the_database_or_the_image_stops_all_that_use_it() -> None:
    for title in ("## Upgrade", "To restore a backup", "To start with the results", "To change all passwords"):
        commands = PAGE.partition(title)[2].partition("```sh\n")[2].partition("```")[0]
        assert "docker compose --profile web stop worker web\n" in commands, title


def test_the_page_names_existing_services() -> None:
    spoken = re.findall(r"docker compose (?:run|exec|logs|stop|up)\b(?: -\S+)* (?:--scale )?([a-z]+)\b", PAGE)
    assert spoken
    assert set(spoken) <= set(SERVICES)
