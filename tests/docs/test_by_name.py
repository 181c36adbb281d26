"""The names by which people know games: they name games and variants that exist, and all of ours are among them."""

from collections import Counter
from pathlib import Path

import pytest

import dealmill
from dealmill.pipeline.errors import NotFoundError, UsageError
from dealmill.pipeline.games import find_engine, find_game, games
from dealmill.pipeline.games.deals import parse_deal_range, with_rules
from dealmill.pipeline.games.names import games_by_name, known_games, with_known_name, word_of
from tests.doing import forget_games

HERE, MISSING = known_games()
LUCAS = "forty-thieves:foundations.initial=all:stock.size=57:tableau.count=13"


def test_every_game_and_variant_of_the_page_exists() -> None:
    for name in [name for known in HERE for name in known.games] + [
        name for known in MISSING for name in known.nearest
    ]:
        assert find_game(name).name == name


def test_every_game_is_on_the_page() -> None:
    assert {name for known in HERE for name in known.games} >= games().keys()


def test_no_name_stands_for_two_games() -> None:
    names = [known.names for known in HERE] + [known.names for known in MISSING]
    words = Counter(word for each in names for word in set(map(word_of, each)))
    assert words.most_common(1)[0][1] == 1


def test_a_name_is_not_that_of_another_game() -> None:
    for word, name in games_by_name().items():
        assert word not in games() or word == name


@pytest.mark.parametrize(
    ("name", "game"),
    [
        ("lucas", LUCAS),
        ("idiots-delight", "king-albert"),
        ("lucas:stock.size=61", LUCAS.replace("57", "61")),
        ("lucas:tableau.build=red-black", LUCAS.replace("count=13", "build=red-black:tableau.count=13")),
        ("idiots-delight:cells.count=1", "king-albert:cells.count=1"),
        ("Lucas", LUCAS),
        ("Lucas:stock.size=61", LUCAS.replace("57", "61")),
        ("Idiot’s  delight", "king-albert"),
        ("Baker's Dozen", "bakers-dozen"),
        ("Seahaven Towers", "seahaven-towers"),
        ("FREECELL", "freecell"),
        ("Free Cell:cells.count=3", "freecell:cells.count=3"),
    ],
)
def test_a_name_that_people_know_names_a_game(name: str, game: str) -> None:
    assert find_game(name).name == find_engine(f"{name}/winnable")[0].name == game
    assert parse_deal_range(f"deal:{name}:seed=1:1-3").game.name == game


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("accordion", "there is no game 'accordion': it needs rules that no key has (another kind: piles in a row)"),
        ("Lukas", "there is no game 'Lukas' (did you mean lucas?)"),
        ("Accordion", "there is no game 'Accordion': it needs rules that no key has (another kind: piles in a row)"),
        ("carre-napoleon", "there is no game 'carre-napoleon': it needs rules that no key has (cards go up while"),
        ("../lucas", "there is no game '../lucas'"),
        ("lucas\n", "there is no game 'lucas\\n'"),
        (
            "klondike-for-money",
            "there is no game 'klondike-for-money': people mean klondike:stock.passes=3 or klondike-deal-1",
        ),
    ],
)
def test_a_name_that_means_no_game_has_a_reason(name: str, reason: str) -> None:
    with pytest.raises(NotFoundError) as error:
        find_game(name)
    assert str(error.value).startswith(reason)


def test_a_rule_that_does_not_fit_a_known_name_is_refused() -> None:
    with pytest.raises(UsageError, match="stock is not a changed rule: write KEY=VALUE"):
        find_game("lucas:stock")
    with pytest.raises(UsageError, match=r"the rule stock\.size is changed twice"):
        find_game("lucas:stock.size=57:stock.size=61")


def test_a_rule_of_a_known_name_is_changed_further_in_numbered_deals() -> None:
    assert with_rules("deal:lucas:seed=1:1-2", ["stock.size=61"]) == f"deal:{LUCAS.replace('57', '61')}:seed=1:1-2"
    with pytest.raises(UsageError, match=r"the rule stock\.size is changed twice"):
        with_rules("deal:lucas:stock.size=57:seed=1:1-2", ["stock.size=61"])


def test_runs_are_selected_by_a_known_name(tmp_path: Path) -> None:
    with dealmill.open(f"sqlite:///{tmp_path}/store.db") as store:
        run = store.run("deal:putt-putt:seed=1:1-2", max_nodes=1)
        assert store.select(game="putt-putt") == store.select(engine="putt-putt/winnable") == [run]
        assert len(list(store.query(game="putt-putt"))) == 2
        dealmill.report([run], tmp_path / "a.html")
    assert "Run 1: Putt Putt (golf:hole.wrap=true/winnable)" in (tmp_path / "a.html").read_text()


def test_a_users_game_has_its_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "lucas.toml").write_text(find_game("klondike").rules_text.text)  # type: ignore[union-attr]
    monkeypatch.setenv("DEALMILL_RULES", str(tmp_path))
    forget_games()
    names = [find_game(name).name for name in ("lucas", "lucas:stock.draw=1", "Lucas", "josephine")]
    monkeypatch.undo()
    forget_games()
    assert names == ["lucas", "lucas:stock.draw=1", "lucas", "forty-thieves:tableau.move=run"]


def test_a_variant_is_shown_with_the_name_that_people_know() -> None:
    changes = "foundations.initial = all, stock.size = 57, tableau.count = 13"
    assert find_game(LUCAS).full_title == f"Lucas (Forty Thieves, {changes})"
    assert with_known_name(f"{LUCAS}/winnable") == f"Lucas ({LUCAS}/winnable)"
    for name in ("king-albert", "king-albert:cells.count=1"):
        assert find_game(name).full_title == find_game(name).title
        assert with_known_name(f"{name}/winnable") == f"{name}/winnable"
