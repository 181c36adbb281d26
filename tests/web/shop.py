"""A store with something on every page: all games, an audit, a rerun, rejects, a retraction, and hostile text; and one
with the longest names, the largest numbers, and runs without results."""

import json
from pathlib import Path

from sqlalchemy import text

import dealmill
from dealmill.pipeline.games import games
from dealmill.pipeline.games.batch import Entries
from dealmill.pipeline.games.descriptions import Layout, Reject
from dealmill.pipeline.store.database.connections import Database
from dealmill.pipeline.store.planning.run_planning import queue_rerun, queue_run
from dealmill.pipeline.store.runs.engines import retract
from dealmill.pipeline.store.sources.writing import append, complete, open_source
from tests.doing import a_run, alter, an_audit, deal, do_runs
from tests.survey.doing import a_survey

HOSTILE = (
    "</code><script>document.title='hacked'</script><img src=x onerror=\"document.title='hacked'\">'\"&"
    "\x1b[2J\N{RIGHT-TO-LEFT OVERRIDE}"
)
"""Text that would run a script, control a terminal or reverse what follows if a page did not escape it."""
PAIRING, CAMELOT, HI_Q, MEMORY, TANTRIX, LIMITED, REJECTED, RERUN, SURVEY, RETRACTED = range(1, 11)
"""The runs, in the order in which they are made."""
LAYOUTS = 120
"""Layouts of the runs over the card games: three pages."""


def furnish(database: Database) -> None:
    """Fill an empty store."""
    cards = {name: deal(games()[name], 1, 1, LAYOUTS) for name in ("card-pairing", "camelot")}
    an_audit(database, a_run(database, "card-pairing/winnable", cards["card-pairing"], name="cards.txt"))
    a_run(database, "camelot/winnable", cards["camelot"], name="camelot.txt")
    for game, engine in (("hi-q", "greedy"), ("memory", "two-pass"), ("tantrix", "legal-moves")):
        a_run(database, f"{game}/{engine}", deal(games()[game], 1, 1, 3), name=f"{game}.txt")
    limited = a_run(database, "card-pairing/winnable", cards["card-pairing"], max_nodes=12, name="cards.txt")
    _with_rejects(database)
    queue_rerun(database, limited, any_version=False)
    do_runs(database)
    a_survey(database, "camelot/winnable", 2_000)
    a_run(database, "memory/incremental", ["ABBA", "ABAB"], name="other.txt")
    retract(database, "memory/incremental", "1", f"it miscounts {HOSTILE}")


LONG_NAME, ARABIC, CHINESE, EMPTY, FAILED, HUGE, OPPOSITE = range(1, 8)
"""The runs of the store of extremes, in the order in which they are made."""


def furnish_with_extremes(database: Database, folder: Path) -> None:
    """Fill an empty store; files are written into a folder."""
    for name in ("0123456789" * 20, "تجربة ليلية ١٢٣ (نسخة)", "夜间运行的纸牌布局" * 8):
        a_run(database, "memory/two-pass", ["ABBA", "ABAB"], name=f"{name}.txt")
    a_run(database, "memory/two-pass", [], name="empty.txt")
    a_run(database, "memory/two-pass", ["ABBA", "AABB"], name="failed.txt")
    for change in (
        "UPDATE verdicts SET verdict = 5, value = NULL, evidence = :error WHERE run_id = :run",
        "UPDATE jobs SET failed = scored, scored = 0, value_sum = 0, least_value = NULL, greatest_value = NULL, "
        "value_counts = NULL WHERE run_id = :run AND :error IS NOT NULL",
    ):
        alter(database, change, error="ValueError: " + "word" * 200, run=FAILED)
    with dealmill.open(database.url.render_as_string()) as store:
        store.find_run(LONG_NAME).tag("z" * 50, "ليلة", *(f"tag{number}" for number in range(20)))
        layouts = deal(games()["card-pairing"], 1, 1, 40)
        for engine, verdicts in (("x" * 60, ("winnable", "unwinnable")), ("rival", ("unwinnable", "winnable"))):
            rows = [
                {"layout": layout, "verdict": verdicts[index % 2], "nodes": 10 ** (index % 13) + index}
                for index, layout in enumerate(layouts)
            ]
            file = folder / f"{engine}.jsonl"
            file.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
            version = "2026.11.26-nightly+abcdef0123456789"
            store.import_verdicts(file, engine=engine, version=version, game="card-pairing", max_nodes=4 * 10**18)


def _with_rejects(database: Database) -> None:
    """Store a source whose name, rejects and error are hostile, and a run over it with a failed layout."""
    opened = open_source(database, "memory", f"{HOSTILE}.txt", b"hostile")
    rejects = [Reject(line, f"{HOSTILE} {line}", (f"no {HOSTILE}", "too short")) for line in range(2, 250)]
    source = complete(database, append(database, opened, Entries.of([Layout(1, "ABBA"), *rejects])))
    run = queue_run(database, source, "memory/two-pass", None)
    do_runs(database)
    with database.writing() as connection:
        connection.execute(
            text("UPDATE verdicts SET verdict = 5, value = NULL, evidence = :evidence WHERE run_id = :run"),
            {"evidence": f"ValueError: {HOSTILE}", "run": run},
        )
