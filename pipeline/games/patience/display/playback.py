"""Wins of patiences as data: where each card goes, how the stock is turned, and which cards are turned up."""

import re
from collections.abc import Iterator

from dealmill.pipeline.games.patience.display.drawing import names_of_foundations
from dealmill.pipeline.games.patience.moves import DEALT, FOUNDATION, Play
from dealmill.pipeline.games.patience.moves import RESERVE as FROM_RESERVE
from dealmill.pipeline.games.patience.moves import STOCK as FROM_STOCK
from dealmill.pipeline.games.patience.position import Position
from dealmill.pipeline.games.patience.referee import Referee
from dealmill.playback import Move, Pile, Playback, Step, carried, turned
from dealmill.verdicts import Verdict

STOCK, WASTE, HOLE, RESERVE = "stock", "waste", "hole", "reserve"


def playback(referee: Referee, layout: str, verdict: Verdict | None = None, evidence: str | None = None) -> Playback:
    """Return the table and the moves of a win.

    Raises
    ------
    InvalidEvidence
        If a move cannot be read or breaks a rule.
    """
    table = _Table(referee, layout)
    piles, steps = table.piles(), list[Step]()
    if verdict is Verdict.WINNABLE and evidence is not None:
        for play, before in referee.replayed(table.position, evidence):
            steps.append(Step(word=play.word, moves=list(table.moves(play, before))))
    return Playback(table=piles, steps=steps)


class _Table:
    """The table in play: what a `Position` does not tell apart. Each cell and each card of an open reserve has a place
    of its own, and of the stock it is known how far it is turned."""

    def __init__(self, referee: Referee, layout: str) -> None:
        self.referee = referee
        self.position = referee.position(layout)
        waste = re.search(r" waste:(\S+)", layout)
        self.turned = len(waste[1]) // 2 if waste else 0
        self.cells = {card: number for number, card in enumerate(self.position.cells, start=1)}
        self.reserve = {card: number for number, card in enumerate(self.position.reserve, start=1)}

    def piles(self) -> dict[str, Pile]:
        """Return all places with their cards."""
        rules, position = self.referee.rules, self.position
        piles = {
            f"column {number}": Pile(pieces=list(map(str.upper, column)), up=sum(card[1].isupper() for card in column))
            for number, column in enumerate(position.columns, start=1)
        }
        for number in range(1, rules.cells + 1):
            piles[f"cell {number}"] = Pile.face_up(*position.cells[number - 1 : number])
        if rules.stacked:
            piles[RESERVE] = Pile.face_up(*position.reserve)
        else:
            piles |= {f"{RESERVE} {number}": Pile.face_up(card) for card, number in self.reserve.items()}
        if rules.stock:
            piles[STOCK] = Pile(pieces=list(position.stock[self.turned :][::-1]), up=0)
        if rules.stock and rules.to == WASTE:
            piles[WASTE] = Pile.face_up(*position.stock[: self.turned])
        if rules.hole != "none":
            return piles | {HOLE: Pile.face_up(position.hole)}
        foundations = zip(self._foundations(), self.referee.foundations(position), strict=True)
        return piles | {name: Pile.face_up(*cards) for name, cards in foundations}

    def _foundations(self) -> list[str]:
        """Return the name of each foundation, with a number if there are several of a suit."""
        names, several = names_of_foundations(self.referee.rules), self.referee.rules.copies > 1
        return [name + several * f" {names[: number + 1].count(name)}" for number, name in enumerate(names)]

    def moves(self, play: Play, before: Position) -> Iterator[Move]:
        """Yield what a play moves and turns: the stock, the cards of the play, cards that fill a column from the
        reserve, and cards that are turned up."""
        yield from self._moves_of_copies(play, before) if self.referee.rules.copies > 1 else self._moves(play, before)
        for number, (old, new) in enumerate(zip(before.columns, play.after.columns, strict=True), start=1):
            if 0 < len(new) < len(old) and old[len(new) - 1][1].islower():
                yield turned(f"column {number}", f"column {number}")

    def _moves_of_copies(self, play: Play, before: Position) -> Iterator[Move]:
        """Yield the moves of cards that exist more than once: the word says where they are."""
        size, pairs = len(play.cards), zip(before.foundations, play.after.foundations, strict=True)
        changed = next((name for name, (old, new) in zip(self._foundations(), pairs, strict=True) if old != new), "")
        if play.word[2:] == DEALT:
            yield from (turned(STOCK, f"column {number}") for number in range(1, size + 1))
            return
        source, _, target = play.word[2:].rstrip(FOUNDATION).partition("-")
        if source.startswith(FROM_STOCK):
            yield from self._turn_stock(int(source[1:]), len(before.stock))
        pile = {FROM_STOCK: WASTE, FROM_RESERVE: RESERVE, FOUNDATION: changed}.get(source[0], f"column {source}")
        if target:
            yield carried(pile, f"column {target}", size)
        else:
            yield from [carried(pile, changed)] * size
        if len(play.after.reserve) < len(before.reserve) and pile != RESERVE:
            yield carried(RESERVE, pile)

    def _moves(self, play: Play, before: Position) -> Iterator[Move]:
        """Yield the moves of cards that exist once."""
        sources = self._places(before)
        if sources[play.cards[0]] == WASTE:
            yield from self._turn_stock(before.stock.index(play.cards[0]) + 1, len(before.stock))
        self._use_cells(play.after)
        targets = self._places(play.after)
        paths = [(sources[card], targets[card]) for card in play.cards]
        if play.word[2:] == FOUNDATION:  # a whole suit, too, goes up card by card
            yield from (carried(*path) for path in paths)
        elif len(set(paths)) == 1 and paths[0][0] != STOCK:
            yield carried(*paths[0], len(paths))
        else:
            yield from (turned(*path) for path in paths)
        for card, source in sources.items():
            if source.startswith(RESERVE) and card not in play.cards and targets[card] != source:
                yield carried(source, targets[card])

    def _places(self, position: Position) -> dict[str, str]:
        """Return the place of each card. A card of the stock that can be taken is on top of the waste by then."""
        stock = WASTE if self.referee.rules.to == WASTE else STOCK
        open_reserve = not self.referee.rules.stacked
        places = {
            card.upper(): f"column {number}" for number, column in enumerate(position.columns, 1) for card in column
        }
        places |= {card: f"cell {self.cells[card]}" for card in position.cells}
        places |= {card: f"{RESERVE} {self.reserve[card]}" if open_reserve else RESERVE for card in position.reserve}
        places |= dict.fromkeys(position.stock, stock)
        foundations = zip(self._foundations(), self.referee.foundations(position), strict=True)
        places |= {card: name for name, cards in foundations for card in cards}
        return places | ({position.hole: HOLE} if position.hole else {})

    def _use_cells(self, position: Position) -> None:
        """Give each new card in a cell the first cell that is free."""
        self.cells = {card: number for card, number in self.cells.items() if card in position.cells}
        for card in position.cells:
            if card not in self.cells:
                numbers = range(1, self.referee.rules.cells + 1)
                self.cells[card] = next(number for number in numbers if number not in self.cells.values())

    def _turn_stock(self, number: int, count: int) -> Iterator[Move]:
        """Yield the moves by which card `number` of `count` in the stock comes to the top of the waste, from where it
        is taken then."""
        draw = self.referee.rules.draw
        is_ahead = number >= self.turned and ((number - self.turned) % draw == 0 or number == count)
        if not is_ahead:
            yield from self._draw(count)
            yield turned(WASTE, STOCK, count)
            self.turned = 0
        yield from self._draw(number)
        self.turned = number - 1

    def _draw(self, stop: int) -> Iterator[Move]:
        """Yield the moves that turn the stock up to card `stop`."""
        draw = self.referee.rules.draw
        for first in range(self.turned, stop, draw):
            yield turned(STOCK, WASTE, min(draw, stop - first))
