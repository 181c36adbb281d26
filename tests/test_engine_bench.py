"""The benchmark sets, each entry of which is proved, and `dealmill bench-engine` over them."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from bench import sets
from dealmill import NotFoundError, Store, Verdict, bench_engine
from dealmill.pipeline.engine_bench import EngineBench, EngineFigures, Wrongness, WrongVerdict, set_file
from dealmill.pipeline.evidence.referee import judge
from dealmill.pipeline.games import find_engine, find_game, games
from dealmill.pipeline.games.contract import Game
from dealmill.pipeline.games.descriptions import Engine
from dealmill.pipeline.games.patience.compiled.referee import check_loss
from dealmill.pipeline.games.patience.losses import read_loss
from dealmill.pipeline.games.patience.searches import MAX_NODES
from dealmill.pipeline.results.result import RecordedVerdict
from dealmill.pipeline.solving.solve import solve
from dealmill.pipeline.store.database.connections import Database
from dealmill.pipeline.store.diffs.difference import Difference
from tests.doing import QUICK_GAMES, SAMPLE_PATIENCES, a_run, each_engine
from tests.games.patience.files import rules_of
from tests.programs.conftest import Declare, declare  # noqa: F401 -- a fixture
from tests.servers import dealmill

ROOT = Path(__file__).parent.parent
DECISIONS = {"camelot", "card-pairing", "tantrix-loop"}
"""The games in which an engine says whether any play wins."""

FEW_NODES = 20_000
"""The node limit for engines that answer another question than the set, whose layouts may be harder for them."""


def entries(game: Game, name: str = "hard") -> list[dict[str, object]]:
    return [json.loads(line) for line in set_file(game, name).read_text().splitlines()]


SETS = [*((game, "hard") for game in QUICK_GAMES), (find_game("card-pairing"), "classic")]
each_set = pytest.mark.parametrize(("game", "name"), SETS, ids=[f"{game.name}-{name}" for game, name in SETS])


@each_set
def test_every_entry_of_a_set_is_proved_and_there_are_all_kinds_of_them(game: Game, name: str) -> None:
    rows = entries(game, name)
    assert len(rows) == len({row["layout"] for row in rows}) == sets.SIZE
    for row in rows:
        layout, verdict, value, evidence = (row[name] for name in ("layout", "verdict", "value", "evidence"))
        assert isinstance(layout, str) and isinstance(evidence, str) and isinstance(value, int | None)
        assert judge(game.name, layout, Verdict.of(str(verdict)), value, evidence).valid, layout
    words = [row["verdict"] for row in rows]
    expected = {"winnable", "unwinnable"} if game.name in DECISIONS else {"scored"}
    assert {word for word in expected if words.count(word) * 3 >= len(rows)} == {*words} == expected
    assert (ROOT / "examples" / "sets" / set_file(game, name).name).samefile(set_file(game, name))
    if name == "classic":
        assert {len(str(row["layout"]).split()) for row in rows} == {9}


RARELY_LOST = {"freecell", "free-cell-3-cell"}
CHOSEN_AGAIN = [*SETS, *((find_game(name), "hard") for name in ("free-cell-0-cell", "trigon"))]


@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=() if name in SAMPLE_PATIENCES else pytest.mark.slow) for name in sets.PATIENCES],
)
def test_every_entry_of_a_set_of_a_patience_is_proved(name: str) -> None:
    """Losses by the compiled referee, which takes seconds less than the plain one."""
    game, rules = find_game(name), rules_of(name)
    rows = entries(game)
    assert len(rows) == len({row["layout"] for row in rows}) == sets.SIZE
    for row in rows:
        layout, verdict, evidence = str(row["layout"]), Verdict.of(str(row["verdict"])), str(row["evidence"])
        if verdict is Verdict.WINNABLE:
            game.check("winnable", layout, verdict, None, evidence)
        else:
            check_loss(rules, layout, read_loss(rules, evidence))
    assert {row["verdict"] for row in rows} == ({"winnable"} if name in RARELY_LOST else {"winnable", "unwinnable"})
    assert (ROOT / "examples" / "sets" / set_file(game).name).samefile(set_file(game))


@pytest.mark.slow
@pytest.mark.parametrize("name", sets.PATIENCES)
def test_the_engine_of_patiences_decides_what_a_set_says(name: str) -> None:
    rows = entries(find_game(name))
    solved = solve(f"{name}/winnable", [str(row["layout"]) for row in rows], MAX_NODES)
    assert [verdict.word for verdict in solved.verdicts] == [row["verdict"] for row in rows]


@pytest.mark.slow
@pytest.mark.long
@pytest.mark.parametrize(("game", "name"), CHOSEN_AGAIN, ids=[f"{game.name}-{name}" for game, name in CHOSEN_AGAIN])
def test_sets_can_be_chosen_again(game: Game, name: str) -> None:
    assert "".join(map(sets.line, sets.chosen(game, name))) == set_file(game, name).read_text()


@pytest.mark.slow
@each_engine
def test_an_engine_of_ours_is_right_and_does_what_the_set_says(game: Game, engine: Engine) -> None:
    name = game.full_name(engine)
    answers_the_set = engine.referee_name == game.engines[0].referee_name
    bench = bench_engine(name, max_nodes=None if answers_the_set else FEW_NODES)
    assert bench.right
    assert (bench.layouts, bench.other.engine) == (sets.SIZE, name)
    assert bench.other.decided + bench.other.undecided == sets.SIZE
    assert bench.other.undecided == 0 or not engine.complete
    if answers_the_set:
        assert bench.one is not None
        assert (bench.summary.counts, bench.nodes, bench.one.microseconds) == ({}, None, None)
        assert bench.other.nodes == bench.one.nodes == sum(int(str(row["nodes"])) for row in entries(game))
    else:
        assert (bench.one, bench.nodes, bench.time_ratio) == (None, None, None)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("engine", "baseline", "max_nodes"),
    [
        ("memory/incremental", "memory/two-pass", None),
        ("hi-q/greedy", "hi-q/greedy", 15),
        ("card-pairing/winnable", "card-pairing/winnable", 90),
    ],
)
def test_the_comparison_is_the_diff_of_two_runs(
    sqlite_store: Database, engine: str, baseline: str, max_nodes: int | None
) -> None:
    bench = bench_engine(engine, baseline=baseline, max_nodes=max_nodes)
    game, _ = find_engine(engine)
    layouts = [str(row["layout"]) for row in entries(game)]
    left, right = (a_run(sqlite_store, name, layouts, max_nodes=max_nodes).id for name in (baseline, engine))
    with Store(sqlite_store) as store:
        diff = store.find_run(left).diff(store.find_run(right))
        assert bench.summary == diff.summary
        assert list(bench.differences) == [replace(difference, line=None) for difference in diff]
        assert bench.nodes == diff.nodes
        assert bench.right and (engine == baseline or diff.summary.counts["question"])
        progress = store.find_run(right).progress
    assert bench.other.undecided == progress.counts.get(Verdict.UNDECIDED, 0)
    assert (bench.other.decided, bench.other.nodes) == (sets.SIZE - bench.other.undecided, progress.nodes)
    assert bench.time_ratio is not None


def test_what_a_limit_leaves_undecided_is_lost_and_not_wrong() -> None:
    bench = bench_engine("card-pairing/winnable", max_nodes=90)
    assert bench.right
    assert bench.summary.counts == {"lost": bench.other.undecided}
    assert 0 < bench.other.undecided < sets.SIZE


@pytest.mark.slow
def test_a_program_is_timed_and_its_wrong_verdicts_are_named(declare: Declare) -> None:  # noqa: F811
    [layout, *_] = [str(row["layout"]) for row in entries(games()["memory"])]
    declare()
    assert bench_engine("memory/program", baseline="two-pass").right
    declare("invents a verdict", layout)
    failing = bench_engine("memory/program")
    assert (failing.right, failing.other.failed, failing.summary.counts) == (False, 1, {"lost": 1})
    declare(checked_as="incremental")
    wrong = bench_engine("memory/program", baseline="incremental")
    assert not wrong.right
    [first, *_] = wrong.differences
    assert first.layout is not None
    assert solve("memory/incremental", [first.layout]).values == [first.one.value] != [first.other.value]
    assert wrong.other.refused == len(wrong.wrong) > 100
    assert all(verdict.reason.startswith("the referee: invalid: step ") for verdict in wrong.wrong)


def test_a_wrong_claim_is_named_with_the_proof_against_it() -> None:
    """As a program may claim without evidence, which the referee neither accepts nor refuses."""
    left, right = RecordedVerdict(7, Verdict.WINNABLE, None, "01"), RecordedVerdict(7, Verdict.UNWINNABLE, None, None)
    baseline = EngineFigures("card-pairing/winnable", "1", 1, 0, 0, 0, 0, 0, None, [])
    mine = replace(baseline, engine="card-pairing/mine", unproved=1)
    claim, proof = replace(left, evidence=None), replace(right, evidence="6")
    for one, other, engine, reason, wrongness in (
        (left, right, "mine", "winnable 1 says winnable, proved by 01", Wrongness.DISPROVED),
        (claim, right, "mine", "winnable 1 says winnable, without a proof", Wrongness.CONTRADICTED),
        (claim, proof, "winnable", "mine 1 says unwinnable, proved by 6", Wrongness.DISPROVED),
        (left, proof, "mine", "winnable 1 says winnable, proved by 01", Wrongness.CONTRADICTED),
    ):
        bench = EngineBench(150, 9, baseline, mine, [Difference("A A", one, other)], None, None)
        verdict = Verdict.UNWINNABLE if engine == "mine" else Verdict.WINNABLE
        named = f"card-pairing/{engine}", 7, "A A", verdict, None, f"card-pairing/{reason}", wrongness
        assert bench.wrong == [WrongVerdict(*named)] and not bench.right
    refused = WrongVerdict(
        "card-pairing/winnable", 7, "A A", Verdict.WINNABLE, None, "the referee: invalid", Wrongness.REFUSED
    )
    assert replace(bench, one=replace(baseline, wrong=[refused])).wrong == [refused], "which of the two it is, is known"


def test_the_command_prints_figures_and_fails_on_contradictions(tmp_path: Path) -> None:
    compared = ("bench-engine", "memory/incremental", "--baseline", "two-pass", "--json")
    ran = dealmill(*compared, "--fail-on", "contradicted,nodes=1000,time=1000", cwd=tmp_path)
    assert ran.returncode == 0
    assert [row["engine"] for row in json.loads(ran.stdout)] == ["memory/two-pass", "memory/incremental"]
    assert "question\n" in ran.stderr
    ran = dealmill("bench-engine", "card-pairing", "--set", "classic", cwd=tmp_path)
    assert (ran.returncode, "differences on 150 layouts: none" in ran.stderr) == (0, True)
    ran = dealmill("bench-engine", "card-pairing", "--set", "easy", cwd=tmp_path)
    assert ran.returncode == 2 and "no benchmark set 'easy': " in ran.stderr and "it has: classic, hard\n" in ran.stderr
    assert not list(tmp_path.iterdir())


@pytest.mark.slow
def test_the_command_names_wrong_verdicts_once_for_each_reason(declare: Declare, tmp_path: Path) -> None:  # noqa: F811
    [layout, *_] = [str(row["layout"]) for row in entries(games()["memory"])]
    environment = {"DEALMILL_ENGINES": str(declare("knows one layout", layout, same_failures=200))}
    ran = dealmill("bench-engine", "memory/program", cwd=tmp_path, env=environment)
    assert ran.returncode == 3
    assert ran.stderr.count("wrong: memory/program says failed, layout 2: ") == ran.stderr.count("wrong: ") == 1
    assert "and 148 more verdicts that failed\n" in ran.stderr and len(ran.stderr.splitlines()) < 12, ran.stderr


def test_a_game_without_a_set_says_so(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(type(games()["memory"]), "examples", tmp_path)
    with pytest.raises(NotFoundError, match="memory has no benchmark set"):
        bench_engine("memory/two-pass")
