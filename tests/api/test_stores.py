"""A store from Python on both databases, with jobs done in this process: everything but local workers."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import dealmill
from dealmill import NotFoundError, OutputError, RetractedError, Store, StoreError, UsageError, Verdict
from dealmill.pipeline.games import find_game
from dealmill.pipeline.store.database.connections import Database
from tests.doing import a_run, an_audit, deal, do_runs

LAYOUTS = deal(find_game("card-pairing"), 1, 1, 40)
ENGINE = "card-pairing/winnable"


@pytest.fixture
def opened(database: Database) -> Store:
    """A store with two runs over the same 40 layouts, one of them with a limit, and one over two others."""
    a_run(database, ENGINE, LAYOUTS)
    a_run(database, ENGINE, LAYOUTS, max_nodes=20)
    a_run(database, "memory/two-pass", ["ABBA", "ABAB"], name="memory.txt")
    return Store(database)


def test_runs_and_sources_are_found_by_number_and_name(opened: Store) -> None:
    runs = opened.runs()
    assert [(run.id, run.game, run.engine, run.source, run.max_nodes, run.repeats) for run in runs] == [
        (1, "card-pairing", ENGINE, "a.txt", None, None),
        (2, "card-pairing", ENGINE, "a.txt", 20, None),
        (3, "memory", "memory/two-pass", "memory.txt", None, None),
    ]
    assert repr(runs[0]) == "<Run 1: card-pairing/winnable 1 on a.txt>"
    assert opened.find_run().id == opened.find_run("last").id == opened.find_run("3").id == 3
    assert opened.find_source(1) == opened.find_source("a.txt")
    for number in (0, -1, 4, "x", "LAST", 2**70, True, 1.0):
        with pytest.raises(NotFoundError, match="the store has no run"):
            opened.find_run(number)  # type: ignore[arg-type]
        with pytest.raises(NotFoundError, match="the store has no run"):
            opened.status(number)  # type: ignore[arg-type]
    with pytest.raises(NotFoundError, match="the store has no source 'x'"):
        opened.find_source("x")


def test_status_counts_verdicts_and_watch_ends_when_all_are_solved(opened: Store) -> None:
    runs = opened.status()
    assert [run.id for run in runs] == [1, 2, 3]
    assert len(list(opened.watch())) == 1
    [run] = opened.status(1)
    assert run.progress.finished and run.progress.solved == 40 and run.latest_audit is None
    assert run.fingerprint == opened.find_run(1).fingerprint
    assert run.progress.counts == opened.find_run(1).status().counts
    assert {worker.jobs for worker in opened.workers()} == {3}


def test_every_measure_has_a_histogram(opened: Store) -> None:
    run = opened.find_run(1)
    for measure in ("nodes", "layout-length", "evidence-length"):
        histogram = run.histogram(measure)
        assert histogram is not None
        assert (histogram.column, histogram.items, sum(bar.count for bar in histogram.bars)) == (measure, 40, 40)
        numbers = [
            {"nodes": result.nodes, "layout-length": len(result.layout)}.get(measure, len(result.evidence or ""))
            for result in run.results()
        ]
        counts = [sum(bar.low <= number <= bar.high for number in numbers) for bar in histogram.bars]
        assert counts == [bar.count for bar in histogram.bars]
    undecided = opened.find_run(2)
    evidence = undecided.histogram("evidence-length")
    assert evidence is not None and 0 < evidence.items == undecided.results(evidence_length=(0, None)).count() < 40
    assert opened.find_run(3).histogram("value") is not None and run.histogram("value") is None
    with pytest.raises(UsageError, match="has no number 'critical'; choose one of: nodes, value, layout-length"):
        run.histogram("critical")


Results = list[dealmill.Result]
TWO: Any = np.int64(2)

QUERIES: list[tuple[dict[str, Any], Callable[[Results], Results]]] = [
    ({}, lambda everything: everything),
    ({"descending": True}, lambda everything: everything[::-1]),
    ({"game": "memory"}, lambda everything: everything[80:]),
    ({"source": "a.txt"}, lambda everything: everything[:80]),
    ({"engine": "card-pairing"}, lambda everything: everything[:80]),
    ({"layout_length": 4}, lambda everything: everything[80:]),
    ({"run": 1, "game": "memory"}, lambda _: []),
    ({"after": (1, 38), "limit": 4}, lambda everything: everything[38:42]),
    ({"after": "1:38", "limit": 4}, lambda everything: everything[38:42]),
    ({"after": (99, 0)}, lambda _: []),
    ({"before": "2:3"}, lambda everything: everything[:42]),
    ({"before": (2, 3), "descending": True, "limit": 5}, lambda everything: everything[41:36:-1]),
    ({"after": (1, 38), "before": (2, 3)}, lambda everything: everything[38:42]),
    ({"before": (1, 1)}, lambda _: []),
    ({"before": (0, 9), "descending": True}, lambda _: []),
    ({"order": "nodes", "descending": True, "limit": 50}, lambda everything: by_nodes(everything, -1)[:50]),
    ({"order": dealmill.Order.NODES, "limit": 99}, lambda everything: by_nodes(everything, 1)),
    ({"order": "value", "limit": 2}, lambda everything: everything[80:]),
]
"""Arguments of a query of all runs, and its results as a part of all results."""
QUERIES_OF_A_RUN: list[tuple[dict[str, Any], Callable[[Results], Results]]] = [
    ({}, lambda everything: everything),
    ({"verdict": [Verdict.UNWINNABLE, "winnable"]}, lambda everything: everything),
    ({"verdict": "unwinnable"}, lambda everything: [one for one in everything if one.verdict is Verdict.UNWINNABLE]),
    ({"nodes": (None, 9)}, lambda everything: [one for one in everything if one.nodes <= 9]),
    ({"nodes": 9}, lambda everything: [one for one in everything if one.nodes == 9]),
    ({"nodes": (np.int64(0), np.int64(10**6))}, lambda everything: everything),
    ({"evidence_length": (None, 8)}, lambda everything: [one for one in everything if len(one.evidence or "") <= 8]),
    ({"value": (8, None)}, lambda _: []),
    ({"after": 10, "limit": 5}, lambda everything: everything[10:15]),
    ({"after": TWO, "limit": TWO}, lambda everything: everything[2:4]),
    ({"before": 11, "descending": True, "limit": 4}, lambda everything: everything[9:5:-1]),
    ({"limit": 0}, lambda _: []),
    ({"after": 40}, lambda _: []),
    ({"after": 1_000}, lambda _: []),
    ({"order": "evidence-length", "limit": 0}, lambda _: []),
]
"""The same for a query of the first run."""


def by_nodes(results: Results, sign: int) -> Results:
    """Sort results by their node counts, those of equal count by their items."""
    return sorted(results, key=lambda result: sign * result.nodes)


def test_results_are_filtered_ordered_and_paged(opened: Store) -> None:
    everything = [result for run in opened.runs() for result in run.results()]
    for arguments, expected in QUERIES:
        assert list(opened.query(**arguments)) == expected(everything), arguments
    run = opened.find_run(1)
    assert [(result.position, result.layout) for result in everything[:40]] == list(enumerate(LAYOUTS, start=1))
    for arguments, expected in QUERIES_OF_A_RUN:
        assert list(run.results(**arguments)) == expected(everything[:40]), arguments
    assert run.result(TWO) == everything[1] and opened.find_run(TWO).id == 2
    query = run.results(limit=3)
    assert list(query) == list(query) == everything[:3]
    assert query.unfinished == query.unaudited == []


WRONG_QUERIES: list[tuple[dict[str, Any], str]] = [
    ({"limit": -1}, "limit must be a whole number from 0"),
    ({"limit": True}, "limit must be a whole number"),
    ({"limit": 2**70}, "limit must be a whole number from 0 to 2⁶³ − 1"),
    ({"value": (5, 1)}, "value cannot be 5 to 1: the lower end of the range exceeds the upper end"),
    ({"value": (1, 2, 3)}, "value must be a whole number"),
    ({"value": "5-9"}, "'5-9' is not a range; write 70..80, 70.. or ..80"),
    ({"value": 2**70}, "value must be a whole number"),
    ({"nodes": 1.5}, "nodes must be a whole number"),
    ({"nodes": (None, float("nan"))}, "nodes must be a whole number"),
    ({"verdict": "Winnable"}, "there is no verdict 'Winnable'; choose one of: winnable, unwinnable"),
    ({"verdict": 1}, "there is no verdict 1"),
    ({"verdict": ["winnable", None]}, "there is no verdict None"),
    ({"audit": "Valid"}, "there is no outcome 'Valid'; choose one of: valid, invalid, no-evidence"),
    ({"audit": True}, "there is no outcome True"),
    ({"order": "size"}, "there is no order 'size'; choose one of: position, nodes, value, layout-length"),
    ({"order": "nodes"}, "results ordered by nodes need a limit"),
]
"""Arguments that neither a query of a run nor one of all runs can have."""
WRONG_ITEMS: list[tuple[dict[str, Any], str]] = [
    *(({"after": after}, "after must be ") for after in (3, (1,), (1, 2, 3), (1, -1), (1, 2**70), None)),
    ({"after": "1-3"}, "'1-3' is not an item; write RUN:POSITION"),
    ({"before": (1,)}, "before must be an item"),
    ({"order": "nodes", "limit": 5, "before": "1:7"}, "results ordered by nodes have no pages"),
    ({"order": "nodes", "limit": 5, "after": "1:7"}, "results ordered by nodes have no pages"),
]
WRONG_POSITIONS: list[tuple[dict[str, Any], str]] = [
    *(({"after": after}, "after must be a whole number") for after in (-1, "3", 2**70)),
    ({"before": -1}, "before must be a whole number"),
]


def test_contradictory_queries_are_refused_at_once(opened: Store) -> None:
    run = opened.find_run(1)
    for arguments, message in [*WRONG_QUERIES, *WRONG_ITEMS]:
        with pytest.raises(UsageError, match=message):
            opened.query(**arguments)
    for arguments, message in [*WRONG_QUERIES, *WRONG_POSITIONS]:
        with pytest.raises(UsageError, match=message):
            run.results(**arguments)
    for unknown in ({"game": "chess"}, {"engine": "memory/none"}, {"source": "x"}, {"run": 9}, {"after": "99:1"}):
        with pytest.raises(NotFoundError):
            opened.query(**unknown)


def test_a_result_is_found_by_its_item(opened: Store) -> None:
    for result in opened.query(limit=45):
        assert result.item is not None
        assert opened.result(result.item) == result
        assert result.check().valid or result.verdict is Verdict.UNDECIDED
    assert opened.result("last:2").layout == "ABAB"
    for item in ("x", "1", "1:", "1 : 1", "-1:1", "1:1:1", "1:99999999999999999999", None, 3, (1, 1)):
        with pytest.raises(UsageError, match="is not an item; write RUN:POSITION"):
            opened.result(item)  # type: ignore[arg-type]
    for item in ("1:41", "9:1"):
        with pytest.raises(NotFoundError):
            opened.result(item)
    for position in (0, -1, "1", None, 1.0):
        with pytest.raises(UsageError, match="the position must be a whole number from 1"):
            opened.find_run(1).result(position)  # type: ignore[arg-type]


def test_rejects_are_those_of_a_run_or_of_a_source(database: Database, tmp_path: Path) -> None:
    file = tmp_path / "memory.txt"
    file.write_text("ABBA\nABC\nABAB\nA\n")
    opened = Store(database)
    ingestion = opened.ingest(file)
    assert ingestion.errors == []
    [source] = ingestion.sources
    assert (source.accepted, source.rejected, source.complete) == (2, 2, True)
    run = opened.queue(source.id)
    assert [reject.line for reject in run.rejects()] == [2, 4]
    for key in ({"run": run.id}, {"source": source.id}, {"source": str(file)}):
        assert [(of.id, reject.line) for of, reject in opened.rejects(**key)] == [(source.id, 2), (source.id, 4)]
    assert [reject.text for _, reject in opened.rejects(run="last", limit=1)] == ["ABC"]
    assert list(opened.rejects(run=1, limit=0)) == []
    origin, reasons = opened.reject_reasons(run=1)
    assert [(origin.id, each.reason, each.count, each.example.line) for each in reasons] == [
        (source.id, "letter … occurs only once", 2, 2)
    ]
    assert [each.id for each in opened.sources()] == [source.id]
    for wrong in ({}, {"run": 1, "source": 1}):
        with pytest.raises(UsageError, match="name a run or a source"):
            opened.rejects(**wrong)
        with pytest.raises(UsageError, match="name a run or a source"):
            opened.reject_reasons(**wrong)
    with pytest.raises(UsageError, match="limit must be a whole number"):
        opened.rejects(run=1, limit=-1)


def test_a_run_is_planned_over_a_source_or_deals(database: Database) -> None:
    opened = Store(database)
    run = opened.queue(dealmill.deals("memory", count=5), engine="incremental", max_nodes=7)
    assert (run.engine, run.max_nodes, run.status().solved, run.fingerprint) == ("memory/incremental", 7, 0, None)
    assert opened.queue("deal:memory:seed=1:1-5", engine="memory/incremental", max_nodes=7).id == run.id
    assert [each.id for each in run.results().unfinished] == [run.id]
    assert list(run.results()) == []
    with pytest.raises(NotFoundError, match="has no verdict on item 1; see its progress with: dealmill status 1"):
        run.result(1)
    with pytest.raises(StoreError, match="not finished"):
        run.rerun()
    do_runs(database)
    assert run.status().finished
    assert opened.queue(1).engine == "memory/two-pass"
    for limit in (0, -1, True, 2**62):
        with pytest.raises(UsageError, match="max_nodes must be a whole number from 1"):
            opened.queue(1, max_nodes=limit)
    with pytest.raises(NotFoundError, match="memory has: memory/two-pass"):
        opened.queue(1, engine="")
    with pytest.raises(UsageError, match="cannot solve"):
        opened.queue(1, engine="camelot/winnable")
    for source in (0, -1, "none.txt", True, 2**70):
        with pytest.raises(NotFoundError, match="the store has no source"):
            opened.queue(source)
    with pytest.raises(UsageError, match="has no end"):
        opened.queue(dealmill.deals("memory"))


def test_two_runs_are_compared(opened: Store, tmp_path: Path) -> None:
    whole, limited, foreign = opened.runs()
    same = whole.diff(whole)
    assert (same.equal, list(same), same.compared, same.unfinished, same.deals_of_both) == (True, [], 40, [], None)
    diff = whole.diff(limited)
    undecided = [result.position for result in limited.results(verdict="undecided")]
    assert not diff.equal
    assert [difference.one.position for difference in diff] == undecided != []
    with pytest.raises(UsageError, match="compare runs of the same game"):
        whole.diff(foreign)
    with dealmill.open(f"sqlite:///{tmp_path / 'other.db'}") as elsewhere:
        stranger = elsewhere.queue(dealmill.deals("card-pairing", count=2))
        with pytest.raises(UsageError, match="different stores; compare their fingerprints"):
            whole.diff(stranger)


def test_results_are_exported_in_every_format_and_as_arrow(opened: Store, tmp_path: Path) -> None:
    run, steps = opened.find_run(1), list[dealmill.progress.Event]()
    lost = len(list(run.results(verdict="unwinnable")))
    assert run.export(tmp_path / "a.csv", progress=steps.append) == 40
    assert [(step.done, step.total) for step in steps if isinstance(step, dealmill.progress.Exporting)] == [(40, 40)]
    assert run.export(str(tmp_path / "a.jsonl"), verdict="unwinnable") == lost
    assert run.to_arrow(verdict=Verdict.UNWINNABLE).num_rows == lost
    with pytest.raises(OutputError, match="exists"):
        run.export(tmp_path / "a.csv")
    assert run.export(tmp_path / "a.csv", verdict=["scored"], force=True) == 0
    for path, error in (("a.txt", UsageError), (".", UsageError), ("none/a.csv", OutputError)):
        with pytest.raises(error):
            run.export(tmp_path / path)
    with pytest.raises(UsageError, match="there is no verdict 'Lost'"):
        run.export(tmp_path / "b.csv", verdict="Lost")

    def broken(_event: object) -> None:
        raise RuntimeError("told")

    with pytest.raises(RuntimeError, match="told"):
        run.export(tmp_path / "c.csv", progress=broken)
    assert sorted(path.name for path in tmp_path.iterdir() if "store.db" not in path.name) == ["a.csv", "a.jsonl"]


def test_retracted_results_are_shown_only_on_request(opened: Store, tmp_path: Path) -> None:
    retraction = opened.retract(ENGINE, "1", "it is wrong")
    assert [run.id for run in retraction.runs] == [1, 2]
    run = opened.find_run(1)
    questions: list[Callable[..., object]] = [
        run.results,
        lambda **options: run.result(1, **options),
        lambda **options: opened.result("1:1", **options),
        lambda **options: opened.query(run=1, **options),
        lambda **options: run.export(tmp_path / "a.csv", **options),
        run.to_arrow,
    ]
    for ask in questions:
        with pytest.raises(RetractedError, match="it is wrong"):
            ask()
        assert ask(retracted=True)
    assert {result.run for result in opened.query()} == {3}
    assert {result.run for result in opened.query(retracted=True)} == {1, 2}
    assert len(list(opened.watch())) == 1
    assert [action.what for action in opened.log(1)] == ["run", "retract"]
    assert "retract" not in [action.what for action in opened.log(3)]
    for why in ("", "  ", None):
        with pytest.raises(UsageError, match="say what is wrong"):
            opened.retract("memory/two-pass", "1", why)  # type: ignore[arg-type]


def test_an_audit_shows_in_status_and_results(opened: Store, database: Database) -> None:
    run = opened.find_run(2)
    assert [each.id for each in run.results(audit="valid").unaudited] == [2]
    audit = dealmill.Audit(database, an_audit(database, run.status()))
    assert (audit.valid, list(audit.findings()), repr(audit)) == (True, [], "<Audit 1 of run 2: valid>")
    [run] = opened.status(2)
    assert run.latest_audit is not None and run.latest_audit.status == audit.status
    outcomes = {outcome: len(list(run.results(audit=outcome))) for outcome in dealmill.Outcome}
    counted = audit.status
    assert list(outcomes.values()) == [counted.valid, counted.invalid, counted.no_evidence]
    assert list(run.results(audit="no-evidence")) == list(run.results(audit=dealmill.Outcome.NO_EVIDENCE))
    for wrong in ({"sample": 0}, {"sample": 41}, {"sample": True}, {"sample": 1.5}, {"seed": -1}, {"seed": 2**63}):
        with pytest.raises(UsageError):
            run.audit(**wrong)


def test_an_impossible_survey_is_refused_before_anything_starts(database: Database) -> None:
    opened = Store(database)
    widths = ("0", "-1%", "wide", 0, -0.1, float("nan"), float("inf"), True, None)
    counts = (0, -1, True, 1.5, "5", 10**11 + 1, 2**70)
    cases: list[tuple[dict[str, Any], str]] = [
        *(({"half_width": width}, "is not a width; write 0.1% or 0.001") for width in widths),
        *(({"count": count}, "count must be a whole number from 1 to 100,000,000,000, not") for count in counts),
        *(({"game": "camelot", "half_width": width}, "is no limit for a share") for width in ("60%", 5, "0.5")),
        ({"seed": -1}, "the seed must be a whole number"),
        ({"parameters": {"pegs": 1}}, "have no parameter 'pegs'"),
        ({"parameters": {"pairs": 0}}, "pairs .* must be a whole number from 1"),
        ({"max_nodes": 0}, "max_nodes must be a whole number from 1"),
        ({"engine": "camelot/winnable"}, "is not an engine of memory"),
    ]
    for arguments, message in cases:
        with pytest.raises(UsageError, match=message):
            opened.survey(**{"game": "memory", **arguments})
    assert opened.runs() == []
