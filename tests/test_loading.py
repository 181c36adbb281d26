"""Importing Dealmill is cheap: each name loads what it needs, and nothing before it is used."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

import dealmill
from tests.servers import LONGEST_SECONDS, dealmill_command

SLOW = {
    "alembic", "celery", "click", "kombu", "numba", "numpy", "pyarrow", "pydantic", "redis", "rich", "sqlalchemy",
}  # fmt: skip

EACH_NAME = """
import json
import multiprocessing

import celery, pydantic, sqlalchemy  # once, and not in every process again

import dealmill

def documented(name):
    text = getattr(dealmill, name).__doc__ or ""
    return bool(text) and not text.startswith(f"{name}(")  # as the dataclass decorator writes it

with multiprocessing.get_context("fork").Pool(4, maxtasksperchild=1) as pool:
    print(json.dumps(dict(zip(dealmill.__all__, pool.imap(documented, dealmill.__all__), strict=True))))
"""


def loaded_by(code: str) -> set[str]:
    """The names of all modules that a fresh process has loaded after this code."""
    report = f"{code}\nimport json, sys\nprint(json.dumps(list(sys.modules)))"
    ran = subprocess.run([sys.executable, "-c", report], capture_output=True, text=True, check=True)
    return set(json.loads(ran.stdout))


def test_importing_dealmill_loads_nothing_else() -> None:
    loaded = loaded_by("import dealmill")
    assert not loaded & SLOW
    assert {name for name in loaded if name.startswith("dealmill.")} == set()


def test_the_referee_imports_no_store_workers_or_engines() -> None:
    loaded = loaded_by(
        "import dealmill\n"
        "assert dealmill.check('memory', 'ABBA', 'scored', '1 2 3 4 1 4 2 3', value=8).valid\n"
        "assert dealmill.check('card-pairing', 'A' * 4, 'winnable', '').valid is False"
    )
    assert "dealmill.pipeline.games.memory.rules" in loaded
    assert not loaded & SLOW
    unwanted = re.compile(
        r"dealmill\.(stores|runs|workers|migrations|pipeline\.(store|solve|games\.\w+\.(engine|deal)))\b"
    )
    assert not set(filter(unwanted.match, loaded))


@pytest.mark.parametrize(
    ("code", "slow"),
    [
        ("import dealmill.verdicts", set()),
        ("from dealmill.game import Game, Layout, BadLayout, EachLine, scene", set()),
        ("import dealmill.kernels", {"numpy", "numba"}),
        ("from dealmill.testing import checks_of\nchecks_of('memory')", {"numpy", "numba"}),
    ],
)
def test_what_games_need_imports_no_store_workers_or_test_framework(code: str, slow: set[str]) -> None:
    loaded = loaded_by(code)
    assert loaded & SLOW <= slow
    assert not loaded & {"pytest", "_pytest", "hypothesis"}
    assert not [name for name in loaded if name.startswith(("dealmill.workers", "dealmill.pipeline.store"))]


def test_reading_a_store_imports_no_workers_or_compiler(tmp_path: Path) -> None:
    dealmill.db.upgrade(f"sqlite:///{tmp_path}/night.db")
    loaded = loaded_by(
        "import dealmill\n"
        f"with dealmill.open('sqlite:///{tmp_path}/night.db') as store:\n"
        "    assert store.status() == list(store.query()) == store.log() == store.runs() == []\n"
    )
    assert "sqlalchemy" in loaded
    assert not loaded & (SLOW - {"sqlalchemy"})
    assert not [name for name in loaded if name.startswith("dealmill.workers")]


def test_the_help_text_imports_nothing_slow() -> None:
    ran = subprocess.run(
        [sys.executable, "-X", "importtime", *dealmill_command(["--help"])[1:]],
        capture_output=True,
        text=True,
        check=True,
    )
    names = set(re.findall(r"\| +([\w.]+)", ran.stderr))
    assert "dealmill.cli.output" in names
    assert not names & (SLOW - {"click"})
    assert not names & {"dealmill.pipeline.progress.events", "dealmill.pipeline.games.contract"}


@pytest.mark.slow
def test_each_name_can_be_the_first_that_is_used_and_is_documented() -> None:
    """In a process of its own for each, since one name may load what another one needs."""
    ran = subprocess.run(
        [sys.executable, "-c", EACH_NAME], capture_output=True, text=True, check=False, timeout=LONGEST_SECONDS
    )
    assert ran.returncode == 0, ran.stderr
    documented = json.loads(ran.stdout)
    assert documented == dict.fromkeys(dealmill.__all__, True)


def test_dir_lists_the_public_names() -> None:
    assert set(dir(dealmill)) == set(dealmill.__all__)
    assert {"open", "solve", "Store", "progress", "db"} <= set(dealmill.__all__)


def test_a_name_that_does_not_exist_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="nonsense"):
        dealmill.nonsense  # type: ignore[attr-defined]  # noqa: B018


OTHERS = """
import os, warnings
from celery import signals
from kombu.transport.redis import Transport

os.environ["CELERY_BROKER_URL"] = "redis://of-another-app"
channel = Transport.Channel
connected = {name: len(one.receivers or ()) for name, one in vars(signals).items() if hasattr(one, "receivers")}

import dealmill

with dealmill.open("sqlite:///night.db") as store:
    store.run("deal:memory:seed=1:1-9")

assert os.environ["CELERY_BROKER_URL"] == "redis://of-another-app"
assert Transport.Channel is channel
assert not [one for one in warnings.filters if one[2].__module__.startswith(("celery", "kombu"))]
assert connected == {name: len(getattr(signals, name).receivers or ()) for name in connected}
"""


@pytest.mark.slow
def test_a_run_leaves_other_celery_apps_of_its_process_alone(tmp_path: Path) -> None:
    ran = subprocess.run([sys.executable, "-c", OTHERS], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr


def test_names_for_games_are_not_added_to_the_package() -> None:
    loaded_by(
        "import dealmill\nfrom dealmill.game import Point, scene\n"
        "assert dealmill.Point is not Point and 'scene' not in vars(dealmill)"
    )
