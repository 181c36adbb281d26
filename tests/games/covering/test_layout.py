"""How positions of covering games are read, and what is wrong with texts that are none; deals by number."""

import pytest

from dealmill.pipeline.games import find_game
from dealmill.pipeline.games.batch import to_strings
from dealmill.pipeline.games.reading import read_one

LOWER = "/--------/----------/------------/--------------"


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        (f"pyramid 5d/8♥--/------{LOWER}", f"pyramid 5D/8H--/------{LOWER} passes:2"),
        (f"pyramid  10H/3s--/------{LOWER} passes:1  waste:kc", f"pyramid TH/3S--/------{LOWER} passes:1 waste:KC"),
        (
            "tripeaks 9C9D----/X".replace("----/X", "9H/2C----------/------------------/--------------------  hole:as"),
            "tripeaks 9c9D9H/2C----------/------------------/-------------------- hole:AS",
        ),
        (f"relaxed-pyramid 5d/8H--/------{LOWER}", None),
    ],
)
def test_positions_are_read_as_people_write_them(text: str, canonical: str | None) -> None:
    game = find_game(text.split(maxsplit=1)[0])
    if canonical is None:
        text, canonical = text.replace("relaxed-", ""), f"pyramid 5D/8H--/------{LOWER} passes:2"
    assert read_one(game, text) == canonical


def test_seed_0_has_the_deals_of_pysol_which_deals_from_the_deck_of_freecell() -> None:
    """FreeCell deal 1 begins with JD 2D 9H JC 5D 7H 7C 5H KD KC 9S 5S AD QC KH 3H 2S KS 9D."""
    [pyramid], [peaks], [giza] = (to_strings(find_game(name).deal(0, 1, 1)) for name in ("pyramid", "tripeaks", "giza"))
    assert pyramid.startswith("pyramid JD/2D9H/JC5D7H/7C5HKDKC/")
    assert peaks.startswith("tripeaks Jd7cAd/2d9h5hKdQcKh/Jc5d7hKc9s5s3h2sKs/9D")
    assert " columns:JDKD2S/2DKCKS/9H9S9D/" in giza
