"""``export``, ``report`` and ``pack``: write verdicts, reports on them, or layouts chosen by difficulty, to files."""

import shlex
from collections import Counter
from collections.abc import Iterator
from datetime import date
from itertools import chain
from pathlib import Path
from typing import Any

import click

import dealmill
from dealmill.cli.options import WholeNumber, complete_run, given_options, verdict_option
from dealmill.cli.output import counted, json_option, output_options, tell, tell_unproved, write_json, write_rows
from dealmill.cli.process import DIFFERENT, resumable
from dealmill.cli.progress import shown_progress
from dealmill.pipeline.arguments import whole_number
from dealmill.pipeline.results.measures import CHANCE, QUERYABLE
from dealmill.pipeline.results.record import RESULT


class Days(click.ParamType[tuple[date, date]]):
    """Two days, ``2027-01-01..2027-12-31``."""

    name = "FIRST..LAST"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> tuple[date, date]:
        """Return both days."""
        days = [_day(day) for day in str(value).split("..", 1)]
        if len(days) < 2:
            self.fail(f"{value!r} is one day; write two, such as 2027-01-01..2027-12-31", param, ctx)
        return days[0], days[1]


def _day(text: str) -> date:
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise click.BadParameter(f"{text!r} is not a day; write two, such as 2027-01-01..2027-12-31") from None


class Grades(click.ParamType[tuple[int, ...]]):
    """The grades of the days of a week, ``1,1,2,3,3,4,5``."""

    name = "GRADES"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> tuple[int, ...]:
        """Return the grades."""
        try:
            return tuple(map(whole_number, str(value).split(",")))
        except ValueError:
            self.fail(f"{value!r} are not grades such as 1,1,2,3,3,4,5", param, ctx)


GRADE_COLUMNS = ("grade", "low", "high", "layouts", "chosen")


@click.command()
@click.argument("run", shell_complete=complete_run)
@click.argument("file", type=click.Path())
@verdict_option
@click.option("--retracted", is_flag=True, help="Export the verdicts even if they were retracted.")
@click.option(
    "--unfinished",
    is_flag=True,
    help="Export what an unfinished run has; each row then says in a column `unfinished` why it is not finished.",
)
@click.option("--with-checker", is_flag=True, help="Also write FILE.check.py, which checks FILE with bare Python.")
@click.option("--excel", is_flag=True, help="Put an apostrophe before text in FILE.csv that spreadsheets would change.")
@click.option("--playback", is_flag=True, help="Add the solution as data to each object of FILE.jsonl.")
@click.option("--force", is_flag=True, help="Overwrite FILE if it exists, or its target if it is a symbolic link.")
@click.option(
    "--skip-damaged", is_flag=True, help="Leave out verdicts that cannot be read, and say how many; exit with 3."
)
@json_option
@click.pass_context
def export(
    ctx: click.Context,
    run: str,
    file: str,
    verdict: tuple[str, ...],
    retracted: bool,
    unfinished: bool,
    with_checker: bool,
    excel: bool,
    playback: bool,
    force: bool,
    skip_damaged: bool,
    as_json: bool,
) -> None:
    """Write the verdicts of RUN (its number, or `last`) with layouts and evidence to FILE.

    The suffix of FILE selects the format: .parquet, .csv, .jsonl (one JSON object per line), or .tex. The columns are
    {columns}. The metadata of a Parquet file holds run, game, engine,
    version, max_nodes, source and fingerprint. FILE appears only when it is complete.

    A FILE.tex is a table for a paper: RUN can be several, such as 1-5, and each is a row with its counts and its 95 %
    confidence interval, in LaTeX with booktabs.

    A run that is not finished is exported only with --unfinished.

    The checker proves every row of a .csv or .jsonl file, or says which row fails or why rows are missing. It needs
    only Python: python3 -I -S FILE.check.py FILE
    """
    if Path(file).suffix.lower() == ".tex":
        if given_options(ctx) - {"run", "file", "retracted", "unfinished", "force", "as_json"}:
            raise click.UsageError(
                "a .tex file is a table of runs; it takes only --retracted, --unfinished and --force"
            )
        with dealmill.open() as store:
            runs = dealmill.latex_table(
                store.select(run), file, retracted=retracted, unfinished=unfinished, force=force
            )
        tell(f"table of {counted(runs, 'run')} written to {file}")
        if as_json:
            write_json({"file": file, "runs": runs})
        return
    with dealmill.open() as store:
        subject = store.find_run(run)
        with shown_progress(store) as progress:
            written = subject.export(
                file,
                verdict=verdict,
                retracted=retracted,
                unfinished=unfinished,
                force=force,
                with_checker=with_checker,
                excel=excel,
                playback=playback,
                skip_damaged=skip_damaged,
                progress=progress,
            )
        status, audit = subject.progress, subject.latest_audit
    why = f"; the run is not finished: {status.why_unfinished}" if status.why_unfinished else ""
    tell(f"{counted(written, 'verdict')} of run {subject.id} written to {file}{why}")
    tell_unproved(status.unproved, subject.id)
    _tell_audit(audit)
    if with_checker:
        _tell_check(file)
    if as_json:
        write_json({"run": subject.id, "file": file, "verdicts": written, "pending": status.items - status.solved})


*NAMES, LAST_NAME = (field.name for field in RESULT)
export.help = str(export.help).format(columns=f"{', '.join(NAMES)} and {LAST_NAME}")


@click.command()
@click.argument("items", metavar="RUN…", nargs=-1, shell_complete=complete_run)
@click.argument("file", metavar="FILE", type=click.Path())
@click.option("--retracted", is_flag=True, help="Write the report even if the verdicts were retracted.")
@click.option("--unfinished", is_flag=True, help="Report what unfinished runs have; the report says so.")
@click.option("--force", is_flag=True, help="Overwrite FILE if it exists, or its target if it is a symbolic link.")
def report(items: tuple[str, ...], file: str, retracted: bool, unfinished: bool, force: bool) -> None:
    """Write a report on one or several runs to FILE.html, which needs no network and no script.

    RUN is a number, a range such as 3-7, `last` or `all`; or RUN:POSITION, for a single verdict. The section of a run
    says how to repeat it and has its table, the interval of its winnability, histograms, the hardest and easiest
    layouts, three proofs step by step, its fingerprint, and the seal of its newest audit. FILE appears only when it is
    complete.
    """
    if not items:
        raise click.UsageError("name the runs, and then the file: dealmill report RUN… FILE.html")
    with dealmill.open() as store:
        subjects = _subjects(store, items, retracted)
        dealmill.report(subjects, file, retracted=retracted, unfinished=unfinished, force=force)
    tell(f"report on {', '.join(items)} written to {file}")


def _subjects(
    store: "dealmill.Store", items: tuple[str, ...], retracted: bool
) -> "Iterator[dealmill.Run | dealmill.Result]":
    """Yield the runs and results that words name."""
    named = ([store.result(item, retracted=retracted)] if ":" in item else store.select(item) for item in items)
    return chain.from_iterable(named)


@click.command()
@click.argument("run", metavar="[RUN|GAME]", required=False, shell_complete=complete_run)
@click.argument("file", required=False, type=click.Path())
@click.option(
    "--by",
    metavar="NUMBER",
    help=f"Grade by {', '.join([CHANCE, *(order.word for order in QUERYABLE)])}, or a number of the engine's evidence; "
    "by default chance, or nodes in games without a careful player.",
)
@click.option("--graded-by", metavar="RUN", shell_complete=complete_run, help="Grade by the results of this run.")
@verdict_option
@click.option(
    "--grades",
    type=WholeNumber(1),
    default=5,
    show_default=True,
    help="The number of grades; by chance, those from 1 to it.",
)
@click.option("--each", type=WholeNumber(1), default=200, show_default=True, help="The layouts of each grade.")
@click.option("--seed", type=WholeNumber(0, 2**63 - 1), default=1, show_default=True, help="Draw by this seed.")
@click.option("--desc", "descending", is_flag=True, help="Let grade 1 have the highest numbers.")
@click.option(
    "--calendar", type=Days(), help="A layout for each day, none twice: 2027-01-01..2027-12-31; see --by-weekday."
)
@click.option(
    "--by-weekday",
    type=Grades(),
    help="With --calendar, the grades from Monday to Sunday; by chance, 1,1,2,2,3,3,4 if it is left out.",
)
@click.option("--without", multiple=True, metavar="OLD", help="Leave out the layouts of an earlier pack; repeatable.")
@click.option("--with-checker", is_flag=True, help="Also write FILE.check.py, which checks FILE with bare Python.")
@click.option("--force", is_flag=True, help="Overwrite FILE if it exists.")
@click.option(
    "--pictures",
    metavar="FOLDER",
    type=click.Path(file_okay=False),
    help="Also write a picture of each layout to FOLDER, as SVG; with the .json file of a pack alone, only these.",
)
@click.option("--open", "open_cards", is_flag=True, help="With --pictures, show the cards that lie face down.")
@click.option("--check", "checked", metavar="FILE", help="Check this pack instead of writing one.")
@output_options
@click.pass_context
def pack(
    ctx: click.Context,
    run: str | None,
    file: str | None,
    by: str | None,
    graded_by: str | None,
    verdict: tuple[str, ...],
    grades: int,
    each: int,
    seed: int,
    descending: bool,
    calendar: tuple[date, date] | None,
    by_weekday: tuple[int, ...] | None,
    without: tuple[str, ...],
    with_checker: bool,
    force: bool,
    pictures: str | None,
    open_cards: bool,
    checked: str | None,
    form: str | None,
) -> None:
    """Write layouts of RUN (its number, or `last`) to FILE, in grades of difficulty, with their solutions; or of a GAME
    that has a careful player, whose deals are dealt, solved and played, as many as needed.

    Layouts of patiences and covering games are graded by the chance that a careful player wins; the bounds of the
    grades are fixed for each game, and the last one has the deals that the player never wins. In other games, the
    winnable or scored layouts, or those with another --verdict, are graded by the nodes that their solutions took, or
    by another number: each grade has the same share of them. From each grade, layouts are drawn by a seed, and those
    that differ only in names, such as the ranks of cards, are taken once. The same command gives the same file
    everywhere.

    GAME is a name such as klondike-deal-1, whose deals of seed 1 are taken, or deal:klondike-deal-1:seed=7. The command
    says how many deals are needed, and how long that takes, after the first hundred.

    With --calendar, there is a layout for each day, with its `date`, of the grades --by-weekday.

    The suffix of FILE selects the format: .json, or .csv with one row per layout.

    With --pictures, a picture of each layout is written to a folder; `dealmill pack FILE.json --pictures FOLDER` writes
    those of a pack that there is. Cards that lie face down and the stock show their backs, unless --open.

    `dealmill pack --check FILE` proves a .json file again without the store: every solution, number, deal and grade.
    The exit code is 3 if something is wrong.
    """
    if checked is not None:
        if given_options(ctx) - {"checked", "form"}:
            raise click.UsageError("--check takes one file and nothing else: dealmill pack --check FILE")
        if not _is_proved(dealmill.check_pack(checked), checked, form):
            ctx.exit(DIFFERENT)
        return
    if form == "excel":
        raise click.UsageError("a pack is not written for spreadsheets: leave out --excel, or use dealmill export")
    if open_cards and pictures is None:
        raise click.UsageError("--open is for pictures: add --pictures FOLDER")
    if pictures is not None and run is not None and file is None:
        if given_options(ctx) - {"run", "pictures", "open_cards"}:
            raise click.UsageError(
                "the pictures of a pack take nothing else: dealmill pack FILE.json --pictures FOLDER"
            )
        _write_pictures(dealmill.read_pack(run), pictures, open_cards)
        return
    if run is None or file is None:
        raise click.UsageError("name a run or a game, and a file: dealmill pack RUN FILE")
    of_game = not (run == "last" or run.isdecimal())
    _check_pack_options(given_options(ctx), of_game=of_game)
    written, audit = _pack_of(
        run,
        file,
        of_game=of_game,
        by=by,
        graded_by=graded_by,
        verdict=verdict,
        grades=grades,
        each=each,
        seed=seed,
        descending=descending,
        calendar=calendar,
        by_weekday=by_weekday,
        without=without,
        force=force,
        with_checker=with_checker,
    )
    chosen = Counter(entry.grade for entry in written.layouts)
    rows = [{**grade.model_dump(), "chosen": chosen[grade.grade]} for grade in written.grades]
    write_rows(GRADE_COLUMNS, rows, form)
    tell(f"{counted(len(written.layouts), 'layout')} of {written.source} written to {file}, graded by {written.by}")
    _tell_audit(audit)
    if with_checker:
        _tell_check(file)
    if pictures is not None:
        _write_pictures(written, pictures, open_cards)


def _check_pack_options(given: set[str], *, of_game: bool) -> None:
    """Check that the options of a new pack go together."""
    if "calendar" in given and "each" in given:
        raise click.UsageError("--calendar has a layout for each day: leave out --each")
    if "calendar" in given and "by_weekday" not in given and "grades" in given:
        raise click.UsageError("--calendar without --by-weekday says nothing of grades: add it, or leave out --grades")
    if of_game and given & {"by", "graded_by", "descending", "verdict"}:
        raise click.UsageError(
            "--by, --graded-by, --desc and --verdict are for the layouts of a run; the deals of a game are graded by "
            "the chance that a careful player wins"
        )


def _pack_of(
    subject: str, file: str, *, of_game: bool, by: str | None, graded_by: str | None, **arguments: Any
) -> "tuple[dealmill.Pack, dealmill.Audit | None]":
    """Write a pack of a run, or of a game, and return it and the newest audit of the run."""
    with dealmill.open() as store, resumable(), shown_progress(store) as progress:
        if of_game:
            return store.pack(subject, file, progress=progress, **arguments), None
        run, grading = store.find_run(subject), None if graded_by is None else store.find_run(graded_by)
        return run.pack(file, by=by, graded_by=grading, progress=progress, **arguments), run.latest_audit


def _write_pictures(pack: "dealmill.Pack", folder: str, open_cards: bool) -> None:
    tell(f"{counted(pack.write_pictures(folder, open_cards=open_cards), 'picture')} written to {folder}")


def _tell_audit(audit: "dealmill.Audit | None") -> None:
    """Warn if the newest audit of a run found something."""
    if audit and not audit.status.clean:
        status = audit.status
        counts = f"{counted(status.invalid, 'invalid verdict')} and {counted(status.faults, 'fault')}"
        tell(
            f"warning: audit {status.id} of run {status.run} found {counts}; list them with: dealmill audit "
            f"{status.run}"
        )


def _tell_check(file: str) -> None:
    tell(f"check it with: python3 -I -S {shlex.join([f'{file}.check.py', file])}")


def _is_proved(checked: "dealmill.CheckedPack", file: str, form: str | None) -> bool:
    """Print what is wrong with a pack, and return whether nothing is."""
    pack = checked.pack
    write_rows(("problem",), [{"problem": problem} for problem in checked.problems], form, "nothing is wrong")
    for what in checked.unchecked:
        tell(f"not checked: {what}")
    if not checked.problems:
        layouts, grades = counted(len(pack.layouts), "layout"), counted(len(pack.grades), "grade")
        tell(f"{file}: {layouts} of {pack.game} in {grades}{_how_far_proved(checked)}")
    return not checked.problems


def _how_far_proved(checked: "dealmill.CheckedPack") -> str:
    """Return the end of the sentence about a pack without problems."""
    if checked.undecided:
        return f"; {checked.undecided:,} of them undecided, so not proved"
    if checked.pack.by == CHANCE and checked.unchecked:
        return "; solutions proved, and a sample of the plays that grade them"
    return ", proved" if checked.grades_proved else "; solutions proved, but not the node counts that grade them"
