"""Covering games as text and as pictures: the layout, and the table after each move of a win, why it is lost, or which
plays of the careful player are won."""

from collections.abc import Iterator, Set
from textwrap import fill

from dealmill.cards import HIDDEN, IDLE, LINE, Display, Marks, Step, card_name
from dealmill.game import Scene
from dealmill.pipeline.games.covering.drawing import slots_of, table, up_to
from dealmill.pipeline.games.covering.referee import FEW_POSITIONS, HOLE, Play, Referee, read_loss
from dealmill.pipeline.games.covering.rules import Position, lies_face_down
from dealmill.verdicts import Verdict


class CoveringDisplay(Display[Position]):
    """Positions and evidence of a covering game."""

    referee: Referee

    @property
    def caption_of_win(self) -> str:
        return "The arrangement is gone" if self.referee.rules.goal == "arrangement" else "All cards are gone"

    @property
    def legend(self) -> str:
        rules = self.referee.rules
        words = ["Suits are C clubs, H hearts, S spades, D diamonds; T is 10."]
        if rules.face_down == "covered":
            words.append("A small letter, as in 9d: the card is covered, and lies face down.")
        else:
            words.append("A card is covered by those below it that touch it.")
        if rules.stock:
            words.append("The first card of the stock is turned first.")
        return " ".join(words)

    def steps_of_loss(self, layout: str, position: Position, evidence: str) -> Iterator[Step]:
        loss = read_loss(self.referee.rules, evidence)
        if loss.positions in FEW_POSITIONS:
            self.referee("winnable", layout, Verdict.UNWINNABLE, None, evidence)
        easier, _ = self.referee.easier(position, loss)
        cards = [*filter(None, position.places), *position.stock]
        idle = frozenset(card for card in cards if card[0] in easier.idle)
        yield Step(position, Marks(idle=idle), f"Unwinnable: {loss.reason[0].lower()}{loss.reason[1:]}", loss.reason)
        if loss.positions not in FEW_POSITIONS:
            return
        positions = [position]
        for number, visit in enumerate(self.referee.visits(position, loss), start=1):
            before, moved = positions[visit.origin], visit.play.cards if visit.play else ()
            by = f", from position {visit.origin} by {self.with_word(visit.play, before)}" if visit.play else ""
            caption = f"Position {number} of {loss.positions}{by}. {visit.moves}"
            positions.append(visit.position)
            yield Step(visit.position, Marks(moved, idle), caption, loss.reason)

    def describe(self, play: Play, before: Position) -> str:
        names = [f"{card_name(card)}{' from the stock' if card in before.stock else ''}" for card in play.cards]
        return (
            f"{names[0]} into the hole"
            if play.word.endswith(HOLE)
            else f"{' and '.join(names)} leave{'s' * (len(names) == 1)}"
        )

    def board(self, position: Position, idle: Set[str] = frozenset(), *, closed: bool = False) -> str:
        rules = self.referee.rules
        lines = [f"hole  {position.hole}"] if rules.moves == "hole" else []
        if rules.stock:
            up = up_to(rules, position)
            waste, stock = position.stock[: position.turned], position.stock[position.turned :]
            for name, cards in (("waste", waste), ("stock", stock)):
                if cards or name == "stock":
                    seen = up - position.turned if closed and name == "stock" else len(cards)
                    words = [IDLE if card in idle else card for card in cards[:seen]]
                    shown = " ".join([*words, *[HIDDEN] * (len(cards) - seen)]) or "--"
                    lines.append(fill(f"{name}  {shown}", LINE, subsequent_indent="       "))
            if position.passes:
                lines.append(f"further passes  {position.passes}")
        rows = [[" "] * 4 * rules.row_sizes[-1] for _ in range(rules.rows)]
        for number, (slot, row) in slots_of(rules, rules.row_sizes[-1]).items():
            rows[row][round(4 * slot) : round(4 * slot) + 2] = self._shown(position, number, idle, closed)
        lines += ["", *("".join(row).rstrip() for row in rows)]
        if rules.columns:
            first, size = sum(rules.row_sizes), rules.column_size
            lines += [""]
            for depth in range(size):
                numbers = range(first + depth, len(rules.covers), size)
                lines.append("  ".join(self._shown(position, number, idle, closed) for number in numbers).rstrip())
        return "\n".join(lines)

    def _shown(self, position: Position, number: int, idle: Set[str], closed: bool) -> str:
        card, is_face_down = position.places[number], lies_face_down(self.referee.rules, position.places, number)
        if is_face_down and closed:
            return HIDDEN
        if card in idle:
            return IDLE
        return card[0] + card[1].lower() if is_face_down else card or "  "

    def table(self, position: Position, marks: Marks, caption: str, alt: str, proves: str = "") -> Scene:
        return table(self.referee.rules, position, marks, caption, alt, proves)
