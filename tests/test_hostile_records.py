"""Layouts on record that somebody has edited, on both databases: each fails alone, and an audit names it."""

from dealmill.pipeline.games import games
from dealmill.pipeline.games.contract import Game
from dealmill.pipeline.games.descriptions import Engine
from dealmill.pipeline.games.reading import is_canonical
from dealmill.pipeline.games.verdict import Verdict
from dealmill.pipeline.results.result import Result
from dealmill.pipeline.store.audits.audit import recorded_faults
from dealmill.pipeline.store.database.connections import Database
from dealmill.pipeline.store.diffs.diff import diff
from dealmill.pipeline.store.filters import Filter
from dealmill.pipeline.store.planning.run_planning import queue_rerun
from dealmill.pipeline.store.runs.finding import find_run
from dealmill.pipeline.store.storages.item_blocks import fingerprint_of
from dealmill.pipeline.store.storages.rows import Rows
from tests.doing import a_run, alter, an_audit, deal, do_runs, each_engine

COUNT = 1_100
"""A block and a part of one."""
CHUNK = 1_000


def hostile(game: Game) -> list[str]:
    """Twenty texts or so that are no canonical layouts of a game, though some of them nearly are."""
    first, second = deal(game, 77, 1, 2)
    [foreign] = deal(next(candidate for candidate in games().values() if candidate is not game), 77, 1, 1)
    texts = [
        *("", " ", "A", "garbage", "ä", "😀", "1 5 0", "'; --", '{"a": "\\u0000"}', "\t\r\n", "\x1b[2J", "9" * 100_000),
        *(
            foreign,
            f"{first}\n",
            f"{first}\n{second}",
            first[:20] + "\n" + first[20:],
            f" {first}",
            first[:-1],
            first + first,
        ),
        first.lower() + " ",
        first.replace(first[0], "ä"),
    ]
    not_canonical = [text for text in texts if not is_canonical(game, text)]
    assert len(not_canonical) >= len(texts) - 1
    return not_canonical


def edit(database: Database, edits: dict[int, str]) -> None:
    """Change layouts behind our back."""
    for position, layout in edits.items():
        alter(
            database, "UPDATE items SET layout = :layout WHERE position = :position", layout=layout, position=position
        )


def results(database: Database, number: int) -> list[Result]:
    return list(Rows().page(database, find_run(database, number), Filter(), 0, COUNT).results)


@each_engine
def test_edited_layouts_fail_with_the_reason_and_all_others_are_solved(
    database: Database, game: Game, engine: Engine
) -> None:
    run = a_run(database, game.full_name(engine), deal(game, 4, 1, COUNT), max_nodes=2_000, chunk=CHUNK)
    edits = {1 + 53 * number: layout for number, layout in enumerate(hostile(game))}
    edit(database, edits)
    again = queue_rerun(database, run, any_version=False)
    do_runs(database)

    assert find_run(database, again).finished
    assert fingerprint_of(database, again, COUNT) is not None
    for before, after in zip(results(database, run.id), results(database, again), strict=True):
        if after.position in edits:
            assert after.layout == edits[after.position]
            assert (after.verdict, after.value, after.nodes) == (Verdict.FAILED, None, 0)
            assert after.evidence is not None and after.evidence.isascii() and after.evidence.isprintable()
            assert after.evidence.startswith("fault of the record: ")
            assert f" is not a canonical layout of {game.name}: " in after.evidence
            assert len(after.evidence) < 4_000
            assert list(after.frames()) == []
        else:
            assert (after.verdict, after.value, after.nodes) == (before.verdict, before.value, before.nodes)
            assert (after.layout, after.evidence) == (before.layout, before.evidence)

    assert [difference.one.position for difference in diff(database, run, find_run(database, again))] == list(edits)
    faults = recorded_faults(database, an_audit(database, find_run(database, again)).id)
    assert [fault.first for fault in faults] == list(edits)
    assert {fault.reason for fault in faults} == {"the text of the layout does not match its digest"}
