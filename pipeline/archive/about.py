"""The other files of an archive: for people, for those who cite it, and for catalogues of data."""

import json
from collections.abc import Sequence
from datetime import datetime
from importlib.metadata import version
from importlib.resources import files
from typing import Any

from dealmill.pipeline.archive.bag import TAG_MANIFEST
from dealmill.pipeline.archive.record import RESULTS, RUN, ArchivedRun, path_in
from dealmill.pipeline.printable import counted
from dealmill.pipeline.results.record import ANSWERS

README, CITATION, REQUIREMENTS, REPORT = "README.md", "CITATION.cff", "requirements.txt", "report.html"
CRATE = "ro-crate-metadata.json"
"""The description of the files for catalogues, in the form of RO-Crate 1.1."""

TEXT = """\
# Results of Dealmill

This archive has {what}, each with its layouts, verdicts and evidence. Dealmill {version} wrote it.

{table}

## What is in it

- `data/N/{run}`: what run N was: the engine with its version, the source, the node limit, the counts, and the
  fingerprint, a BLAKE3 digest of all layouts, {answers}.
- `data/N/{results}`: a result in each line, in JSON. Beside it is a program that proves each line with nothing but
  Python, and shares no code with the engine.
- `data/N/rules.toml`: the rules of the game, if they are a file.
- `data/N/blocks.jsonl`, in place of results: a digest and sums of each thousand deals, of runs whose engine is faster
  than a database. The command below solves them again.
- `report.html`: figures, intervals, the hardest layouts and proofs step by step.
- `provenance/N.json`: when and where run N was solved, and who ran, audited and repeated it, where, when and with which
  version; each audit has its seal. `provenance/N.2.json`, `N.3.json` … are what others have added of their stores.
- `requirements.txt`: the packages that this version of Dealmill was tested with, with their hashes.

## Check it

Nothing was changed if all files have the SHA-256 in `manifest-sha256.txt` and `{tag_manifest}`, which any tool for
BagIt compares. Prove the results of run N with Python 3.11 or newer:

    cd data/N
    python3 -I -S {results}.check.py {results}

It is a program of this archive: read it, or run it only if you trust those who gave you the archive. Dealmill {version}
does both without it, and computes the fingerprints again:

    dealmill archive --check FILE.zip

## Repeat it

Each command gives the fingerprint above with the same version of the engine, on any machine:

{commands}

## Use it

`dealmill import FILE.zip` reads the results into a store, where they can be queried, compared and audited.
"""
NO_COMMAND = "    # run {}: its verdicts were imported from another program"


def readme(runs: Sequence[ArchivedRun]) -> str:
    """Return the text for people."""
    rows = ["| N | engine | source | node limit | layouts | verdicts | fingerprint |", "|---|---|---|---|---|---|---|"]
    for number, run in enumerate(runs, start=1):
        limit = "none" if run.max_nodes is None else f"{run.max_nodes:,}"
        counts = ", ".join(f"{count:,} {verdict}" for verdict, count in run.counts.items())
        cells = (str(number), f"{run.engine} {run.version}", run.source.name, limit, f"{run.layouts:,}", counts)
        rows.append(" | ".join(["", *(cell.replace("|", "\\|") for cell in cells), f"`{run.fingerprint}`", ""]).strip())
    commands = [
        f"    {run.command}" if run.command else NO_COMMAND.format(number) for number, run in enumerate(runs, start=1)
    ]
    return TEXT.format(
        what=counted(len(runs), "run"),
        version=version("dealmill"),
        table="\n".join(rows),
        run=RUN,
        results=RESULTS,
        answers=ANSWERS,
        tag_manifest=TAG_MANIFEST,
        commands="\n".join(commands),
    )


def citation(runs: Sequence[ArchivedRun]) -> str:
    """Return how to cite the archive, in the Citation File Format. Texts are written as JSON, which is YAML, too."""
    engines = ", ".join(sorted({f"{run.engine} {run.version}" for run in runs}))
    return f"""\
cff-version: 1.2.0
message: Please cite this archive with the fingerprints of the runs that you used.
type: dataset
title: {json.dumps(f"Results of Dealmill: {engines}")}
authors:
  - name: The people who ran it
identifiers:
{"".join(_identifier(run) for run in runs)}references:
  - type: software
    title: Dealmill
    version: {json.dumps(version("dealmill"))}
    authors:
      - name: The Dealmill developers
"""


def _identifier(run: ArchivedRun) -> str:
    about = json.dumps(f"the fingerprint of {run.engine} {run.version} over {run.source.name}")
    return f"  - type: other\n    value: {run.fingerprint}\n    description: {about}\n"


def crate(runs: Sequence[ArchivedRun], ended: datetime, paths: Sequence[str]) -> str:
    """Return the description for catalogues: `paths` are all files but this one, `ended` is when the last run ended."""
    names = ", ".join(sorted({run.engine for run in runs}))
    about = {
        "@id": CRATE,
        "@type": "CreativeWork",
        "conformsTo": {"@id": "https://w3id.org/ro/crate/1.1"},
        "about": {"@id": "./"},
    }
    root = {
        "@id": "./",
        "@type": "Dataset",
        "name": f"Results of Dealmill: {names}",
        "description": f"{counted(len(runs), 'run')} of solvers of solitaires and puzzles, with evidence",
        "datePublished": ended.date().isoformat(),
        "hasPart": [{"@id": path} for path in paths],
        "mentions": [{"@id": "#dealmill"}],
    }
    software = {"@id": "#dealmill", "@type": "SoftwareApplication", "name": "Dealmill", "version": version("dealmill")}
    results = {path_in(number, RESULTS): run for number, run in enumerate(runs, start=1)}
    entries = [_file(path, results.get(path)) for path in paths]
    graph = [about, root, software, *entries]
    return json.dumps({"@context": "https://w3id.org/ro/crate/1.1/context", "@graph": graph}, indent=2) + "\n"


def _file(path: str, run: ArchivedRun | None) -> dict[str, Any]:
    entry: dict[str, Any] = {"@id": path, "@type": "File", "name": path}
    if run is not None:
        entry["description"] = f"{run.layouts:,} results of {run.engine} {run.version} over {run.source.name}"
        entry["identifier"] = run.fingerprint
    return entry


def added_to(text: str, path: str) -> str:
    """Return the description of an archive for catalogues, with one more file."""
    description = json.loads(text)
    [root] = (entry for entry in description["@graph"] if entry["@id"] == "./")
    root["hasPart"].append({"@id": path})
    description["@graph"].append(_file(path, None))
    return json.dumps(description, indent=2) + "\n"


def requirements() -> str:
    """Return the packages that this version was tested with, with their hashes."""
    return (files("dealmill") / REQUIREMENTS).read_text()
