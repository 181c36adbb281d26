"""``delete``, ``web``, ``db`` and ``doctor``: operate a store."""

from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import Unpack

import click

import dealmill
from dealmill.cli.options import ChosenRuns, WholeNumber, chosen_options, complete_run, confirm, yes_option
from dealmill.cli.output import called_as, json_option, output_options, tell, write_json, write_line, write_rows
from dealmill.cli.process import ERROR, resumable
from dealmill.cli.progress import shown_progress
from dealmill.pipeline.system.extras import check_extra


@click.command()
@click.option("--host", default="127.0.0.1", show_default=True, help="The address to listen on.")
@click.option("--port", type=WholeNumber(0, 65_535), default=8000, show_default=True, help="The port; 0 for any.")
@click.option(
    "--pack",
    "packs",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    multiple=True,
    help="Also serve the deals of a pack, a .json file, at /api/deal; repeatable.",
)
def web(host: str, port: int, packs: tuple[Path, ...]) -> None:
    """Serve read-only pages and a JSON API over the store, until Ctrl-C.

    Other machines are served only if DEALMILL_WEB_TOKEN is set; browsers ask for it as a password. DEALMILL_WEB_HOSTS
    lists the host names under which the pages may be requested, separated by commas. DEALMILL_WEB_DATABASE_URL is used
    in place of DEALMILL_DATABASE_URL if it is set: `dealmill db upgrade --web-role` creates a user that can only read.
    """
    check_extra("web")
    from dealmill.web.serving import open_store, serve

    with open_store() as store, suppress(KeyboardInterrupt):  # the normal end
        serve(store, host, port, tell, packs)


@click.command()
@click.argument("subjects", metavar="[RUN|source:N]…", nargs=-1, shell_complete=complete_run)
@chosen_options
@click.option("--reruns", is_flag=True, help="Also delete the reruns of these runs.")
@yes_option
@json_option
def delete(subjects: tuple[str, ...], reruns: bool, yes: bool, as_json: bool, **chosen: Unpack[ChosenRuns]) -> None:
    """Delete runs (numbers, ranges such as 3-7, `last` or `all`) with their verdicts and audits, or a source with its
    layouts and rejects.

    This says what will be deleted, and asks for confirmation unless --yes is given. It is refused while something
    depends on it: a rerun of a run, a source that has the layouts of a query of it, an unfinished audit, or jobs that
    workers hold; or a run over the source. The number is not used again, the log keeps all entries, and audits of other
    runs stay valid. The same command as before starts a new run, and reads a deleted source again under its number.

    The space is given back if no worker is busy. A PostgreSQL server does that by itself.
    """
    with dealmill.open() as store:
        deletion = store.deletion(*subjects, reruns=reruns, **chosen)
        if len(deletion.subjects) > 1:
            for line in deletion.lines:
                tell(line)
        if not yes:
            confirm(f"deletes {deletion}")
        given_back = deletion.carry_out()
        tell(f"deleted {deletion}")
        command = called_as()
        for source in deletion.unused_sources:
            tell(f"its source is kept; delete it with: {command} delete source:{source}")
        if not given_back:
            tell("workers or other programs are using the file, so the space is used for new results instead")
        if as_json:
            write_json({"deleted": [*subjects], "space_given_back": given_back})


@click.group()
def db() -> None:
    """Create, upgrade, downgrade, back up or copy the store.

    A new SQLite file gets its tables when the first source is stored. A PostgreSQL database gets them only from
    `dealmill db upgrade`, or by a copy into it.
    """


@db.command(short_help="Upgrade the tables to a newer version.")
@click.argument("revision", default="head")
@click.option("--yes", is_flag=True, help="Upgrade also if deals of compact runs cannot be listed afterwards.")
@click.option("--web-role", is_flag=True, help="Also let the user of DEALMILL_WEB_DATABASE_URL read the store.")
@json_option
def upgrade(revision: str, yes: bool, web_role: bool, as_json: bool) -> None:
    """Upgrade the tables to REVISION, by default the newest.

    Dealmill before 0.3.0 stored a bit for each deal of a compact run. Now they are solved again when they are listed,
    so the upgrade is refused if the engine version that solved a run is not installed. With --yes, the figures of such
    a run are kept, but not which deal has which verdict.

    With --web-role, the user of DEALMILL_WEB_DATABASE_URL is created on the PostgreSQL server, or gets the password of
    the URL, and can read the tables, and nothing else. Give the option with each upgrade.
    """
    upgraded = dealmill.db.upgrade(revision=revision, yes=yes)
    if web_role:
        tell(f"the user {dealmill.db.create_web_role()} can read the store")
    _report(upgraded, as_json)


@db.command(short_help="Downgrade the tables to an older version.")
@click.argument("revision")
@yes_option
@json_option
def downgrade(revision: str, yes: bool, as_json: bool) -> None:
    """Downgrade the tables to REVISION; the oldest is 0010, that of Dealmill 0.1.0.

    This deletes what the older tables cannot hold, so it asks for confirmation unless --yes is given. Revisions before
    0022 have a bit for each deal of a compact run, so such runs must be solved again then, by the earlier version.
    """
    compact = dealmill.db.check_downgrade(revision)
    if not yes:
        solved = f"; the compact runs {', '.join(map(str, compact))} must be solved again then" if compact else ""
        confirm(f"deletes what tables of {revision} cannot hold{solved}")
    _report(dealmill.db.downgrade(revision=revision), as_json)


def _report(revision: str | None, as_json: bool) -> None:
    tell(f"the database is at revision {revision}")
    if as_json:
        write_json({"revision": revision})


@db.command(short_help="Copy an SQLite store while it is in use.")
@click.argument("file", type=click.Path())
@json_option
def backup(file: str, as_json: bool) -> None:
    """Copy an SQLite store to FILE while commands and workers are running; for PostgreSQL, use pg_dump.

    FILE must not exist. It appears only when it is complete, and is a store like any other.
    """
    with shown_progress() as progress:
        size = dealmill.db.backup(file, progress=progress)
    tell(f"{size / 1e6:,.1f} MB written to {file}")
    if as_json:
        write_json({"file": file, "bytes": size})


@db.command(short_help="Copy the whole store to another database.")
@click.argument("url")
@json_option
@resumable()
def copy(url: str, as_json: bool) -> None:
    """Copy the whole store into the database URL: an SQLite file or a PostgreSQL database, which must be empty.

    URL is sqlite:///FILE or postgresql://USER:PASSWORD@HOST/NAME. All numbers stay the same. Meanwhile, commands and
    workers can read the store; those that write wait, and give up after a minute. If the copy is interrupted, repeat
    the command to continue it. At the end, both stores are compared, and the rows of each table are printed.
    """
    with shown_progress() as progress:
        copied = dealmill.db.copy(url, progress=progress)
    if as_json:
        write_json(asdict(copied))
    else:
        write_rows(["table", "rows"], [{"table": name, "rows": rows} for name, rows in copied.rows.items()], None)
    tell(
        f"copied to {copied.url}; all rows are equal, and so are the fingerprints ({copied.fingerprints:,}), the seals "
        f"({copied.seals:,}) and the faults of the record ({copied.faults:,})"
    )


@db.command(short_help="Print the version of the tables.")
@json_option
def current(as_json: bool) -> None:
    """Print the revision of the database; with --json, it is null if there are no tables."""
    revision = dealmill.db.current()
    if as_json:
        write_json({"revision": revision})
    else:
        write_line(revision or "none: the database has no tables yet")


@click.command()
@click.option("--worker", is_flag=True, help="Check whether the workers of this machine can work and do.")
@output_options
@click.pass_context
def doctor(ctx: click.Context, worker: bool, form: str | None) -> None:
    """Check the installation; each failed check suggests a fix.

    The checks cover versions, games, engines, programs, compiled kernels, database, tables, clock, disk, broker, and
    who can read `.env`. Nothing is changed; each engine that is a program is started once. The exit code is 1 if a
    check fails.

    With --worker, a quick check for supervisors: it fails if the database or the broker cannot be used, no worker of
    this machine reports to the store, all pending jobs need other versions of engines, or the workers have claimed no
    job for five minutes although jobs wait.
    """
    checks = dealmill.doctor(worker=worker)
    rows = [
        {"check": check.name, "state": "ok" if check.passed else "failed", "details": check.details} for check in checks
    ]
    if form is None:
        rows.sort(key=lambda row: row["state"] == "ok")  # what failed is first
    write_rows(["check", "state", "details"], rows, form)
    if not all(check.passed for check in checks):
        ctx.exit(ERROR)
