"""``archive``: runs in one file that anyone can check and read into another store."""

import click

import dealmill
from dealmill.cli.options import complete_run, given_options
from dealmill.cli.output import UNPROVED, counted, output_options, tell, write_rows
from dealmill.cli.process import DIFFERENT, NOT_PROVED
from dealmill.cli.progress import shown_progress

COLUMNS = ("run", "engine", "version", "source", "layouts", "fingerprint")


@click.command()
@click.argument("runs", metavar="[RUN]…", nargs=-1, shell_complete=complete_run)
@click.argument("file", metavar="FILE.zip", type=click.Path(), required=False)
@click.option("--retracted", is_flag=True, help="Write the archive even if the verdicts were retracted.")
@click.option("--force", is_flag=True, help="Overwrite FILE.zip if it exists, or its target if it is a symbolic link.")
@click.option("--add", is_flag=True, help="Add the audits and reruns of RUN… to FILE.zip, which has the same results.")
@click.option("--check", "checked", metavar="FILE.zip", help="Check this archive instead of writing one.")
@output_options
@click.pass_context
def archive(
    ctx: click.Context,
    runs: tuple[str, ...],
    file: str | None,
    retracted: bool,
    force: bool,
    add: bool,
    checked: str | None,
    form: str | None,
) -> None:
    """Write runs with their evidence, checkers and a report to FILE.zip, which can be checked without this store.

    RUN is a number, a range such as 3-7, `last` or `all`; all must be finished. The file has the results with their
    evidence, a checker for those of each run, rules of games, a report, fingerprints and seals, what to cite, and how
    to check and to repeat it. It is a bag (BagIt) with a description for catalogues (RO-Crate). The same runs give the
    same `data/`, whatever their numbers.

    `dealmill archive --check FILE.zip` needs no store: it compares all files with their digests, computes the
    fingerprints again, deals numbered deals again, and has the referee check all evidence. The exit code is 3 if
    something is wrong, and 4 if not everything is proved: of surveys that do not store their deals, and claims without
    evidence.

    `dealmill import FILE.zip` reads it into a store. Whoever audits the runs there can add the audits to the archive
    with --add: they are files of their own, and the results do not change.

    The folder `provenance/` says who ran, audited and repeated each run, where, when and with which version, as in
    `dealmill log`. DEALMILL_USER is the name that is recorded in place of the login name.
    """
    if checked is not None:
        if given_options(ctx) - {"checked", "form"}:
            raise click.UsageError("--check takes one file and nothing else: dealmill archive --check FILE.zip")
        _check(ctx, checked, form)
        return
    if not runs or file is None:
        raise click.UsageError("name the runs, and then the file: dealmill archive RUN… FILE.zip")
    if add and (retracted or force):
        raise click.UsageError("--add takes runs and an archive and nothing else: dealmill archive RUN… FILE.zip --add")
    with dealmill.open() as store:
        chosen = store.select(*runs)
        if add:
            dealmill.add_to_archive(chosen, file)
            tell(f"the audits of {counted(len(chosen), 'run')} added to {file}")
            return
        with shown_progress(store) as progress:
            dealmill.archive(chosen, file, retracted=retracted, force=force, progress=progress)
    tell(f"{counted(len(chosen), 'run')} written to {file}; check it with: dealmill archive --check {file}")


def _check(ctx: click.Context, file: str, form: str | None) -> None:
    with shown_progress() as progress:
        archive = dealmill.check_archive(file, progress=progress)
    rows = [
        {
            "run": number,
            **{name: getattr(run, name) for name in COLUMNS[1:] if name != "source"},
            "source": run.source.name,
        }
        for number, run in enumerate(archive.runs, start=1)
    ]
    write_rows(COLUMNS, rows, form)
    for problem in archive.problems:
        tell(problem)
    for what in archive.unchecked:
        tell(f"not checked: {what}")
    if archive.unproved:
        tell(f"{UNPROVED}: {counted(archive.unproved, 'verdict')}, without evidence")
    if archive.problems:
        tell(f"{file} failed the check")
        ctx.exit(DIFFERENT)
    proved = not archive.unproved and all(run.stores_results for run in archive.runs)
    tell(f"{file}: no file was changed, the fingerprints are right{', and the evidence proves all results' * proved}")
    if not proved:
        ctx.exit(NOT_PROVED)
