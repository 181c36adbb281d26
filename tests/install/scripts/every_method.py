"""A user's script that uses every public function and method once."""

import io
from collections.abc import Iterable, Sequence
from datetime import date
from itertools import islice
from pathlib import Path

import dealmill
from dealmill import progress
from dealmill.progress import Solving

URL = "sqlite:///script.db"
LOSS = "KK6A QKT8 9TA9 A7QT QJ7Q 6J66 78JJ T8K9 879A"
events: list[progress.Event] = []


def without_a_store() -> None:
    """Deal, solve, check and answer."""
    deals: dealmill.DealRange = dealmill.deals("memory", seed=2, first=5, count=3)
    layouts: list[dealmill.Layout] = list(deals)
    results: list[dealmill.Result] = dealmill.solve("memory", layouts, engine="two-pass", max_nodes=1_000_000)
    result: dealmill.Result = dealmill.solve("memory", layouts[0].text)
    assert result.value == results[0].value
    boards: list[str] = list(result.frames())
    assert len(boards) > 1
    why: str | None = result.why_undecided(None)
    assert why is None
    judgement: dealmill.Judgement = result.check()
    assert judgement.valid and judgement.outcome is dealmill.Outcome.VALID
    board: str = dealmill.convert("klondike", next(iter(dealmill.deals("klondike", count=1))), "board")
    assert board.startswith("Talon: ")
    wins: list[dealmill.Result] = list(dealmill.winnable_deals("card-pairing", count=2, grade=1))
    grades: list[int | None] = [win.grade for win in wins]
    assert grades == [1, 1] and wins[0].line < wins[1].line
    playback: dealmill.Playback | None = wins[0].playback()
    assert playback and [step.word for step in playback.steps] == str(wins[0].evidence).split()
    [win] = dealmill.winnable_deals("klondike", count=1)
    after: dealmill.After = dealmill.after("klondike", win, str(win.evidence).split()[:3])
    assert after.result.verdict is dealmill.Verdict.WINNABLE and after.losing_move is None
    wrong = dealmill.check("card-pairing", LOSS, "unwinnable", "7")
    step, reason = wrong.step, wrong.reason
    assert (step or 0) > 0 and reason and not wrong.valid
    Path("memory-mine.txt").write_text("ABBA\nABC\n")
    output = io.StringIO()
    complaints: list[str] = []
    answered: dealmill.Answered = dealmill.answer("memory", "memory-mine.txt", output, complain=complaints.append)
    assert (answered.answered, answered.rejected, len(complaints)) == (1, 1, 1)
    written: list[Path] = [dealmill.new_game("nim", "."), dealmill.new_engine("memory/mine", Path())]
    assert all(folder.is_dir() for folder in written)
    games: dict[str, dealmill.Game] = dealmill.games()
    engines: tuple[dealmill.Engine, ...] = games["memory"].engines
    broken: list[dealmill.BrokenGame] = dealmill.broken_games()
    assert "two-pass" in {engine.name for engine in engines} and not broken
    checks: list[dealmill.Check] = dealmill.doctor(URL)
    assert {check.name for check in checks if check.passed} >= {"versions", "engines"}


def a_run(store: dealmill.Store) -> dealmill.Run:
    """Solve a file, and look at the run in every way."""
    run: dealmill.Run = store.run("memory-mine.txt", progress=events.append)
    status: dealmill.RunStatus = run.status()
    counts: dict[dealmill.Verdict, int] = status.counts
    assert counts == {dealmill.Verdict.SCORED: 1}
    assert any(isinstance(event, Solving) and event.done <= event.total for event in events)
    query: dealmill.Query = run.results(verdict=["scored", dealmill.Verdict.UNDECIDED], value=(1, None), limit=5)
    values: list[int | None] = [result.value for result in query]
    assert values == [8] and not query.unfinished
    first: dealmill.Result = query[0]
    assert [first] == query[:3] and query.count() == query.to_batches().read_all().num_rows == 1
    assert query.count_by_nodes() == {(first.verdict, first.nodes): 1}
    position = run.result(1).position
    assert store.result(f"{run.id}:{position}").layout == "ABBA"
    rejects: Iterable[dealmill.Reject] = run.rejects()
    assert [reject.line for reject in rejects] == [2]
    contradictions: list[dealmill.Contradiction] = run.contradictions()
    assert not contradictions
    audit: dealmill.Audit = run.audit(progress=events.append)
    findings: list[dealmill.Finding] = list(audit.findings())
    assert audit.valid and not findings and audit.status.judged == 1 and audit.unproved == 0
    seal: str | None = audit.seal
    assert seal and run.audit(seal=seal).sealed
    diff: dealmill.Diff = run.rerun()
    differences: list[dealmill.Difference] = list(diff)
    assert diff.equal and diff.compared == 1 and not differences and not diff.unfinished and diff.deals_of_both is None
    diffs: list[dealmill.Diff] = list(run.diffs())
    assert diff.other.id in [each.other.id for each in diffs]
    summary: dealmill.DiffSummary = diff.summary
    nodes: dealmill.NodeCounts | None = diff.nodes
    assert not summary.counts and nodes is not None and nodes.ratio == 1.0
    parts: list[dealmill.DiffPart] = list(diff.parts())
    sample: dealmill.NodeSample | None = diff.node_sample(10)
    assert parts[-1].reached == 1 and sample is not None and sample.ratio == 1.0
    costs: tuple[float | None, list[str]] = (run.progress.cpu_seconds, run.machines)
    assert costs[0] is not None and diff.machines == (costs[1], costs[1]) and (diff.cost_ratio or 1) > 0
    assert run.diff(store.find_run("last"), ignore=["evidence"]).equal and run.related == [store.run_ids()[-1]]
    retried: int = run.retry()
    assert retried == 0
    fingerprint: str | None = run.fingerprint
    assert fingerprint is not None and len(fingerprint) == 64
    histogram: dealmill.Histogram | None = run.histogram("value")
    assert histogram is not None and histogram.bars[0].count == 1
    latest: dealmill.Audit | None = run.latest_audit
    assert latest is not None and latest.valid and run.winnability is None
    assert run.expectation is None and run.mean_interval and len(run.source_checksum or "") == 64
    points: list[dealmill.Point] = run.convergence()
    assert points == [] and run.higher_limit is None
    written: int = run.export(Path("memory.parquet"), verdict="scored", force=True)
    assert written == run.to_arrow().num_rows == len(run.to_pandas()) == run.to_polars().height == 1
    return run


def of_other_solvers(store: dealmill.Store, run: dealmill.Run) -> None:
    """Import verdicts, and try an engine on hard layouts."""
    run.export("memory.jsonl", force=True)
    imported: dealmill.Run = store.import_verdicts("memory.jsonl", engine="memory/mine", version="1")
    assert imported.fingerprint == run.fingerprint and imported.progress.checked_as == "memory/two-pass"
    made: dealmill.Pack = store.pack("tripeaks", "tripeaks.json", grades=1, each=2)
    assert [entry.grade for entry in made.layouts] == [1, 1]
    bench: dealmill.EngineBench = dealmill.bench_engine("memory/two-pass", max_nodes=10)
    figures: dealmill.EngineFigures = bench.other
    assert bench.right and figures.decided == bench.layouts and not bench.summary.counts and bench.time_ratio is None


def chosen(run: dealmill.Run, grading: dealmill.Run) -> None:
    """Write a pack, and check it."""
    pack: dealmill.Pack = run.pack("memory.json", by="value", verdict="scored", grades=1, each=2, graded_by=grading)
    days = (date(2027, 1, 1), date(2027, 1, 1))
    daily: dealmill.Pack = run.pack("daily.json", by="value", verdict="scored", calendar=days, without="memory.json")
    assert daily.layouts[0].date == days[0] and daily.layouts[0].layout not in {each.layout for each in pack.layouts}
    assert dealmill.read_pack("memory.json").layouts == pack.layouts
    checked: dealmill.CheckedPack = dealmill.check_pack("memory.json")
    dealmill.report([run, grading, run.result(1)], "memory.html")
    count: int = dealmill.latex_table([run, grading], "table.tex")
    assert count == 2 and "tabular" in Path("table.tex").read_text()
    assert Path("memory.html").read_text().startswith("<!doctype html>")
    assert checked.pack == pack and not checked.problems and not checked.undecided and len(pack.layouts) == 2


def operated(store: dealmill.Store) -> None:
    """See what workers do."""
    workers: list[dealmill.Worker] = store.workers()
    missing: list[dealmill.MissingEngine] = store.missing_engines()
    incidents: list[dealmill.Incident] = store.incidents()
    failures: list[dealmill.Failure] = store.find_run("last").failures()
    assert not failures
    assert workers[0].items > 0 and not missing and not incidents


def the_store(store: dealmill.Store, run: dealmill.Run) -> None:
    """Plan, work, query, estimate, retract."""
    ingestion: dealmill.Ingestion = store.ingest(dealmill.deals("memory", count=10))
    source: dealmill.Source = store.find_source(ingestion.sources[0].id)
    queued: dealmill.Run = store.queue(source.id, engine="incremental")
    store.work(drain=True, progress=events.append)
    assert [each.id for each in store.runs()][-1] == queued.id
    runs: dealmill.RunList = store.status()
    fingerprints: dict[int, str] = store.fingerprints(runs)
    assert fingerprints[queued.id] == queued.fingerprint
    assert runs[-1].progress.finished and runs[-1].fingerprint == queued.fingerprint
    controlled(store)
    again: dealmill.Run = store.run(dealmill.deals("memory", count=10), engine="incremental")
    storage: dealmill.Storage = again.storage
    assert storage is dealmill.Storage.ROWS and again.fingerprint == queued.fingerprint
    chosen(again, queued)
    for seen in store.watch(queued.id):
        assert seen[0].latest_audit is None
    operated(store)
    Path("memory-broken.txt.gz").write_bytes(b"\x1f\x8b\x08")
    batch: dealmill.BatchResult = store.run_all(["memory-mine.txt", "memory-broken.txt.gz"], progress=events.append)
    errors: list[dealmill.InputError] = batch.errors
    summaries: list[dealmill.Summary] = batch.summaries
    assert len(errors) == 1 and summaries[0].rejected == 1
    results: dealmill.Query = store.query(game="memory", source=source.id, nodes=(0, None), limit=3)
    assert len(list(results)) == 3
    hardest: dealmill.Query = store.query(
        order=dealmill.Order.NODES, descending=True, evidence_length=(1, None), limit=1
    )
    [result] = hardest
    assert list(run.results(before=result.position + 1, descending=True, limit=1)) or result.run != run.id
    reasons: list[dealmill.RejectReason] = store.reject_reasons(run=run.id)[1]
    assert [(reason.count, reason.example.text) for reason in reasons] == [(1, "ABC")]
    assert {each.name for each in store.sources()} >= {"memory-mine.txt"}
    for origin, reject in islice(store.rejects(run=run.id), 1):
        assert (origin.name, reject.text) == ("memory-mine.txt", "ABC")
    matches: list[dealmill.Match] = store.find("ABBA")
    assert matches
    survey: dealmill.Survey = store.survey("memory", count=1_000, progress=events.append)
    assert survey.value is not None and survey.low < survey.value < survey.high and survey.deals == 1_000
    figures: dict[str, str] = survey.figures
    survey.report("report")
    assert "low" in figures and any(Path("report").iterdir())
    retraction: dealmill.Retraction = store.retract("memory/two-pass", "1", "to try it")
    retracted: list[dealmill.RunStatus] = retraction.runs
    replaced: list[tuple[dealmill.RunStatus, dealmill.Run]] = []
    try:
        replaced.extend(retraction.requeue())
    except dealmill.VersionError:
        assert survey.id in {each.id for each in retracted} and not replaced
    answers: list[dealmill.Run] = store.unretract("memory/two-pass", "1", "it was tried")
    assert run.id in {each.id for each in answers}
    actions: list[dealmill.Action] = store.log()
    assert [action.why for action in actions[-2:]] == ["to try it", "it was tried"]


def archived(store: dealmill.Store, runs: list[dealmill.Run]) -> None:
    """Write an archive of runs, check it, and read it."""
    dealmill.archive(runs, "night.zip")
    checked: dealmill.CheckedArchive = dealmill.check_archive("night.zip")
    records: Sequence[dealmill.ArchivedRun] = checked.runs
    imported: list[dealmill.Run] = store.import_archive("night.zip", progress=events.append)
    prints = [run.fingerprint for run in runs]
    assert [each.fingerprint for each in imported] == [record.fingerprint for record in records] == prints
    assert not checked.problems
    for each in imported:
        each.audit(progress=events.append)
    dealmill.add_to_archive(imported, "night.zip")


def controlled(store: dealmill.Store) -> None:
    """Pause, cancel, resume, order and label a run, and delete it."""
    run: dealmill.Run = store.queue(dealmill.deals("memory", seed=9, count=10), priority=5, tags=["one"], note="a note")
    run.prioritise(7)
    run.tag("two")
    run.untag("one")
    run.annotate("another note")
    labels: tuple[int, list[str], str | None] = run.priority, run.tags, run.note
    assert labels == (7, ["two"], "another note")
    stopped: list[dealmill.RunStatus] = [run.pause(), run.cancel()]
    assert [status.state for status in stopped] == ["paused", "cancelled"] and run.state == "cancelled, 0 %"
    assert run.resume().state == "waiting"
    assert run.id in {each.id for each in store.runs_of(run.engine, run.version)}
    selected: dealmill.RunList = store.select(run.id, game="memory")
    selected.pause()
    selected.cancel()
    selected.resume()
    selected.tag("paper")
    selected.untag("two")
    selected.annotate("")
    assert [(each.id, each.tags, each.note, each.state) for each in selected] == [
        (run.id, ["paper"], None, "waiting for workers")
    ]
    deletion = store.deletion(run.id)
    assert str(deletion).startswith(f"run {run.id}: memory/two-pass 1 on deal:memory:seed=9:1-10")
    given_back: bool = deletion.carry_out()
    assert given_back in {True, False}


def the_tables() -> None:
    """Back them up, copy them, take them back to the first release, and upgrade them again."""
    size: int = dealmill.db.backup("backup.db", URL)
    assert Path("backup.db").stat().st_size == size
    copy: dealmill.Copy = dealmill.db.copy("sqlite:///copy.db", URL)
    assert copy.rows["runs"] and copy.fingerprints
    try:
        dealmill.db.create_web_role(URL, "postgresql://web:secret@localhost/store")
    except dealmill.UsageError as refusal:
        assert "PostgreSQL" in str(refusal)
    dealmill.db.check_downgrade("0010")
    assert dealmill.db.downgrade(URL, revision="0010") == "0010"
    revision: str | None = dealmill.db.upgrade(URL)
    assert dealmill.db.current(URL) == revision is not None


if __name__ == "__main__":
    without_a_store()
    with dealmill.open(URL) as opened:
        solved = a_run(opened)
        of_other_solvers(opened, solved)
        the_store(opened, solved)
        archived(opened, opened.select("1"))
    closed = dealmill.open(URL)
    closed.close()
    the_tables()
