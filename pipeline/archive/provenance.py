"""Who solved, audited and repeated a run, where, when and with which version: the notes of its seals.

They are apart from the results, whose bytes, fingerprints and seals do not depend on them.
"""

import json
from collections.abc import Collection, Iterable
from typing import Any

from dealmill.pipeline.store.audits.audit import find_audit
from dealmill.pipeline.store.audits.seals import seal_of
from dealmill.pipeline.store.database.connections import Database
from dealmill.pipeline.store.runs.log import RERUN, RUN, Action, actions_of_reruns, list_actions
from dealmill.pipeline.store.runs.status import RunStatus
from dealmill.pipeline.store.runs.workers import machines_of
from dealmill.pipeline.store.storages.item_blocks import fingerprints_of

FOLDER = "provenance/"


def path_of(number: int, existing: Collection[str] = ()) -> str:
    """Return the path of the notes on a run of an archive that has `existing` files: the first one that is free."""
    path, count = f"{FOLDER}{number}.json", 1
    while path in existing:
        count += 1
        path = f"{FOLDER}{number}.{count}.json"
    return path


def paths_of(number: int, paths: Iterable[str]) -> list[str]:
    """Return which of some paths are those of notes on a run of an archive."""
    return [path for path in paths if path.startswith(f"{FOLDER}{number}.")]


def provenance(database: Database, run: RunStatus) -> str:
    """Return the notes on a run of a store, in JSON."""
    actions = list_actions(database, run.id)
    begun = [_by(action) for action in actions if action.what in {RUN, RERUN}]
    notes = {
        "started": None if run.started is None else run.started.isoformat(),
        "seconds": run.seconds,
        "cpu_seconds": run.cpu_seconds,
        "machines": machines_of(database, run.id),
        "run": begun[0] if begun else None,
        "audits": _audits(database, actions),
        "reruns": _reruns(database, run),
    }
    return json.dumps(notes, indent=2) + "\n"


def _by(action: Action) -> dict[str, Any]:
    return {"who": action.who, "at": action.at.isoformat(), "dealmill": action.dealmill}


def _audits(database: Database, actions: list[Action]) -> list[dict[str, Any]]:
    """Return the finished audits of a run, each with what it found, and its seal if it has one."""
    notes = []
    for action in actions:
        if action.audit is not None and (audit := find_audit(database, action.audit)).finished:
            counts = {"valid": audit.valid, "invalid": audit.invalid, "no evidence": audit.no_evidence}
            notes.append({**_by(action), **counts, "faults": audit.faults, "seal": seal_of(database, audit)})
    return notes


def _reruns(database: Database, run: RunStatus) -> list[dict[str, Any]]:
    """Return the finished reruns of a run, each with its fingerprint."""
    reruns = {action.run: action for action in actions_of_reruns(database, run.id) if action.run is not None}
    fingerprints = fingerprints_of(database, dict.fromkeys(reruns, run.items))
    return [
        {**_by(reruns[number]), "version": reruns[number].version, "fingerprint": fingerprints[number]}
        for number in sorted(fingerprints)
    ]
