"""``export``: write the verdicts of a run to a file."""

import shlex

import click

import dealmill
from dealmill.cli.completion import complete_run
from dealmill.cli.options import verdict_option
from dealmill.cli.output import counted, json_option, tell, write_json
from dealmill.cli.progress import shown


@click.command()
@click.argument("run", shell_complete=complete_run)
@click.argument("file", type=click.Path())
@verdict_option
@click.option("--retracted", is_flag=True, help="Export the verdicts even if they were retracted.")
@click.option("--with-checker", is_flag=True, help="Also write FILE.check.py, which checks FILE with bare Python.")
@click.option("--force", is_flag=True, help="Overwrite FILE if it exists, or its target if it is a symbolic link.")
@json_option
def export(
    run: str, file: str, verdicts: tuple[str, ...], retracted: bool, with_checker: bool, force: bool, as_json: bool
) -> None:
    """Write the verdicts of RUN (its number, or `last`) with layouts and evidence to FILE.

    The suffix of FILE selects the format: .parquet, .csv, or .jsonl (one JSON object per line). The columns are
    position, line, layout, verdict, value, nodes and evidence. The metadata of a Parquet file holds run, game, engine,
    version, max_nodes, source and fingerprint. FILE appears only when it is complete.

    The checker proves every row of a .csv or .jsonl file, or names the first row that fails. It needs only Python:
    python3 -I -S FILE.check.py FILE
    """
    with dealmill.open() as store:
        found = store.find_run(run)
        with shown(store) as progress:
            written = found.export(
                file, verdict=verdicts, retracted=retracted, force=force, with_checker=with_checker, progress=progress
            )
        status = found.status()
    left = f"; the run is not finished: {counted(status.items - status.solved, 'layout')} pending"
    message = f"{counted(written, 'verdict')} of run {found.id} written to {file}{'' if status.finished else left}"
    tell(message)
    if with_checker:
        tell(f"check it with: python3 -I -S {shlex.join([f'{file}.check.py', file])}")
    if as_json:
        write_json({"run": found.id, "file": file, "verdicts": written, "pending": status.items - status.solved})
