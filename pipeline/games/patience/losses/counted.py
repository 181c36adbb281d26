"""Losses that are proved by a number of positions.

The evidence is the number of positions that can be reached, none of which is won: ``* 7276``; or by some of the
cards and the number of positions of an easier game, ``*6C4H5H6S 1``. In it, all other cards are *idle*: as soon as they
could be moved, they become *absent*. They are taken away then, and nobody waits for them on the foundations. A card
that could lie on an absent one becomes absent, too. Without the asterisk, idle cards are absent from the start. See
docs/proofs/patience.md for the reason why a game that can be won can still be won then.
"""

import itertools
import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import NamedTuple

from dealmill.pipeline.games.patience.losses.visits import NO_MOVE, Visit
from dealmill.pipeline.games.patience.moves import Moves
from dealmill.pipeline.games.patience.position import Position
from dealmill.pipeline.games.patience.rules import RANKS, SUITS, UNLIMITED, Rules, pairs
from dealmill.verdicts import InvalidEvidence, check_positions

MAX_POSITIONS = 100_000
"""The referee visits at most so many positions of a loss; a compiled one in Dealmill goes on, if cards exist once."""
MAX_COMPILED, MAX_DEALT = 1_000_000_000, 4_000_000
"""No referee visits more; the second is for stocks that are dealt to the columns, whose positions take 90 bytes each:
judging a claim takes less than 500 MB."""
MAX_PLAIN = 25
"""Where there is the compiled one, plain Python counts losses with at most so many: some hundredths of a second."""
COUNT_FORM = re.compile(rf"(\*?)((?:[{RANKS}][{SUITS}])*) ([1-9]\d{{0,9}})", re.ASCII)
"""The asterisk, cards and number of evidence."""
ORDER = {rank + suit: number for number, (suit, rank) in enumerate(itertools.product(SUITS, RANKS))}
"""The cards by suits and then by ranks."""
NUMBER_WORDS = ["no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"]


class CountedLoss(NamedTuple):
    """The evidence of a loss: the cards that matter, or None if all do, the number of positions, and whether the other
    cards are absent from the start, not only when they could be moved."""

    live: frozenset[str] | None
    positions: int
    absent_at_once: bool = False

    @property
    def cards(self) -> list[str]:
        """The live cards by suits and then by ranks; none if all are live."""
        return in_order(self.live or ())

    @property
    def reason(self) -> str:
        """Why the game is lost, in words."""
        count = len(self.cards)
        number = NUMBER_WORDS[count] if count < len(NUMBER_WORDS) else str(count)
        those, they = (f"these {number}", "they") if count > 1 else (" ".join(self.cards), "it")
        left = "were out of the way" if self.absent_at_once else "left the game as soon as they could be moved"
        relaxed = f"Even if all cards but {those} {left}, {they} could not be played. In the easier game, "
        positions = "1 position" if self.positions == 1 else f"{self.positions:,} positions"
        return f"{relaxed if count else ''}{positions} can be reached, and none of them is won."

    @property
    def visited(self) -> int:
        """How many positions plain Python visits, each by itself."""
        return self.positions

    def check(self, game: Moves, position: Position) -> None:
        """Visit all positions that can be reached: none is won, and their number is the evidence.

        Raises
        ------
        InvalidEvidence
            If it is not so.
        """
        check_positions(max(self.counts(game, position, self.positions)), self.positions)

    def counts(self, game: Moves, position: Position, limit: int) -> Iterator[int]:
        """Yield how many positions can be reached without a move, with at most one, and so on, see `reached`."""
        return reached(*self.easier(game, position), limit)

    def visits(self, game: Moves, position: Position) -> Iterator[Visit]:
        """Yield the positions of a loss that was checked, the first one first, those after its moves next."""
        return visited(*self.easier(game, position))

    def easier(self, game: Moves, position: Position) -> tuple[Moves, Position]:
        """Return the moves of the easier game, and its first position.

        If the stock is turned by two or more cards and has idle ones, all of its cards are always offered, as by a
        stock that is turned card by card. Cards of a stock that goes to a hole are never idle, nor are cards on
        foundations from which nothing comes back.
        """
        rules = game.rules
        idle = self.idle_cards(rules, position)
        if rules.draw > 1 and not idle.isdisjoint(position.stock):
            rules, position = replace(rules, draw=1, passes=UNLIMITED), position._replace(passes=0)
        easier = Moves(rules, idle)
        return easier, easier.settled(easier.without(position, idle) if self.absent_at_once else position)

    def idle_cards(self, rules: Rules, position: Position) -> frozenset[str]:
        """Return the cards that are idle in the easier game."""
        if self.live is None:
            return frozenset()
        stays = {
            rules.of_foundation(number, suit, position.base)
            for suit, count in zip(rules.piles, position.foundations, strict=True)
            for number in range((rules.initial == "all") if rules.removable else count)
        }
        dealt = position.stock if rules.to == "hole" else ()
        return frozenset(rules.sorted_deck).difference(self.live, stays, dealt)


def in_order(cards: Iterable[str]) -> list[str]:
    """Return cards, each once, by suits and then by ranks."""
    return sorted(set(cards), key=ORDER.__getitem__)


def reached(game: Moves, position: Position, limit: int) -> Iterator[int]:
    """Yield how many positions can be reached without a move, with at most one, with at most two, and so on, up to
    the number of all positions, or any number greater than `limit`.

    Raises
    ------
    InvalidEvidence
        If one of the positions that are visited for this is won.
    """
    latest, known = [position], {game.key(position)}
    while latest:
        yield len(known)
        before, latest = latest, []
        for origin in before:
            if len(known) > limit:
                break
            if game.won(origin):
                raise InvalidEvidence(1, f"the {'easier ' if game.is_easier else ''}game can be won")
            for play in game.plays(origin):
                key = game.key(play.after)
                if key not in known:
                    known.add(key)
                    latest.append(play.after)


def visited(game: Moves, first: Position, end: str = NO_MOVE) -> Iterator[Visit]:
    """Yield the positions that can be reached, the first one first, those after its moves next. `end` says why a
    position has no moves."""
    numbers, visits = {game.key(first): 1}, [Visit(first, 0, None, [], end)]
    for number, visit in enumerate(visits, start=1):
        for play in game.plays(visit.position):
            after = game.key(play.after)
            if after not in numbers:
                numbers[after] = len(numbers) + 1
                visits.append(Visit(play.after, number, play, [], end))
            if numbers[after] not in visit.leads_to:
                visit.leads_to.append(numbers[after])
        yield visit


def easier_game_is_sound(rules: Rules) -> bool:
    """Return whether a game that can be won can be won in the easier game, too: with cards that move alone, as runs by
    the rules for building, or with all on them; but not if whole suits leave, cards have copies, the stock goes to the
    columns, its cards fill them, or cards are put on others than those of the next higher rank; and in games with a
    hole, only if no card is ever put on another one."""
    moves = rules.move in ("card", "any") or (rules.move == "run" and rules.run == "build")
    stock, hole = rules.to in ("waste", "hole"), rules.hole == "none" or rules.build == "none"
    filled = rules.waste_fills or rules.only_waste_fills
    others = rules.complete or not rules.is_built_in_order
    return moves and stock and hole and not filled and not others and rules.copies == 1


def cards_may_be_absent_at_once(rules: Rules) -> bool:
    """Return whether that is so, too, if idle cards are absent from the start: not if they would take cards along that
    lie on them, nor if they are missing in a hole."""
    return easier_game_is_sound(rules) and rules.move != "any" and rules.hole == "none" and rules.to == "waste"


def most_positions(rules: Rules) -> int:
    """Return how many positions of a loss the referees visit at most."""
    return MAX_POSITIONS if rules.copies > 1 else MAX_DEALT if rules.to == "tableau" else MAX_COMPILED


def read_counted(rules: Rules, evidence: str, form: str = "") -> CountedLoss:
    """Return what evidence of this form claims, or of another one after the word of that `form`, without visiting the
    positions.

    Raises
    ------
    InvalidEvidence
        If it cannot be read, proves nothing by these rules, or claims more positions than any referee visits.
    """
    words = COUNT_FORM.fullmatch(evidence)
    if not words or evidence.startswith(" "):
        shown, examples = f"{form}{evidence}"[:40], f"{form}* 7276" if form else "* 7276 or *6C4H5H6S 1"
        raise InvalidEvidence(1, f"{shown!r} is not the evidence of a loss, such as {examples}")
    absent_at_once, cards, positions = not words[1], pairs(words[2]), int(words[3])
    limit = most_positions(rules)
    if positions > limit:
        raise InvalidEvidence(1, f"it claims {positions:,} positions, more than the limit of {limit:,}")
    if not cards:
        return CountedLoss(None, positions)
    if list(cards) != in_order(cards):
        raise InvalidEvidence(1, "the cards are not in order: each once, by suits and then by ranks")
    if unknown := sorted(set(cards).difference(rules.sorted_deck)):
        raise InvalidEvidence(1, f"{unknown[0]} is not in the deck")
    if not (cards_may_be_absent_at_once if absent_at_once else easier_game_is_sound)(rules):
        raise InvalidEvidence(1, f"such a list of cards proves nothing in {rules.name}")
    return CountedLoss(frozenset(cards), positions, absent_at_once)


def read_whole_count(rules: Rules, evidence: str, example: str) -> CountedLoss:
    """Return what evidence of a form like the `example` claims, in which all cards matter, without its first word and
    without visiting the positions.

    Raises
    ------
    InvalidEvidence
        If it cannot be read, has a list of cards, or claims more positions than any referee visits.
    """
    loss = read_counted(rules, evidence, f"{example.partition(' ')[0]} ")
    if loss.live is not None:
        raise InvalidEvidence(1, f"all cards matter in this form: it is like {example}")
    return loss
