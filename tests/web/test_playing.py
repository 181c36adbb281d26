"""Playing on from a position: by links without script, by taps and keys, with an undo, a hint and the losing move."""

from collections.abc import Iterator
from urllib.parse import urlencode

import pytest
from fastapi.testclient import TestClient
from playwright.sync_api import Browser, expect

import dealmill
from dealmill.pipeline.games import find_game
from dealmill.verdicts import Verdict
from tests.web.browser import running_browser, serving

GAME = "klondike"
DEAL = 3
"""A deal that can be won."""
LOST_DEAL, LOSING, LATER = 28, "3H4C 2C3H ASf 8D9S", "ADf"
"""Another one, moves the last of which loses it, and a move after them."""


@pytest.fixture(scope="module")
def win() -> dealmill.Result:
    """A deal that can be won."""
    [deal] = dealmill.deals(GAME, first=DEAL, count=1)
    return dealmill.solve(GAME, deal)


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """A browser for the tests of this module."""
    with running_browser() as browser:
        yield browser


def address(win: dealmill.Result, moves: str = "", **further: str) -> str:
    """Return the address of the page after some moves."""
    return f"/play?{urlencode({'game': GAME, 'layout': win.layout, 'moves': moves, **further})}"


@pytest.mark.slow
@pytest.mark.parametrize("scripted", [True, False])
def test_a_card_and_a_place_are_a_move(browser: Browser, furnished: str, win: dealmill.Result, scripted: bool) -> None:
    game = find_game(GAME)
    assert game.play
    first = str(win.evidence).split(" ")[0]
    choice = next(choice for choice in game.play(win.layout, []).choices if choice.word == first)
    with serving(furnished) as site:
        page = browser.new_page(java_script_enabled=scripted)
        page.goto(site + address(win, nodes="1000000"))
        page.locator(f'#play svg a[aria-label="Take {choice.piece}"]').click()
        page.locator(f'#play svg a[aria-label="{choice.caption}"]').first.click()
        page.wait_for_url(f"**moves={first}*")
        expect(page.locator("#play .verdict")).to_contain_text("winnable")
        page.get_by_role("link", name="Hint").press("Enter")
        expect(page.locator("#play .notice")).to_contain_text("Hint")
        if scripted:
            page.keyboard.press("u")
        else:
            page.get_by_role("link", name="Undo").click()
        expect(page.locator("#play .lead")).to_contain_text("0 moves")
        page.close()


def test_the_losing_move_is_told_with_its_proof(client: TestClient) -> None:
    [deal] = dealmill.deals(GAME, first=LOST_DEAL, count=1)
    win = dealmill.solve(GAME, deal)
    lost = client.get(address(win, LOSING)).text
    assert "This move loses" in lost and "here is the proof" in lost
    assert "This move loses" not in client.get(address(win, LOSING.rpartition(" ")[0])).text
    later = client.get(address(win, f"{LOSING} {LATER}")).text
    assert "This move loses" not in later and "Show the proof" in later


def test_a_win_can_be_played_to_its_end_and_bad_addresses_are_refused(client: TestClient, win: dealmill.Result) -> None:
    assert "Won." in client.get(address(win, str(win.evidence))).text
    named = {"game": GAME, "layout": f"deal:{GAME}:seed=1:{DEAL}", "moves": str(win.evidence)}
    assert "Won." in client.get("/play", params=named).text
    for path, message in (
        (address(win, "KSQD"), "the rules do not allow KSQD"),
        (address(win, "hello"), "is not a move"),
        (address(win, piece="ZZ"), "&#39;ZZ&#39; cannot move here; what can: AD"),
        (f"/play?game={GAME}&layout=x", "played on: the line begins with"),
        (f"/play?game={GAME}&layout=deal:golf:seed=1:5", "is not of klondike: choose the game golf"),
        (f"/play?game={GAME}&layout=deal:{GAME}:seed=1:5-6", "name a single one"),
        ("/play?game=memory&layout=ABBA", "cannot be played here"),
        ("/play?game=nothing&layout=x", "there is no game"),
    ):
        answer = client.get(path)
        assert answer.status_code in {400, 404} and message in answer.text


@pytest.mark.slow
@pytest.mark.parametrize("game", ["tripeaks", "pyramid"])
def test_covering_games_are_played_on(client: TestClient, game: str) -> None:
    results = [dealmill.solve(game, deal) for deal in dealmill.deals(game, count=5)]
    win = next(result for result in results if result.verdict is Verdict.WINNABLE)
    first, *rest = str(win.evidence).split(" ")

    def page(moves: str, **further: str) -> str:
        return client.get("/play", params={"game": game, "layout": win.layout, "moves": moves, **further}).text

    table = find_game(game).play
    assert table
    for choice in table(win.layout, []).choices:
        shown = page("", piece=choice.piece)
        assert choice.caption in shown and f"moves={choice.word}" in shown
    assert f"moves={first}" in page("") and "winnable" in page(first)
    assert "Won." in page(" ".join([first, *rest]))
