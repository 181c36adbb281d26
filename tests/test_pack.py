"""Packs: graded, drawn and distinct as an independent count says, the same everywhere, and proved by the file alone."""

import csv
import json
import random
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner
from pydantic import BaseModel

import dealmill
from bench.reproduce.results import Results
from dealmill.cli import dealmill as commands
from dealmill.cli.export import Days
from dealmill.pipeline.errors import DealmillError, InputError, OutputError, UsageError
from dealmill.pipeline.games import find_engine, find_game
from dealmill.pipeline.games.deals import DealRange
from dealmill.pipeline.games.playback import Playback
from dealmill.pipeline.games.sampling import sampled
from dealmill.pipeline.games.verdict import Verdict
from dealmill.pipeline.ingest.sources import deals_reading, deals_source
from dealmill.pipeline.outputs import pack_check
from dealmill.pipeline.outputs.pack import Pack
from dealmill.pipeline.outputs.pack_check import CheckedPack, check_pack
from dealmill.pipeline.outputs.pack_choice import (
    Choice,
    choice_of,
    counts_by_grade,
    default_measure,
    grading_run,
    write_pack,
)
from dealmill.pipeline.outputs.pack_growth import Growth
from dealmill.pipeline.progress.events import silent
from dealmill.pipeline.results.measures import FILTERS
from dealmill.pipeline.store.database.connections import Database
from dealmill.pipeline.store.database.tables import Storage
from dealmill.pipeline.store.filters import Filter
from dealmill.pipeline.store.queries.results import Query
from dealmill.pipeline.store.runs.finding import find_run
from dealmill.pipeline.store.runs.status import RunStatus
from dealmill.pipeline.store.sources.source import find_source
from tests.doing import a_run, deal, do_runs, queue_stored

PAIRING, MEMORY = find_game("card-pairing"), find_game("memory")


def renamed(layout: str, chance: random.Random) -> str:
    """A layout of card pairing with its stacks shuffled, and its ranks too."""
    stacks, ranks = layout.split(" "), sorted(set(layout) - {" "})
    chance.shuffle(stacks)
    others = dict(zip(ranks, chance.sample(ranks, len(ranks)), strict=True))
    return " ".join("".join(others[card] for card in stack) for stack in stacks)


def run_of_deals(
    database: Database, engine: str, count: int, storage: Storage = Storage.ROWS, **parameters: int
) -> RunStatus:
    """A finished run over the first deals of seed 7."""
    deals = DealRange(find_engine(engine)[0], 7, 1, count, parameters)
    if storage is Storage.ROWS:
        deals_reading(database, deals).finish(silent)
    number = queue_stored(database, deals_source(database, deals), engine, None, storage)
    do_runs(database)
    return find_run(database, number)


def numbers(database: Database, run: RunStatus, by: str) -> dict[int, int]:
    """The number of each winnable or scored layout, by position."""
    measures = {
        result.position: {
            "nodes": result.nodes,
            "value": result.value,
            "evidence-length": len(result.evidence or ""),
            "layout-length": len(result.layout),
        }[by]
        for result in Query(database, [run], Filter())
        if result.verdict in (Verdict.WINNABLE, Verdict.SCORED)
    }
    return {position: number for position, number in measures.items() if number is not None}


@pytest.mark.parametrize("descending", [False, True])
@pytest.mark.parametrize("by", [order.word for order in FILTERS])
def test_grades_have_equal_shares_and_layouts_are_drawn_evenly(
    by: str, descending: bool, sqlite_store: Database, tmp_path: Path
) -> None:
    if by == "nodes":
        run = a_run(sqlite_store, "card-pairing/winnable", deal(PAIRING, 3, 1, 300))
    else:
        sizes = [texts for pairs in (4, 5, 6, 7) for texts in deal(MEMORY, 3, 1, 60, pairs=pairs)]
        run = a_run(sqlite_store, "memory/two-pass", [*dict.fromkeys(sizes)])
    choice = Choice(by, grades=2, each=7, seed=5, descending=descending)
    pack = write_pack(sqlite_store, run, tmp_path / "a.json", choice)
    of = numbers(sqlite_store, run, by)
    ordered = sorted(of.values(), reverse=descending)
    for grade, entries in ((each, [e for e in pack.layouts if e.grade == each.grade]) for each in pack.grades):
        last = ordered[len(ordered) * grade.grade // 2 - 1]
        before = ordered[len(ordered) * (grade.grade - 1) // 2 - 1] if grade.grade > 1 else None
        inside = [
            position
            for position, number in sorted(of.items())
            if (number >= last if descending else number <= last)
            and (before is None or (number < before if descending else number > before))
        ]
        assert grade.layouts == len(inside)
        assert (grade.low, grade.high) == (min(of[p] for p in inside), max(of[p] for p in inside))
        assert [entry.position for entry in entries] == [inside[sampled(n, 7, len(inside), 5) - 1] for n in range(1, 8)]
        assert [entry.number for entry in entries] == [of[entry.position] for entry in entries]


def test_a_picture_of_each_layout_is_written(sqlite_store: Database, tmp_path: Path) -> None:
    run = a_run(sqlite_store, "card-pairing/winnable", deal(PAIRING, 3, 1, 60))
    pack = write_pack(sqlite_store, run, tmp_path / "a.json", Choice(grades=2, each=3))
    assert pack.write_pictures(tmp_path / "new" / "folder") == 6
    for entry in pack.layouts:
        drawn = (tmp_path / "new" / "folder" / f"grade-{entry.grade}-{entry.position}.svg").read_text()
        assert drawn == f"{next(PAIRING.scenes(entry.layout)).svg}\n"
    with pytest.raises(OutputError, match="cannot be made"):
        pack.write_pictures(tmp_path / "a.json")
    wrong = pack.model_copy(update={"layouts": [pack.layouts[0].model_copy(update={"layout": "98AK"})]})
    with pytest.raises(InputError, match=r"position \d+ of the pack is not one of card-pairing"):
        wrong.write_pictures(tmp_path / "wrong")


def test_the_same_results_give_the_same_bytes_whatever_the_storage(sqlite_store: Database, tmp_path: Path) -> None:
    runs = [
        run_of_deals(sqlite_store, "card-pairing/winnable", 600, storage) for storage in (Storage.COMPACT, Storage.ROWS)
    ]
    written = set[bytes]()
    for run in runs:
        write_pack(sqlite_store, run, tmp_path / "a.json", Choice(grades=3, each=20, seed=9), force=True)
        written.add((tmp_path / "a.json").read_bytes())
    assert len(written) == 1 and check_pack(tmp_path / "a.json").problems == []
    for entry in json.loads(written.pop())["layouts"]:
        assert [entry["layout"]] == deal(PAIRING, 7, entry["line"], 1)


def test_layouts_that_differ_only_in_names_are_taken_once(sqlite_store: Database, tmp_path: Path) -> None:
    chance = random.Random(7)
    texts = deal(PAIRING, 2, 1, 40)
    run = a_run(sqlite_store, "card-pairing/winnable", [*texts, *(renamed(text, chance) for text in texts * 3)])
    won = sum(result.verdict is Verdict.WINNABLE for result in list(Query(sqlite_store, [run], Filter()))[:40])
    path = tmp_path / "a.json"
    pack = write_pack(sqlite_store, run, path, Choice(by="layout-length", grades=1, each=won))
    assert len({PAIRING.nameless(entry.layout) for entry in pack.layouts}) == won
    with pytest.raises(UsageError, match=rf"but only {won} of the run differ in more than names"):
        write_pack(sqlite_store, run, path, Choice(by="layout-length", grades=1, each=won + 1), force=True)
    copied = [*pack.layouts[:-1], pack.layouts[0].model_copy(update={"position": pack.layouts[-1].position})]
    path.write_text(pack.model_copy(update={"layouts": copied}).json_text())
    assert any("only in names" in problem for problem in check_pack(path).problems)


@pytest.mark.parametrize("by", ["value", "critical"])
def test_another_run_can_grade_and_layouts_it_did_not_decide_are_left_out(
    by: str, sqlite_store: Database, tmp_path: Path
) -> None:
    texts = deal(PAIRING, 3, 1, 200)
    run = a_run(sqlite_store, "card-pairing/winnable", texts)
    grading = a_run(sqlite_store, "card-pairing/odds", texts, max_nodes=1_000)
    path, choice = tmp_path / "a.json", Choice(by, grades=2, each=10)
    pack = write_pack(sqlite_store, run, path, choice, grading)
    for entry in pack.layouts:
        assert entry.verdict == "winnable" and entry.graded_by and entry.graded_by.nodes <= 1_000
        words = (entry.graded_by.evidence or "").split(" ")
        assert entry.number == (entry.graded_by.value if by == "value" else int(words[2]))
    assert check_pack(path).problems == []
    write_pack(sqlite_store, run, tmp_path / "a.csv", choice, grading)
    rows = list(csv.DictReader((tmp_path / "a.csv").open(newline="")))
    assert [row["number"] for row in rows] == [str(entry.number) for entry in pack.layouts]
    assert [row["graded_by_evidence"] for row in rows] == [
        entry.graded_by and entry.graded_by.evidence for entry in pack.layouts
    ]


UNPROVED = r"dealmill|(run|graded_by)\.fingerprint|seed|grades\.\d\.(layouts|low|high)"
"""What nothing in the file can prove: where the pack is from, and bounds of a grade that hold all its numbers."""


def leaves(part: Any, path: str = "") -> Iterator[tuple[Any, Any, str]]:
    """Every single value of a JSON document: its container, its key, and its path."""
    for key, value in part.items() if isinstance(part, dict) else enumerate(part):
        name = f"{path}.{key}".lstrip(".")
        if isinstance(value, dict | list):
            yield from leaves(value, name)
        else:
            yield part, key, name


@pytest.mark.slow
def test_whatever_is_altered_in_a_pack_is_found(sqlite_store: Database, tmp_path: Path) -> None:
    run, grading = (run_of_deals(sqlite_store, f"memory/{name}", 60, pairs=6) for name in ("two-pass", "incremental"))
    path = tmp_path / "a.json"
    write_pack(sqlite_store, run, path, Choice("value", grades=2, each=2), grading)
    text = path.read_text()
    kept = set[str]()
    for number, (_, _, name) in enumerate(leaves(json.loads(text))):
        document = json.loads(text)
        part, key, _ = [*leaves(document)][number]
        value = part[key]
        part[key] = not value if isinstance(value, bool) else value + 1 if isinstance(value, int) else f"{value or ''}1"
        path.write_text(json.dumps(document))
        try:
            problems = check_pack(path).problems or check_pack(path).unchecked
        except DealmillError as error:
            problems = [str(error)]
        if not problems:
            kept.add(name)
    assert {name for name in kept if not re.fullmatch(UNPROVED, name)} == set()


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"format": "dealmill-pack/2"}', "\0", "[" * 100_000])
def test_a_file_that_is_no_pack_is_refused(text: str, tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_text(text)
    with pytest.raises(InputError, match="is not a pack"):
        check_pack(path)


def test_a_pack_in_csv_is_not_checked_and_the_file_in_json_is_named(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("position,line,layout\n")
    with pytest.raises(InputError, match=r"a\.csv is not JSON; give the \.json file of the pack instead$"):
        check_pack(path)
    path.with_suffix(".json").touch()
    with pytest.raises(InputError, match=r"instead: \S*a\.json$"):
        check_pack(path)


@pytest.mark.parametrize(
    ("path", "message"), [("/dev/zero", "is a device"), (".", "Is a directory"), ("none.json", "No such file")]
)
def test_what_is_no_file_is_not_read(path: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        check_pack(Path(path))


def test_what_is_no_range_of_deals_is_a_problem_of_the_pack(sqlite_store: Database, tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    pack = write_pack(sqlite_store, run_of_deals(sqlite_store, "memory/two-pass", 9), path, Choice(grades=1, each=2))
    assert pack.deals
    for change in ({"seed": -1}, {"first": 9, "last": 1}, {"parameters": {"pairs": 10**9}}):
        changed = pack.model_copy(update={"deals": pack.deals.model_copy(update=change)})
        path.write_text(changed.json_text())
        assert check_pack(path).problems == ["the deals are no range of deals of memory"]


def test_undecided_layouts_are_not_called_proved(sqlite_store: Database, tmp_path: Path) -> None:
    run = a_run(sqlite_store, "card-pairing/winnable", deal(PAIRING, 3, 1, 100), max_nodes=1)
    path, choice = tmp_path / "a.json", Choice(verdicts=(Verdict.WINNABLE, Verdict.UNDECIDED), grades=1, each=50)
    pack = write_pack(sqlite_store, run, path, choice)
    open_ = sum(entry.verdict == "undecided" for entry in pack.layouts)
    assert check_pack(path).problems == [] and check_pack(path).undecided == open_ > 0
    told = CliRunner().invoke(commands, ["pack", "--check", str(path)]).stderr
    assert f"50 layouts of card-pairing in 1 grade; {open_} of them undecided, so not proved\n" in told
    path.write_text(path.read_text().replace('"max_nodes": 1,', '"max_nodes": -5,'))
    with pytest.raises(InputError, match=r"run.max_nodes: Input should be greater than or equal to 1"):
        check_pack(path)


def test_what_cannot_be_chosen_is_refused_before_a_file_is_written(sqlite_store: Database, tmp_path: Path) -> None:
    run = a_run(sqlite_store, "card-pairing/winnable", deal(PAIRING, 1, 1, 50))
    grading_run = a_run(sqlite_store, "card-pairing/winnable", deal(PAIRING, 2, 1, 50), name="b.txt")
    for choice, grading, path, message in (
        (Choice(), None, "a.json", "for 5 grades of 200, 1,000 layouts must .* but only 3"),
        (
            Choice("layout-length", grades=2, each=5),
            None,
            "a.json",
            "grade 2 has only 0 layouts of 5, because many",
        ),
        (Choice("ease", grades=1, each=1), None, "a.json", "has no number 'ease'; choose one of: nodes, value, "),
        (Choice(grades=1, each=1), grading_run, "a.json", "they have different sources"),
        (Choice(grades=1, each=1), None, "a.txt", "must end in .json or .csv"),
    ):
        with pytest.raises(UsageError, match=message):
            write_pack(sqlite_store, run, tmp_path / path, choice, grading)
    with pytest.raises(UsageError, match="grades must be a whole number from 1"):
        Choice(grades=0)
    assert not list(tmp_path.glob("a.*"))


@pytest.mark.parametrize("suffix", [".json", ".csv"])
def test_bare_python_proves_a_pack(suffix: str, sqlite_store: Database, tmp_path: Path) -> None:
    run = a_run(sqlite_store, "card-pairing/winnable", deal(PAIRING, 1, 1, 200))
    path = tmp_path / f"a{suffix}"
    write_pack(sqlite_store, run, path, Choice(grades=2, each=10), with_checker=True)
    check = [sys.executable, "-I", "-S", f"{path}.check.py", str(path)]
    proved = subprocess.run(check, capture_output=True, text=True, check=True)
    assert proved.stdout.splitlines()[:2] == [f"{path}: 20 rows, as exported", "proved: 20 winnable"]
    path.write_text(path.read_text().replace("winnable", "unwinnable", 2))
    altered = subprocess.run(check, capture_output=True, text=True, check=False)
    assert altered.returncode == 1 and "row 1: the verdict is 'unwinnable'" in altered.stdout


@pytest.mark.slow
def test_a_calendar_has_a_layout_for_each_day_and_none_of_an_earlier_pack(tmp_path: Path) -> None:
    weekdays = (1, 1, 2, 3, 3, 4, 5)
    first, second, alone = (tmp_path / f"{name}.json" for name in "abc")
    with dealmill.open(f"sqlite:///{tmp_path / 'a.db'}") as store:
        run = store.run(dealmill.deals("card-pairing", count=600))
        pack = run.pack(first, calendar=(date(2028, 2, 27), date(2028, 4, 1)), by_weekday=weekdays)
        other = run.pack(second, calendar=(date(2029, 1, 1), date(2029, 1, 31)), without=first)
        third = run.pack(alone, grades=2, each=30, without=[first, second])
        with pytest.raises(UsageError, match="ends on 2027-01-01, before it begins on 2027-01-02"):
            run.pack(tmp_path / "d.json", calendar=(date(2027, 1, 2), date(2027, 1, 1)))
        with pytest.raises(UsageError, match="there must be 7 grades"):
            run.pack(tmp_path / "d.json", calendar=(date(2027, 1, 1), date(2027, 1, 2)), by_weekday=[1])
        with pytest.raises(UsageError, match=r"for the days of the calendar, 731 layouts must have .* but only"):
            run.pack(tmp_path / "d.json", calendar=(date(2027, 1, 1), date(2028, 12, 31)))
        with pytest.raises(UsageError, match="grade 2 has only 0 layouts of 1, because many have the same number"):
            run.pack(tmp_path / "d.json", grades=60, calendar=(date(2027, 1, 1), date(2027, 1, 2)), by_weekday=[1] * 7)
        long = (date(2028, 1, 1), date(2029, 1, 31))
        few = r"^grade 1 needs 397 layouts, but only \d+ of the run .* to leave out; solve more"
        with pytest.raises(UsageError, match=few):
            run.pack(tmp_path / "d.json", calendar=long, without=first)
        won = run.status().counts[dealmill.Verdict.WINNABLE]
        share = f"each of the 5 grades has the same share of the {won} that can be chosen, {won // 5}"
        more = -(-570 * run.status().items // won) - run.status().items
        with pytest.raises(
            UsageError, match=rf"^grade 1 needs 114 layouts, but {share}; solve about {more:,} more, until 570 can be"
        ):
            run.pack(tmp_path / "d.json", calendar=long, by_weekday=weekdays)
    days = [date(2028, 2, 27) + timedelta(number) for number in range(35)]
    assert [entry.date for entry in pack.layouts] == days
    assert [entry.grade for entry in pack.layouts] == [weekdays[day.weekday()] for day in days]
    assert {entry.grade for entry in other.layouts} == {1} and len(other.layouts) == 31
    layouts = [PAIRING.nameless(entry.layout) for each in (pack, other, third) for entry in each.layouts]
    assert len(set(layouts)) == len(layouts) == 35 + 31 + 60
    for path in (first, second, alone):
        assert not dealmill.check_pack(path).problems
    swapped = [pack.layouts[1].model_copy(update={"date": days[0]}), pack.layouts[0], *pack.layouts[2:]]
    first.write_text(pack.model_copy(update={"layouts": swapped}).json_text())
    assert "the dates of the layouts are not the days of its calendar" in dealmill.check_pack(first).problems[0]


def test_a_playback_of_another_solution_is_a_problem(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    with dealmill.open(f"sqlite:///{tmp_path / 'a.db'}") as store:
        pack = store.run(dealmill.deals("card-pairing", count=40)).pack(path, grades=1, each=2)
    first, second = pack.layouts
    assert first.playback and Pack.model_validate_json(path.read_text()) == pack
    changed = first.model_copy(update={"playback": second.playback})
    path.write_text(pack.model_copy(update={"layouts": [changed, second]}).json_text())
    assert dealmill.check_pack(path).problems == [f"layout {first.position}: its playback is not that of its evidence"]


@pytest.mark.parametrize(("name", "model"), [("pack", Pack), ("playback", Playback), ("results", Results)])
def test_the_schema_in_the_docs_is_that_of_the_code(name: str, model: type[BaseModel]) -> None:
    published = json.loads((Path(__file__).parent.parent / "docs" / f"{name}.schema.json").read_text())
    assert published == model.model_json_schema(), "write it again with: make docs"


def test_imported_solutions_are_packed_and_proved(tmp_path: Path) -> None:
    with dealmill.open(f"sqlite:///{tmp_path / 'a.db'}") as store:
        solved = store.run(dealmill.deals("card-pairing", count=100))
        solved.export(tmp_path / "card-pairing.jsonl")
        imported = store.import_verdicts(tmp_path / "card-pairing.jsonl", engine="mine", version="7")
        pack = imported.pack(tmp_path / "a.json", grades=2, each=10)
    checked = dealmill.check_pack(tmp_path / "a.json")
    assert pack.run.engine == "card-pairing/mine" and not checked.problems
    assert any("node counts of card-pairing/mine" in what for what in checked.unchecked)
    lost = pack.layouts[0].model_copy(update={"evidence": pack.layouts[1].evidence})
    (tmp_path / "a.json").write_text(pack.model_copy(update={"layouts": [lost, *pack.layouts[1:]]}).json_text())
    assert "invalid" in dealmill.check_pack(tmp_path / "a.json").problems[0]


def test_a_pack_has_no_layout_that_is_proved_lost_unless_asked(sqlite_store: Database, tmp_path: Path) -> None:
    texts = deal(PAIRING, 3, 1, 60, ranks=5, stacks=4)
    run, odds = (a_run(sqlite_store, f"card-pairing/{name}", texts) for name in ("winnable", "odds"))
    lost = find_run(sqlite_store, run.id).counts[Verdict.UNWINNABLE]
    for graded, grading in ((odds, None), (odds, run)):
        choice = Choice("layout-length", grades=1, each=1)
        pack = write_pack(sqlite_store, graded, tmp_path / "a.json", choice, grading, force=True)
        assert pack.grades[0].layouts == len(texts) - lost and pack.layouts[0].value
        asked = replace(choice, verdicts=(Verdict.SCORED, Verdict.UNWINNABLE))
        pack = write_pack(sqlite_store, graded, tmp_path / "a.json", asked, grading, force=True)
        assert pack.grades[0].layouts == len(texts)


def test_grades_by_node_counts_that_cannot_be_checked_are_not_called_proved(
    sqlite_store: Database, tmp_path: Path
) -> None:
    path = tmp_path / "a.json"
    run = a_run(sqlite_store, "card-pairing/winnable", deal(PAIRING, 3, 1, 60))
    pack = write_pack(sqlite_store, run, path, Choice(grades=1, each=2))
    first = pack.layouts[0].model_copy(update={"nodes": 10**6, "number": 10**6})
    grade = pack.grades[0].model_copy(update={"high": 10**6})
    pack = pack.model_copy(update={"layouts": [first, *pack.layouts[1:]], "grades": [grade]})
    imported = pack.run.model_copy(update={"checked_as": pack.run.engine})
    path.write_text(pack.model_copy(update={"run": imported}).json_text())
    assert any("has another result or node count" in problem for problem in check_pack(path).problems)
    for change in ({"version": "0"}, {"engine": "card-pairing/theirs"}):
        path.write_text(pack.model_copy(update={"run": imported.model_copy(update=change)}).json_text())
        assert check_pack(path).problems == [] and not check_pack(path).grades_proved
        told = CliRunner().invoke(commands, ["pack", "--check", str(path)]).stderr
        assert "solutions proved, but not the node counts that grade them\n" in told


def test_verdicts_without_evidence_are_neither_packed_nor_proved(tmp_path: Path) -> None:
    path = tmp_path / "card-pairing.jsonl"
    with dealmill.open(f"sqlite:///{tmp_path / 'a.db'}") as store:
        solved = store.run(dealmill.deals("card-pairing", count=100))
        rows = [{"layout": result.layout, "verdict": "winnable"} for result in solved.results()]
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
        claimed = store.import_verdicts(path, engine="mine", version="7")
        with pytest.raises(UsageError, match="evidence and a number for nodes, but only 0 of the run do"):
            claimed.pack(tmp_path / "b.json", grades=1, each=1)
        solved.export(path, force=True)
        pack = store.import_verdicts(path, engine="mine", version="8").pack(tmp_path / "a.json", grades=2, each=10)
    bare = pack.layouts[0].model_copy(update={"evidence": None})
    (tmp_path / "a.json").write_text(pack.model_copy(update={"layouts": [bare, *pack.layouts[1:]]}).json_text())
    [problem] = dealmill.check_pack(tmp_path / "a.json").problems
    assert problem.endswith("the verdict is winnable, but there is no evidence")


@pytest.mark.parametrize(
    ("days", "message"),
    [
        ("2027-02-28..2027-02-29", "'2027-02-29' is not a day; write two"),
        ("2027-03-02", "'2027-03-02' is one day; write two"),
        ("2027-03-02..", "'' is not a day; write two"),
    ],
)
def test_what_is_not_a_day_of_a_calendar_is_named(days: str, message: str) -> None:
    with pytest.raises(click.BadParameter, match=re.escape(message)):
        Days().convert(days, None, None)
    assert Days().convert("2028-02-29..2028-03-01", None, None) == (date(2028, 2, 29), date(2028, 3, 1))


def test_the_first_deals_show_how_many_a_pack_needs() -> None:
    enough = Growth("freecell", 100, [30, 20], [20, 20])
    assert enough.deals_needed == 100
    growth = Growth("freecell", 100, [30, 9, 0], [100, 100, 0])
    assert growth.deals_needed == 1_700  # nine of a hundred, less one standard deviation: six
    assert growth.deals_solved == 1_000 + 1_700
    assert "30 of 100 of grade 1, 9 of 100 of grade 2; about 1,700 deals are needed, which take about 42 s with 2" in (
        growth.words([1.4, 1.7], 2)
    )
    assert "the next stage has 1,000" in growth.words([None, 3.0], 2)
    growth.check_in_reach()
    rare = Growth("freecell", 1_000, [300, 90, 0], [1, 1, 52])
    with pytest.raises(UsageError, match="none of the first 1,000 deals of freecell is won and has grade 3, of which"):
        rare.check_in_reach()


def test_a_careful_player_grades_a_run_of_a_covering_game(sqlite_store: Database, tmp_path: Path) -> None:
    run = run_of_deals(sqlite_store, "tripeaks/winnable", 40)
    assert default_measure(run) == "chance"
    with pytest.raises(UsageError, match="played with: dealmill run deal:tripeaks:seed=7:1-40 --engine tripeaks/chan"):
        grading_run(sqlite_store, run)
    number = queue_stored(sqlite_store, find_source(sqlite_store, run.source), "tripeaks/chances", None)
    do_runs(sqlite_store)
    played = grading_run(sqlite_store, run)
    assert played and played.id == number and default_measure(run, played) == "chance"
    path, choice = tmp_path / "a.json", choice_of("chance", grades=5, each=1)
    counts = counts_by_grade(sqlite_store, run, choice, played)
    pack = write_pack(sqlite_store, run, path, choice, played)
    [engine] = [each for each in find_game("tripeaks").engines if each.grades]
    assert [grade.layouts for grade in pack.grades] == counts and min(counts) > 0
    assert [grade.low for grade in pack.grades] == [*engine.grades, 0]
    assert all(entry.verdict == "winnable" and entry.grade == engine.grade(entry.number) for entry in pack.layouts)
    assert check_pack(path) == CheckedPack(pack, [], [], True)
    entry = max(pack.layouts, key=lambda entry: entry.number)
    assert entry.graded_by
    wrong = entry.graded_by.model_copy(update={"value": entry.number - 1_000})
    lower = entry.model_copy(update={"graded_by": wrong, "number": entry.number - 1_000})
    others = [lower if each is entry else each for each in pack.layouts]
    path.write_text(pack.model_copy(update={"layouts": others}).json_text())
    assert any("plays are won by the evidence" in problem for problem in check_pack(path).problems)
    left = choice_of("chance", grades=5, each=1, without=[path])
    assert sum(counts_by_grade(sqlite_store, run, left, played)) == sum(counts) - 5
    with pytest.raises(UsageError, match="grades by chance are fixed"):
        choice_of("chance", descending=True)


def test_a_check_repeats_as_many_plays_as_it_has_time(
    sqlite_store: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    runs = [run_of_deals(sqlite_store, f"tripeaks/{name}", 40) for name in ("winnable", "chances")]
    path = tmp_path / "a.json"
    write_pack(sqlite_store, runs[0], path, choice_of("chance", grades=3, each=3), runs[1])
    monkeypatch.setattr(pack_check, "PLAYING_SECONDS", -1.0)
    monkeypatch.setattr(pack_check, "SOLVING_SECONDS", -1.0)
    checked = check_pack(path)
    assert checked.problems == [] and checked.unchecked == [
        "plays, but for two of 1 of the 9 layouts, which were repeated",
        "results of tripeaks/winnable but for 4 of 9, solved again",
        "results of tripeaks/chances but for 4 of 9, solved again",
    ]


@pytest.mark.slow
def test_a_pack_of_a_game_solves_and_plays_what_it_needs(tmp_path: Path) -> None:
    path, days = tmp_path / "a.json", (date(2027, 1, 4), date(2027, 1, 17))
    messages, read = list[str](), list[int]()

    def note(event: object) -> None:
        if isinstance(event, dealmill.progress.Message):
            messages.append(event.text)
        elif isinstance(event, dealmill.progress.Ingested):
            read.append(event.source.id)

    with dealmill.open(f"sqlite:///{tmp_path / 'a.db'}") as store:
        pack = store.pack("deal:tripeaks:seed=3", path, calendar=days, progress=note)
        assert [entry.grade for entry in pack.layouts] == [1, 1, 2, 2, 3, 3, 4] * 2
        assert messages[0] == "solving and playing the first 100 deals of tripeaks, to see how many are needed"
        assert [run.source for run in store.runs()][-2:] == [pack.source] * 2
        assert read == sorted(set(read)) == [source.id for source in store.sources()]
        again = store.pack("deal:tripeaks:seed=3", path, calendar=days, force=True)
        assert again == pack and check_pack(path).problems == []
        for game, message in (
            ("memory", "memory has no careful player"),
            ("deal:tripeaks:seed=3:1-9", "only some deals"),
        ):
            with pytest.raises(UsageError, match=message):
                store.pack(game, tmp_path / "b.json")
