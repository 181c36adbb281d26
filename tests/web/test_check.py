"""Pasted layouts, judgements and pictures: made in processes, which end if that takes too much time or memory."""

import re
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from queue import SimpleQueue
from typing import NoReturn
from urllib.parse import urlencode

import pytest
from fastapi.testclient import TestClient

import dealmill
from dealmill.pipeline.games.caches import check_may_compile
from dealmill.pipeline.system.bounded import TooMuch
from dealmill.web import check, drawing
from dealmill.web.check import QUEUE_LIMIT, Busy, PasteSolver, Task
from tests.doing import QUICK
from tests.web import shop

WON = "98AK 7T8T Q6KA 9J79 T67J 67JA 9KKJ 86AQ 8TQQ"


@pytest.fixture(scope="module")
def solver() -> Iterator[PasteSolver]:
    """A process that solves layouts."""
    process = PasteSolver()
    yield process
    process.close()


def test_the_result_is_that_of_the_engine_and_judged(solver: PasteSolver) -> None:
    result, judgement = solver.solve(Task("card-pairing", WON, None, 1_000))
    assert result == dealmill.solve("card-pairing", WON, max_nodes=1_000) and judgement.valid
    undecided, judgement = solver.solve(Task("card-pairing", WON, "card-pairing/winnable", 1))
    assert undecided.verdict is dealmill.Verdict.UNDECIDED and judgement.outcome is dealmill.Outcome.NO_EVIDENCE


def test_only_engines_that_need_no_limit_have_none_by_default() -> None:
    tasks = [Task("klondike", "", None, None), Task("tripeaks", "", None, None), Task("tripeaks", "", None, 3)]
    assert [task.limit for task in tasks] == [check.DEFAULT_NODES, check.NODE_LIMIT, 3]


@pytest.mark.parametrize(
    ("task", "error", "message"),
    [
        (Task("card-pairing", "98AK", None, 1), dealmill.BadLayout, "is not a layout of card-pairing"),
        (Task("memory", "deal:memory:seed=1:1-2", None, 1), dealmill.UsageError, "name a single one"),
        (
            Task("memory", "deal:camelot:seed=1:1", None, 1),
            dealmill.UsageError,
            "not of memory: choose the game camelot",
        ),
        (Task("poker", WON, None, 1), dealmill.NotFoundError, "there is no game 'poker'"),
        (Task("memory", WON, "camelot/winnable", 1), dealmill.UsageError, "camelot"),
        (Task("memory", "A" * 10_001, None, 1), dealmill.UsageError, "more than 10,000 characters"),
    ],
)
def test_errors_come_back_and_the_process_lives_on(
    solver: PasteSolver, task: Task, error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        solver.solve(task)
    assert solver.solve(Task("memory", "ABBA", None, 100))[0].value == 8


def test_requests_wait_for_each_other_only_so_long(solver: PasteSolver, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(check, "WAIT_LIMIT", 0.05)
    with solver.lock, pytest.raises(Busy, match="try again"):
        solver.solve(Task("memory", "ABBA", None, 100))


def test_the_form_shows_the_solution_step_by_step(client: TestClient) -> None:
    assert "<form" in client.get("/check").text
    given = {"game": "card-pairing", "layout": f"  {WON}\r\n", "nodes": "1000", "step": "3"}
    text = client.get("/check", params=given).text
    assert "Checked layout" in text and 'data-step="3" aria-current="step"' in text and "step=4" in text


def test_the_form_takes_a_board_as_other_programs_write_it(client: TestClient) -> None:
    [deal] = dealmill.deals("freecell", seed=1, first=3, count=1)
    board, solvitaire = (dealmill.convert("freecell", deal, form) for form in ("board", "solvitaire"))
    for text in (board, board.replace("\n", "\r\n  "), solvitaire):
        answer = client.get("/check", params={"game": "freecell", "layout": text})
        assert answer.status_code == 200 and f"<code>{deal.text}</code>" in answer.text
        assert answer.text.count(urlencode({"layout": deal.text})) > 50, "each step has the short form"
        assert 'data-step="0" aria-current="step"' in answer.text
    answer = client.get("/check", params={"game": "freecell", "layout": board.replace("KC", "KD")})
    assert answer.status_code == 400 and "is not a layout of freecell: " in answer.text and "KD" in answer.text


def test_the_game_that_a_layout_names_is_selected(client: TestClient) -> None:
    variant = "klondike:stock.draw=1"
    [deal] = dealmill.deals(variant, seed=1, first=4, count=1)
    for layout in (f"deal:{variant}:seed=1:4", deal.text):
        answer = client.get("/check", params={"game": "freecell", "layout": layout})
        assert answer.status_code == 200 and f"<code>{deal.text}</code>" in answer.text
    answer = client.get("/check", params={"game": "freecell", "layout": f"{variant} KC"})
    assert answer.status_code == 400 and f'<option value="{variant}" selected>' in answer.text


def test_names_that_people_know_are_in_the_menu_and_selected_with_their_rules(client: TestClient) -> None:
    assert '<option value="lucas">Lucas</option>' in client.get("/check").text
    whitehead = dealmill.games("whitehead")["whitehead"]
    assert len(whitehead.name) > 100
    for name in ("whitehead", "Whitehead", whitehead.name):
        page = client.get("/check", params={"game": name})
        assert f'<option value="{whitehead.name}" selected>Whitehead (Klondike, one card at a time, ' in page.text
    layout = f"deal:{whitehead.name}:seed=1:1"
    assert client.get("/play", params={"game": whitehead.name, "layout": layout}).status_code == 200


def test_a_paste_is_refused_by_the_line_that_is_wrong(solver: PasteSolver) -> None:
    [deal] = dealmill.deals("freecell", seed=0, first=617, count=1)
    board = dealmill.convert("freecell", deal, "board")
    for text in (f"\ufeff{board}", f"\ufeff{deal.text}"):
        assert solver.solve(Task("freecell", text, None, 1))[0].layout == deal.text
    wrong = {
        board.replace("KC", "XC"): f"this is not a layout of freecell: line {line_of('KC', board)}: 'XC' is not a card",
        f"Deal 617\n{board}": "this is not a layout of freecell: line 1: this line is not part of a board",
        f"{board}\n{board}": "these are several layouts of freecell",
        f"{deal.text}\n\nfreecell": "this is not a layout of freecell: line 3: the number of columns is 0",
    }
    for text, message in wrong.items():
        with pytest.raises(dealmill.BadLayout, match=f"^{message}"):
            solver.solve(Task("freecell", text, None, 1))


def line_of(card: str, board: str) -> int:
    return next(number for number, line in enumerate(board.splitlines(), start=1) if card in line)


@pytest.mark.parametrize("text", ["617", "freecell 617", " freecell  617\n"])
def test_the_number_of_a_deal_is_answered_with_its_name(text: str, solver: PasteSolver) -> None:
    with pytest.raises(dealmill.BadLayout, match="deal 617 of seed 0 is named deal:freecell:seed=0:617;"):
        solver.solve(Task("freecell", text, None, 1))
    [deal] = dealmill.deals("freecell", seed=0, first=617, count=1)
    assert solver.solve(Task("freecell", "deal:freecell:seed=0:617", None, 1))[0].layout == deal.text


def test_a_long_play_lists_the_steps_around_the_current_one(client: TestClient) -> None:
    address = "/check?game=freecell&layout=deal:freecell:seed=1:3"
    last = int(re.findall(r"0 / (\d+)", client.get(address).text)[0])
    for step, earlier, later in ((0, 0, last - 99), (70, 20, last - 119), (last, last - 99, 0)):
        text = client.get(f"{address}&step={step}").text
        listed = [int(number) for number in re.findall(r'<li value="(\d+)">', text)]
        assert listed == list(range(earlier, last - later + 1)) and len(listed) == drawing.STEPS_PER_LIST
        assert (f">{earlier} earlier steps<" in text, f">{later} later steps<" in text) == (earlier > 0, later > 0)


GAMES = [pytest.param(game, marks=() if game in QUICK else pytest.mark.slow) for game in dealmill.games()]


@pytest.mark.parametrize("game", GAMES)
def test_the_form_has_an_example_of_each_game(game: str, client: TestClient) -> None:
    [deal] = dealmill.deals(game, seed=1, first=4, count=1)
    address = f"/check?game={game}&amp;layout=deal%3A{game}%3Aseed%3D1%3A4"
    assert f'href="{address}"' in client.get("/check").text
    assert deal.text in client.get(address.replace("&amp;", "&")).text


def test_the_form_keeps_invalid_input(client: TestClient) -> None:
    answer = client.get("/check", params={"game": "memory", "layout": "<b>\"'&"})
    assert answer.status_code == 400 and "is not a layout of memory" in answer.text
    assert "&lt;b&gt;&#34;&#39;&amp;</textarea>" in answer.text
    assert client.get("/check", params={"game": "memory", "layout": "A" * 10_001}).status_code == 422
    assert client.get("/check", params={"game": "memory", "layout": "AA", "nodes": "x"}).status_code == 422


@pytest.mark.slow
def test_only_a_few_requests_wait_for_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(check, "WAIT_LIMIT", 60)
    solver = PasteSolver()
    answers = SimpleQueue[str]()

    def ask() -> None:
        try:
            solver.solve(Task("memory", "ABBA", None, 1_000))
        except Busy as busy:
            answers.put(str(busy))

    asking = [threading.Thread(target=ask) for _ in range(QUEUE_LIMIT + 4)]
    with solver.lock:  # another layout is being solved
        for thread in asking:
            thread.start()
        for _ in range(3):
            answers.get(timeout=60)
    for thread in asking:
        thread.join()
    solver.close()
    assert answers.empty()


def test_a_judgement_that_takes_long_is_made_once_and_shown_later(monkeypatch: pytest.MonkeyPatch) -> None:
    result, valid = dealmill.solve("memory", "ABBA"), dealmill.solve("memory", "ABBA").check()
    asked, ready = list[dealmill.Result](), threading.Event()
    judge = check.Judge()

    def slowly(subject: dealmill.Result) -> dealmill.Judgement:
        asked.append(subject)
        ready.wait()
        return valid

    monkeypatch.setattr(judge, "judge_now", slowly)
    monkeypatch.setattr(check, "PATIENCE", 0.01)
    assert judge.judge(result) is judge.judge(result) is None
    ready.set()
    monkeypatch.setattr(check, "PATIENCE", 60.0)
    assert judge.judge(result) == judge.judge(result) == valid
    assert asked == [result]
    judge.close()


def stop(*_: object) -> NoReturn:
    raise TooMuch("took more than 10 seconds")


def test_what_must_be_compiled_first_has_more_time(monkeypatch: pytest.MonkeyPatch) -> None:
    calls, compiled = list[int](), list[str]()

    def call(seconds: int, function: Callable[..., object], *arguments: object) -> object:
        calls.append(seconds)
        return function(*arguments)

    def checked(result: dealmill.Result) -> dealmill.Judgement:
        if not compiled:
            check_may_compile("the referee")
            compiled.append("the referee")
        return dealmill.check("card-pairing", result.layout, result.verdict, result.evidence)

    result, judge = dealmill.solve("card-pairing", WON), check.Judge()
    monkeypatch.setattr(judge.process, "call", call)
    monkeypatch.setattr(dealmill.Result, "check", checked)
    assert judge.judge_now(result).valid
    assert judge.judge_now(result).valid
    assert calls == [check.TIME_LIMIT, check.LOADING_TIME_LIMIT, check.TIME_LIMIT]
    solver = PasteSolver()
    monkeypatch.setattr(solver, "call", call)
    compiled.clear()
    calls.clear()
    check._solve.cache_clear()
    assert solver.solve(Task("card-pairing", WON, None, 1_000))[1].valid
    assert calls == [check.LOADING_TIME_LIMIT, check.TIME_LIMIT, check.LOADING_TIME_LIMIT]


def test_judgements_are_made_in_the_process_and_errors_are_not_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    result = dealmill.solve("memory", "ABBA")
    judge = check.Judge()
    assert judge.judge(result) == result.check()
    assert judge.process.process is not None
    wrong = replace(result, value=7)
    with monkeypatch.context() as patch:
        patch.setattr(judge.process, "call", stop)
        with pytest.raises(TooMuch, match="checking it took more than 10 seconds; use: dealmill audit"):
            judge.judge(wrong)
    with pytest.raises(TooMuch):
        judge.judge(wrong)
    monkeypatch.setattr(check, "JUDGEMENT_LIMIT", 1)
    assert judge.judge(replace(result, nodes=5)) == result.check()
    assert judge.judge(wrong) == wrong.check(), "the earlier error is not kept any more"
    judge.close()


def test_a_page_whose_pictures_take_too_long_shows_the_layout(
    client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    drawer, asked = client.app.state.drawer, list[dealmill.Result]()  # type: ignore[attr-defined]
    call = drawer.process.call

    def count(seconds: int, function: object, result: dealmill.Result, *arguments: object) -> object:
        asked.append(result)
        if result.evidence:
            stop()
        return call(seconds, function, result, *arguments)

    monkeypatch.setattr(drawer.process, "call", count)
    for address in (f"/runs/{shop.PAIRING}/layouts/2", f"/compare/{shop.PAIRING}/2/{shop.PAIRING}/2"):
        text = client.get(address).text
        assert "Only the layout is shown: drawing it took more than 10 seconds" in text and "<svg" in text
    assert "data-step" not in text
    assert sum(result.evidence is not None for result in asked) == 1, "it is not tried again"
    assert client.get(f"/runs/{shop.PAIRING}/layouts/2?as=text").text.startswith(asked[0].layout)


@pytest.mark.slow
def test_nothing_is_drawn_in_the_process_of_the_server(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dealmill.Result, "_drawn", stop)
    monkeypatch.setattr(dealmill.Result, "check", stop)
    for address in ("", "?step=3", "?step=3&as=svg", "?as=text", "/board.svg"):
        assert client.get(f"/runs/{shop.CAMELOT}/layouts/2{address}").status_code == 200
    given = {"game": "card-pairing", "layout": WON, "nodes": "1000"}
    assert "<svg" in client.get("/check", params=given).text
    assert "<svg" in client.get(f"/compare/{shop.CAMELOT}/2/{shop.CAMELOT}/3").text


@pytest.mark.slow
def test_a_page_says_that_a_result_is_being_judged(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(client.app.state.judge, "judge", lambda _: None)  # type: ignore[attr-defined]
    text = client.get(f"/runs/{shop.CAMELOT}/layouts/2").text
    assert "being checked" in text and '<noscript><meta http-equiv="refresh" content="2"></noscript>' in text
    assert "data-live" in text
    assert "valid in audit 1, being checked again" in client.get(f"/runs/{shop.PAIRING}/layouts/2").text
