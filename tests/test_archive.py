"""Archives: the same runs are the same data, everything is listed and proved, and another store reads them back."""

import json
import socket
import zipfile
from collections.abc import Callable, Iterator
from hashlib import sha256
from pathlib import Path
from shutil import copyfile

import pytest

import dealmill
from dealmill.pipeline.archive.checking import check_archive
from dealmill.pipeline.archive.writing import write_archive
from dealmill.pipeline.errors import DealmillError, InputError, StoreError, UnfinishedError, UsageError
from dealmill.pipeline.games import find_game
from dealmill.pipeline.games.batch import Entries
from dealmill.pipeline.games.deals import parse_deal_range
from dealmill.pipeline.progress.events import Event, Message
from dealmill.pipeline.store.audits.seals import seal_of
from dealmill.pipeline.store.database.connections import Database
from dealmill.pipeline.store.database.urls import database_url
from dealmill.pipeline.store.planning.run_planning import insert_run, queue_rerun
from dealmill.pipeline.store.runs.finding import find_run
from dealmill.pipeline.store.runs.status import RunStatus
from dealmill.pipeline.store.sources.source import find_source
from dealmill.pipeline.store.sources.writing import append, complete, open_deals
from dealmill.pipeline.store.storages.item_blocks import fingerprint_of
from dealmill.pipeline.system.settings import settings
from tests.doing import a_run, alter, an_audit, deal, do_runs, queue_compact

LAYOUTS = deal(find_game("memory"), 3, 1, 1_200, pairs=4)
DEALS = "deal:klondike-deal-1:seed=0:1-4"


@pytest.fixture
def other_store(sqlite_tables: Path, tmp_path: Path) -> Iterator[Database]:
    """Another store."""
    database = Database(database_url(f"sqlite:///{copyfile(sqlite_tables, tmp_path / 'other.db')}"))
    yield database
    database.close()


def deal_run(database: Database) -> RunStatus:
    """Return a finished run over numbered deals of a patience, of which one is undecided."""
    deals = parse_deal_range(DEALS)
    engine = deals.game.engines[0]
    source = complete(database, append(database, open_deals(database, deals), Entries.of(list(deals))))
    number = insert_run(database, source, deals.game.full_name(engine), engine.version, 300, chunk=2)
    do_runs(database)
    return find_run(database, number)


def summed_run(database: Database) -> RunStatus:
    """Return a finished run that does not store its deals."""
    number = queue_compact(database, "deal:camelot:seed=1:1-1500")
    do_runs(database)
    return find_run(database, number)


def written(database: Database, runs: list[RunStatus], path: Path) -> Path:
    """Return the archive of runs, with a short report."""
    write_archive(database, runs, path, lambda file: file.write_text("report"))  # type: ignore[arg-type]
    return path


def files(path: Path) -> dict[str, bytes]:
    """Return the files of an archive, by their paths in its folder."""
    with zipfile.ZipFile(path) as archive:
        return {name.partition("/")[2]: archive.read(name) for name in archive.namelist()}


def rewritten(path: Path, change: Callable[[dict[str, bytes]], object], *, listed: bool) -> Path:
    """Return a copy of an archive with changed files; if they are `listed`, the manifests are those of the change."""
    contents = files(path)
    change(contents)
    if listed:
        for manifest, payload in (("manifest-sha256.txt", True), ("tagmanifest-sha256.txt", False)):
            paths = [name for name in contents if name.startswith("data/") is payload and name != manifest]
            lines = (f"{sha256(contents[name]).hexdigest()}  {name}\n" for name in sorted(paths))
            contents[manifest] = "".join(lines).encode()
    copy = path.with_name("changed.zip")
    with zipfile.ZipFile(copy, "w") as archive:
        for name, content in contents.items():
            archive.writestr(f"archive/{name}", content)
    return copy


def edited(name: str, change: Callable[[list[dict[str, object]]], object]) -> Callable[[dict[str, bytes]], None]:
    """Return the change of the rows of a file in JSON Lines, or of its only object."""

    def edit(contents: dict[str, bytes]) -> None:
        lines = name.endswith(".jsonl")
        rows = [json.loads(text) for text in (contents[name].splitlines() if lines else [contents[name]])]
        change(rows)
        contents[name] = "".join(json.dumps(row) + "\n" for row in rows).encode()

    return edit


def test_the_same_runs_are_the_same_data_and_another_store_reads_them(
    sqlite_store: Database, other_store: Database, tmp_path: Path
) -> None:
    runs = [a_run(sqlite_store, "memory/two-pass", LAYOUTS), deal_run(sqlite_store), summed_run(sqlite_store)]
    first = written(sqlite_store, runs, tmp_path / "first.zip")
    runs_of_other_store = [
        summed_run(other_store),
        deal_run(other_store),
        a_run(other_store, "memory/two-pass", LAYOUTS, chunk=7),
    ]
    second = written(other_store, runs_of_other_store[::-1], tmp_path / "second.zip")
    data = [
        {name: content for name, content in files(path).items() if name.startswith("data/")} for path in (first, second)
    ]
    assert data[0] == data[1] and len(data[0]) == 3 + 4 + 2

    checked = check_archive(first)
    assert (checked.problems, checked.unproved) == ([], 0)
    assert [run.fingerprint for run in checked.runs] == [
        fingerprint_of(sqlite_store, run.id, run.items) for run in runs
    ]
    assert [text.partition(":")[0] for text in checked.unchecked] == ["run 1", "run 3"]

    messages = list[Event]()
    store = dealmill.Store(other_store)
    imported = store.import_archive(first, progress=messages.append)
    assert [run.fingerprint for run in imported] == [run.fingerprint for run in checked.runs[:2]]
    assert [(run.engine, run.version, run.max_nodes) for run in imported] == [
        (run.engine, run.version, run.max_nodes) for run in runs[:2]
    ]
    assert any("the deals of run 3 are not stored" in event.text for event in messages if isinstance(event, Message))
    assert [run.id for run in store.import_archive(first)] == [run.id for run in imported]


def test_every_change_of_an_archive_is_named(sqlite_store: Database, tmp_path: Path) -> None:
    runs = [a_run(sqlite_store, "memory/two-pass", LAYOUTS[:5]), deal_run(sqlite_store), summed_run(sqlite_store)]
    path = written(sqlite_store, runs, tmp_path / "night.zip")
    results, deals, blocks, run = (
        "data/1/results.jsonl",
        "data/2/results.jsonl",
        "data/3/blocks.jsonl",
        "data/1/run.json",
    )
    first_row = files(path)[results].splitlines()[0]
    other_moves = json.loads(first_row)["evidence"][::-1]

    def problems(change: Callable[[dict[str, bytes]], object], *, listed: bool = True) -> str:
        named = check_archive(rewritten(path, change, listed=listed)).problems
        assert named
        return "\n".join(named)

    assert f"{run} was changed" in problems(lambda each: each.update({run: each[run] + b" "}), listed=False)
    assert "README.md is missing" in problems(lambda each: each.pop("README.md"), listed=False)
    assert "data/9 is not listed" in problems(lambda each: each.update({"data/9": b""}), listed=False)
    assert "the fingerprint is" in problems(edited(results, lambda rows: rows[0].update(value=1)))
    assert "position 1 is invalid" in problems(edited(results, lambda rows: rows[0].update(evidence=other_moves)))
    assert "the position is 3, expected 2" in problems(edited(results, lambda rows: rows.pop(1)))
    assert "row 5 is missing" in problems(edited(results, lambda rows: rows.pop()))
    assert "the nodes add up to" in problems(edited(results, lambda rows: rows[0].update(nodes=7)))
    assert "the type of layout is int" in problems(edited(results, lambda rows: rows[0].update(layout=7)))
    assert "not a canonical one" in problems(edited(results, lambda rows: rows[0].update(layout="AB")))
    assert f"position 2 is not deal 7 of {DEALS}" in problems(edited(deals, lambda rows: rows[1].update(line=7)))
    assert "the fingerprint is" in problems(edited(blocks, lambda rows: rows[0].update(digest="00" * 32)))
    assert "the verdicts are" in problems(edited(blocks, lambda rows: rows[0].update(winnable=0)))
    assert "line 1 cannot be read" in problems(edited(blocks, lambda rows: rows[0].pop("digest")))
    assert "line 1 cannot be read" in problems(edited(blocks, lambda rows: rows[0].update(winnable=1.5)))

    changed = rewritten(path, lambda each: each.update({run: each[run] + b" "}), listed=False)
    with pytest.raises(InputError, match=f"{run} was changed.*nothing of it is stored"):
        dealmill.Store(sqlite_store).import_archive(changed)
    assert len(dealmill.Store(sqlite_store).runs()) == 3
    with pytest.raises(InputError, match="is not a run of an archive: version: Field required"):
        check_archive(rewritten(path, edited(run, lambda rows: rows[0].pop("version")), listed=True))
    for wrong, reason in (
        ({"engine": "camelot/winnable"}, "camelot/winnable is not an engine of memory"),
        ({"layouts": 10**400}, "layouts: Input should be less than or equal to"),
        ({"stores_results": False}, "neither results nor numbered deals"),
    ):
        with pytest.raises(InputError, match=reason):
            check_archive(rewritten(path, edited(run, lambda rows: rows[0].update(wrong)), listed=True))  # noqa: B023
    source = {"name": DEALS, "sha256": None, "generator": None, "deals": {"seed": 0}}
    with pytest.raises(InputError, match="the deals, of klondike-deal-1 are not valid"):
        check_archive(
            rewritten(path, edited("data/2/run.json", lambda rows: rows[0].update(source=source)), listed=True)
        )
    with zipfile.ZipFile(tmp_path / "bomb.zip", "w", zipfile.ZIP_LZMA) as archive:
        archive.writestr("archive/bagit.txt", "")
    with pytest.raises(InputError, match="another compression than deflate"):
        check_archive(tmp_path / "bomb.zip")
    with pytest.raises(InputError, match=r"has no bagit\.txt"):
        check_archive(rewritten(path, lambda each: each.pop("bagit.txt"), listed=False))
    (tmp_path / "no.zip").write_bytes(path.read_bytes()[:-100])
    with pytest.raises(InputError, match="not a zip file that can be read"):
        check_archive(tmp_path / "no.zip")
    with pytest.raises(InputError, match="cannot be read: No such file"):
        check_archive(tmp_path / "none.zip")


def test_a_damaged_or_missing_file_does_not_end_the_check(sqlite_store: Database, tmp_path: Path) -> None:
    path = written(sqlite_store, [a_run(sqlite_store, "memory/two-pass", LAYOUTS[:5])], tmp_path / "night.zip")
    results = "data/1/results.jsonl"
    missing = check_archive(rewritten(path, lambda each: each.pop(results), listed=False)).problems
    assert missing[0] == f"{results} is missing"
    content = path.read_bytes()
    with zipfile.ZipFile(path) as archive:
        [entry] = (entry for entry in archive.infolist() if entry.filename.endswith(f"/{results}"))
    middle = entry.header_offset + len(entry.FileHeader()) + entry.compress_size // 2
    damaged = tmp_path / "damaged.zip"
    damaged.write_bytes(content[:middle] + bytes([content[middle] ^ 1]) + content[middle + 1 :])
    problems = check_archive(damaged).problems
    assert problems[0] == f"{results} was changed: its SHA-256 is not the one that is listed"
    assert all(problem.startswith(results) for problem in problems)


@pytest.fixture
def named(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str], None]]:
    """Give the user of this process a name."""

    def name(user: str) -> None:
        monkeypatch.setenv("DEALMILL_USER", user)
        settings.cache_clear()

    yield name
    settings.cache_clear()


def test_another_person_adds_an_audit_of_the_same_results(
    sqlite_store: Database, other_store: Database, named: Callable[[str], None], tmp_path: Path
) -> None:
    host = socket.gethostname()
    named("Ada")
    runs = [a_run(sqlite_store, "memory/two-pass", LAYOUTS[:5]), deal_run(sqlite_store)]
    audit = an_audit(sqlite_store, runs[0])
    queue_rerun(sqlite_store, runs[0], any_version=False)
    do_runs(sqlite_store)
    path = written(sqlite_store, runs, tmp_path / "night.zip")
    before = files(path)
    notes = json.loads(before["provenance/1.json"])
    by = {"who": f"Ada@{host}", "dealmill": dealmill.__version__}
    assert {name: notes["run"][name] for name in by} == by
    [first], [rerun] = notes["audits"], notes["reruns"]
    assert {name: first[name] for name in (*by, "valid", "invalid")} == {**by, "valid": 5, "invalid": 0}
    assert first["seal"] == seal_of(sqlite_store, audit)
    assert {name: rerun[name] for name in by} == by
    assert rerun["fingerprint"] == check_archive(path).runs[0].fingerprint
    assert json.loads(before["provenance/2.json"])["audits"] == []

    named("Grace Hopper")
    imported = dealmill.Store(other_store).import_archive(path)
    with pytest.raises(StoreError, match=f"run {imported[1].id} has no finished audit"):
        dealmill.add_to_archive(imported[1], path)
    for count in (2, 3):
        an_audit(other_store, imported[0].status())
        dealmill.add_to_archive(imported[0], path)
        after = files(path)
        with pytest.raises(UsageError, match=f"has these notes on run {imported[0].id} already; nothing was added"):
            dealmill.add_to_archive(imported[0], path)
        *_, second = json.loads(after[f"provenance/1.{count}.json"])["audits"]
        assert (second["who"], second["valid"]) == (f"Grace Hopper@{host}", 5)
    assert {name for name in after if name not in before} == {"provenance/1.2.json", "provenance/1.3.json"}
    changed = {name for name in before if before[name] != after[name]}
    assert changed == {"ro-crate-metadata.json", "tagmanifest-sha256.txt"}
    parts = [part["@id"] for part in json.loads(after["ro-crate-metadata.json"])["@graph"][1]["hasPart"]]
    assert parts[-2:] == ["provenance/1.2.json", "provenance/1.3.json"]
    assert check_archive(path).problems == []


def test_what_cannot_be_added_is_refused(sqlite_store: Database, tmp_path: Path) -> None:
    run, other = (a_run(sqlite_store, "memory/two-pass", LAYOUTS[:count], name=f"{count}.txt") for count in (5, 6))
    path = written(sqlite_store, [run], tmp_path / "night.zip")
    store = dealmill.Store(sqlite_store)
    content = path.read_bytes()
    with pytest.raises(UsageError, match=f"run {other.id} is none of .*night.zip: no run there has its engine"):
        dealmill.add_to_archive(store.find_run(other.id), path)
    with pytest.raises(UsageError, match="name the runs"):
        dealmill.add_to_archive([], path)
    assert path.read_bytes() == content
    an_audit(sqlite_store, run)
    changed = rewritten(path, lambda each: each.update({"README.md": b""}), listed=False)
    with pytest.raises(InputError, match=r"README\.md was changed.*nothing was added"):
        dealmill.add_to_archive(store.find_run(run.id), changed)


@pytest.mark.parametrize("name", ["line\nbreak", "A" * 101])
def test_a_name_that_is_none_is_refused(name: str, named: Callable[[str], None]) -> None:
    named(name)
    with pytest.raises(DealmillError, match="DEALMILL_USER must be at most 100 printable characters"):
        settings()


def test_what_cannot_be_archived_is_refused(sqlite_store: Database, tmp_path: Path) -> None:
    run = a_run(sqlite_store, "memory/two-pass", LAYOUTS[:5])
    store = dealmill.Store(sqlite_store)
    with pytest.raises(UsageError, match=r"must end in \.zip"):
        dealmill.archive(store.runs(), tmp_path / "night.tar")
    with pytest.raises(UsageError, match="name the runs"):
        dealmill.archive([], tmp_path / "night.zip")
    alter(sqlite_store, "DELETE FROM blocks WHERE run_id = :run", run=run.id)
    with pytest.raises(StoreError, match=f"run {run.id} has no fingerprint"):
        dealmill.archive(store.runs(), tmp_path / "night.zip")
    insert_run(sqlite_store, find_source(sqlite_store, run.source), run.engine, run.version, 5)
    with pytest.raises(UnfinishedError, match="5 of 5 layouts pending"):
        dealmill.archive(store.runs()[1], tmp_path / "night.zip")
    assert not list(tmp_path.glob("night*"))
