"""The page that finds a game by the name that people know names games and variants that exist, and all of ours."""

import re
from pathlib import Path

from dealmill.pipeline.games import find_game, games

PAGE = Path(__file__).parents[2] / "docs" / "games-by-name.md"
ROWS = [
    [cell.strip() for cell in row.split("|")]
    for row in re.findall(r"^\| (?!your game|---)(.*)\|$", PAGE.read_text(), re.M)
]
"""The names of a game, and what the other columns say."""
NAMES = [re.findall(r"`([^`]+)`", " ".join(cells)) for _, *cells in ROWS]


def test_every_game_and_variant_of_the_page_exists() -> None:
    for names in NAMES:
        for name in names:
            assert find_game(name).name == name


def test_every_game_is_on_the_page() -> None:
    assert {name for names in NAMES for name in names} >= games().keys()


def test_no_name_stands_for_two_games() -> None:
    aliases = [alias for title, *_ in ROWS for alias in re.split("[,;] ", title)]
    assert sorted(set(aliases)) == sorted(aliases)
