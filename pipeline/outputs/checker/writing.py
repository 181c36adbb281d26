"""Write an export or a pack together with the checker beside it."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from hashlib import file_digest
from pathlib import Path
from types import ModuleType

from dealmill.pipeline.games import engine_of_run
from dealmill.pipeline.games.verdict import Verdict
from dealmill.pipeline.outputs.checker.build import READERS, SUFFIX, checker, sections_of
from dealmill.pipeline.outputs.checker.facts import Export
from dealmill.pipeline.outputs.export import count_of, export, metadata
from dealmill.pipeline.printable import counted, printable
from dealmill.pipeline.progress.events import Progress, silent
from dealmill.pipeline.store.database.connections import Database
from dealmill.pipeline.store.runs.finding import find_run
from dealmill.pipeline.store.runs.status import RunStatus
from dealmill.pipeline.store.sources.source import Source, find_source
from dealmill.pipeline.system.atomic import atomic_file


def checker_path(path: Path) -> Path:
    """Return the path of the checker for an export."""
    return path.with_name(path.name + SUFFIX)


def export_with_checker(
    database: Database,
    run: RunStatus,
    path: Path,
    verdicts: Sequence[Verdict] = (),
    *,
    force: bool = False,
    skip_damaged: bool = False,
    numbered: bool = True,
    progress: Progress = silent,
) -> int:
    """Write an export as `export` does, and a checker for it beside it; return the number of its rows. If it is not
    `numbered`, the checker does not say the number of the run."""
    write = partial(export, database, run, path, verdicts, force=force, skip_damaged=skip_damaged, progress=progress)
    expected = count_of(run, verdicts)
    return write_with_checker(database, run, path, verdicts, write, force=force, expected=expected, numbered=numbered)


def write_with_checker(
    database: Database,
    run: RunStatus,
    path: Path,
    verdicts: Sequence[Verdict],
    write: Callable[[], int],
    *,
    force: bool = False,
    readers: Mapping[str, ModuleType] = READERS,
    expected: int | None = None,
    numbered: bool = True,
) -> int:
    """Have `write` write a file with results of a run, and write a checker beside it; return the number of its rows.

    The checker of a file with fewer rows than `expected`, or of an unfinished run, says so and fails.
    """
    game, engine = engine_of_run(run.id, run.referee_engine)
    sections = sections_of(game, path, readers)
    source = find_source(database, run.source)
    with atomic_file(checker_path(path), force, database.owns) as file:
        written = write()
        facts = Export(
            file=printable(path.name),
            sha256=_sha256(path),
            rows=written,
            engine=f"{run.game}/{engine.referee_name}",
            layouts=find_run(database, run.id).items,  # of an unfinished run, more than before
            verdicts=tuple(verdict.word for verdict in verdicts or Verdict),
            source=source.name,
            source_sha256=None if run.checked_as else source.text_sha256,
            incomplete=_why_incomplete(run, written, expected),
        )
        about = _description(metadata(database, run, verdicts), source)
        if not numbered:
            del about["run"]
        file.write(checker(sections, facts, about).encode())
    return written


def _why_incomplete(run: RunStatus, written: int, expected: int | None) -> str | None:
    """Return why results are missing in a file; None if none is."""
    if run.why_unfinished:
        return f"the run was not finished: {run.why_unfinished}"
    missing = 0 if expected is None else expected - written
    return f"{counted(missing, 'result')} could not be read" if missing > 0 else None


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return file_digest(file, "sha256").hexdigest()


def _description(about: Mapping[str, str], source: Source) -> dict[str, str]:
    """Return what a checker says of its export at the top, from the metadata of a run."""
    known = {
        "run": about["run"],
        "engine": f"{about['engine']} version {about['version']}",
        "node limit": about.get("max_nodes"),
        "source": about["source"],
        "source digest": source.digest.hex(),
        "only": about.get("verdicts"),
        "retracted": about.get("retracted"),
        "fingerprint": about.get("fingerprint"),
        "Dealmill": about["dealmill"],
    }
    return {name: fact for name, fact in known.items() if fact is not None}
