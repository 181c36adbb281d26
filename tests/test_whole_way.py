"""One whole way with real commands and workers: ingest, run, audit, rerun, query, export; on both databases."""

import json
from pathlib import Path

import pytest

from dealmill.pipeline.store.database.connections import Database
from tests.servers import dealmill

LAYOUTS = 1_000


@pytest.mark.long
def test_a_file_becomes_verdicts_that_are_audited_repeated_queried_and_exported(
    empty_store: Database, tmp_path: Path
) -> None:
    env = {"DEALMILL_DATABASE_URL": empty_store.url.render_as_string(hide_password=False), "DEALMILL_WORKERS": "2"}

    def run(*arguments: str, code: int = 0) -> str:
        ran = dealmill(*arguments, cwd=tmp_path, env=env)
        assert (ran.returncode, "Traceback" in ran.stderr) == (code, False), ran.stderr
        return ran.stdout + ran.stderr

    deals = dealmill("deal", "card-pairing", "--count", f"{LAYOUTS}", "--seed", "1", cwd=tmp_path).stdout
    (tmp_path / "card-pairing.txt").write_text(f"{deals}AAB\n")
    run("db", "upgrade")
    assert f"{LAYOUTS:,} layouts, 0 duplicates, 1 rejected" in run("ingest", "card-pairing.txt", code=4)
    run("run", "card-pairing.txt", code=4)
    run("run", f"deal:card-pairing:seed=1:1-{LAYOUTS}")
    run("survey", "card-pairing", "--count", f"{LAYOUTS}")
    for number in ("1", "2", "3"):
        assert f"{LAYOUTS:,} valid, 0 invalid, 0 without evidence; 0 faults" in run("audit", number)
    assert f"runs 1 and 4 are equal: {LAYOUTS:,} verdicts with their evidence" in run("rerun", "1")
    assert len({row["fingerprint"] for row in json.loads(run("status", "--json"))}) == 1
    lost = [json.loads(line) for line in run("query", "1", "--verdict", "unwinnable", "--nl").splitlines()]
    assert f"{len(lost)} verdicts of run 3" in run("export", "3", "lost.jsonl", "--verdict", "unwinnable")
    exported = [json.loads(line) for line in (tmp_path / "lost.jsonl").read_text().splitlines()]
    for name in ("line", "layout", "verdict", "nodes", "evidence"):
        assert [row[name] for row in exported] == [row[name] for row in lost] != []
