"""Games with rules changed by key, which have a name and no file."""

from dataclasses import replace
from pathlib import Path

import pytest

import dealmill
from dealmill.pipeline.errors import DealmillError, UsageError
from dealmill.pipeline.games import find_game
from dealmill.pipeline.games.batch import to_strings
from dealmill.pipeline.games.deals import parse_deal_range, sources_with_rules, variant_name
from dealmill.pipeline.games.descriptions import Layout
from dealmill.pipeline.games.patience import Patience
from tests.servers import dealmill as command

DRAW_1 = "klondike:stock.draw=1"


def test_changed_rules_are_those_of_a_file_that_says_the_same() -> None:
    variant, game = find_game(DRAW_1), find_game("klondike-deal-1")
    assert variant.rules_text and game.rules_text and variant.rules_text.digest == game.rules_text.digest
    alike, own = ([replace(engine, grades=()) for engine in each.engines] for each in (variant, game))
    assert alike == own and variant.title == "Klondike, stock.draw = 1"
    assert find_game(DRAW_1) is variant


def test_a_variant_by_another_name_of_its_game_is_the_same() -> None:
    assert find_game("free-cell:cells.count=3") is find_game("freecell:cells.count=3")


def test_columns_get_the_cards_that_are_left_for_them() -> None:
    for name, sizes in {
        "klondike:stock.size=20": (2, 3, 4, 5, 5, 6, 7),
        "klondike:tableau.count=6": (3, 3, 4, 5, 6, 7),
        "golf:stock.size=9:tableau.sizes=20,22": (20, 22),
    }.items():
        game = find_game(name)
        assert isinstance(game, Patience)
        assert game.rules.sizes == sizes


def test_face_down_cards_can_be_listed_by_column() -> None:
    game = find_game("klondike:tableau.face-down=0,1,1,1,1,1,1")
    assert isinstance(game, Patience)
    assert game.rules.face_down == (0, 1, 1, 1, 1, 1, 1)


def test_a_title_says_as_many_changes_as_fit_and_how_many_more_there_are() -> None:
    changes = ["stock.passes=1", "tableau.build=same-colour", "tableau.move=any", "tableau.spaces=any"]
    titles = [find_game(":".join(["klondike", *changes[:count]])).title for count in range(1, 5)]
    first = "Klondike, stock.passes = 1, tableau.build = same-colour"
    assert titles == [first[:26], first, f"{first}, tableau.move = any", f"{first}, 2 more"]


WRONG = {
    "klondike:stock.draw=12": "stock.draw = 12: expected a number from 1 to 9",
    "klondike:stock.draw=01": 'stock.draw = "01": expected a number from 1 to 9',
    "klondike:tableau.build=up": 'tableau.build = "up": expected "any-suit" or "red-black"',
    "klondike:tableau.face-down=up": 'tableau.face-down = "up": expected "none" or "all-but-top" or a list',
    "klondike:tableau.face-down=0,1": "tableau.face-down = [0, 1]: expected a number for each column",
    "klondike:tableau.sizes=1,,2": 'tableau.sizes = "1,,2": expected a list',
    "klondike:stock.drew=1": "there is no key stock.drew; [stock] has size, to, full-columns, draw, passes",
    "klondike:draw=1": "there is no key draw; did you mean stock.draw",
    "klondike:foundations.direction=down": 'direction = "down": the engine and the referee do not play this yet',
    "klondike:title=x": "title is not a rule",
    "klondike:stock.draw=1:stock.draw=2": "the rule stock.draw is changed twice: name it once",
    "klondike:stock.passes=2:stock.draw=1": "write klondike:stock.draw=1:stock.passes=2, with the keys in alphabetical",
    "klondike:stock.draw": "changed rules are written KEY=VALUE",
    "klondike:stock.draw=": "changed rules are written KEY=VALUE",
    f"klondike:stock.draw={'1' * 200}": "in up to 200 characters",
    "memory:stock.draw=1": "memory has no rules that can be changed by key",
    "backgammon:stock.draw=1": "there is no game",
}


@pytest.mark.parametrize(("name", "error"), WRONG.items(), ids=WRONG)
def test_what_is_wrong_is_named_with_what_is_allowed(name: str, error: str) -> None:
    with pytest.raises(DealmillError) as caught:
        find_game(name)
    assert error in str(caught.value)


def test_a_range_of_deals_names_changed_rules_before_the_seed() -> None:
    deals = parse_deal_range(f"deal:{DRAW_1}:seed=0:3-4")
    assert deals.game.name == DRAW_1 and deals.name == f"deal:{DRAW_1}:seed=0:3-4"
    pair = (dealmill.deals(name, seed=0, first=3, count=2).texts() for name in (DRAW_1, "klondike"))
    changed, usual = map(to_strings, pair)
    assert [text.replace(DRAW_1, "klondike") for text in changed] == usual


@pytest.mark.parametrize("rules", [("stock.draw=1", "stock.passes=2"), ("stock.passes=2", "stock.draw=1")])
def test_a_variant_can_be_changed_further_whatever_the_order(rules: tuple[str, str], tmp_path: Path) -> None:
    named, rule = rules
    variant = "klondike:stock.draw=1:stock.passes=2"
    assert variant_name(f"klondike:{named}", [rule]) == variant
    sources = (f"deal:klondike:{named}:seed=0:1-6", "layouts.txt")
    changed = ((f"deal:{variant}:seed=0:1-6", "layouts.txt"), variant)
    assert sources_with_rules(sources, f"klondike:{named}", [rule]) == changed
    dealt = command("deal", f"klondike:{named}", "--rule", rule, cwd=tmp_path)
    assert dealt.stdout.startswith(f"{variant} "), dealt.stderr


@pytest.mark.parametrize(
    ("rule", "error"),
    {
        "stock.draw=2": "the rule stock.draw is changed twice",
        "draw=1": "there is no key draw; did you mean stock.draw",
        "seed=3": "there is no key seed",
    }.items(),
)
def test_a_range_of_deals_by_wrong_rules_is_refused(rule: str, error: str) -> None:
    with pytest.raises(UsageError, match=error):
        sources_with_rules([f"deal:{DRAW_1}:seed=0:1-10"], None, [rule])


@pytest.mark.slow
def test_a_run_by_changed_rules_goes_the_whole_way_and_needs_no_file(tmp_path: Path) -> None:
    deals = "deal:klondike:seed=0:1-6"
    ran = command("run", deals, "--rule", "stock.draw=1", "--max-nodes", "2000", cwd=tmp_path)
    assert ran.returncode == 0 and f"{DRAW_1}/winnable" in ran.stdout, ran.stderr
    refused = command("run", "layouts.txt", "--rule", "stock.draw=1", cwd=tmp_path)
    assert "name the game of layouts.txt" in refused.stderr
    unclear = command("deal", "klondike", "--rule", "=1", cwd=tmp_path)
    assert "=1 is not a changed rule: write KEY=VALUE without blanks or quotes" in unclear.stderr
    dealt = command("deal", "klondike", "--rule", "stock.draw=1", "--seed", "0", "--count", "6", cwd=tmp_path)
    (tmp_path / "layouts.txt").write_text(dealt.stdout)
    (tmp_path / "unchanged.txt").write_text(dealt.stdout.replace(DRAW_1, "klondike"))
    written = command("deal", DRAW_1, "--seed", "0", "--count", "6", "--format", "board", cwd=tmp_path)
    (tmp_path / "boards.txt").write_text(written.stdout)
    by_rules = ("--rule", "stock.draw=1", "--max-nodes", "2000")
    for arguments in (
        ("run", "layouts.txt", "--game", "klondike", *by_rules),
        ("run", "boards.txt", "--game", "klondike", *by_rules),
        ("run", "unchanged.txt", "--game", "klondike", *by_rules),
        ("diff", "1", "2"),
        ("diff", "1", "3"),
        ("diff", "1", "4"),
        ("audit", "1"),
        ("rerun", "1"),
        ("survey", "klondike", "--rule", "stock.draw=1", "--count", "1000", "--max-nodes", "100"),
        ("show", "1:1"),
        ("query", "--game", DRAW_1),
        ("games", DRAW_1, "--rules"),
    ):
        ran = command(*arguments, cwd=tmp_path)
        assert ran.returncode == 0, (arguments, ran.stdout, ran.stderr)
    found = command("find", dealt.stdout.splitlines()[1], cwd=tmp_path)
    assert "1:2 " in found.stdout and "2:2 " in found.stdout, found.stdout + found.stderr


def test_lines_of_a_game_with_fewer_changes_are_read_by_the_rules_of_the_named_one() -> None:
    game = find_game("klondike:stock.draw=1:stock.passes=3")
    [layout] = to_strings(game.deal(0, 2, 1))
    for name, is_read in {
        "klondike": True,
        "klondike:stock.passes=3": True,
        "klondike:stock.draw=1": True,
        "klondike:stock.passes=2": False,
        "klondike:stock.draw=1:tableau.count=7": False,
        "klondike-deal-1": False,
        "trigon": False,
    }.items():
        [entry] = game.read([(1, layout.replace(game.name, name))])
        assert (entry == Layout(1, layout)) is is_read, name
    [entry] = find_game("klondike").read([(1, layout)])
    assert not isinstance(entry, Layout)
