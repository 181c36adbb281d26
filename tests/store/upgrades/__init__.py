"""Stores written by earlier versions, and what those versions said about them.

``0006.json.gz`` is a store at revision 0006, together with the account that the code of that revision gave of it (see
`tests.store.upgrades.account`). That code wrote the store, on SQLite: the methods of `dealmill.Store` and
`dealmill.Run` with local workers, and jobs done in one process, as in ``tests/doing.py``, where a run had to be left
half done or an engine had to fail. A range of deals was interrupted while it was read, in batches of 400. One stored
value and one digest were changed before audits 1 and 2 and restored after them, so that there are findings too.

``0007.json.gz`` is that store after an upgrade to revision 0007, by the code of that revision, with more in it: a
packed run over deals with an end, two of which failed, a file with rejects that was read in batches of 330, and audits
of both, the last two while a piece of evidence was changed.

``0.1.0.json.gz`` and those of later versions are written by `tests.store.upgrades.writing`. Before a release, write
its file with ``python -m tests.store.upgrades``; do not change it afterwards.

The files have these keys:

- ``revision``: the revision of the rows.
- ``tables``: for each table its columns, each with its values in the order of the rows; bytes are hexadecimal.
- ``account``: what the old code said about the store. Result digests cover positions, lines, layouts, verdicts, values,
  nodes, evidence, and the judgement of the newest audit where that was asked for.
- ``finished``: fingerprints and digests of the results of the unfinished runs, after the old code had finished them in
  a copy of the store.
- ``grown``: the fingerprints of new surveys of more deals than those in the store have, by the old code.
"""

import gzip
import json
from functools import cache
from pathlib import Path
from typing import Any

Json = dict[str, Any]

FOLDER = Path(__file__).parent
VERSIONS = sorted(file.name.removesuffix(".json.gz") for file in FOLDER.glob("*.json.gz"))
"""The revisions and versions of which there is a store."""


@cache
def content(version: str) -> Json:
    """Return the content of the file of a revision or version."""
    found: Json = json.loads(gzip.decompress((FOLDER / f"{version}.json.gz").read_bytes()))
    return found


def write(version: str, written: Json) -> None:
    """Write the file of a version; the same content gives the same bytes."""
    packed = gzip.compress(json.dumps(written, separators=(",", ":")).encode(), mtime=0)
    (FOLDER / f"{version}.json.gz").write_bytes(packed)
