"""Write a store with the installed version of Dealmill: ``python -m tests.store.upgrades``."""

import json
from importlib.metadata import version
from pathlib import Path
from shutil import copyfile
from tempfile import TemporaryDirectory

import dealmill
from dealmill import Store
from dealmill.pipeline.store.database.tables import REVISION
from dealmill.pipeline.store.runs.finding import find_run
from dealmill.pipeline.survey.growth import extend_to
from tests.doing import do_runs
from tests.store.upgrades import Json, write
from tests.store.upgrades.account import account, state
from tests.store.upgrades.rows import dump
from tests.store.upgrades.writing import write_store

MORE = 1_000
"""The deals by which surveys grow."""


def main() -> None:
    """Write the store, what it says, and what becomes of its unfinished runs and its surveys."""
    with TemporaryDirectory() as name:
        file, copy = Path(name) / "store.db", Path(name) / "copy.db"
        dealmill.db.upgrade(f"sqlite:///{file}")
        with dealmill.open(f"sqlite:///{file}") as store:
            write_store(store, Path(name))
            with store._database.reading() as connection:
                written: Json = {"revision": REVISION, "tables": dump(connection), "account": account(store)}
        for key, later in (("finished", finished), ("grown", grown)):
            copyfile(file, copy)
            with dealmill.open(f"sqlite:///{copy}") as store:
                written[key] = later(store)
    write(version("dealmill"), json.loads(json.dumps(written)))


def finished(store: Store) -> Json:
    """Finish all work, and return what has become of the unfinished runs."""
    unfinished = [run.id for run in store.runs() if not run.status().finished]
    for run in unfinished:
        source = store.find_run(run).status().source_name
        if source.startswith("deal:") and not source.endswith("-"):
            store.ingest(source)
    do_runs(store._database)
    return {str(run): state(store.find_run(run)) for run in unfinished}


def grown(store: Store) -> Json:
    """Let all surveys grow, and return their fingerprints."""
    surveys = {
        run.id: run.status().items + MORE
        for run in store.runs()
        if run.status().source_name.endswith("-") and not run.status().repeats
    }
    for run, deals in surveys.items():
        extend_to(store._database, find_run(store._database, str(run)), deals)
    do_runs(store._database)
    return {
        str(run): {"deals": deals, "fingerprint": store.find_run(run).fingerprint} for run, deals in surveys.items()
    }


if __name__ == "__main__":
    main()
