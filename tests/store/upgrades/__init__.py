"""Stores written by earlier versions, and what those versions said about them.

The files are written by `tests.store.upgrades.writing`. Before a release, write its file with
``python -m tests.store.upgrades``; do not change it afterwards. They have these keys:

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
"""The versions of which there is a store."""


@cache
def content(version: str) -> Json:
    """Return the content of the file of a version."""
    document: Json = json.loads(gzip.decompress((FOLDER / f"{version}.json.gz").read_bytes()))
    return document


def write(version: str, written: Json) -> None:
    """Write the file of a version; the same content gives the same bytes."""
    packed = gzip.compress(json.dumps(written, separators=(",", ":")).encode(), mtime=0)
    (FOLDER / f"{version}.json.gz").write_bytes(packed)
