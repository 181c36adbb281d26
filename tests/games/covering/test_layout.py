"""How positions of covering games are read, and what is wrong with texts that are none; deals by number."""

import pytest

from dealmill.pipeline.errors import BadLayout
from dealmill.pipeline.games import find_game
from dealmill.pipeline.games.batch import unpack
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


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("pyramid 5D/8H--", "the number of rows is 2, expected 7"),
        (f"pyramid 5D/8H/------{LOWER}", "row 2 has 1 places, expected 2: write -- for each gap"),
        (f"pyramid 5D/8X--/------{LOWER}", "row 2 is '8X--', expected cards such as 6H, and -- for each gap"),
        (f"pyramid --/8H--/------{LOWER} stock:5D", "a card is missing under 8H: only free cards leave"),
        (f"pyramid 5D/5D--/------{LOWER} stock:8H8S", "5D occurs 2 times, expected at most once"),
        (f"pyramid 5D/----/------{LOWER}", "1 cards of rank 5 and 0 of rank 8 are left, expected equally many"),
        (f"pyramid 5D/8H--/------{LOWER} waste:KD", "the passes that are left must be known: add passes:0 or passes:1"),
        (f"pyramid 5D/8H--/------{LOWER} passes:3", "passes:3 are left, expected at most 2 after the first"),
        (f"pyramid 5D/8H--/------{LOWER} hole:3S", "'hole:3S' is not a part of a position of pyramid"),
        (f"pyramid 5D/8H--/------{LOWER} stock:", "stock is '', expected the form stock:6H4S"),
        (f"giza 5D/8H--/------{LOWER}", "the part columns is missing, such as columns:6H4S/-"),
        (f"giza 5D/8H--/------{LOWER} columns:-/-", "the number of columns is 2, expected 8"),
        (f"giza 5D/----/------{LOWER} columns:8H3DTDKH/-/-/-/-/-/-/-", "column 1 has 4 cards, expected at most 3"),
        ("tripeaks 9C----/------------/------------------/--------------------", "the part hole is missing"),
    ],
)
def test_what_is_no_position_is_refused_with_the_reason(text: str, reason: str) -> None:
    with pytest.raises(BadLayout) as raised:
        read_one(find_game(text.split(maxsplit=1)[0]), text)
    assert reason in "; ".join(raised.value.reasons)


def test_seed_0_has_the_deals_of_pysol_which_deals_from_the_deck_of_freecell() -> None:
    """FreeCell deal 1 begins with JD 2D 9H JC 5D 7H 7C 5H KD KC 9S 5S AD QC KH 3H 2S KS 9D."""
    [pyramid], [peaks], [giza] = (unpack(find_game(name).deal(0, 1, 1)) for name in ("pyramid", "tripeaks", "giza"))
    assert pyramid.startswith("pyramid JD/2D9H/JC5D7H/7C5HKDKC/")
    assert peaks.startswith("tripeaks Jd7cAd/2d9h5hKdQcKh/Jc5d7hKc9s5s3h2sKs/9D")
    assert " columns:JDKD2S/2DKCKS/9H9S9D/" in giza
