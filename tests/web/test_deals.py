"""Deals for programs that play: from the store, from packs, or dealt and solved at once."""

from pathlib import Path

import pytest
from fastapi.testclient import TestClient

import dealmill
from dealmill.web.app import application
from dealmill.web.deals import Packs
from tests.web import shop
from tests.web.conftest import HOSTS


def test_a_deal_of_a_run_is_chosen_by_its_seed_and_grade(client: TestClient, furnished: str) -> None:
    with dealmill.open(furnished) as store:
        wins = {result.layout: result for result in store.query(run=shop.PAIRING, verdict="winnable")}
    chosen = [client.get(f"/api/deal?game=card-pairing&seed={seed}").json() for seed in (0, 1, 2, 3, 2**64 - 1)]
    assert len({deal["layout"] for deal in chosen}) > 2
    for seed, deal in enumerate(chosen[:4]):
        win = wins[deal["layout"]]
        assert (deal["evidence"], deal["grade"], deal["judgement"]) == (win.evidence, win.grade, "valid")
        assert client.get(f"/api/deal?game=card-pairing&seed={seed}").json() == deal
    for grade in {win.grade for win in wins.values()}:
        assert client.get(f"/api/deal?game=card-pairing&seed=5&grade={grade}").json()["grade"] == grade


def test_without_a_run_the_deals_of_the_seed_are_solved(client: TestClient) -> None:
    for seed in (7, 8):
        deal = client.get(f"/api/deal?game=klondike&seed={seed}").json()
        [win] = dealmill.winnable_deals("klondike", seed=seed, count=1)
        assert (deal["layout"], deal["evidence"], deal["deal"]) == (
            win.layout,
            win.evidence,
            f"deal:klondike:seed={seed}:{win.line}",
        )
        assert (deal["judgement"], deal["item"], len(deal["playback"]["steps"])) == (
            "valid",
            None,
            len(win.evidence.split()),  # type: ignore[union-attr]
        )


def test_the_careful_player_grades_the_deals_of_a_store(tmp_path: Path) -> None:
    with dealmill.open(f"sqlite:///{tmp_path / 'store.db'}") as store:
        run = store.run("deal:tripeaks:seed=3:1-25")
        played = store.run("deal:tripeaks:seed=3:1-25", engine="tripeaks/chances")
        won = {result.layout for result in run.results(verdict="winnable")}
        grades = {result.layout: result.grade for result in played.results() if result.layout in won}
        app = application(store, hosts=HOSTS)
        with TestClient(app) as client:
            for grade in {*grades.values()}:
                deal = client.get(f"/api/deal?game=tripeaks&seed={grade}&grade={grade}").json()
                assert (grades[deal["layout"]], deal["grade"], deal["verdict"]) == (grade, grade, "winnable")
                assert deal["judgement"] == "valid" and deal["deal"].startswith("deal:tripeaks:seed=3:")
        for process in app.state.processes:
            process.close()


@pytest.mark.parametrize(
    ("query", "code", "message"),
    [
        ("game=klondike&seed=7&grade=3", 404, "with: dealmill pack klondike FILE.json --each 20 --grades 3"),
        ("game=camelot&seed=7&grade=3", 404, "with: dealmill run deal:camelot:seed=7:1-1000, and dealmill pack last"),
        ("game=klondike&seed=7&grade=6", 400, "grade must be a whole number from 1 to 5"),
        ("game=memory&seed=7", 400, "memory/two-pass does not tell whether a deal can be won"),
        ("game=british-canister&seed=7", 404, "none of the first 20 deals of british-canister with the seed 7 was won"),
        ("game=nothing&seed=7", 404, "there is no game 'nothing'"),
        ("game=klondike", 422, "seed is missing"),
        ("game=klondike&seed=-1", 422, "seed must be a whole number in digits"),
        ("game=klondike&seed=1&nodes=5", 400, "there is no parameter nodes"),
    ],
)
def test_what_is_not_prepared_or_wrong_is_said(query: str, code: int, message: str, client: TestClient) -> None:
    answer = client.get(f"/api/deal?{query}")
    assert answer.status_code == code and message in answer.json()["detail"]


def test_packs_that_are_served_have_the_deals_and_grades(furnished: str, tmp_path: Path) -> None:
    path = tmp_path / "pack.json"
    with dealmill.open(furnished) as store:
        pack = store.find_run(shop.CAMELOT).pack(path, grades=1, each=20)
        layouts = {entry.layout for entry in pack.layouts}
        app = application(store, hosts=HOSTS, packs=Packs.read([path]))
        with TestClient(app) as client:
            chosen = [client.get(f"/api/deal?game=camelot&seed={seed}&grade=1").json() for seed in range(12)]
            assert {deal["layout"] for deal in chosen} <= layouts and len({deal["layout"] for deal in chosen}) > 5
            assert all(deal["judgement"] == "valid" and deal["grade"] == 1 for deal in chosen)
            missing = client.get("/api/deal?game=camelot&seed=1&grade=2")
            assert missing.status_code == 404 and "the packs of camelot have no grade 2, only 1" in missing.text
        for process in app.state.processes:
            process.close()
    path.write_text("{}")
    with pytest.raises(dealmill.InputError, match="is not a pack"):
        Packs.read([path])


def test_moves_are_followed_to_their_position(client: TestClient) -> None:
    [deal] = dealmill.winnable_deals("klondike", seed=7, count=1)
    moves = str(deal.evidence).split()

    def check(*played: str) -> dict[str, object]:
        given = {"game": "klondike", "layout": f"deal:klondike:seed=7:{deal.line}", "moves": " ".join(played)}
        answer: dict[str, object] = client.post("/api/check", json=given).json()
        return answer

    assert check()["next_move"] == moves[0]
    position = dealmill.after("klondike", deal, moves[:5])
    answer = check(*moves[:5])
    assert (answer["layout"], answer["next_move"]) == (position.result.layout, position.next_move)
    assert answer["verdict"] == "winnable" and answer["judgement"] == "valid"
    won = check(*moves)
    assert won["verdict"] == "winnable" and "next_move" not in won
    assert "legal moves there: " in str(check(*moves[:5], "XX")["detail"])
    refused = client.post("/api/check", json={"game": "memory", "layout": "ABBA", "moves": ""})
    assert refused.status_code == 400 and "positions of memory are not layouts" in refused.text
