"""A store with something of everything: all games and engines but most patiences, both storages, surveys, reruns,
findings, retractions, and work that is half done. All jobs are done in this process."""

from contextlib import chdir, suppress
from pathlib import Path
from unittest.mock import patch

from sqlalchemy import text

from dealmill import Store
from dealmill.pipeline.games import find_game
from dealmill.pipeline.games.batch import Solved, Texts, to_strings
from dealmill.pipeline.games.deals import parse_deal_range
from dealmill.pipeline.ingest import reading
from dealmill.pipeline.progress.events import Event, Ingesting
from dealmill.pipeline.solving import solve
from dealmill.pipeline.solving.loading import load
from dealmill.pipeline.store.audits.audit_planning import queue_audit
from dealmill.pipeline.store.planning.installation import installed_engines
from dealmill.pipeline.store.planning.run_planning import insert_run, queue_rerun
from dealmill.pipeline.store.runs import leases
from dealmill.pipeline.store.runs.finding import find_run
from dealmill.pipeline.store.runs.jobs import SOLVING, grow
from dealmill.pipeline.survey.growth import open_survey
from tests.doing import QUICK_GAMES, SAMPLE_PATIENCES, a_run, an_audit, dealer, do_job, do_runs, queue_compact

CUT = "deal:memory:seed=7:pairs=3:21-620"
"""The range of deals that is interrupted while it is read."""
SURVEYS = {"deal:camelot:seed=1:1-": "camelot/winnable", "deal:memory:seed=8:pairs=4:1-": "memory/incremental"}
BRITTLE = "memory/two-pass"


def write_store(store: Store, folder: Path) -> None:
    """Fill an empty store. Its files are written to `folder`."""
    with chdir(folder):
        _finished_runs(store)
        _findings(store)
        _half_done(store)


def _finished_runs(store: Store) -> None:
    database = store._database
    for game in [*QUICK_GAMES, *map(find_game, SAMPLE_PATIENCES)]:
        file = Path(f"{game.name}.txt")
        deals = (game.examples / f"{game.name}-deals.txt").read_text().splitlines()[:40]
        file.write_text("\n".join(["# forty deals, one of them twice, and two lines that are none", *deals, deals[3]]))
        with file.open("a") as more:
            more.write("\nnonsense ?\nAAAB\x07\n")
        for engine in game.engines[:1] if game.rules_text else game.engines:
            store.ingest(str(file))
            store.queue(str(file), engine=engine.name, max_nodes=None if engine.max_nodes is None else 1_000)
    store.queue("card-pairing.txt", max_nodes=10)
    store.queue("deal:card-pairing:seed=1:ranks=3:stacks=4:1-1200", max_nodes=20)
    for compact, limit in (("deal:card-pairing:seed=2:1-2300", 10), ("deal:hi-q:seed=3:5-1104", None)):
        queue_compact(database, compact, limit)
    for endless, name in SURVEYS.items():
        grow(database, open_survey(database, parse_deal_range(endless), name, None).id, 2_000, 1_000)
    do_runs(database)
    for number in (1, 2):
        queue_rerun(database, find_run(database, number), any_version=False)
    do_runs(database)
    _failing_run(store)
    for run in store.runs():
        an_audit(database, run.status())
    an_audit(database, find_run(database, 1), sample=7, seed=3)
    store.retract("memory/two-pass-last-card", "1", "counts the last card wrongly")
    store.retract("hi-q/greedy", "1", "a false alarm")
    store.unretract("hi-q/greedy", "1", "it was none")


def _failing_run(store: Store) -> None:
    """A run that has failed on some of its layouts."""
    layouts = dealer("memory")(9, 1, 20, pairs=5)
    sound = load(BRITTLE)

    def brittle(texts: Texts, limit: int | None) -> Solved:
        if layouts[3] in to_strings(texts) or layouts[4] in to_strings(texts):
            raise ValueError("the engine broke down")
        return sound(texts, limit)

    with patch.object(solve, "load", lambda _name: brittle):
        a_run(store._database, BRITTLE, layouts, name="brittle.txt")


def _findings(store: Store) -> None:
    """Audits that found an invalid verdict and faults of the record, which were restored then."""
    with store._database.writing() as connection:
        where = text("SELECT evidence FROM verdicts WHERE run_id = 1 AND position = 5")
        evidence = connection.execute(where).scalar_one()
        change = text("UPDATE verdicts SET evidence = :evidence WHERE run_id = 1 AND position = 5")
        connection.execute(change, {"evidence": "1 2"})
    an_audit(store._database, find_run(store._database, 1))
    with store._database.writing() as connection:
        connection.execute(change, {"evidence": evidence})


def _half_done(store: Store) -> None:
    """A run and a survey with one job done and others to do, an audit with none done, and a source that was not read to
    its end, with a run over it."""
    database = store._database
    insert_run(database, store.find_source("camelot.txt"), "camelot/winnable", "1", 5, chunk=15)
    _do_newest_job(store)
    deals = parse_deal_range("deal:camelot:seed=2:1-")
    grow(database, open_survey(database, deals, "camelot/winnable", None).id, 3_000, 1_000)
    _do_newest_job(store)
    queue_audit(database, find_run(database, 1), None, 1)
    with patch.object(reading, "BATCH", 200), suppress(KeyboardInterrupt):
        store.ingest(CUT, progress=_interrupt)
    insert_run(database, store.find_source(CUT), "memory/incremental", "1", None)


def _do_newest_job(store: Store) -> None:
    *_, number = leases.pending(store._database, SOLVING, installed_engines(), 1_000)
    do_job(store._database, number)


def _interrupt(event: Event) -> None:
    if isinstance(event, Ingesting):
        raise KeyboardInterrupt
