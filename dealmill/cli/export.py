"""``export``: the verdicts of a run as a file for other programs."""

from pathlib import Path

import click

from dealmill.cli.output import counted
from dealmill.cli.progress import progress_bar
from dealmill.cli.query import verdict_option
from dealmill.cli.sources import open_configured_store
from dealmill.pipeline.games.verdict import Verdict


@click.command()
@click.argument("run")
@click.argument("file", type=click.Path(path_type=Path))
@verdict_option
@click.option("--retracted", is_flag=True, help="Even if the verdicts were retracted.")
@click.option("--force", is_flag=True, help="Overwrite FILE if it exists.")
def export(run: str, file: Path, verdicts: tuple[str, ...], retracted: bool, force: bool) -> None:
    """Write the verdicts of RUN (its number, or `last`) with layouts and evidence to FILE.

    The suffix of FILE says in which form: .parquet, .csv, or .jsonl for a JSON object a line. The columns are position,
    line, layout, verdict, value, nodes and evidence. Parquet also names run, game, engine, version, limit, source and
    fingerprint in its metadata. FILE appears only when it is complete.
    """
    from dealmill.pipeline.export import export as export_run
    from dealmill.pipeline.query import answers_of
    from dealmill.pipeline.store.runs import find_run

    store = open_configured_store()
    found = answers_of(find_run(store, run), retracted=retracted)
    wanted = [Verdict[word.upper()] for word in verdicts]
    total = sum(found.counts.get(verdict, 0) for verdict in set(wanted)) if wanted else found.solved
    with progress_bar("exporting") as bar:

        def progress(written: int) -> None:
            bar.update(written, max(written, total), f"{written:,} verdicts")

        written = export_run(store, found, file, wanted, force=force, progress=progress)
    left = f"; the run is not finished: {found.items - found.solved:,} layouts to come" if not found.finished else ""
    click.echo(f"{counted(written, 'verdict')} of run {found.id} written to {file}{left}", err=True)
