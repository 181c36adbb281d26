"""Deals with the numbers of PySolFC. The boards are those that the package pysol-cards 0.24, by an author of PySolFC,
prints for the numbers; from which number on PySolFC shuffles in its own way is in its sources."""

from pathlib import Path

import pytest

import dealmill
from dealmill.pipeline.games.patience.deal import DEALT_OTHERWISE_BY_PYSOL
from dealmill.pipeline.games.shuffles import FIRST_PYSOL
from tests.doing import do_runs, queue_compact

BOARDS = {
    ("bakers-dozen", 240_000): "KH3CACQS/TS8SQCJC/JS5C3DTH/8CJHTD6C/2HQD3HTC/4CAS2S4S/KSKC5H9S/KD4D9C5D/2C6D8H8D/"
    "QHAD6S5S/7S7C2D6H/AHJD7D7H/4H9H9D3S",
    ("bakers-dozen", 24): "KD8HACAS/KC3D8C2S/QDTD7D9S/2HJH6SQH/KH3S9D2C/JD3HTH7S/7CQSJCAH/8D4D6H7H/6DAD3C2D/KSTS9C5D/"
    "4HTC6CQC/4S5C5S5H/8S9HJS4C",
    ("klondike", 240_000): "JD/5d9H/8dThAC/5s6c7dQC/6hTc9d8h3D/7h4sQs6s5hTD/3sKcJc2d9c2s3H "
    "stock:7CAD6DKD9SASQDJH5C8S3C4HAH7SQH2C4DKS4C2H8CJSTSKH",
    (
        "black-hole",
        240_000,
    ): "3S8HJH/7H9C5C/6H5H8S/5S2S3C/8D3H4H/5DTDAH/KC3D7S/4SQCQH/TCAC2C/6C9H4D/THJDKS/JC7C4C/QSAD2H/"
    "9D6D8C/7DKDJS/2D9STS/6SQDKH hole:AS",
    ("golf", 32_001): "4CKH3DASTH/ACJCJS3C8D/JD4S7S4H2S/8H7H2HQDAH/5STCTDTS9D/6SJH8SQCKD/6D2D9C2C9S hole:5C "
    "stock:QH5D5HQS6C7DAD6H3HKS4DKC3S8C9H7C",
    ("seahaven-towers", 32_001): "4C7H9C2S6C/ACTCASAH7D/JDJH3C9DAD/8H2D4HKD6H/5S3DQD9S3H/6SJSTS5CKS/6D7SQCQH4D/"
    "KH2H2C5DKC/JCTDTH5H3S/4S8S8DQS8C cells:9H7C",
    ("beleaguered-castle", 240_000): "3STC6SQCJH4D/7H6C8H9H5CKS/6HTH9CJD8S4C/5SJC5H7C3C2H/8DQS2S6D4H8C/5D9D3HKD7SJS/"
    "KC7DTD9SQHTS/4S2D3DQD2CKH foundations:ACAHASAD",
    ("gypsy", 24): "Kc8sKC/Th6s4H/Qs9dJC/TsJd6H/4hAdJH/Kd5h9C/7hTc2H/7sJh4D stock:2CKHAHAC2DAC2C5D5S3DAS9H4S8S"
    "JD5D9DAS6H7DQC9H2D5CQH3D6D7CAHQC9S8HTC2S8C3S4C4CQDQHJS8D7D5C3C7SJS9S6CTDKHTSJCADKS4DQDTDTH"
    "8CKS4S3C6DQS6S8H2S2H5S3H5HKD8D7C6C7H3H3S9C",
    ("gypsy", 240_000): "5h8s8D/2sKc6H/Kc2hKH/JhQsKS/7d4cQH/Ad9sQS/AhKd9D/Td2dKD stock:8HACKS7D7S5H5CAC8C8S2C5D5S5D"
    "QC2S2C7C4S9CKHTC6D5CTSQH6SJHASQD9DTS6HJS7S3H4S3CJD4D3D5S2H6S8DJC4H4HQD7HTH6D3SJCQCAS9H6CJS"
    "4D3DTCAD4C6CTH7HAHJD8H7C9S9C8CTD3H3S3C9H2D",
}


@pytest.mark.parametrize(("game", "number"), BOARDS)
def test_deals_are_those_of_pysolfc(game: str, number: int) -> None:
    name = f"{game}:numbers=pysol"
    [deal] = dealmill.deals(name, seed=0, first=number, count=1)
    assert deal.text == f"{name} {BOARDS[game, number]}"


def test_low_numbers_are_those_of_microsoft() -> None:
    def deals(game: str, first: int, count: int) -> list[str]:
        return [deal.text.partition(" ")[2] for deal in dealmill.deals(game, seed=0, first=first, count=count)]

    pysol, microsoft = "freecell:numbers=pysol", "freecell"
    assert deals(pysol, 1, 20) == deals(microsoft, 1, 20)
    assert deals(pysol, FIRST_PYSOL - 1, 1) == deals(microsoft, FIRST_PYSOL - 1, 1)
    assert deals(pysol, FIRST_PYSOL, 1) != deals(microsoft, FIRST_PYSOL, 1)


@pytest.mark.parametrize("game", ["canfield", "raglan", "klondike:tableau.sizes=1,2,3,4,5,7,6"])
def test_games_that_pysolfc_deals_in_another_order_do_not_have_its_numbers(game: str) -> None:
    base, _, rules = game.partition(":")
    with pytest.raises(dealmill.UsageError, match="in another order"):
        dealmill.deals(":".join(filter(None, [base, "numbers=pysol", rules])), seed=0, count=1)


@pytest.mark.parametrize("game", DEALT_OTHERWISE_BY_PYSOL)
def test_games_of_the_same_shape_that_pysolfc_deals_otherwise_do_not_have_its_numbers(game: str) -> None:
    name = f"{game}:numbers=pysol"
    with pytest.raises(dealmill.UsageError, match=rf"PySolFC deals {game} in another way"):
        dealmill.deals(name, seed=0, first=1, count=1)
    assert dealmill.deals(name, seed=1, first=1, count=1)


def test_a_survey_of_deals_that_pysolfc_does_not_have_is_refused_before_anything_starts(tmp_path: Path) -> None:
    refused = pytest.raises(dealmill.UsageError, match="PySolFC deals fan in another way")
    with dealmill.open(f"sqlite:///{tmp_path / 'a.db'}") as store, refused:
        store.survey("fan:numbers=pysol", seed=0, count=1000)
    assert not (tmp_path / "a.db").exists()


@pytest.mark.slow
def test_stored_results_of_such_deals_can_still_be_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Dealmill 0.2.0 did not refuse them. The deals of a compact run are dealt again whenever they are read."""
    with dealmill.open(f"sqlite:///{tmp_path / 'a.db'}") as store:
        with monkeypatch.context() as earlier:
            earlier.delitem(DEALT_OTHERWISE_BY_PYSOL, "fan")
            stored = store.find_run(queue_compact(store._database, "deal:fan:numbers=pysol:seed=0:1-5", 100))
            do_runs(store._database)
        assert [result.line for result in stored.results()] == [1, 2, 3, 4, 5]
