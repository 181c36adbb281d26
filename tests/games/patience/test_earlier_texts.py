"""Layouts that version 0.2.0 stored without the passes, of which none was left, keep their meaning."""

from pathlib import Path

import dealmill
from dealmill.pipeline.games import find_game
from dealmill.pipeline.games.verdict import Verdict
from dealmill.pipeline.ingest.files import text_digest
from dealmill.pipeline.store.database.connections import Database
from dealmill.pipeline.store.sources.writing import open_source
from tests.doing import a_run, an_audit, deal, do_runs

GAME = find_game("klondike:stock.passes=3")
[DEAL] = deal(GAME, 0, 2, 1)
NONE_LEFT, EARLIER = DEAL.replace("passes:2", "passes:0"), DEAL.replace(" passes:2", "")


def test_a_stored_layout_means_what_it_did(database: Database, tmp_path: Path) -> None:
    run = a_run(database, f"{GAME.name}/winnable", [EARLIER, NONE_LEFT, DEAL])
    with dealmill.open(database.url.render_as_string(hide_password=False)) as store:
        earlier, none_left, all_left = store.find_run(run.id).results()
        assert (earlier.layout, earlier.verdict) == (EARLIER, Verdict.UNWINNABLE)
        assert (none_left.verdict, none_left.evidence) == (earlier.verdict, earlier.evidence)
        assert all_left.verdict is Verdict.WINNABLE
        assert an_audit(database, run).clean and earlier.check().valid
        assert "further passes" not in next(iter(earlier.frames())) and earlier.playback() is not None
        again = store.queue(f"query:{run.id}:")
        do_runs(database)
        assert [result.layout for result in store.find_run(again.id).results()] == [EARLIER, NONE_LEFT, DEAL]
        assert store.find_run(again.id).fingerprint == store.find_run(run.id).fingerprint
        found = [{match.layout for match in store.find(layout)} for layout in (earlier, NONE_LEFT, DEAL)]
        assert found == [{EARLIER, NONE_LEFT}, {EARLIER, NONE_LEFT}, {DEAL}]
        assert dealmill.solve(GAME.name, earlier).verdict is Verdict.UNWINNABLE
        assert dealmill.after(GAME.name, earlier, []).result.layout == NONE_LEFT
        store.find_run(run.id).export(tmp_path / "a.csv")
    text = (tmp_path / "a.csv").read_text()
    assert [layout in text for layout in (EARLIER, NONE_LEFT, DEAL)] == [True, True, True]


def test_a_file_that_was_read_before_is_read_again(database: Database, tmp_path: Path) -> None:
    path = tmp_path / "klondike.txt"
    path.write_text(f"{EARLIER.replace(GAME.name, 'klondike')}\n")
    with path.open("rb") as file:
        before = open_source(database, GAME.name, str(path), text_digest(file, str(path)), GAME.rules_text)
    with dealmill.open(database.url.render_as_string(hide_password=False)) as store:
        run = store.queue(path, game=GAME.name)
        do_runs(database)
        [result] = store.find_run(run.id).results()
        assert (result.layout, result.verdict) == (DEAL, Verdict.WINNABLE)
        [source] = store.ingest(path, game=GAME.name).sources
        assert source.id != before.id and source.id == store.find_run(run.id).progress.source


def test_what_is_exported_is_imported_as_the_same_layouts(database: Database, tmp_path: Path) -> None:
    layouts = [DEAL, NONE_LEFT, DEAL.replace("passes:2", "passes:1")]
    run = a_run(database, f"{GAME.name}/winnable", layouts)
    with dealmill.open(database.url.render_as_string(hide_password=False)) as store:
        for name in ("a.csv", "a.jsonl", "a.parquet"):
            store.find_run(run.id).export(tmp_path / name)
            imported = store.import_verdicts(tmp_path / name, engine=f"{GAME.name}/mine", version="1", game=GAME.name)
            assert [result.layout for result in imported.results()] == layouts
            assert imported.fingerprint == store.find_run(run.id).fingerprint
