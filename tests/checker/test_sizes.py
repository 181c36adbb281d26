"""A checker proves card pairing of any size, with lemmas and with moves between numbered stacks."""

import json
from pathlib import Path

import pytest

from dealmill.pipeline.outputs.checker.build import READERS
from dealmill.pipeline.outputs.checker.writing import export_with_checker
from dealmill.pipeline.store.database.connections import Database
from dealmill.pipeline.store.database.urls import database_url
from tests.checker.loaded import Checker
from tests.conftest import with_tables
from tests.doing import a_run, dealer

deal = dealer("card-pairing")


@pytest.fixture(scope="module")
def layouts() -> list[str]:
    return [
        *deal(1, 1, 20, ranks=20, stacks=16),
        *deal(1, 1, 5, ranks=6, suits=6, stacks=5),
        *deal(1, 1, 5, ranks=20, stacks=40),
        "T K TTKK KT",
        "12, 12 -",
    ]


@pytest.mark.parametrize("suffix", READERS)
def test_a_checker_proves_deals_of_any_size(suffix: str, layouts: list[str], tmp_path: Path) -> None:
    database = with_tables(Database(database_url(f"sqlite:///{tmp_path / 'store.db'}")))
    run = a_run(database, "card-pairing/winnable", layouts, name="deals.txt")
    export = tmp_path / f"results{suffix}"
    export_with_checker(database, run, export)
    database.close()
    checked = Checker(export).check(export)
    assert (checked.code, checked.err) == (0, "")
    assert f"{len(layouts)} rows, as exported" in checked.out
    assert "undecided" not in checked.out


def test_a_checker_refuses_lemmas_of_another_deal(layouts: list[str], tmp_path: Path) -> None:
    database = with_tables(Database(database_url(f"sqlite:///{tmp_path / 'store.db'}")))
    run = a_run(database, "card-pairing/winnable", layouts, name="deals.txt")
    export = tmp_path / "results.jsonl"
    export_with_checker(database, run, export)
    database.close()
    rows = [json.loads(line) for line in export.read_text().splitlines()]
    longest = max(row["evidence"] for row in rows if row["verdict"] == "unwinnable" and ":" in row["evidence"])
    won = [row["verdict"] for row in rows].index("winnable")
    rows[won] |= {"verdict": "unwinnable", "evidence": longest}
    altered = tmp_path / "altered.jsonl"
    altered.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    checked = Checker(export).check(altered, believed=True)
    assert checked.code == 1
    assert f"row {won + 1} (position {won + 1}) is invalid: step " in checked.out
