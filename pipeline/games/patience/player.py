"""The careful player of docs/chances.md, whose plays the referee of patiences repeats."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from heapq import heappop, heappush
from itertools import pairwise
from typing import NamedTuple

from dealmill.pipeline.games.patience.moves import CELL, DEALT, EMPTY, FOUNDATION, HOLE, RESERVE, STOCK, Play
from dealmill.pipeline.games.patience.position import Position
from dealmill.pipeline.games.patience.referee import Referee
from dealmill.pipeline.games.patience.rules import UNLIMITED
from dealmill.referees import ERROR_SHIFT, TABLE_LIMIT, JudgeOfPlays, mixed, seed_of_play

CODES = {CELL: 52, FOUNDATION: 53, HOLE: 56, EMPTY: 63}
"""The numbers of targets that are no cards."""
CODES_OF_PLACES = {STOCK: 54, RESERVE: 55}
"""The numbers of waste and reserve as places of cards that have copies."""


class Thought(NamedTuple):
    """A table that the player has in mind: how bad it seems and, of tables that seem as bad, the negative of its lot;
    the position, and how many cards are in the waste."""

    rank: tuple[int, int]
    position: Position
    waste: int


class Look(NamedTuple):
    """What the player sees when he looks ahead: the least bad table of those that are better, and of those without an
    empty column, and from how many tables he has looked in this play."""

    better: Thought | None
    full: Thought | None
    looked: int


@dataclass(frozen=True)
class Player:
    """The careful player of docs/chances.md."""

    referee: Referee
    costs: dict[tuple[object, ...], int] = field(default_factory=dict)
    """The costs of columns by their cards and by what is on the foundations."""

    def wins(self, number: int, position: Position, waste: int) -> bool:
        """Play once with the lots of a play, counted from 1; return whether the game is won."""
        rules, referee = self.referee.rules, self.referee
        position, waste = self._filled(position, waste)
        seed, looked, begun = seed_of_play(number), 0, waste == 0
        while not referee.won(position):
            better, full, looked = self._look_ahead(position, waste, seed, looked)
            if better:
                position, waste, begun = better.position, better.waste, False
            elif rules.to != "waste":
                play = self._dealt(position) or (full and self._dealt(full.position))
                if not play:
                    return False
                position = play.after
            else:
                count = len(position.stock)
                if waste == count:
                    if begun or not count or (rules.passes != UNLIMITED and not position.passes):
                        return False
                    waste, begun = 0, True
                    position = position._replace(passes=position.passes - (rules.passes != UNLIMITED))
                waste = min(waste + rules.draw, count)
        return True

    def _look_ahead(self, position: Position, waste: int, seed: int, looked: int) -> Look:
        """Look for better tables, from some more of them than those from which the player has looked before."""
        cost, hidden = self._cost(position), self._hidden(position)
        seen, thoughts = {self._key(position)}, [Thought((cost, 0), position, waste)]
        better, full = list[Thought](), list[Thought]()
        while thoughts and len(seen) < TABLE_LIMIT and (self.referee.rules.hole != "none" or not better):
            table = heappop(thoughts)
            for play, left in map(self._with_fills, self._plays(table.position, table.waste)):
                key = self._key(play.after)
                if key in seen:
                    continue
                seen.add(key)
                after, lot = self._cost(play.after), self._lot(play, table.position, seed, looked)
                thought = Thought((after + (lot >> ERROR_SHIFT), -lot), play.after, left)
                if self._hidden(play.after) == hidden:
                    heappush(thoughts, thought)
                if after < cost:
                    better.append(thought)
                if () not in play.after.columns:
                    full.append(thought)
            looked += 1
        return Look(min(better, default=None), min(full, default=None), looked)

    def _plays(self, position: Position, waste: int) -> Iterator[tuple[Play, int]]:
        """Yield the moves that the player thinks of, and how many cards are in the waste after each."""
        referee, shown = self.referee, position._replace(turned=waste)
        spaces = [number for number, column in enumerate(position.columns, start=1) if not column]
        copies = referee.rules.copies > 1
        later = tuple(f"-{number}" if copies else f"{EMPTY}{number}" for number in spaces[1:])
        for cards, rest in referee.uncovered(shown):
            for play in referee.targets(cards, rest, shown):
                if not play.word.endswith(later):
                    yield play, waste
        if waste:
            stock = (*position.stock[: waste - 1], *position.stock[waste:])
            rest = shown._replace(stock=stock, turned=waste - 1)
            for play in referee.targets(position.stock[waste - 1 : waste], rest, shown):
                if not play.word.endswith(later):
                    yield play, waste - 1
        for play in referee.several(shown):
            if not play.word.endswith(DEALT):
                yield play, waste

    def _with_fills(self, seen: tuple[Play, int]) -> tuple[Play, int]:
        """Return a move with what fills an empty column after it, and how many cards are in the waste then."""
        position, waste = self._filled(seen[0].after, seen[1])
        return seen[0]._replace(after=position), waste

    def _filled(self, position: Position, waste: int) -> tuple[Position, int]:
        """Return a position in which empty columns are filled from the waste, or from the stock if there is none, and
        how many cards are in the waste then."""
        while self.referee.fills_first(position):
            count, space = waste or min(self.referee.rules.draw, len(position.stock)), position.columns.index(())
            columns = (*position.columns[:space], position.stock[count - 1 : count], *position.columns[space + 1 :])
            waste, stock = count - 1, (*position.stock[: count - 1], *position.stock[count:])
            position = self.referee.settled(position._replace(columns=columns, stock=stock, turned=waste))
        return position, waste

    def _dealt(self, position: Position) -> Play | None:
        """Return the move that deals a card of the stock into the hole, or a row to the columns; None if there is
        none."""
        referee = self.referee
        if referee.rules.to == "hole":
            offered = referee.offered(position)
            return next((play for cards, rest in offered for play in referee.targets(cards, rest, position)), None)
        return next(referee.several(position), None)  # a whole suit would have left: the table is better without it

    def _key(self, position: Position) -> Position:
        return self.referee.key(position)._replace(turned=0, passes=0)

    def _lot(self, play: Play, before: Position, seed: int, looked: int) -> int:
        """Return the lot of a move, from the card that moves and its target; of copies, from the number of cards that
        move, and from their column and the target."""
        target = play.word[2:]
        if self.referee.rules.copies > 1:
            source, _, column = target.rstrip(FOUNDATION).partition("-")
            to = int(column) - 1 if column else CODES[FOUNDATION]
            number = CODES_OF_PLACES.get(source[0]) or int(source) - 1
            return mixed(seed ^ (looked << 18 | len(play.cards) << 12 | number << 6 | to))
        code = CODES[EMPTY] if target.startswith(EMPTY) else CODES.get(target)
        to = self._number(target, before) if code is None else code
        return mixed(seed ^ (looked << 12 | self._number(play.word[:2], before) << 6 | to))

    def _number(self, card: str, position: Position) -> int:
        return self.referee.rules.card_number(card, position.base)

    def _hidden(self, position: Position) -> int:
        """Return how many cards lie face down, or in a reserve of which only the top card can be seen."""
        rules = self.referee.rules
        columns = position.columns if rules.face_down != "none" else ()
        down = sum(card[1].islower() for column in columns for card in column)
        return down + len(position.reserve) * rules.stacked

    def _cost(self, position: Position) -> int:
        """Return how bad a table is."""
        rules = self.referee.rules
        beside = len(position.stock) + len(position.reserve)
        left = sum(map(len, position.columns)) + len(position.cells) + beside
        cost = 4 * left + 4 * len(position.cells) ** 2
        if rules.hole != "none":
            return cost
        for column in position.columns:
            key = column, position.foundations
            if key not in self.costs:
                self.costs[key] = self._cost_of_column(column, position.foundations, position.base)
            cost += self.costs[key]
        return cost + beside

    def _cost_of_column(self, column: tuple[str, ...], foundations: tuple[int, ...], base: int) -> int:
        """Return how bad a column is, from what lies face up in it."""
        referee = self.referee
        covering, misfit, broken, space = (2, 10, 10, -12) if referee.rules.complete else (4, 2, 1, -4)
        if not column:
            return space
        down = sum(card[1].islower() for card in column)
        cards, cost = column[down:], 20 * down
        heights = [referee.rules.number(card, base) for card in cards]
        cost += sum(covering for at, height in enumerate(heights) if any(lower < height for lower in heights[:at]))
        for below, card in pairwise(cards):
            if not referee.fits(card, below, base):
                cost += misfit
            elif not referee.is_run(card, below, base):
                cost += broken
        if not referee.rules.complete:
            rules = referee.rules
            piles = enumerate(zip(rules.piles, foundations, strict=True))
            following = {(suit, rules.next_number(pile, count)) for pile, (suit, count) in piles}
            waited = [(card[1], height) in following for card, height in zip(cards, heights, strict=True)]
            cost += 2 * (len(cards) - 1 - waited.index(True)) if any(waited) else 0
        return cost


class RefereeOfPlays(JudgeOfPlays[Position, Play], Referee):
    """The referee of all engines: it checks wins and losses, and repeats plays."""

    def plays_won(self, layout: str, numbers: Iterable[int]) -> Iterator[bool]:
        """Play a layout with the lots of these numbers; yield whether each play is won."""
        position, waste = self.position(layout), layout.partition(" waste:")[2].partition(" ")[0]
        player = Player(self)
        for number in numbers:
            yield player.wins(number, position, len(waste) // 2)
