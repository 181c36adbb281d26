"""The rules of card pairing and its referee.

Wins are played here; losses are checked by `certificates.py`, and odds by `random_play.py`.
"""

import re
from collections import Counter
from itertools import chain

from dealmill.pipeline.games.card_pairing.certificates import check_certificate, deal_of
from dealmill.pipeline.games.card_pairing.random_play import check_odds
from dealmill.verdicts import IllegalMove, InvalidEvidence, Verdict

RANKS = "A23456789TJQKBCD"
"""The symbols of layouts in compact form."""
STACK_NAMES = "0123456789abcdefghijklmnopqrstuvwxyz"
"""The names of stacks in the moves of layouts with at most 36 stacks; in others, stacks are numbered."""
EMPTY = "-"
"""An empty stack in a layout."""
MAX_CARDS = MAX_STACKS = 1_024

SYMBOL = re.compile("[A-Z0-9]{1,8}")
STACK_NUMBER = "(?:0|[1-9][0-9]{0,6})"
MOVE = re.compile(f"{STACK_NUMBER},{STACK_NUMBER}")

Stacks = list[list[str]]
"""The rank of each card, stack by stack from bottom to top."""


def start(layout: str) -> Stacks:
    """Return the stacks of a layout in compact form, ``7AK 7KA -``, or in list form, ``7,10 10,7 -``."""
    stacks = layout.split(" ")
    if "," in layout:
        return [[] if stack == EMPTY else stack.removesuffix(",").split(",") for stack in stacks]
    return [[] if stack == EMPTY else list(stack) for stack in stacks]


def play(stacks: Stacks, move: str, step: int) -> str:
    """Remove the top cards of the two stacks that a move names, and return their rank.

    Raises
    ------
    IllegalMove
        If the move does not name two stacks, or their top cards are not of the same rank.
    """
    numbers = stacks_of(move, len(stacks))
    if len(numbers) != 2 or not (0 <= numbers[0] < len(stacks) and 0 <= numbers[1] < len(stacks)):
        raise IllegalMove(step, f"{move[:20]!a} does not name two stacks")
    first, second = numbers
    if first == second:
        raise IllegalMove(step, f"{move!a} names one stack twice")
    left, right = stacks[first], stacks[second]
    if not left or not right:
        raise IllegalMove(step, f"stack {stack_name(second if left else first, len(stacks))} is empty")
    if left[-1] != right[-1]:
        raise IllegalMove(step, f"{left[-1]} and {right[-1]} are not of the same rank")
    left.pop()
    return right.pop()


def stacks_of(move: str, stacks: int) -> list[int]:
    """Return the numbers of the stacks that a move names in a layout with so many stacks, -1 for an unknown name."""
    if stacks <= len(STACK_NAMES):
        return list(map(STACK_NAMES.find, move))
    return list(map(int, move.split(","))) if MOVE.fullmatch(move) else []


def stack_name(number: int, stacks: int) -> str:
    """Return the name of a stack in the moves of a layout with so many stacks."""
    return STACK_NAMES[number] if stacks <= len(STACK_NAMES) else str(number)


def check(engine: str, layout: str, verdict: Verdict, value: int | None, evidence: str) -> None:
    """Play a winning trace to its end, check that a certificate rules out every way to pair off the cards, or compute
    the odds again.

    Raises
    ------
    InvalidEvidence
        If the evidence does not prove the verdict.
    """
    if engine == "odds":
        check_odds(check_layout(layout), verdict, value, evidence)
        return
    if engine != "winnable" or value is not None:
        raise InvalidEvidence(0, f"{engine} does not give value {value}")
    stacks = check_layout(layout)
    if verdict is Verdict.WINNABLE:
        _check_win(stacks, evidence)
    elif verdict is Verdict.UNWINNABLE:
        check_certificate(deal_of(stacks), evidence)
    else:
        raise InvalidEvidence(0, f"{engine} cannot prove that a deal is {verdict.word}")


def check_layout(layout: str) -> Stacks:
    """Return the stacks of a layout: 2 to 1,024 stacks, 1 to 1,024 cards, and an even number of cards of each rank.

    Raises
    ------
    InvalidEvidence
        With step 0, if the text is not a layout.
    """
    stacks = start(layout)
    if not 1 < len(stacks) <= MAX_STACKS:
        raise InvalidEvidence(0, f"the layout has {len(stacks)} stacks, expected 2 to {MAX_STACKS:,}")
    if "  " in f" {layout} ":
        raise InvalidEvidence(0, f"a stack of the layout has no text, expected {EMPTY} for an empty stack")
    times = Counter(chain.from_iterable(stacks))
    if not 1 <= times.total() <= MAX_CARDS:
        raise InvalidEvidence(0, f"the layout has {times.total()} cards, expected 1 to {MAX_CARDS:,}")
    for rank, count in times.items():
        if not (SYMBOL.fullmatch(rank) if "," in layout else rank in RANKS):
            raise InvalidEvidence(0, f"{rank[:9]!a} is not a rank")
        if count % 2:
            raise InvalidEvidence(0, f"rank {rank} occurs {count} times in the layout, expected an even number")
    if "," in layout and (times.keys() <= set(RANKS) or layout != list_form(stacks)):
        raise InvalidEvidence(0, "the layout is not in its canonical form")
    return stacks


def list_form(stacks: Stacks) -> str:
    """Return the list form of some stacks. If no stack has two cards, a comma follows the first that has one."""
    words = [",".join(stack) or EMPTY for stack in stacks]
    if max(map(len, stacks)) == 1:
        first = next(number for number, stack in enumerate(stacks) if stack)
        words[first] += ","
    return " ".join(words)


def _check_win(stacks: Stacks, trace: str) -> None:
    moves = trace.split(" ")
    for step, move in enumerate(moves, start=1):
        play(stacks, move, step)
    if left := sum(map(len, stacks)):
        raise InvalidEvidence(len(moves), f"{left} cards are left: not won")
