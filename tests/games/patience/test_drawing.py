"""The picture of a table: every card once, short enough for pages with many, and a part of it for lists that can be
read there."""

from collections import Counter
from xml.etree import ElementTree

import pytest

from dealmill.cards import WIDTH
from dealmill.game import Scene, rank_name
from dealmill.pipeline.games import find_game, games
from dealmill.pipeline.games.patience import Patience
from tests.doing import deal
from tests.games.drawn import parsed

PATIENCES = {name: game for name, game in games().items() if isinstance(game, Patience)}
MAX_CHARACTERS = 15_000
"""The most of a picture for each deck."""
BOX = 256, 140
"""The size of boards in lists, in pixels (``.thumb.board img`` in ``style.css``)."""
LEAST_WIDTH = 16
"""The least width of a card in lists."""


def symbols(texts: list[str]) -> Counter[str]:
    """Count the ranks among some texts."""
    ranks = set(map(rank_name, "A23456789TJQK"))
    return Counter(text for text in texts if text in ranks)


def part(scene: Scene) -> tuple[int, ...]:
    """Return the left and upper end, the width and the height of the part of a picture that lists show."""
    return tuple(map(int, (ElementTree.fromstring(scene.thumbnail).get("viewBox") or "").split()))


@pytest.mark.parametrize("name", PATIENCES)
def test_a_picture_has_every_card_once(name: str) -> None:
    game = PATIENCES[name]
    [layout] = deal(game, 1, 1, 1)
    scene = next(iter(game.scenes(layout)))
    bold = [group for group in parsed(scene).iter() if group.get("font-weight") == "bold"]
    drawn = symbols([text.text or "" for group in bold for text in group if text.tag.endswith("}text")])
    dealt = Counter(rank_name(card[0]) for card in game.rules.deck())
    hidden = game.rules.reserve - 1 if game.rules.stacked else 0
    assert drawn <= dealt and drawn.total() == dealt.total() - hidden
    assert len(scene.svg) <= MAX_CHARACTERS * game.rules.decks
    _, _, width, height = part(scene)
    assert WIDTH * min(BOX[0] / width, BOX[1] / height) >= LEAST_WIDTH


def test_pictures_count_the_further_passes_through_the_stock() -> None:
    game = find_game("klondike:stock.passes=3")
    [layout] = deal(game, 1, 1, 1)
    scene = next(iter(game.scenes(layout)))
    assert "; further passes: 2" in scene.svg and "\nfurther passes  2\n" in next(iter(game.frames(layout)))
    used = layout.replace(" passes:2", "")
    assert "further passes" not in next(iter(game.scenes(used))).svg + next(iter(game.frames(used)))


def test_lists_show_the_columns() -> None:
    game = PATIENCES["klondike"]
    [layout] = deal(game, 1, 1, 1)
    scene = next(iter(game.scenes(layout)))
    left, top, width, height = part(scene)
    cards = [card for card in parsed(scene).iter() if card.get("height") == "62" and float(card.get("y", 0)) > top]
    assert len(cards) == 28 and (left, width) == (0, scene.width)
    assert max(float(card.get("y", 0)) for card in cards) + 62 < top + height < scene.height / 2 + top


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("east-haven", "A row of the stock is dealt to the columns, its first card to column 1."),
        ("klondike", "The first card of the stock is turned first."),
        ("golf", "The first card of the stock is turned first."),
    ],
)
def test_the_legend_says_where_the_stock_goes(name: str, words: str) -> None:
    assert PATIENCES[name].display.legend.endswith(words)
    assert "stock" not in PATIENCES["freecell"].display.legend
