"""Patiences as text and as pictures: the layout, and the table after each move of a win, why it is lost, or which plays
of the careful player are won."""

import re
from collections.abc import Iterator, Set
from itertools import zip_longest
from textwrap import fill

from dealmill.cards import HIDDEN, IDLE, LINE, Display, Marks, Step, card_name
from dealmill.game import Scene
from dealmill.pipeline.games.patience.display.drawing import table
from dealmill.pipeline.games.patience.losses import read_loss
from dealmill.pipeline.games.patience.losses.visits import FEW_POSITIONS
from dealmill.pipeline.games.patience.moves import DEALT, EMPTY, FOUNDATION, RESERVE, STOCK, Play
from dealmill.pipeline.games.patience.position import Position
from dealmill.pipeline.games.patience.referee import Referee
from dealmill.verdicts import Verdict

OF_COPIES = re.compile(f"({STOCK}[0-9]+|{FOUNDATION}(?=-)|{RESERVE}|[0-9]+)(?:-([0-9]+)|{FOUNDATION})", re.ASCII)
"""Where a card that exists more than once comes from, and goes to."""


class PatienceDisplay(Display[Position]):
    """Positions and evidence of a patience."""

    referee: Referee
    caption_of_win = "All cards are up"

    @property
    def legend(self) -> str:
        rules = self.referee.rules
        words = ["Suits are C clubs, H hearts, S spades, D diamonds; T is 10."]
        if rules.face_down != "none":
            words.append("A small letter, as in 9d: the card lies face down.")
        words.append("Columns are numbered, and the lowest card of each is free.")
        if rules.stock and rules.to == "tableau":
            words.append("A row of the stock is dealt to the columns, its first card to column 1.")
        elif rules.stock:
            words.append("The first card of the stock is turned first.")
        return " ".join(words)

    def steps_of_loss(self, layout: str, position: Position, evidence: str) -> Iterator[Step]:
        loss = read_loss(self.referee.rules, evidence)
        if loss.positions in FEW_POSITIONS:
            self.referee("winnable", layout, Verdict.UNWINNABLE, None, evidence)
        idle = loss.idle_cards(self.referee.rules, position)
        is_word = loss.reason[1].islower()  # not the name of a card
        sentence = f"Unwinnable: {loss.reason[0].lower() if is_word else loss.reason[0]}{loss.reason[1:]}"
        matter = f" The cards that matter: {' '.join(loss.cards)}." if idle else ""
        yield Step(position, Marks(idle=idle), f"{sentence}{matter}", loss.reason)
        if loss.positions not in FEW_POSITIONS:
            return
        positions = [position]
        for number, visit in enumerate(loss.visits(self.referee, position), start=1):
            before, moved = positions[visit.origin], visit.play.cards if visit.play else ()
            by = f", from position {visit.origin} by {self.with_word(visit.play, before)}" if visit.play else ""
            gone = sorted(visit.position.absent - before.absent - idle)
            too = f" Out of the way, since absent cards would take them: {' '.join(gone)}." if gone else ""
            caption = f"Position {number} of {loss.positions}{by}.{too} {visit.moves}"
            positions.append(visit.position)
            grey = frozenset(self.referee.rules.deck()) - visit.stuck if visit.stuck else idle
            yield Step(visit.position, Marks(moved, grey), caption, loss.reason)

    def describe(self, play: Play, before: Position) -> str:
        card, target = play.word[:2], play.word[2:]
        if card in before.absent:
            return f"{card_name(card)}, which is out of the way, into the hole"
        others = len(play.cards) - 1
        if target == DEALT:
            return f"{len(play.cards)} card{'s' * (others > 0)} of the stock to the columns"
        with_others = f" and the {others} card{'s' * (others > 1)} on it" if others else ""
        if places := OF_COPIES.fullmatch(target):
            where = f"to column {places[2]}" if places[2] else "to a foundation"
            names = {STOCK: "the stock", FOUNDATION: "a foundation", RESERVE: "the reserve"}
            source = names.get(places[1][0], f"column {places[1]}")
            return f"{card_name(card)}{with_others} from {source} {where}"
        where = {
            "f": "to its foundation",
            "c": "to a cell",
            "e": "to an empty column",
            "h": "into the hole",
            "": "out of the way, since an absent card would take it",
        }.get(target) or (f"to column {target[1:]}" if target[0] == EMPTY else f"onto the {card_name(target)}")
        return f"{card_name(card)}{with_others}{_source(card, before)} {where}"

    def moved_names(self, play: Play) -> list[str]:
        rules = self.referee.rules
        if rules.copies == 1:
            return list(play.cards)
        if play.word[2:] == DEALT:
            return [f"{card}{number}" for number, card in enumerate(play.cards, start=1)]
        if play.word.endswith(FOUNDATION) and not rules.complete:
            return list(play.cards)
        return [f"{card}{column}" for card in play.cards if (column := play.word.partition("-")[2])]

    def board(self, position: Position, idle: Set[str] = frozenset(), *, closed: bool = False) -> str:
        rules, lines = self.referee.rules, list[str]()
        if rules.hole != "none":
            lines.append(f"hole  {position.hole}")
        else:
            tops = [top or f"-{suit}" for suit, top in zip(rules.piles, self.referee.tops(position), strict=True)]
            count = len(rules.upward_piles)
            lines.append(f"foundations  {' '.join(tops[:count])}")
            if rules.has_downward_piles:
                lines.append(f"built down   {' '.join(tops[count:])}")
        if rules.cells:
            lines.append(f"cells  {' '.join([*position.cells, *['--'] * (rules.cells - len(position.cells))])}")
        if rules.reserve:
            lines.append(f"reserve  {' '.join(position.reserve) or '--'}")
        if rules.stock:
            waste, stock = position.stock[: position.turned], position.stock[position.turned :]
            for name, cards in (("waste", waste), ("stock", stock)):
                if cards or name == "stock":
                    hidden = closed and name == "stock"
                    shown = [HIDDEN if hidden else IDLE if card in idle else card for card in cards]
                    lines.append(fill(f"{name}  {' '.join(shown) or '--'}", LINE, subsequent_indent="       "))
            if position.passes:
                lines.append(f"further passes  {position.passes}")
        numbers = [f"{number:>2}" for number in range(1, len(position.columns) + 1)]
        columns = [
            [HIDDEN if closed and card[1].islower() else IDLE if card.upper() in idle else card for card in column]
            for column in position.columns
        ]
        rows = [list(row) for row in zip_longest(*columns, fillvalue="  ")] or [["--"] * len(numbers)]
        return "\n".join([*lines, "", *("  ".join(row).rstrip() for row in [numbers, *rows])])

    def table(self, position: Position, marks: Marks, caption: str, alt: str, proves: str = "") -> Scene:
        return table(self.referee.rules, position, marks, caption, alt, proves)


def _source(card: str, before: Position) -> str:
    for words, cards in (("a cell", before.cells), ("the reserve", before.reserve), ("the stock", before.stock)):
        if card in cards:
            return f" from {words}"
    on_column = any(card in column for column in before.columns)
    return "" if on_column else " from its foundation"
