"""The rules of patiences, as a record, and the referee, which knows nothing else.

A position is one line of text: the name of the game, its columns, and whatever else holds cards::

    klondike 9H/4sTC/… foundations:2C stock:7HKD… waste:3S

Columns are joined by ``/``, with the top card last, and ``-`` is an empty one. A small letter for the suit is a card
that lies face down. The stock begins with the card that is turned next; of the waste, the reserve and a column, the
last card is on top. ``foundations`` are the top cards, and ``base`` is the rank of their first cards if it differs from
deal to deal. If the rules limit the passes through the stock, ``passes:1`` says how many are left. Parts without cards
are left out. Earlier versions left out ``passes:0``, too, so such a text has no further pass.

A move is a card and where it goes, with all cards that lie on it: ``6H7S`` onto the seven of spades, ``6Hf`` to its
foundation, ``6Hc`` to a free cell, ``6He`` to an empty column, ``6Hh`` into the hole. A card of the stock can be taken
whenever turning the stock, from now on, would uncover it. If the stock goes to the columns, ``6Hd`` deals a row, of
which this card is the first, and ``6He3`` names the empty column. Face-down cards are turned up, and empty columns
filled from the reserve if the rules say so, without a move.

If cards exist more than once, a move also names the columns: ``6H3-5`` moves the six of hearts of column
3, with all cards on it, to column 5, and ``KH3f`` a whole suit of column 3 to a foundation.

A loss is proved by the number of positions that can be reached, none of which is won: ``* 7276``; or by some of the
cards and the number of positions of an easier game, ``*6C4H5H6S 1``. In it, all other cards are *idle*: as soon as they
could be moved, they become *absent*. They are taken away then, and nobody waits for them on the foundations. A card
that could lie on an absent one becomes absent, too. Without the asterisk, idle cards are absent from the start. See
docs/proofs/patience.md for the reason why a game that can be won can still be won then.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache
from typing import NamedTuple

from dealmill.verdicts import IllegalMove, InvalidEvidence, Unchecked, Verdict

RANKS = "A23456789TJQK"
SUITS = "CHSD"
RED = "HD"
UNLIMITED = 0
MOST_POSITIONS = 100_000
"""The referee visits at most so many positions of a loss; a compiled one in Dealmill goes on, if cards exist once."""
MOST_PLAIN = 100
"""Where there is the compiled one, plain Python counts losses with at most so many: a tenth of a second, or less."""
MOST_COMPILED, MOST_DEALT = 1_000_000_000, 4_000_000
"""No referee visits more; the second is for stocks that are dealt to the columns, whose positions take 90 bytes each:
judging a claim takes less than 500 MB."""
FEW_POSITIONS = range(1, 13)
"""How many positions of a loss are shown one by one."""
FOUNDATION, CELL, EMPTY, HOLE, DEALT = "fcehd"
NO_MOVES = "-"
SUITS_OF_DECK = {1: "S", 2: "HS", 4: SUITS}
"""The suits of a deck by their number."""
NUMBER_WORDS = ["no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"]
TARGET = rf"[{RANKS}][{SUITS}]|[{FOUNDATION}{CELL}{HOLE}{DEALT}]|{EMPTY}(?:[1-9][0-9]?)?"
MOVE = re.compile(rf"[{RANKS}][{SUITS}](?:{TARGET})", re.ASCII)
COLUMN_NUMBER = "[1-9][0-9]?"
MOVE_OF_COPIES = re.compile(
    rf"[{RANKS}][{SUITS}](?:{COLUMN_NUMBER}(?:-{COLUMN_NUMBER}|{FOUNDATION})|{DEALT})", re.ASCII
)
"""A move if cards exist more than once."""
PARTS = ("base", "cells", "foundations", "hole", "passes", "reserve", "stock", "waste")
"""The parts of a position after its columns, in this order."""
CARDS = ("cells", "hole", "reserve", "stock", "waste")
"""Those that list cards, each once."""
PART = re.compile(rf"({'|'.join(PARTS)}):([0-9A-Za-z]+)", re.ASCII)
COLUMN = re.compile(rf"(?:[{RANKS}][{SUITS.lower()}])*(?:[{RANKS}][{SUITS}])+|-", re.ASCII)


@dataclass(frozen=True)
class Rules:
    """The rules of one game. The keys of a rules file have the same names and meanings; see docs/patience.md."""

    name: str
    title: str
    family: str
    numbers: str
    ranks: int
    sizes: tuple[int, ...]
    deal: str
    face_down: str | tuple[int, ...]
    build: str
    move: str
    run: str
    spaces: str
    foundations: str
    initial: str
    removable: bool
    complete: bool
    cells: int
    filled: int
    reserve: int
    stacked: bool
    stock: int
    to: str
    full_columns: bool
    draw: int
    passes: int
    hole: str
    wrap: bool
    decks: int = 1
    suits: int = 4

    @property
    def copies(self) -> int:
        """How often each card exists."""
        return self.decks * len(SUITS) // self.suits

    @property
    def piles(self) -> str:
        """The suit of each foundation."""
        return "".join(suit * self.copies for suit in SUITS_OF_DECK[self.suits])

    @property
    def counts_passes(self) -> bool:
        """Whether a position says how many further passes through the stock are left."""
        return self.to == "waste" and self.passes > 1

    def deck(self) -> list[str]:
        """Return all cards."""
        return [rank + suit for rank in RANKS[: self.ranks] for suit in self.piles]


class Position(NamedTuple):
    """A position of a game. Cards are texts such as ``6H``; face-down ones have a small letter.

    `base` is the index of the rank of the first cards of the foundations, and `foundations` counts the cards of each,
    in the order of `Rules.piles`. `turned` counts those cards of the stock that are in the waste, and `passes` are the
    further passes through it. `hole` is the card on top of the hole. In the easier game that proves a loss, some cards
    are `absent`; the foundations count them, too, as soon as all live cards below them are up.
    """

    base: int
    columns: tuple[tuple[str, ...], ...]
    cells: tuple[str, ...]
    reserve: tuple[str, ...]
    stock: tuple[str, ...]
    """The waste, the card on top last, and then the stock, the card that is turned next first."""
    turned: int
    passes: int
    foundations: tuple[int, ...]
    hole: str
    absent: frozenset[str] = frozenset()


class Loss(NamedTuple):
    """The evidence of a loss: the cards that matter, or None if all do, the number of positions, and whether the other
    cards are absent from the start, not only when they could be moved."""

    live: frozenset[str] | None
    positions: int
    absent_at_once: bool = False

    @property
    def cards(self) -> list[str]:
        """The live cards by suits and then by ranks; none if all are live."""
        return sorted(self.live or (), key=lambda card: (SUITS.index(card[1]), RANKS.index(card[0])))

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


class Play(NamedTuple):
    """A legal move: the word for it, the cards that move, and the position after it.

    In the easier game, a word without a target means that the cards become absent.
    """

    word: str
    cards: tuple[str, ...]
    after: Position


class Visit(NamedTuple):
    """A position of a loss: the play that first leads to it, if it is not the first position, and the number of the
    position before that. `leads_to` are the numbers of the positions after its moves. Numbers count from 1."""

    position: Position
    origin: int
    play: Play | None
    leads_to: list[int]

    @property
    def moves(self) -> str:
        """Where its moves lead, in a sentence."""
        *numbers, last = map(str, self.leads_to or [0])
        to = f"positions {', '.join(numbers)} and {last}" if numbers else f"position {last}"
        return f"Its moves lead to {to}." if self.leads_to else "No move is possible."


@dataclass(frozen=True)
class Referee:
    """The rules of a game at work: positions, moves, and checks of evidence. In the easier game that proves a loss,
    some cards are idle: they become absent as soon as they can be moved. Losses of more positions than the `limit` are
    left to others."""

    rules: Rules
    idle: frozenset[str] = frozenset()
    limit: int = MOST_POSITIONS

    def __call__(self, engine: str, layout: str, verdict: Verdict, value: int | None, evidence: str) -> None:
        """Replay the moves of a win, or count the positions of a loss.

        Raises
        ------
        InvalidEvidence
            If the evidence does not prove the verdict; at step 0, if the text is not a position.
        Unchecked
            If a loss has too many positions for plain Python.
        """
        position = self.position(layout)
        if engine != "winnable" or value is not None:
            raise InvalidEvidence(0, f"{engine} does not give value {value}")
        if verdict is Verdict.WINNABLE:
            self._check_win(position, evidence)
        elif verdict is Verdict.UNWINNABLE:
            self._check_loss(position, evidence)
        else:
            raise InvalidEvidence(0, f"{engine} cannot prove that a deal is {verdict.word}")

    # Reading

    def position(self, text: str) -> Position:
        """Return the position that a canonical text describes.

        Raises
        ------
        InvalidEvidence
            At step 0, if the text is not the canonical text of a position; it says why.
        """
        for reason in self.reasons(text):
            raise InvalidEvidence(0, reason)
        _, columns, *words = text.split(" ")
        parts = dict(word.split(":") for word in words)
        cards = {part: _pairs(parts.get(part, "")) for part in CARDS}
        base = RANKS.index(parts.get("base", self.rules.foundations))
        counts = [0] * len(self.rules.piles)
        for card in _pairs(parts.get("foundations", "")):
            pile = next(pile for pile, suit in enumerate(self.rules.piles) if suit == card[1] and not counts[pile])
            counts[pile] = (RANKS.index(card[0]) - base) % self.rules.ranks + 1
        position = Position(
            base,
            tuple(() if column == "-" else _pairs(column) for column in columns.split("/")),
            cards["cells"],
            cards["reserve"],
            (*cards["waste"], *cards["stock"]),
            len(cards["waste"]),
            int(parts.get("passes", 0)),
            tuple(counts),
            "".join(cards["hole"]),
        )
        return self._settled(position)

    def reasons(self, text: str) -> Iterator[str]:
        """Yield the reasons why a text is not the canonical text of a position."""
        name, *words = text.split(" ")
        if name != self.rules.name:
            yield f"the line begins with {name[:40]!r}, expected {self.rules.name}"
            return
        columns, parts = (words[0].split("/") if words else []), words[1:]
        shapes = list(self._shapes(columns, parts))
        yield from shapes
        if not shapes:
            yield from self._misfits(columns, dict(part.split(":") for part in parts))

    def _shapes(self, columns: list[str], parts: list[str]) -> Iterator[str]:
        """Yield what is wrong with the form of columns and parts."""
        rules = self.rules
        if len(columns) != len(rules.sizes):
            yield f"the number of columns is {len(columns)}, expected {len(rules.sizes)}"
        for number, column in enumerate(columns, start=1):
            if column[-1:].islower() and COLUMN.fullmatch(column.upper()):
                yield f"a card is missing: {column[-2:].upper()}, the last one of column {number}, lies face down"
            elif not COLUMN.fullmatch(column):
                yield f"column {number} is {column[:40]!r}, expected cards such as 6H, face-down ones first, or -"
            elif rules.face_down == "none" and column.upper() != column:
                yield f"column {number} has face-down cards, but all cards lie face up"
        names = [part.partition(":")[0] for part in parts]
        for part in parts:
            if not PART.fullmatch(part):
                yield f"{part[:40]!r} is not a part of a position, such as cells:6H4S; there are {', '.join(PARTS)}"
        if names != sorted(set(names)):
            yield f"the parts are {' '.join(names)[:80]}, expected each once, in alphabetical order"
        for part in parts:
            name, _, value = part.partition(":")
            if name in (*CARDS, "foundations") and not re.fullmatch(rf"(?:[{RANKS}][{SUITS}])+", value, re.ASCII):
                yield f"{name} are {value[:40]!r}, expected cards such as 6H"

    def _misfits(self, columns: list[str], parts: dict[str, str]) -> Iterator[str]:
        """Yield what is wrong with the cards of well-formed columns and parts."""
        rules = self.rules
        allowed = {
            "base": rules.foundations == "dealt",
            "cells": rules.cells > 0,
            "foundations": rules.hole == "none",
            "hole": rules.hole != "none",
            "passes": rules.counts_passes,
            "reserve": rules.reserve > 0,
            "stock": rules.stock > 0,
            "waste": rules.stock > 0 and rules.to == "waste",
        }
        for part in parts:
            if not allowed[part]:
                yield f"{rules.name} has no {part}"
        ranks = RANKS[: rules.ranks]
        if rules.foundations == "dealt" and "base" not in parts:
            yield f"the base is missing: add the rank of the first foundation card, such as base:{ranks[-1]}"
            return
        if allowed["base"] and parts["base"] not in tuple(ranks):
            yield f"the base is {parts['base'][:40]!r}, expected one of {ranks}"
            return
        base = ranks.index(parts["base"] if allowed["base"] else rules.foundations)
        up = _pairs(parts.get("foundations", ""))
        suits = [card[1] for card in up]
        times, order = "once" if rules.copies == 1 else f"{rules.copies} times", SUITS_OF_DECK[rules.suits]
        if suits != sorted(suits, key=SUITS.index) or any(suits.count(suit) > rules.copies for suit in suits):
            names = "".join(suits)
            yield f"the suits of the foundations are {names}, expected each at most {times}, in the order {order}"
            return
        yield from self._wrong_deck(columns, parts, up, base)
        yield from self._wrong_sizes({part: text for part, text in parts.items() if allowed[part]}, up)

    def _wrong_deck(self, columns: list[str], parts: dict[str, str], up: tuple[str, ...], base: int) -> Iterator[str]:
        """Yield which cards are missing, doubled or unknown; below the card in a hole, any may lie."""
        rules, ranks = self.rules, RANKS[: self.rules.ranks]
        cards = [card for column in columns if column != "-" for card in _pairs(column.upper())]
        cards += [card for part in CARDS for card in _pairs(parts.get(part, ""))]
        for card in up:
            if card[0] in ranks:
                count = (ranks.index(card[0]) - base) % rules.ranks + 1
                cards += [ranks[(base + number) % rules.ranks] + card[1] for number in range(count)]
        deck = dict.fromkeys(rules.deck())
        for card in dict.fromkeys(cards):
            if card not in deck:
                yield f"{card} is not in the deck"
            elif cards.count(card) > rules.copies:
                yield f"{card} occurs {cards.count(card)} times"
        missing = [card for card in deck for _ in range(rules.copies - cards.count(card))]
        if missing and rules.hole == "none":
            yield f"missing: {' '.join(missing)}"

    def _wrong_sizes(self, parts: dict[str, str], up: tuple[str, ...]) -> Iterator[str]:
        """Yield which parts have too many cards, or too few."""
        rules = self.rules
        if rules.initial == "all" and len(up) < len(SUITS):
            yield f"{len(up)} foundations have cards, expected {len(SUITS)}"
        for card in up if rules.complete else ():
            if (RANKS.index(card[0]) + 1 - RANKS.index(rules.foundations)) % rules.ranks:
                yield f"{card} is on top of a foundation, but only whole suits leave the columns"
        if rules.hole != "none" and len(parts.get("hole", "")) != 2:
            yield "the hole has no single card on top, expected one such as hole:6H"
        limits = {"cells": rules.cells, "reserve": rules.reserve, "stock": rules.stock, "waste": rules.stock}
        for part, limit in limits.items():
            if (count := len(parts.get(part, "")) // 2) > limit:
                yield f"{count} cards are in {part}, expected at most {limit}"
        if "passes" in parts and parts["passes"] not in map(str, range(rules.passes)):
            yield f"the number of further passes is {parts['passes'][:40]}, expected 0 to {rules.passes - 1}"

    # Moves

    def won(self, position: Position) -> bool:
        """Return whether all cards are on the foundations, or in the hole."""
        if self.rules.hole != "none":
            return not (any(position.columns) or position.cells or position.reserve or position.stock)
        return sum(position.foundations) == len(self.rules.piles) * self.rules.ranks

    def _sources(self, position: Position) -> Iterator[tuple[tuple[str, ...], Position]]:
        """Yield cards that may be moved together, the lowest first, and the position without them."""
        rules, base = self.rules, position.base
        yield from self.uncovered(position)
        yield from self.offered(position)
        if rules.removable:
            for suit, count in enumerate(position.foundations):
                for number in reversed(range(rules.initial == "all", count)):
                    card = self._of_foundation(number, SUITS[suit], base)
                    if card not in position.absent:
                        counts = (*position.foundations[:suit], number, *position.foundations[suit + 1 :])
                        yield (card,), position._replace(foundations=counts)
                        break

    def uncovered(self, position: Position) -> Iterator[tuple[tuple[str, ...], Position]]:
        """Yield the cards of the columns, the cells and the reserve that can move, and the positions without them."""
        rules, base = self.rules, position.base
        for number, column in enumerate(position.columns):
            size = 0
            while size < len(column):
                if size and not self._move_together(column[-size], column[-size - 1], base):
                    break
                size += 1
                columns = (*position.columns[:number], column[:-size], *position.columns[number + 1 :])
                yield column[-size:], position._replace(columns=columns)
        for card in position.cells:
            yield (card,), position._replace(cells=tuple(each for each in position.cells if each != card))
        for card in position.reserve[-1:] if rules.stacked else position.reserve:
            yield (card,), position._replace(reserve=tuple(each for each in position.reserve if each != card))

    def offered(self, position: Position) -> Iterator[tuple[tuple[str, ...], Position]]:
        """Yield the cards of the stock that turning it would uncover, and the positions without them."""
        rules, count, turned = self.rules, len(position.stock), position.turned
        if rules.to != "waste":
            if rules.to == "hole" and count:
                yield position.stock[:1], position._replace(stock=position.stock[1:])
            return
        for number in range(1, count + 1):
            passes = position.passes
            ahead = number >= turned and ((number - turned) % rules.draw == 0 or number == count)
            if not ahead:
                if number % rules.draw or (rules.passes != UNLIMITED and not passes):
                    continue
                passes -= rules.passes != UNLIMITED
            stock = (*position.stock[: number - 1], *position.stock[number:])
            yield position.stock[number - 1 : number], position._replace(stock=stock, turned=number - 1, passes=passes)

    def targets(self, cards: tuple[str, ...], rest: Position, before: Position) -> Iterator[Play]:
        """Yield the moves of some cards, which `rest` lacks."""
        rules, base, card = self.rules, before.base, cards[0]
        if rules.to == "hole" and before.stock and card == before.stock[0]:
            yield self._play(card + HOLE, cards, rest._replace(hole=card))
            return
        if len(cards) == 1:
            yield from self._single(card, rest, before)
        for number, column in enumerate(rest.columns):
            if column:
                target = column[-1]
                fits = self.fits(card, target, base) and column == before.columns[number]
            else:  # a whole column does not move to another empty one, unless it will be dealt to there
                target = EMPTY + (str(number + 1) if rules.to == "tableau" else "")
                is_space = rest.columns.count(()) == before.columns.count(())
                if self._has_order(before):
                    is_space = not before.columns[number]
                fits = is_space and self._fills(card, base)
            if fits:
                word = self._word(card, target, number, rest, before)
                columns = (*rest.columns[:number], (*column, *cards), *rest.columns[number + 1 :])
                yield self._play(word, cards, rest._replace(columns=columns))

    def _word(self, card: str, target: str, column: int, rest: Position, before: Position) -> str:
        """Return the word for the move of a card to a column."""
        if self.rules.copies == 1:
            return card + target
        source = next(number for number, cards in enumerate(before.columns) if cards is not rest.columns[number])
        return f"{card}{source + 1}-{column + 1}"

    def _single(self, card: str, rest: Position, before: Position) -> Iterator[Play]:
        """Yield the moves of one card to the hole, its foundation and a cell."""
        rules, suit = self.rules, SUITS.index(card[1])
        count = rest.foundations[suit]
        if rules.hole != "none":
            if self._next_to(card, rest.hole):
                yield self._play(card + HOLE, (card,), rest._replace(hole=card))
        elif (
            not rules.complete
            and rest.foundations == before.foundations
            and card == self._of_foundation(count, card[1], before.base)
        ):
            counts = (*rest.foundations[:suit], count + 1, *rest.foundations[suit + 1 :])
            yield self._play(card + FOUNDATION, (card,), rest._replace(foundations=counts))
        if len(rest.cells) < rules.cells and len(rest.cells) == len(before.cells):
            yield self._play(card + CELL, (card,), rest._replace(cells=(*rest.cells, card)))

    def several(self, position: Position) -> Iterator[Play]:
        """Yield the moves of cards to several places at once: a whole suit to its foundation, and a row of the stock to
        the columns."""
        rules, columns, stock = self.rules, position.columns, position.stock
        for number, column in enumerate(columns if rules.complete else ()):
            suit = column[-1][1] if column else SUITS[0]
            cards = tuple(self._of_foundation(rank, suit, position.base) for rank in reversed(range(rules.ranks)))
            if column[-rules.ranks :] == cards:
                counts = list(position.foundations)
                pile = next(pile for pile, name in enumerate(rules.piles) if name == suit and not counts[pile])
                counts[pile] = rules.ranks
                source = str(number + 1) if rules.copies > 1 else ""
                rest = (*columns[:number], column[: -rules.ranks], *columns[number + 1 :])
                after = position._replace(columns=rest, foundations=tuple(counts))
                yield self._play(cards[0] + source + FOUNDATION, cards, after)
        if self._has_order(position) and not (rules.full_columns and () in columns):
            dealt = tuple((*column, *stock[number : number + 1]) for number, column in enumerate(columns))
            after = position._replace(columns=dealt, stock=stock[len(columns) :])
            yield self._play(stock[0] + DEALT, stock[: len(columns)], after)

    def _has_order(self, position: Position) -> bool:
        """Return whether the order of the columns matters, since cards will be dealt to them."""
        return self.rules.to == "tableau" and position.stock != ()

    def _play(self, word: str, cards: tuple[str, ...], after: Position) -> Play:
        return Play(word, cards, self._settled(after))

    def _settled(self, position: Position) -> Position:
        """Return a position after all that happens without a move, and with one number of turned cards for all those
        that offer the same cards."""
        position = self._filled(position)
        while loose := self._loose(position):
            position = self._filled(self._without(position, loose))
        turned = position.turned
        if self.rules.passes == UNLIMITED and (turned % self.rules.draw == 0 or turned == len(position.stock)):
            turned = 0
        return position._replace(turned=turned)

    def _filled(self, position: Position) -> Position:
        """Return a position with top cards turned up, empty columns filled, and absent cards on the foundations after
        which it is their turn."""
        rules, columns, reserve = self.rules, list(position.columns), position.reserve
        for number, column in enumerate(columns):
            if column:
                columns[number] = (*column[:-1], column[-1].upper())
            elif rules.spaces == "reserve":
                columns[number], reserve = reserve[-1:], reserve[:-1]
        counts = list(position.foundations) if position.absent else []
        for number, suit in enumerate(SUITS[: len(counts)]):
            while (
                counts[number] < rules.ranks
                and self._of_foundation(counts[number], suit, position.base) in position.absent
            ):
                counts[number] += 1
        return position._replace(
            columns=tuple(columns), reserve=reserve, foundations=tuple(counts) or position.foundations
        )

    # The easier game, in which some cards are idle or absent

    def easier(self, position: Position, loss: Loss) -> tuple["Referee", Position]:
        """Return the referee of the easier game, and its first position.

        If the stock is turned by two or more cards and has idle ones, all of its cards are always offered, as by a
        stock that is turned card by card. Cards of a stock that goes to a hole are never idle, nor are cards on
        foundations from which nothing comes back.
        """
        rules = self.rules
        idle = self.idle_cards(position, loss)
        if rules.draw > 1 and not idle.isdisjoint(position.stock):
            rules, position = replace(rules, draw=1, passes=UNLIMITED), position._replace(passes=0)
        referee = Referee(rules, idle)
        return referee, referee._settled(referee._without(position, idle) if loss.absent_at_once else position)

    def idle_cards(self, position: Position, loss: Loss) -> frozenset[str]:
        """Return the cards that are idle in the easier game of a loss."""
        rules = self.rules
        if loss.live is None:
            return frozenset()
        stays = {
            self._of_foundation(number, suit, position.base)
            for suit, count in zip(rules.piles, position.foundations, strict=True)
            for number in range((rules.initial == "all") if rules.removable else count)
        }
        dealt = position.stock if rules.to == "hole" else ()
        return frozenset(rules.deck()) - loss.live - stays - set(dealt)

    def _without(self, position: Position, cards: frozenset[str]) -> Position:
        """Return a position after cards have become absent."""
        return position._replace(
            columns=tuple(tuple(card for card in column if card.upper() not in cards) for column in position.columns),
            cells=tuple(card for card in position.cells if card not in cards),
            reserve=tuple(card for card in position.reserve if card not in cards),
            stock=tuple(card for card in position.stock if card not in cards),
            turned=sum(card not in cards for card in position.stock[: position.turned]),
            absent=position.absent | cards,
        )

    def _loose(self, position: Position) -> frozenset[str]:
        """Return the cards that can be moved and are idle or could be put onto an absent card, with all that lie on
        them; but not those of a stock that is turned by two or more cards, which offers others without them."""
        return frozenset(
            card
            for cards, rest in (self._sources(position) if self.idle else ())
            if cards[0] in self.idle or self._fits_absent(cards[0], position)
            if self.rules.draw == 1 or rest.stock == position.stock
            for card in cards
        )

    def _fits_absent(self, card: str, position: Position) -> bool:
        below = cards_below(self.rules.build, self.rules.ranks, position.base)[card]
        return not below.isdisjoint(position.absent)

    def _plays(self, position: Position) -> Iterator[Play]:
        """Yield all moves. A card that could still lie on an absent one is offered by a stock that is turned by two or
        more cards: to become absent is a move of it. Absent cards may be played into a hole, and more than once."""
        for cards, rest in self._sources(position):
            yield from self.targets(cards, rest, position)
            if self._fits_absent(cards[0], position):
                yield self._play(cards[0], cards, self._without(rest, frozenset(cards)))
        yield from self.several(position)
        for card in sorted(position.absent) if position.hole else ():
            if self._next_to(card, position.hole):
                yield self._play(card + HOLE, (card,), position._replace(hole=card))

    def _of_foundation(self, number: int, suit: str, base: int) -> str:
        """Return the card of a suit that goes to its foundation after `number` others."""
        return RANKS[(base + number) % self.rules.ranks] + suit

    def _move_together(self, card: str, below: str, base: int) -> bool:
        """Return whether a card of a column takes the one on it along when it moves to another column."""
        move = self.rules.move
        return below[1].isupper() if move == "any" else move == "run" and self.is_run(card, below, base)

    def is_run(self, card: str, below: str, base: int) -> bool:
        """Return whether a card moves along with the one that it lies on, if runs move."""
        rules = self.rules
        return below in cards_below(rules.build if rules.run == "build" else rules.run, rules.ranks, base)[card]

    def fits(self, card: str, below: str, base: int) -> bool:
        """Return whether a card may lie on another one in a column, if both lie face up."""
        return below in cards_below(self.rules.build, self.rules.ranks, base)[card]

    def _fills(self, card: str, base: int) -> bool:
        """Return whether a card may go to an empty column."""
        last = RANKS[(base - 1) % self.rules.ranks]
        return self.rules.spaces in ("any", "reserve") or (self.rules.spaces == "kings" and card[0] == last)

    def _next_to(self, card: str, top: str) -> bool:
        """Return whether a card may go into the hole onto its top card."""
        apart = abs(RANKS.index(card[0]) - RANKS.index(top[0]))
        return apart == 1 or (self.rules.wrap and apart == self.rules.ranks - 1)

    # Evidence

    def replayed(self, position: Position, evidence: str) -> Iterator[tuple[Play, Position]]:
        """Yield each move of a win with the position before it. `NO_MOVES` is a win without moves.

        Raises
        ------
        InvalidEvidence
            If a word is not a move.
        IllegalMove
            If the rules do not allow a move.
        """
        for step, word in enumerate([] if evidence == NO_MOVES else evidence.split(" "), start=1):
            form, examples = (MOVE, "6H7S or 6Hf") if self.rules.copies == 1 else (MOVE_OF_COPIES, "6H3-5 or KH3f")
            if not form.fullmatch(word):
                raise InvalidEvidence(step, f"{word[:40]!r} is not a move such as {examples}")
            play = self.play(position, word)
            if play is None:
                raise IllegalMove(step, f"the rules do not allow {word}")
            yield play, position
            position = play.after

    def play(self, position: Position, word: str) -> Play | None:
        """Return the move for which a word stands, or None if it is not legal."""
        for cards, rest in self._sources(position):
            if cards[0] == word[:2]:
                for play in self.targets(cards, rest, position):
                    if play.word == word:
                        return play
        return next((play for play in self.several(position) if play.word == word), None)

    def _check_win(self, position: Position, evidence: str) -> None:
        steps = 0
        for play, _ in self.replayed(position, evidence):
            position = play.after
            steps += 1
        if not self.won(position):
            raise InvalidEvidence(steps, "the game is not won after the last move")

    def _check_loss(self, position: Position, evidence: str) -> None:
        """Visit all positions that can be reached: none is won, and their number is the evidence."""
        loss = read_loss(self.rules, evidence)
        if loss.positions > self.limit:
            raise Unchecked(f"{loss.positions:,} positions are more than the {self.limit:,} that plain Python visits")
        referee, first = self.easier(position, loss)
        referee._check_count(first, loss.positions)

    def _check_count(self, position: Position, claimed: int) -> None:
        count = max(self.counts(position, claimed))
        if count > claimed:
            raise InvalidEvidence(1, f"more than {claimed:,} positions can be reached")
        if count < claimed:
            raise InvalidEvidence(1, f"{count:,} positions can be reached, not {claimed:,}")

    def counts(self, position: Position, limit: int) -> Iterator[int]:
        """Yield how many positions can be reached without a move, with at most one, with at most two, and so on, up to
        the number of all positions, or any number greater than `limit`.

        Raises
        ------
        InvalidEvidence
            If one of the positions that are visited for this is won.
        """
        latest = [self.key(position)]
        reached = set(latest)
        while latest:
            yield len(reached)
            before, latest = latest, []
            for visited in before:
                if len(reached) > limit:
                    break
                if self.won(visited):
                    raise InvalidEvidence(1, "the game can be won")
                for play in self._plays(visited):
                    after = self.key(play.after)
                    if after not in reached:
                        reached.add(after)
                        latest.append(after)

    def visits(self, position: Position, loss: Loss) -> Iterator[Visit]:
        """Yield the positions of a loss that was checked, the first one first, those after its moves next."""
        referee, first = self.easier(position, loss)
        numbers, reached = {referee.key(first): 1}, [Visit(first, 0, None, [])]
        for number, visit in enumerate(reached, start=1):
            for play in referee._plays(visit.position):
                after = referee.key(play.after)
                if after not in numbers:
                    numbers[after] = len(numbers) + 1
                    reached.append(Visit(play.after, number, play, []))
                if numbers[after] not in visit.leads_to:
                    visit.leads_to.append(numbers[after])
            yield visit

    def explained(self, layout: str, verdict: Verdict, evidence: str) -> Iterator[str]:
        """Yield, in words, what evidence that was checked says of a loss, with its positions if there are few."""
        if verdict is not Verdict.UNWINNABLE:
            return
        loss = read_loss(self.rules, evidence)
        yield loss.reason
        shown = self.visits(self.position(layout), loss) if loss.positions in FEW_POSITIONS else ()
        for number, visit in enumerate(shown, start=1):
            before = f", from position {visit.origin} by {visit.play.word}" if visit.play else ""
            yield f"position {number}{before}: {self._placed(visit.position)}. {visit.moves}"

    def _placed(self, position: Position) -> str:
        """Return where cards lie, in words."""
        places = {f"column {number}": cards for number, cards in enumerate(position.columns, start=1)}
        places |= {
            "cells": position.cells,
            "reserve": position.reserve,
            "waste": position.stock[: position.turned],
            "stock": position.stock[position.turned :],
            "foundations": tuple(filter(None, self.tops(position))),
            "hole": (position.hole,) if position.hole else (),
        }
        return "; ".join(f"{name}: {' '.join(cards)}" for name, cards in places.items() if cards)

    def plays(self, position: Position) -> Iterator[Play]:
        """Return an iterator over all legal moves."""
        return self._plays(position)

    def tops(self, position: Position) -> list[str]:
        """Return the highest live card on each foundation; an empty text if there is none."""
        piles = self.foundations(position)
        return [next((card for card in reversed(cards) if card not in position.absent), "") for cards in piles]

    def foundations(self, position: Position) -> list[list[str]]:
        """Return the cards on each foundation, the lowest first."""
        return [
            [self._of_foundation(number, suit, position.base) for number in range(count)]
            for suit, count in zip(self.rules.piles, position.foundations, strict=True)
        ]

    def key(self, position: Position) -> Position:
        """Return one position for all that differ in the order of columns, unless cards will be dealt to them, of cells
        and of an open reserve, or in the suit of the card in the hole."""
        return position._replace(
            columns=position.columns if self._has_order(position) else tuple(sorted(position.columns)),
            cells=tuple(sorted(position.cells)),
            reserve=position.reserve if self.rules.stacked else tuple(sorted(position.reserve)),
            hole=position.hole and position.hole[0] + SUITS[0],
        )


@cache
def cards_below(build: str, ranks: int, base: int) -> dict[str, frozenset[str]]:
    """Return the cards on which each card may be put, by a rule for building, the number of ranks and the rank of the
    first cards of the foundations."""
    order = [RANKS[(base + number) % ranks] for number in range(ranks)]
    return {
        rank + suit: frozenset(
            following + below
            for following in order[number + 1 : number + 2]
            for below in SUITS
            if build == "any-suit"
            or (build == "same-suit" and suit == below)
            or (build == "red-black" and (suit in RED) != (below in RED))
        )
        for number, rank in enumerate(order)
        for suit in SUITS
    }


def easier_game_is_sound(rules: Rules) -> bool:
    """Return whether a game that can be won can be won in the easier game, too: with cards that move alone, as runs by
    the rules for building, or with all on them; but not if whole suits leave, or the stock goes to the columns; and in
    games with a hole, only if no card is ever put on another one."""
    moves = rules.move in ("card", "any") or (rules.move == "run" and rules.run == "build")
    stock, hole = rules.to in ("waste", "hole"), rules.hole == "none" or rules.build == "none"
    return moves and stock and hole and not rules.complete


def cards_may_be_absent_at_once(rules: Rules) -> bool:
    """Return whether that is so, too, if idle cards are absent from the start: not if they would take cards along that
    lie on them, nor if they are missing in a hole."""
    return easier_game_is_sound(rules) and rules.move != "any" and rules.hole == "none" and rules.to == "waste"


def most_positions(rules: Rules) -> int:
    """Return how many positions of a loss the referees visit at most."""
    return MOST_POSITIONS if rules.copies > 1 else MOST_DEALT if rules.to == "tableau" else MOST_COMPILED


def read_loss(rules: Rules, evidence: str) -> Loss:
    """Return what the evidence of a loss claims, without visiting the positions.

    Raises
    ------
    InvalidEvidence
        If it cannot be read, proves nothing by these rules, or claims more positions than any referee visits.
    """
    words = re.fullmatch(rf"(\*?)((?:[{RANKS}][{SUITS}])*) ([1-9]\d{{0,9}})", evidence, re.ASCII)
    if not words or evidence.startswith(" "):
        raise InvalidEvidence(1, f"{evidence[:40]!r} is not the evidence of a loss, such as * 7276 or *6C4H5H6S 1")
    absent_at_once, cards, positions = not words[1], _pairs(words[2]), int(words[3])
    limit = most_positions(rules)
    if positions > limit:
        raise InvalidEvidence(1, f"it claims {positions:,} positions, more than the limit of {limit:,}")
    if not cards:
        return Loss(None, positions)
    if list(cards) != sorted(set(cards), key=lambda card: (SUITS.index(card[1]), RANKS.index(card[0]))):
        raise InvalidEvidence(1, "the cards are not in order: each once, by suits and then by ranks")
    for card in cards:
        if card not in rules.deck():
            raise InvalidEvidence(1, f"{card} is not in the deck")
    if not (cards_may_be_absent_at_once if absent_at_once else easier_game_is_sound)(rules):
        raise InvalidEvidence(1, f"such a list of cards proves nothing in {rules.name}")
    return Loss(frozenset(cards), positions, absent_at_once)


def _pairs(text: str) -> tuple[str, ...]:
    return tuple(text[at : at + 2] for at in range(0, len(text), 2))
