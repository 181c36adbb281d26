"""Deals of seed 0 of FreeCell are Microsoft's, with their numbers."""

import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dealmill
from dealmill.game import UsageError
from dealmill.pipeline.games import find_game
from dealmill.pipeline.games.deals import DealRange, parse_deal, parse_deal_range, parse_deals
from dealmill.pipeline.ingest.cells import DealColumn
from dealmill.pipeline.ingest.sources import deals_source
from dealmill.pipeline.store.database.connections import Database
from dealmill.pipeline.store.database.tables import sources
from tests.doing import deal
from tests.programs.freecell import dealt
from tests.servers import dealmill as command

LAST = 2**33 - 1
PUBLISHED = {
    1: (
        "JDKD2S4C3S6D6S/2DKCKS5CTD8S9C/9H9S9DTS4S8D2H/JC5SQDQHTHQS6H/5DADJS4H8H6C/7HQCASAC2C3D/7CKHAH4DJH8C/5H3H3C7S7DTC"
    ),
    2**31 - 1: (
        "9SJH7S5S5D5C7D/2HTC6CADQHJD9C/7CTD3HTH8CAS7H/5HQS8S3C6HQC8H/4C3SKD2C6SAC/6DKHTSAHQDKC/3D8D9D2D4H2S/4SJC4D9HJSKS"
    ),
    2**31: (
        "QH3H7D4DTSQD6D/QCJD3C5D7H6H4S/2HKC8STDJHAD5S/6S7C7STC5H9SAC/2S8HTH9C3S2D/3D5CJCAH6CKH/KS8DAS4H2C4C/8C9HQSJS9DKD"
    ),
    2**32 - 1: (
        "JSQHTC7SKC3HQS/9CTH8C8D5D3DTS/JHASAHKDTD8SJC/2D6DKSAD9H4D3C/QC5S7CKH2CAC/8H4H4C7H9D2H/7DJD5H4S6HQD/6S9S3S2S6C5C"
    ),
    2**32: (
        "TS3SKC4H9H3H4D/5SQD3D9S2H6HKH/2S7C9C8D6SAHJH/TD7D8C5C2DQCQH/3C8STH7STC7H/AD5DJDAS6C9D/JC5H2C4SKSKD/6D4CQSJS8HAC"
    ),
    2**33 - 1: (
        "TC8S8C6C5H5C9C/2STD6D8D9H9S6S/JSTH3SJD4HQC3D/5SQSKDAHASJH4S/4D4C7DJC2DAD/6HKHTS7HQDQH/3H2CKC2H5D9D/7CKS8H3CAC7S"
    ),
}
"""Deals of PyPI ``pysol-cards`` 0.24.0; the first is also Microsoft's deal 1 as many pages show it."""


@pytest.mark.parametrize("number", PUBLISHED)
def test_seed_0_has_published_deals(number: int) -> None:
    for name in ("freecell", "free-cell-0-cell", "bakers-game"):
        assert deal(find_game(name), 0, number, 1) == [f"{name} {PUBLISHED[number]}"]


@pytest.mark.skipif(shutil.which("make-microsoft-freecell-board") is None, reason="freecell-solver-bin is missing")
@settings(max_examples=20, deadline=None)
@given(number=st.integers(1, 2**33 - 1))
def test_seed_0_has_the_deals_of_freecell_solver(number: int) -> None:
    make_board = ["make-microsoft-freecell-board", "-t", str(number)]
    board = subprocess.run(make_board, capture_output=True, text=True, check=True).stdout
    assert dealt(number) == ["freecell " + "/".join(line.replace(" ", "") for line in board.splitlines())]


@pytest.mark.parametrize(("first", "count"), [(0, 1), (2**33, 1), (2**33 - 1, 2)])
def test_seed_0_has_no_other_deals(first: int, count: int) -> None:
    with pytest.raises(UsageError, match=r"freecell have the numbers 1 to 8,589,934,591$"):
        dealt(first, count)


@pytest.mark.parametrize(
    "ask",
    [
        lambda: dealmill.deals("freecell", seed=0, first=0),
        lambda: dealmill.deals("freecell", seed=0, first=2**33),
        lambda: dealmill.deals("freecell", seed=0, first=2**33 - 1, count=2),
        lambda: dealmill.deals("freecell", seed=0, first=2**64),
        lambda: parse_deal("deal:freecell:seed=0:0"),
        lambda: parse_deal("deal:freecell:seed=0:8589934592"),
        lambda: parse_deal_range("deal:freecell:seed=0:5-8589934592"),
    ],
)
def test_messages_name_the_last_deal(ask: Callable[[], object]) -> None:
    with pytest.raises(UsageError, match=r"must be a whole number from 1 to 8,589,934,591, not \d+$"):
        ask()


@pytest.mark.slow
def test_cells_and_commands_name_the_last_deal(tmp_path: Path) -> None:
    column = DealColumn(parse_deals("deal:freecell:seed=0"), "number")
    assert column.read([LAST, LAST + 1, 0, -1])[1:] == [
        (f"the number of the deal is {number}, expected a number from 1 to 8,589,934,591",)
        for number in (LAST + 1, 0, -1)
    ]
    for first in ("0", str(LAST + 1)):
        dealt = command("deal", "freecell", "--seed", "0", "--first", first, cwd=tmp_path)
        assert f"from 1 to 8,589,934,591, not {first}" in dealt.stderr
    assert len(parse_deals("deal:freecell:seed=0")) == LAST


def test_nothing_is_stored_of_a_range_with_deals_that_do_not_exist(sqlite_store: Database) -> None:
    game = find_game("freecell")
    with pytest.raises(UsageError, match="number of the last deal must be a whole number from 1 to 8,589,934,591"):
        deals_source(sqlite_store, DealRange(game, 0, LAST - 5, LAST + 1))
    with sqlite_store.reading() as connection:
        assert connection.execute(sources.select()).all() == []
    assert deals_source(sqlite_store, DealRange(game, 0, LAST - 5, LAST)).id == 1
