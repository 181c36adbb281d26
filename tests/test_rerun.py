"""Repeating, comparing and retracting runs, on both databases."""

import re
from dataclasses import replace
from random import Random
from statistics import geometric_mean

import pytest
from sqlalchemy import text, update

from dealmill.pipeline.arguments import MAX_INTEGER, DifferenceKind
from dealmill.pipeline.errors import DamagedError, NotFoundError, RetractedError, StoreError, UsageError, VersionError
from dealmill.pipeline.games import find_game
from dealmill.pipeline.games.batch import Entries
from dealmill.pipeline.games.deals import DealRange
from dealmill.pipeline.games.descriptions import Layout
from dealmill.pipeline.games.verdict import Verdict
from dealmill.pipeline.ingest.sources import deals_reading, deals_source
from dealmill.pipeline.progress.events import silent
from dealmill.pipeline.results.result import RecordedVerdict
from dealmill.pipeline.store.audits.audit import recorded_faults
from dealmill.pipeline.store.database.connections import Database
from dealmill.pipeline.store.database.tables import LEASED, Storage, engines, jobs, verdicts
from dealmill.pipeline.store.diffs.diff import diff
from dealmill.pipeline.store.diffs.difference import Difference
from dealmill.pipeline.store.planning.run_planning import insert_run, queue_replacement, queue_rerun, queue_run
from dealmill.pipeline.store.queries.results import find_result, matching_runs
from dealmill.pipeline.store.runs.engines import retract, unretract
from dealmill.pipeline.store.runs.finding import find_run, list_runs
from dealmill.pipeline.store.runs.log import list_actions
from dealmill.pipeline.store.runs.status import RunStatus
from dealmill.pipeline.store.sources.source import find_source
from dealmill.pipeline.store.sources.writing import append, cut_remaining_jobs, open_source
from dealmill.pipeline.store.storages.item_blocks import fingerprint_of
from dealmill.pipeline.survey.growth import extend_to, open_survey
from dealmill.stores import Store
from tests.doing import a_run, a_source, an_audit, deal, do_job, do_runs, pending, queue_stored

ENGINE = "memory/two-pass"
LAYOUTS = list(dict.fromkeys(deal(find_game("memory"), 3, 1, 500, pairs=4)))[:300]


def repeat(database: Database, run: RunStatus, *, any_version: bool = False) -> RunStatus:
    """A finished repetition."""
    number = queue_rerun(database, run, any_version=any_version)
    do_runs(database)
    return find_run(database, number)


def put_on_record(database: Database, version: str) -> None:
    """Have the store say that another version of the engine has solved everything so far."""
    with database.writing() as connection:
        connection.execute(text("UPDATE engines SET version = :version"), {"version": version})


def compared(database: Database, left: RunStatus, right: RunStatus) -> list[Difference]:
    return list(diff(database, left, right))


def test_a_rerun_gives_the_same_results_as_a_run_of_its_own(database: Database) -> None:
    run = a_run(database, ENGINE, LAYOUTS, max_nodes=50, chunk=7)
    again = repeat(database, run)
    assert (again.id, again.repeats, again.max_nodes, again.source) == (2, 1, 50, run.source)
    assert (again.engine, again.version) == (run.engine, run.version)
    assert again.solved == 300 and again.finished
    assert compared(database, run, again) == compared(database, again, run) == []
    assert fingerprint_of(database, 2, 300) == fingerprint_of(database, 1, 300)
    assert repeat(database, run).id == 3
    assert queue_run(database, find_source(database, "1"), ENGINE, 50) == 1


def test_an_interrupted_rerun_is_resumed(database: Database) -> None:
    run = a_run(database, ENGINE, LAYOUTS)
    begun = queue_rerun(database, run, any_version=False)
    assert queue_rerun(database, run, any_version=False) == begun
    do_runs(database)
    assert queue_rerun(database, run, any_version=False) == begun + 1


def test_an_unfinished_run_cannot_be_rerun(database: Database) -> None:
    number = insert_run(database, a_source(database, ENGINE, LAYOUTS), ENGINE, "1", None, chunk=100)
    with pytest.raises(StoreError, match="run 1 is not finished"):
        queue_rerun(database, find_run(database, number), any_version=False)


def test_a_rerun_of_a_run_that_cannot_be_finished_says_why(database: Database) -> None:
    broken = append(database, open_source(database, "memory", "b.txt", b"b"), Entries.of([Layout(1, "AABB")]))
    insert_run(database, broken, ENGINE, "1", None)
    cut_remaining_jobs(database, broken)
    do_runs(database)
    with pytest.raises(StoreError, match=r"b\.txt has not been read to its end; .* repeat the command"):
        queue_rerun(database, find_run(database, "1"), any_version=False)
    insert_run(database, a_source(database, ENGINE, LAYOUTS), ENGINE, "1", None)
    retract(database, ENGINE, "1", "miscounts")
    for number in ("1", "2"):
        with pytest.raises(RetractedError, match=rf"run {number} cannot continue: .* was retracted \(miscounts\)"):
            queue_rerun(database, find_run(database, number), any_version=False)


def test_a_rerun_with_another_version_needs_any_version(database: Database) -> None:
    a_run(database, ENGINE, LAYOUTS)
    put_on_record(database, "0")
    run = find_run(database, "1")
    with pytest.raises(VersionError, match=r"run 1 is by version 0 of memory/two-pass, but version 1 is installed"):
        queue_rerun(database, run, any_version=False)
    again = repeat(database, run, any_version=True)
    assert (again.version, again.repeats) == ("1", 1)
    assert compared(database, run, again) == []


def test_every_difference_is_reported_with_both_results(database: Database) -> None:
    run = a_run(database, ENGINE, LAYOUTS)
    again = repeat(database, run)
    with database.writing() as connection:
        for change in (
            "SET value = value + 2 WHERE run_id = 1 AND position = 3",
            "SET evidence = 'x' WHERE run_id = 2 AND position = 5",
            "SET verdict = 4, value = NULL, evidence = NULL WHERE run_id = 2 AND position = 7",
        ):
            connection.execute(text(f"UPDATE verdicts {change}"))
        connection.execute(text("DELETE FROM verdicts WHERE run_id = 1 AND position = 9"))
    run = unfinished(run)
    differing = compared(database, run, again)
    assert [(one.one.position, one.layout) for one in differing] == [(n, LAYOUTS[n - 1]) for n in (3, 5, 7, 9)]
    assert differing[0].one.value == (differing[0].other.value or 0) + 2
    assert (differing[1].one.evidence, differing[1].other.evidence) != ("x", "x") == (differing[1].other.evidence, "x")
    assert differing[2].other == RecordedVerdict(7, Verdict.UNDECIDED, None, None)
    assert differing[3].one == RecordedVerdict(9, None, None, None)
    assert [one.kind for one in differing] == ["contradicted", "evidence", "lost", "missing"]
    assert [one.kind for one in compared(database, again, run)] == ["contradicted", "evidence", "gained", "missing"]
    assert [one.kind for one in diff(database, run, again, ["evidence", "missing"])] == ["contradicted", "lost"]
    summary = diff(database, run, again).summary
    assert summary.counts == {"contradicted": 1, "lost": 1, "evidence": 1, "missing": 1}
    assert summary.evidence_lengths == (len(differing[1].one.evidence or ""), 1)
    with pytest.raises(UsageError, match="there is no kind of difference 'worse'; choose from: contradicted, question"):
        diff(database, run, again, ["worse"])


def unfinished(run: RunStatus) -> RunStatus:
    """Return a run of which verdicts may be missing."""
    return replace(run, pending=run.pending + 1, jobs=run.jobs + 1)


@pytest.mark.parametrize("storage", Storage)
def test_answers_to_different_questions_do_not_contradict_each_other(database: Database, storage: Storage) -> None:
    deals = DealRange(find_game("memory"), 3, 1, 100)
    deals_reading(database, deals).finish(silent)
    source = deals_source(database, deals)
    left, right = (
        queue_stored(database, source, f"memory/{name}", None, storage) for name in ("two-pass", "incremental")
    )
    do_runs(database)
    assert {each.kind for each in compared(database, find_run(database, left), find_run(database, right))} == {
        "question"
    }


def test_verdicts_that_nobody_decided_differ_in_the_reason(database: Database) -> None:
    undecided, failed = (RecordedVerdict(1, verdict, None, None) for verdict in (Verdict.UNDECIDED, Verdict.FAILED))
    assert Difference("AABB", undecided, failed).kind is DifferenceKind.UNDECIDED


@pytest.mark.parametrize("same_source", [True, False])
def test_node_counts_are_compared_on_layouts_that_both_decided(
    database: Database, same_source: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("dealmill.pipeline.store.diffs.nodes.COUNTS_PER_FETCH", 17)
    chance, layouts = Random(5), LAYOUTS[:100]
    run = a_run(database, ENGINE, layouts)
    second = repeat(database, run) if same_source else a_run(database, ENGINE, layouts[::-1], name="b.txt")
    counts = {layout: (chance.choice((0, 3, 8)), chance.choice((0, 2, 3, 8, 40))) for layout in layouts}
    counts[layouts[50]] = (1, 2**62 - 1)
    with database.writing() as connection:
        for at, (layout, nodes) in enumerate(counts.items(), start=1):
            positions = at, at if same_source else 101 - at
            for number, position, count in zip((run.id, second.id), positions, nodes, strict=True):
                where = f"WHERE run_id = {number} AND position = {position}"
                connection.execute(text(f"UPDATE verdicts SET nodes = {count} {where}"))
                if layout in layouts[:3]:
                    connection.execute(text(f"UPDATE verdicts SET verdict = 4 {where}"))
    decided = [counts[layout] for layout in layouts[3:]]
    ratios = [max(after, 1) / max(before, 1) for before, after in decided]
    counted = diff(database, run, second).nodes
    assert counted is not None
    assert (counted.layouts, counted.total, counted.other_total) == (97, *map(sum, zip(*decided, strict=True)))
    assert counted.ratio == pytest.approx(geometric_mean(ratios))
    assert [pair.ratio for pair in counted.worst] == sorted(ratios, reverse=True)[:10]
    assert counted.worst[0].position == 51
    bounds = {"at most 1/4": (0, 0.25), "to 1/2": (0.26, 0.5), "less than 1": (0.51, 0.99), "1": (1, 1)}
    bounds |= {"more than 1": (1.01, 1.99), "from 2": (2, 3.99), "at least 4": (4, 2**63)}
    expected = {bar: sum(low <= ratio <= high for ratio in ratios) for bar, (low, high) in bounds.items()}
    assert counted.histogram == expected


def test_a_node_count_that_is_no_number_is_reported(sqlite_store: Database) -> None:
    run = a_run(sqlite_store, ENGINE, LAYOUTS[:9])
    with sqlite_store.writing() as connection:
        connection.execute(text("UPDATE verdicts SET nodes = 'x' WHERE position = 4"))
    with pytest.raises(DamagedError, match=r"1:4 cannot be read: verdicts\.nodes is 'x', not a whole number"):
        _ = diff(sqlite_store, run, run).nodes


def test_runs_over_different_sources_are_compared_layout_by_layout(database: Database) -> None:
    run = a_run(database, ENGINE, LAYOUTS[:100])
    shuffled = a_run(database, ENGINE, [*LAYOUTS[50:100], *LAYOUTS[:50], *LAYOUTS[:10]], name="b.txt")
    assert compared(database, run, shuffled) == []
    overlapping = a_run(database, ENGINE, LAYOUTS[98:101], name="c.txt")
    differing = compared(database, run, overlapping)
    assert len(differing) == 99
    assert [difference.one.position for difference in differing] == [*range(1, 99), None]
    alone = {difference.layout: (difference.one.position, difference.other.position) for difference in differing}
    assert alone[LAYOUTS[0]] == (1, None) and alone[LAYOUTS[100]] == (None, 3)
    assert LAYOUTS[98] not in alone and LAYOUTS[99] not in alone


Claim = tuple[int, int | None, str | None] | None
"""The verdict, value and evidence of an item; None if it has no verdict."""
CLAIMS: list[Claim] = [(3, 4, "a"), (3, 4, "b"), (3, 6, "a"), (1, None, "a"), (2, None, "a"), (4, None, None), None]


def a_run_of_claims(database: Database, name: str, claims: list[tuple[str, Claim]]) -> RunStatus:
    """Return a run over these layouts, with these verdicts in place of those of the engine. It is not finished if some
    are None."""
    run = a_run(database, ENGINE, [layout for layout, _ in claims], name=name)
    names = ("run_id", "position", "verdict", "value", "evidence", "nodes")
    rows = [(run.id, position, *claim, 0) for position, (_, claim) in enumerate(claims, start=1) if claim]
    with database.writing() as connection:
        connection.execute(verdicts.delete().where(verdicts.c.run_id == run.id))
        if rows:
            connection.execute(verdicts.insert(), [dict(zip(names, row, strict=True)) for row in rows])
        if len(rows) < len(claims):
            connection.execute(jobs.update().where(jobs.c.run_id == run.id).values(state=LEASED))
    return find_run(database, run.id)


def naive_kind(ours: Claim, theirs: Claim) -> str | None:
    """Return the kind of the difference between two verdicts; None if they are equal."""
    if ours == theirs:
        return None
    if ours is None or theirs is None:
        return "missing"
    decided = ours[0] < 4, theirs[0] < 4
    if decided == (True, True):
        return "contradicted" if ours[:2] != theirs[:2] else "evidence"
    return {(True, False): "lost", (False, True): "gained"}.get(decided, "evidence")


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(12))
def test_all_occurrences_of_a_layout_are_compared_in_any_order(database: Database, seed: int) -> None:
    chance = Random(seed)
    ours, theirs = (
        [(chance.choice(LAYOUTS[:4]), chance.choice(CLAIMS)) for _ in range(chance.randint(1, 9))] for _ in range(2)
    )
    our_run, their_run = a_run_of_claims(database, "a.txt", ours), a_run_of_claims(database, "b.txt", theirs)
    shared = {layout for layout, _ in ours} & {layout for layout, _ in theirs}
    expected = {
        (layout, naive_kind(left, right))
        for layout, left in ours
        for layout_there, right in theirs
        if layout == layout_there and left != right
    }
    alone = {(layout, "missing") for layout, _ in (*ours, *theirs) if layout not in shared}
    comparison = diff(database, our_run, their_run)
    kinds = {(str(difference.layout), str(difference.kind)) for difference in comparison}
    assert {layout for layout, _ in kinds} == {layout for layout, _ in expected | alone}
    assert {it for it in kinds if it[1] != "evidence"} == {it for it in expected | alone if it[1] != "evidence"}
    assert kinds <= expected | alone
    answered = [{layout for layout, claim in run if claim} for run in (ours, theirs)]
    assert comparison.compared == len(answered[0] & answered[1])
    decided = [{layout for layout, claim in run if claim and claim[0] < 4} for run in (ours, theirs)]
    assert (comparison.nodes.layouts if comparison.nodes else 0) == len(decided[0] & decided[1])
    [of_all] = Store(database).find_run(our_run.id).diffs()
    assert {(str(it.layout), str(it.kind)) for it in of_all} == {it for it in kinds if it[1] != "missing"}
    for run, claims in ((our_run, ours), (their_run, theirs)):
        assert contradictions(database, run) == naive_contradictions(claims)


def contradictions(database: Database, run: RunStatus) -> list[tuple[int, int]]:
    """Return the items that an audit finds to contradict an earlier item, with that item."""
    reasons = ((fault.first, fault.reason) for fault in recorded_faults(database, an_audit(database, run).id))
    matches = ((first, re.search(r" for item (\d+), which has the same layout$", reason)) for first, reason in reasons)
    return [(first, int(match[1])) for first, match in matches if match]


def naive_contradictions(claims: list[tuple[str, Claim]]) -> list[tuple[int, int]]:
    first = dict[str, tuple[int, Claim]]()
    pairs = []
    for position, (layout, claim) in enumerate(claims, start=1):
        if claim and claim[0] < 4:
            earlier, known = first.setdefault(layout, (position, claim))
            if known and known[:2] != claim[:2]:
                pairs.append((position, earlier))
    return pairs


def test_runs_of_related_games_are_compared_by_deal(database: Database) -> None:
    names, texts = ("free-cell-0-cell", "free-cell-1-cell"), list[list[str]]()
    for name, first in zip(names, (1, 3), strict=True):
        texts.append(deal(find_game(name), 1, first, 10))
    one, other = (
        a_run(database, f"{name}/winnable", layouts, max_nodes=20_000, name=name)
        for name, layouts in zip(names, texts, strict=True)
    )
    expected = {
        (layout, before, after)
        for position, layout in enumerate(texts[0][2:], start=1)
        if (before := find_result(database, one, position + 2).verdict)
        != (after := find_result(database, other, position).verdict)
    }
    compared = diff(database, one, other, by_deal=True)
    assert {(it.layout, it.one.verdict, it.other.verdict) for it in compared} >= expected
    counts = dict(compared.summary.counts)
    assert counts.pop("missing") == 4
    assert sum(counts.values()) == len(expected) > 0
    assert "contradicted" not in counts and compared.compared == 8
    with pytest.raises(UsageError, match="or these by their deals, with --by-deal"):
        diff(database, one, other)
    with pytest.raises(UsageError, match=r"compare runs of the same game$"):
        diff(database, one, a_run(database, "memory/two-pass", ["AA"], name="c.txt"), by_deal=True)


def test_a_run_is_compared_with_all_others_of_the_same_question(database: Database) -> None:
    run = a_run(database, ENGINE, LAYOUTS[:20])
    again, overlapping = repeat(database, run), a_run(database, ENGINE, LAYOUTS[10:30], name="b.txt")
    elsewhere = a_run(database, ENGINE, LAYOUTS[40:50], name="c.txt")
    a_run(database, "memory/incremental", LAYOUTS[:20])
    deals = deals_source(database, DealRange(find_game("memory"), 3, 1, 1_000))
    queue_stored(database, deals, ENGINE, None)
    do_runs(database)
    diffs = list(Store(database).find_run(run.id).diffs(ignore="evidence"))
    assert [each.other.id for each in diffs] == [again.id, overlapping.id, elsewhere.id]
    assert [each.compared for each in diffs] == [20, 10, 0] and all(each.equal for each in diffs)
    retract(database, ENGINE, "1", "miscounts")
    assert list(Store(database).find_run(run.id).diffs()) == []


@pytest.mark.parametrize("storage", Storage)
def test_only_what_both_runs_have_solved_counts_as_compared(database: Database, storage: Storage) -> None:
    deals = DealRange(find_game("memory"), 3, 1, 5_000)
    deals_reading(database, deals).finish(silent)
    source = deals_source(database, deals)
    runs = [insert_run(database, source, ENGINE, "1", limit, storage=storage, chunk=1_000) for limit in (7, 8)]
    numbers = pending(database)
    for number in (*numbers[:3], *numbers[7:]):
        do_job(database, number)
    left, right = (find_run(database, run) for run in runs)
    assert (left.solved, right.solved) == (3_000, 3_000)
    assert diff(database, left, right).compared == 1_000
    do_runs(database)
    left, right = (find_run(database, run) for run in runs)
    assert diff(database, left, right).compared == 5_000


def test_a_retraction_covers_all_present_and_later_verdicts_of_a_version(database: Database) -> None:
    a_run(database, ENGINE, LAYOUTS)
    kept = a_run(database, "memory/incremental", LAYOUTS)
    [gone] = retract(database, ENGINE, "1", "miscounts")
    assert (gone.id, gone.retracted) == (1, "miscounts")
    assert [run.retracted for run in list_runs(database)] == ["miscounts", None]
    assert [run.id for run in matching_runs(database, None, None, None, retracted=False)] == [kept.id]
    assert [run.id for run in matching_runs(database, None, None, None, retracted=True)] == [1]
    for again in (lambda: queue_run(database, find_source(database, "1"), ENGINE, 9), lambda: repeat(database, gone)):
        with pytest.raises(RetractedError, match=r"version 1 of memory/two-pass was retracted \(miscounts\)"):
            again()
    assert retract(database, ENGINE, "1", "another reason")[0].retracted == "miscounts"
    assert [action.what for action in list_actions(database)] == ["run", "run", "retract"]
    with pytest.raises(NotFoundError, match="it has runs of versions: 1"):
        retract(database, ENGINE, "2", "x")


def test_an_undone_retraction_shows_verdicts_again_and_stays_in_the_log(database: Database) -> None:
    run = a_run(database, ENGINE, LAYOUTS[:50])
    with pytest.raises(UsageError, match="version 1 of memory/two-pass is not retracted"):
        unretract(database, ENGINE, "1", "a mistake")
    retract(database, ENGINE, "1", "miscounts")
    with pytest.raises(UsageError, match="why the retraction is undone"):
        unretract(database, ENGINE, "1", " ")
    with pytest.raises(NotFoundError, match="it has runs of versions: 1"):
        unretract(database, ENGINE, "2", "a mistake")
    [back] = unretract(database, ENGINE, "1", "the count was right")
    assert (back.id, back.retracted) == (run.id, None)
    assert [entry.id for entry in matching_runs(database, None, None, None, retracted=False)] == [run.id]
    assert [(entry.what, entry.why) for entry in list_actions(database)][1:] == [
        ("retract", "miscounts"),
        ("unretract", "the count was right"),
    ]
    assert faults_of_audit(database, run) == []
    retract(database, ENGINE, "1", "it was not")
    assert faults_of_audit(database, run) == []
    with database.writing() as connection:
        connection.execute(update(engines).values(retracted=None, retracted_why=None))
    assert ["differs from the action log" in reason for reason in faults_of_audit(database, run)] == [True]


def faults_of_audit(database: Database, run: RunStatus) -> list[str]:
    return [fault.reason for fault in recorded_faults(database, an_audit(database, run).id)]


def test_retracted_runs_are_queued_again_for_the_installed_version(database: Database) -> None:
    a_run(database, ENGINE, LAYOUTS, max_nodes=77)
    [run] = list_runs(database)
    with pytest.raises(VersionError, match="still installed"):
        queue_replacement(database, run)
    put_on_record(database, "0")
    [gone] = retract(database, ENGINE, "0", "miscounts")
    planned = queue_replacement(database, gone)
    assert (planned.id, planned.version, planned.max_nodes, planned.retracted) == (2, "1", 77, None)
    assert queue_replacement(database, gone).id == planned.id
    do_runs(database)
    assert find_run(database, "2").solved == 300
    assert list_actions(database)[-1].why == "in place of run 1"


def test_a_retracted_survey_is_repeated_with_as_many_deals(database: Database) -> None:
    deals = DealRange(find_game("memory"), 7, 1, MAX_INTEGER)
    survey = open_survey(database, deals, ENGINE, 77)
    extend_to(database, survey, 12_000)
    a_run(database, ENGINE, LAYOUTS)
    put_on_record(database, "0")
    planned = [queue_replacement(database, gone) for gone in retract(database, ENGINE, "0", "miscounts")]
    assert [(run.id, run.storage, run.items) for run in planned] == [
        (3, Storage.COMPACT, 12_000),
        (4, Storage.ROWS, 300),
    ]
    assert (planned[0].source_name, planned[0].version, planned[0].max_nodes) == (deals.name, "1", 77)
    assert [queue_replacement(database, gone).id for gone in list_runs(database, [1, 2])] == [3, 4]
    do_runs(database)
    assert find_run(database, "3").solved == find_run(database, "3").items == 12_000


@pytest.mark.parametrize("size", [1, 7, 100_000])
def test_the_parts_of_a_comparison_are_all_differences(
    database: Database, monkeypatch: pytest.MonkeyPatch, size: int
) -> None:
    monkeypatch.setattr("dealmill.pipeline.store.diffs.rows.PART", size)
    layouts = deal(find_game("card-pairing"), 3, 1, 30)
    whole = a_run(database, "card-pairing/winnable", layouts)
    limited = a_run(database, "card-pairing/winnable", layouts, max_nodes=8)
    elsewhere = a_run(database, "card-pairing/winnable", layouts[5:], name="b.txt")
    with database.writing() as connection:
        connection.execute(text("DELETE FROM verdicts WHERE run_id = :run AND position = 4"), {"run": whole.id})
    whole = unfinished(whole)
    for left, right in ((whole, limited), (limited, whole), (whole, elsewhere)):
        parts = list(diff(database, left, right).parts())
        assert (
            [difference for part in parts for difference in part.differences] == compared(database, left, right) != []
        )
        assert [part.reached for part in parts] == sorted(part.reached for part in parts)
        assert parts[-1].reached == left.items
    kept = diff(database, whole, limited, ["lost"]).parts()
    assert {difference.kind for part in kept for difference in part.differences} == {"missing"}


def test_a_compact_run_is_compared_in_parts(database: Database) -> None:
    deals = DealRange(find_game("memory"), 1, 1, 2_500)
    deals_reading(database, deals).finish(silent)
    rows, compact = (
        find_run(database, queue_stored(database, deals_source(database, deals), ENGINE, None, storage))
        for storage in (Storage.ROWS, Storage.COMPACT)
    )
    do_runs(database)
    rows, compact = (find_run(database, run.id) for run in (rows, compact))
    with database.writing() as connection:
        connection.execute(text("UPDATE verdicts SET value = value + 1 WHERE position IN (3, 2200)"))
    parts = list(diff(database, rows, compact).parts())
    assert [(part.reached, len(part.differences)) for part in parts] == [(1_000, 1), (2_500, 1), (2_500, 0)]
    assert diff(database, rows, compact).node_sample(10) is None


def test_a_sample_of_node_counts_is_evenly_spaced(database: Database) -> None:
    layouts = deal(find_game("card-pairing"), 3, 1, 30)
    left, right = (a_run(database, "card-pairing/winnable", layouts, max_nodes=nodes) for nodes in (None, 12))
    results = {run.id: list(Store(database).query(run=run.id)) for run in (left, right)}
    nodes = {number: [result.nodes for result in of_run] for number, of_run in results.items()}
    decided = [result.verdict is not Verdict.UNDECIDED for result in results[right.id]]
    for limit in (1, 4, 30, 99):
        positions = sorted({1 + number * 30 // limit for number in range(limit)})
        expected = [(at, nodes[left.id][at - 1], nodes[right.id][at - 1]) for at in positions if decided[at - 1]]
        sample = diff(database, left, right).node_sample(limit)
        assert (sample.counts if sample else []) == expected
    full = diff(database, left, right)
    sample = full.node_sample(30)
    assert sample and full.nodes
    assert sample.ratio == pytest.approx(full.nodes.ratio) and sample.histogram == full.nodes.histogram
