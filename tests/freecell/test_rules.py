"""The referee accepts exactly the moves of the rules, and no altered trace."""

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dealmill.verdicts import IllegalMove, InvalidEvidence, Verdict
from tests.freecell.solving import dealt, freecell, needs_solver, solved

freecell()
from dealmill_freecell.rules import RANKS, SUITS, Table, check  # noqa: E402

from tests.freecell import naive  # noqa: E402

LOST = 781948
"""The deal with the smallest certificate among Microsoft's first million."""
POSITIONS = "7736"
PLACES = "12345678abcd"


def words_of(table: Table, board: naive.Board) -> dict[str, naive.Board]:
    """Return the moves of single cards by the naive rules, as words, with the boards after them."""
    held = {4 * RANKS.index(card[0]) + SUITS.index(card[1]): cell for cell, card in table.cells.items()}
    free = [cell for cell in "abcd" if cell not in table.cells]
    boards = {}
    for move in naive.moves(board):
        column, card, target = move
        source = held[card] if column is None else str(column + 1)
        targets = free if target is None else ["h"] if target == "h" else [str(int(target) + 1)]
        boards.update({source + name: naive.after(board, move) for name in targets})
    return boards


def accepted(layout: str, trace: list[str], word: str) -> bool:
    """Return whether the referee accepts a move after others."""
    table = Table(layout)
    for step, before in enumerate(trace, start=1):
        table.move(before, step)
    try:
        table.move(word, 0)
    except IllegalMove:
        return False
    return True


@settings(max_examples=40, deadline=None)
@given(number=st.integers(1, 10**6), random=st.randoms(use_true_random=False), length=st.integers(0, 40))
def test_single_cards_move_as_in_the_naive_rules(number: int, random: Random, length: int) -> None:
    [layout] = dealt(0, number)
    table, board, trace = Table(layout), naive.parse(layout), list[str]()
    for step in range(length):
        words = words_of(table, board)
        if not words:
            break
        word = random.choice(sorted(words))
        board = words[word]
        table.move(word, step)
        trace.append(word)
    expected = set(words_of(table, board))
    every = {source + target for source in PLACES for target in PLACES + "h"}
    cells = {word for word in every if word[0] in "abcd" and word[1] in "abcd"}
    assert {word for word in every - cells if accepted(layout, trace, word)} == expected


MOVES_OF_SEVERAL = [
    (["K"], ["Q", "J"], 0, 0, True),
    (["K"], ["Q", "J"], 4, 0, False),
    (["K"], ["Q", "J", "T", "9", "8"], 0, 0, True),
    (["K"], ["Q", "J", "T", "9", "8", "7"], 0, 0, False),
    (["K"], ["Q", "J", "T", "9", "8", "7"], 0, 1, True),
    (["K"], ["Q", "J", "T", "9", "8", "7"], 3, 1, False),
    ([], ["Q", "J", "T", "9", "8"], 0, 0, True),
    ([], ["Q", "J", "T", "9", "8", "7"], 0, 0, False),
    ([], ["Q", "J", "T", "9", "8", "7", "6", "5", "4", "3"], 0, 1, True),
]


@pytest.mark.parametrize(("target", "moved", "occupied", "empty", "allowed"), MOVES_OF_SEVERAL)
def test_several_cards_need_free_cells_and_other_empty_columns(
    target: list[str], moved: list[str], occupied: int, empty: int, allowed: bool
) -> None:
    table = Table(dealt(0, 1)[0])
    run = [rank + "CD"[index % 2] for index, rank in enumerate(moved)]
    table.columns = [run.copy(), [f"{rank}H" for rank in target], *[["KS"]] * (6 - empty), *[[]] * empty]
    table.cells = dict(zip("abcd", ["2H", "2S", "AS", "AH"][:occupied], strict=False))
    word = f"12v{len(moved):x}"
    if allowed:
        assert table.move(word, 1) == run
        assert table.columns[1][-len(run) :] == run
    else:
        with pytest.raises(IllegalMove, match="cards can be moved at once"):
            table.move(word, 1)


@needs_solver
def test_a_win_without_one_of_its_moves_is_refused() -> None:
    [layout] = dealt(0, 617)
    [trace] = solved([layout]).evidence
    assert trace is not None
    check("fc-solve", layout, Verdict.WINNABLE, None, trace)
    words = trace.split(" ")
    for at in range(len(words)):
        with pytest.raises(InvalidEvidence):
            check("fc-solve", layout, Verdict.WINNABLE, None, " ".join(words[:at] + words[at + 1 :]))


def test_the_positions_of_a_loss_are_those_of_the_naive_search() -> None:
    [layout] = dealt(0, LOST)
    check("fc-solve", layout, Verdict.UNWINNABLE, None, POSITIONS)
    assert naive.reachable(layout) == int(POSITIONS)


@pytest.mark.parametrize("wrong", ["7735", "7737", "0", "07736", "7,736", "", "1000001", "7736 ", "٧", "9" * 400])
def test_another_number_of_positions_is_refused(wrong: str) -> None:
    with pytest.raises(InvalidEvidence):
        check("fc-solve", dealt(0, LOST)[0], Verdict.UNWINNABLE, None, wrong)


def test_a_deal_that_can_be_won_is_not_lost() -> None:
    with pytest.raises(InvalidEvidence, match=r"can be won|more than 5,000 positions can be reached"):
        check("fc-solve", dealt(0, 1)[0], Verdict.UNWINNABLE, None, "5000")
