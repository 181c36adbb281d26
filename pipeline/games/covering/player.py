"""The careful player of docs/chances.md, whose plays the referee of covering games repeats."""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from heapq import heappop, heappush
from itertools import combinations
from typing import NamedTuple

from dealmill.pipeline.games.covering.referee import KING, Play, Referee, leave, mate_of
from dealmill.pipeline.games.covering.rules import RANKS, SUITS, UNLIMITED, Position, lies_face_down
from dealmill.referees import ERROR_SHIFT, TABLE_LIMIT, JudgeOfPlays, mixed, seed_of_play

INTO_HOLE, ALONE = 56, 63
"""The numbers of targets that are no cards."""


class Thought(NamedTuple):
    """A table that the player has in mind: how bad it seems and, of tables that seem as bad, the negative of its lot;
    and the position."""

    rank: tuple[int, int]
    position: Position


class Look(NamedTuple):
    """What the player sees when he looks ahead: the least bad position of those that are better, and from how many
    tables he has looked in this play."""

    better: Position | None
    looked: int


@dataclass(frozen=True)
class Player:
    """The careful player of docs/chances.md."""

    referee: Referee

    @cached_property
    def apart(self) -> list[set[int]]:
        """The places of the cards above and below each place, which can be no partners of its card. If cards may leave
        with the only one that covers them, those that touch it can."""
        covers = self.referee.rules.covers
        above = [set[int]() for _ in covers]
        for number in reversed(range(len(covers))):
            above[number].update(covers[number], *(above[cover] for cover in covers[number]))
        apart = [
            cards | {under for under, on_it in enumerate(above) if number in on_it}
            for number, cards in enumerate(above)
        ]
        if self.referee.rules.overlap:
            for number, on_it in enumerate(covers):
                for cover in on_it:
                    apart[number].discard(cover)
                    apart[cover].discard(number)
        return apart

    def wins(self, number: int, position: Position) -> bool:
        """Play once with the lots of a play, counted from 1; return whether the game is won."""
        rules, referee = self.referee.rules, self.referee
        seed, looked, begun = seed_of_play(number), 0, position.turned == 0
        while not referee.won(position):
            better, looked = self._look_ahead(position, seed, looked)
            if better:
                position, begun = better, False
            elif rules.moves == "hole":
                if not position.stock:
                    return False
                position = position._replace(stock=position.stock[1:], hole=position.stock[0])
            else:
                if position.turned == len(position.stock):
                    if begun or not position.stock or (rules.passes != UNLIMITED and not position.passes):
                        return False
                    passes = position.passes - (rules.passes != UNLIMITED)
                    position, begun = position._replace(turned=0, passes=passes), True
                position = position._replace(turned=position.turned + 1)
        return True

    def _look_ahead(self, position: Position, seed: int, looked: int) -> Look:
        """Look for better tables, from some more of them than those from which the player has looked before."""
        cost, hidden = self._cost(position), self._hidden(position)
        seen, thoughts, better = {self._key(position)}, [Thought((cost, 0), position)], list[Thought]()
        while thoughts and len(seen) < TABLE_LIMIT:
            before = heappop(thoughts).position
            for play in self._plays(before):
                key = self._key(play.after)
                if key in seen:
                    continue
                seen.add(key)
                after, lot = self._cost(play.after), self._lot(play, seed, looked)
                thought = Thought((after + (lot >> ERROR_SHIFT), -lot), play.after)
                if self._hidden(play.after) == hidden:
                    heappush(thoughts, thought)
                if after < cost:
                    better.append(thought)
            looked += 1
        return Look(min(better).position if better else None, looked)

    def _plays(self, position: Position) -> Iterator[Play]:
        """Yield the moves that the player thinks of: those of free cards, and of the waste and the stock only of the
        cards on top."""
        referee, places = self.referee, position.places
        free = referee.free(position)
        if referee.rules.moves == "hole":
            for number in free:
                card = places[number]
                if referee.are_next(card, position.hole):
                    yield Play(card, (card,), self._after(position, (card,))._replace(hole=card))
            return
        top, stop = max(position.turned - 1, 0), position.turned + referee.rules.playable
        cards = [*(places[number] for number in free), *position.stock[top:stop]]
        leaving: list[tuple[str, ...]] = [*((card,) for card in cards), *combinations(cards, 2)]
        if referee.rules.overlap:
            under = [
                (places[number], places[cover]) for cover in free for number in referee.covered_only_by(cover, position)
            ]
            leaving += under
        for pair in leaving:
            if leave(pair):
                yield Play("".join(pair), pair, self._after(position, pair))

    @staticmethod
    def _after(position: Position, cards: tuple[str, ...]) -> Position:
        """Return the position after cards have left."""
        places = tuple("" if card in cards else card for card in position.places)
        waste = [card for card in position.stock[: position.turned] if card not in cards]
        stock = [card for card in position.stock[position.turned :] if card not in cards]
        return position._replace(places=places, stock=(*waste, *stock), turned=len(waste))

    @staticmethod
    def _key(position: Position) -> Position:
        return position._replace(hole=position.hole[:1])

    def _lot(self, play: Play, seed: int, looked: int) -> int:
        """Return the lot of a move, from the card that moves and its target, or from both cards of a pair."""
        card, *mates = sorted(len(RANKS) * SUITS.index(card[1]) + RANKS.index(card[0]) for card in play.cards)
        target = INTO_HOLE if self.referee.rules.moves == "hole" else mates[0] if mates else ALONE
        return mixed(seed ^ (looked << 12 | card << 6 | target))

    def _hidden(self, position: Position) -> int:
        """Return how many cards the player does not see, or only the first of those that are to be turned."""
        rules = self.referee.rules
        down = sum(lies_face_down(rules, position.places, number) for number in range(len(position.places)))
        return down + len(position.stock) - position.turned

    def _cost(self, position: Position) -> int:
        """Return how bad a table is."""
        rules, places = self.referee.rules, position.places
        down = {number for number in range(len(places)) if lies_face_down(rules, places, number)}
        in_places = sum(map(bool, places))
        cost = 4 * (in_places + len(position.stock) * (rules.goal == "all")) + 20 * len(down)
        if rules.moves == "hole":
            return cost
        by_rank = defaultdict[str, list[int]](list)
        for number, card in enumerate((*places, *position.stock)):
            by_rank[card[:1]].append(number)
        for number, card in enumerate(places):
            if card and number not in down and card[0] != KING:
                apart = self.apart[number] - down if down else self.apart[number]
                partners = sum(mate not in apart for mate in by_rank[mate_of(card[0])])
                cost += {0: 60, 1: 2}.get(partners, 0)
        return cost


class RefereeOfPlays(JudgeOfPlays[Position, Play], Referee):
    """The referee of all engines: it checks wins and losses, and repeats plays."""

    def plays_won(self, layout: str, numbers: Iterable[int]) -> Iterator[bool]:
        """Play a layout with the lots of these numbers; yield whether each play is won."""
        player, position = Player(self), self.position(layout)
        for number in numbers:
            yield player.wins(number, position)
