"""What random play comes to: the odds of card pairing, which are computed again from the layout onwards."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate, chain, combinations
from math import gcd, lcm

from dealmill.verdicts import InvalidEvidence, Verdict

MAX_POSITIONS = 1_000_000
"""The referee refuses odds if more positions can be reached. To visit so many takes about ten seconds."""
MAX_ODDS_WORK = 100_000_000
"""The most stacks at which it looks, and moves that it makes, to find these positions."""
MAX_BITS = 200_000_000
"""The most bits of the chances of all positions after the same number of moves."""
CERTAINTY = 1_000_000
"""The value of a deal that every play wins."""

BIG_NUMBER = "(0|[1-9][0-9]{0,3999})"
"""As long as Python reads."""
SMALL_NUMBER = "(0|[1-9][0-9]{0,6})"
ODDS = re.compile(f"{BIG_NUMBER}/{BIG_NUMBER} {BIG_NUMBER} {SMALL_NUMBER} {SMALL_NUMBER}")

Position = int
"""The set of the cards left: bit c stands for card c, counted from 0, stack by stack from bottom to top."""


@dataclass(frozen=True)
class Odds:
    """What random play comes to, in which each legal move is as likely as any other, at each step.

    ``won / plays`` is the chance that it wins, in lowest terms, and `orders` the number of sequences of moves that win.
    `critical` is the number of critical choices: the positions that can be reached in which the deal can still be won,
    but not after every legal move. `positions` is the number of positions with cards left that can be reached.
    """

    won: int
    plays: int
    orders: int
    critical: int
    positions: int

    @property
    def value(self) -> int:
        """The chance in millionths, rounded up, so that it is 0 only if the deal is lost."""
        return -(-self.won * CERTAINTY // self.plays)

    def __str__(self) -> str:
        return f"{self.won}/{self.plays} {self.orders} {self.critical} {self.positions}"


def read_odds(evidence: str) -> Odds:
    """Return the odds that evidence states, in the order of their attributes: ``1/3 2 1 7``.

    Raises
    ------
    InvalidEvidence
        If it states none.
    """
    if not (numbers := ODDS.fullmatch(evidence)):
        raise InvalidEvidence(0, f"{evidence[:40]!a} does not state odds")
    odds = Odds(*map(int, numbers.groups()))
    if odds.won > odds.plays or gcd(odds.won, odds.plays) != 1:
        raise InvalidEvidence(1, f"{odds.won}/{odds.plays} is not a chance in lowest terms")
    if odds.positions > MAX_POSITIONS:
        raise InvalidEvidence(4, f"{odds.positions:,} positions are more than the referee visits, {MAX_POSITIONS:,}")
    return odds


def check_odds(stacks: Sequence[Sequence[str]], verdict: Verdict, value: int | None, evidence: str) -> None:
    """Check that evidence states the odds of a deal, and that its value is the chance.

    Raises
    ------
    InvalidEvidence
        If it is not so, or the odds take too long to compute.
    """
    if verdict is not Verdict.SCORED:
        raise InvalidEvidence(0, f"the verdict is {verdict.word}, but odds only score deals")
    stated = read_odds(evidence)
    if value != stated.value:
        raise InvalidEvidence(1, f"the value is {value}, expected {stated.value}, the chance in millionths, rounded up")
    odds = odds_of(Plays(stacks), stated.positions)
    for step, (right, word) in enumerate(zip(str(odds).split(" "), evidence.split(" "), strict=True), start=1):
        if right != word:
            raise InvalidEvidence(step, f"the odds are {odds}, not {evidence}")


class Plays:
    """All plays of a deal, from the rank of each card, stack by stack from bottom to top."""

    def __init__(self, stacks: Sequence[Sequence[str]]) -> None:
        self._ranks = list(chain.from_iterable(stacks))
        ends = accumulate(map(len, stacks))
        self.stacks = [(1 << end) - (1 << end - len(stack)) for stack, end in zip(stacks, ends, strict=True) if stack]
        self.start: Position = (1 << len(self._ranks)) - 1

    def after(self, position: Position) -> list[Position]:
        """Return the positions after each legal move."""
        tops: dict[str, list[Position]] = {}
        for stack in self.stacks:
            if left := position & stack:
                top = left.bit_length() - 1
                tops.setdefault(self._ranks[top], []).append(1 << top)
        return [position ^ first ^ second for equal in tops.values() for first, second in combinations(equal, 2)]


def odds_of(plays: Plays, limit: int = MAX_POSITIONS) -> Odds:
    """Find all positions, then those that can be won, and then how likely each of these is.

    Raises
    ------
    InvalidEvidence
        With step 4, if more than `limit` positions with cards left can be reached, or the check takes too long.
    """
    layers = _layers(plays, limit)
    positions = sum(map(len, layers))
    if 0 not in layers[-1]:
        return Odds(0, 1, 0, 0, positions)
    units, critical = _keep_winnable(plays, layers)
    won, whole, orders = _follow_all(plays, layers, units)
    common = gcd(won, whole)
    return Odds(won // common, whole // common, orders, critical, positions - 1)


def _layers(plays: Plays, limit: int) -> list[set[Position]]:
    """Return the positions that can be reached, by the number of moves before."""
    layers, count, work = [{plays.start}], 1, 0
    while 0 not in layers[-1]:
        following = set[Position]()
        for position in layers[-1]:
            after = plays.after(position)
            following.update(after)
            if count + len(following) - (0 in following) > limit:
                raise InvalidEvidence(4, f"more than {limit:,} positions can be reached")
            work += len(plays.stacks) + len(after)
            if work > MAX_ODDS_WORK:
                raise InvalidEvidence(4, "the odds take too long to check")
        if not following:
            break
        layers.append(following)
        count += len(following)
    return layers


def _keep_winnable(plays: Plays, layers: list[set[Position]]) -> tuple[list[int], int]:
    """Remove the positions that cannot be won from all layers, the last of which has no cards left.

    Returns, for each layer but the last, a common multiple of the numbers of moves of its positions, and the number of
    critical choices.
    """
    units, critical = [1] * (len(layers) - 1), 0
    for number in reversed(range(len(units))):
        winnable = set[Position]()
        counts = set[int]()
        for position in layers[number]:
            moves = plays.after(position)
            if not layers[number + 1].isdisjoint(moves):
                winnable.add(position)
                counts.add(len(moves))
                critical += not layers[number + 1].issuperset(moves)
        layers[number], units[number] = winnable, lcm(*counts)
    return units, critical


def _follow_all(plays: Plays, layers: list[set[Position]], units: list[int]) -> tuple[int, int, int]:
    """Follow all plays through positions that can be won; `layers` has these, and is emptied.

    Returns ``(won, whole, orders)``: ``won / whole`` is the share of the plays that win.
    """
    layers.reverse()
    layers.pop()
    whole, reached = 1, {plays.start: (1, 1)}  # how likely a position is, in multiples of 1 / whole, and its sequences
    for unit in units:
        whole *= unit
        before, reached = reached, dict.fromkeys(layers.pop(), (0, 0))
        if len(reached) * whole.bit_length() > MAX_BITS:
            raise InvalidEvidence(4, "the odds take too much memory to check")
        for position, (share, orders) in before.items():
            moves = plays.after(position)
            part = share * (unit // len(moves))
            for after in moves:
                if after in reached:
                    other_share, other_orders = reached[after]
                    reached[after] = other_share + part, other_orders + orders
    won, orders = reached[0]
    return won, whole, orders
