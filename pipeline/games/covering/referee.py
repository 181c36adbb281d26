"""The referee of covering games, which knows nothing but the rules."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, reduce
from itertools import combinations, pairwise
from operator import itemgetter, or_
from typing import NamedTuple

from dealmill.pipeline.games.covering.rules import (
    EMPTY,
    GAP,
    PARTS,
    RANKS,
    SUITS,
    UNLIMITED,
    Position,
    Rules,
    chains_of,
    lies_face_down,
)
from dealmill.referees import Judge
from dealmill.verdicts import InvalidEvidence, Unchecked, Verdict, check_positions

KING, LOWER = RANKS[-1], RANKS[:6]
"""The rank that leaves alone, and the lower ranks of the pairs."""
HOLE = "h"
MAX_POSITIONS = 100_000
"""The referee visits at most so many positions of a loss of pairs; a compiled one in Dealmill goes on."""
MAX_PLAIN = 50
"""Where there is the compiled one, plain Python counts losses with at most so many."""
MAX_COMPILED = 20_000_000
"""No referee visits more positions of a loss of pairs: counting them takes less than 500 MB."""
FEW_POSITIONS = range(1, 13)
"""How many positions of a loss are shown one by one."""
CARD = rf"[{RANKS}][{SUITS}]"
FORMS = {
    "columns": rf"(?:(?:{CARD})+|-)(?:/(?:(?:{CARD})+|-))*",
    "hole": CARD,
    "passes": "[0-8]",
    "stock": rf"(?:{CARD})+",
    "waste": rf"(?:{CARD})+",
}
ROW = re.compile(rf"(?:[{RANKS}][{SUITS}{SUITS.lower()}]|--)+", re.ASCII)


class Loss(NamedTuple):
    """The evidence of a loss: the lower ranks of the pairs that matter, the number of positions, and whether the stock
    is turned by the rules. In games with a hole, all cards matter."""

    pairs: str
    positions: int
    is_turned: bool = True

    @property
    def reason(self) -> str:
        """Why the game is lost, in words."""
        pairs = [f"{rank}-{mate_of(rank)}" for rank in self.pairs]
        named = " and ".join([", ".join(pairs[:-1]), pairs[-1]] if len(pairs) > 1 else pairs)
        free = "" if self.is_turned else ", and each card of the stock could be taken at any time"
        idle = (
            f"Even if all cards but those of {named} left the game as soon as they could{free}, it could not be won. "
        )
        easier = f"{idle}In the easier game, " if pairs else ""
        positions = "1 position" if self.positions == 1 else f"{self.positions:,} positions"
        return f"{easier}{positions} can be reached, and none of them is won."


class Play(NamedTuple):
    """A legal move: the word for it, the cards that move, and the position after it."""

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
class Referee(Judge[Position, Play]):
    """The rules of a game at work: positions, moves, and checks of evidence. In the easier game that proves a loss of
    pairs, cards of the `idle` ranks leave by themselves, and the stock may be `open`: all of it can be taken at any
    time. Losses of more positions than the `limit` are left to others."""

    rules: Rules
    idle: str = ""
    is_open: bool = False
    limit: int = MAX_POSITIONS

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
        _, rows, *words = text.split(" ")
        parts = dict(word.split(":") for word in words)
        waste = _pairs(parts.get("waste", ""))
        stock = (*waste, *_pairs(parts.get("stock", "")))
        return Position(
            self._places(rows, parts), stock, len(waste), int(parts.get("passes", 0)), parts.get("hole", "")
        )

    def reasons(self, text: str) -> Iterator[str]:
        """Yield the reasons why a text is not the canonical text of a position."""
        name, *words = text.split(" ")
        if name != self.rules.name:
            yield f"the line begins with {name[:40]!r}, expected {self.rules.name}"
            return
        shapes = list(self._shapes(words[0] if words else "", words[1:]))
        yield from shapes
        if not shapes:
            yield from self._misfits(words[0], dict(part.split(":") for part in words[1:]))

    def _shapes(self, rows: str, parts: list[str]) -> Iterator[str]:
        """Yield what is wrong with the form of rows and parts."""
        rules, split = self.rules, rows.split("/")
        if len(split) != rules.rows:
            yield f"the number of rows is {len(split)}, expected {rules.rows}"
            return
        for number, (row, size) in enumerate(zip(split, rules.row_sizes, strict=True), start=1):
            if not ROW.fullmatch(row):
                yield f"row {number} is {row[:40]!r}, expected cards such as 6H, and -- for each gap"
            elif len(row) != 2 * size:
                yield f"row {number} has {len(row) // 2} places, expected {size}: write -- for each gap"
        names = [part.partition(":")[0] for part in parts]
        allowed = [name for name in PARTS if self._allows(name)]
        for part in parts:
            name, _, value = part.partition(":")
            if name not in allowed:
                yield f"{part[:40]!r} is not a part of a position of {rules.name}; there are {', '.join(allowed)}"
            elif not re.fullmatch(FORMS[name], value, re.ASCII):
                yield f"{name} is {value[:40]!r}, expected the form {name}:{PARTS[name]}"
        if names != sorted(set(names)):
            yield f"the parts are {' '.join(names)[:80]}, expected each once, in alphabetical order"
        needed = {"columns": rules.columns > 0, "hole": rules.moves == "hole", "passes": rules.counts_passes}
        for name, is_needed in needed.items():
            if is_needed and name not in names:
                yield f"the part {name} is missing, such as {name}:{PARTS[name]}"

    def _allows(self, part: str) -> bool:
        rules = self.rules
        return {
            "columns": rules.columns > 0,
            "hole": rules.moves == "hole",
            "passes": rules.counts_passes,
            "stock": rules.stock > 0,
            "waste": rules.stock > 0 and rules.moves == "pairs",
        }[part]

    def _misfits(self, rows: str, parts: dict[str, str]) -> Iterator[str]:
        """Yield what is wrong with the cards of well-formed rows and parts."""
        rules = self.rules
        wrong = list(self._wrong_columns(parts["columns"].split("/") if rules.columns else []))
        yield from wrong
        if wrong:
            return
        places = self._places(rows, parts)
        yield from self._wrong_covers(rows, places)
        cards = [*filter(None, places), *_pairs("".join(parts.get(part, "") for part in ("hole", "stock", "waste")))]
        for card in sorted({card for card in cards if cards.count(card) > 1}):
            yield f"{card} occurs {cards.count(card)} times, expected at most once"
        beside = len(parts.get("stock", "") + parts.get("waste", "")) // 2
        if beside > rules.stock:
            yield f"stock and waste have {beside} cards, expected at most {rules.stock}"
        if "passes" in parts and int(parts["passes"]) >= rules.passes:
            yield f"passes:{parts['passes']} are left, expected at most {rules.passes - 1} after the first"
        for rank in LOWER if rules.moves == "pairs" else "":
            counts = [sum(card[0] == each for card in cards) for each in (rank, mate_of(rank))]
            if counts[0] != counts[1]:
                yield (
                    f"{counts[0]} cards of rank {rank} and {counts[1]} of rank {mate_of(rank)} are left, expected "
                    "equally many, since they leave in pairs"
                )

    def _wrong_columns(self, columns: list[str]) -> Iterator[str]:
        """Yield what is wrong with the number of columns and their sizes."""
        if len(columns) != self.rules.columns:
            yield f"the number of columns is {len(columns)}, expected {self.rules.columns}"
        for number, column in enumerate(columns, start=1):
            if len(column) // 2 > self.rules.column_size:
                yield f"column {number} has {len(column) // 2} cards, expected at most {self.rules.column_size}"

    def _wrong_covers(self, rows: str, places: tuple[str, ...]) -> Iterator[str]:
        """Yield which cards are gone though they were covered, and which lie with the wrong side up."""
        written = _pairs(rows.replace("/", ""))
        for number, (card, covers) in enumerate(zip(places, self.rules.covers, strict=True)):
            on_it = [places[cover] for cover in covers if places[cover]]
            if on_it and not card:
                yield f"a card is missing under {' and '.join(on_it)}: only free cards leave"
            elif number < len(written):
                down = lies_face_down(self.rules, places, number)
                if written[number][1].islower() != down:
                    yield f"{card} lies face {'up' if down else 'down'}, expected face {'down' if down else 'up'}"

    def _places(self, rows: str, parts: dict[str, str]) -> tuple[str, ...]:
        places = ["" if card == GAP else card.upper() for card in _pairs(rows.replace("/", ""))]
        for column in parts["columns"].split("/") if self.rules.columns else ():
            cards = _pairs(column.strip(EMPTY))
            places += [*cards, *[""] * (self.rules.column_size - len(cards))]
        return tuple(places)

    # Moves

    def won(self, position: Position) -> bool:
        """Return whether the game is won."""
        return not any(position.places) and (self.rules.goal == "arrangement" or self.is_open or not position.stock)

    def free(self, position: Position) -> list[int]:
        """Return the places whose cards are not covered."""
        places = position.places
        return [
            number
            for number, covers in enumerate(self.rules.covers)
            if places[number] and not any(map(places.__getitem__, covers))
        ]

    def plays(self, position: Position) -> Iterator[Play]:
        """Yield all moves."""
        return self._plays_into_hole(position) if self.rules.moves == "hole" else self._plays_of_pairs(position)

    def _plays_into_hole(self, position: Position) -> Iterator[Play]:
        for number in self.free(position):
            card = position.places[number]
            if self.are_next(card, position.hole):
                yield Play(card + HOLE, (card,), self._without(position, number)._replace(hole=card))
        for card in position.stock[:1]:
            yield Play(card + HOLE, (card,), position._replace(stock=position.stock[1:], hole=card))

    def are_next(self, card: str, top: str) -> bool:
        """Return whether a card may go into the hole onto its top card."""
        return top[0] in self.rules.next_ranks[card[0]]

    def _plays_of_pairs(self, position: Position) -> Iterator[Play]:
        free, places = self.free(position), position.places
        leaving: list[tuple[int, ...]] = [*((number,) for number in free), *combinations(free, 2)]
        if self.rules.overlap:
            leaving += [(number, cover) for cover in free for number in self.covered_only_by(cover, position)]
        for numbers in leaving:
            cards = tuple(places[number] for number in numbers)
            if leave(cards):
                yield self._play(cards, self._without(position, *numbers))
        for drawn, rest in self._drawn(position):
            if leave(drawn):
                yield self._play(drawn, rest)
            if len(drawn) == 1:
                for number in free:
                    if leave((places[number], *drawn)):
                        yield self._play((places[number], *drawn), self._without(rest, number))

    def _play(self, cards: tuple[str, ...], after: Position) -> Play:
        return Play("".join(cards), cards, self.settled(after))

    def covered_only_by(self, cover: int, position: Position) -> list[int]:
        """Return the places whose cards are covered by that of one place, and by no other."""
        places = position.places
        return [
            number
            for number, covers in enumerate(self.rules.covers)
            if [each for each in covers if places[each]] == [cover]
        ]

    def _drawn(self, position: Position) -> Iterator[tuple[tuple[str, ...], Position]]:
        """Yield the cards of the stock that turning uncovers from now on, alone and, if the stock is playable, with the
        next one, and the position after they are taken: in this pass, and the others in the next one."""
        if self.is_open:
            for at, card in enumerate(position.stock):
                if card[0] not in (later[0] for later in position.stock[at + 1 :]):
                    yield (card,), position._replace(stock=position.stock[:at] + position.stock[at + 1 :])
            return
        yield from self._drawn_in_this_pass(position)
        buried = position.stock[: max(position.turned - 1, 0)]
        if self.rules.passes == UNLIMITED or position.passes:
            next_pass = self.settled(position._replace(turned=0, passes=max(position.passes - 1, 0)))
            yield from (drawn for drawn in self._drawn_in_this_pass(next_pass) if drawn[0][0] in buried)

    def _drawn_in_this_pass(self, position: Position) -> Iterator[tuple[tuple[str, ...], Position]]:
        stock = position.stock
        for at in range(max(position.turned - 1, 0), len(stock)):
            for stop in (at + 1, at + 2)[: 1 + self.rules.playable]:
                if stop <= len(stock):
                    yield stock[at:stop], position._replace(stock=stock[:at] + stock[stop:], turned=at)

    @staticmethod
    def _without(position: Position, *numbers: int) -> Position:
        places = list(position.places)
        for number in numbers:
            places[number] = ""
        return position._replace(places=tuple(places))

    # Evidence

    @property
    def form_of_moves(self) -> tuple[str, str]:
        """The regular expression of the word for a move, and examples."""
        return (rf"{CARD}{HOLE}", "6Hh") if self.rules.moves == "hole" else (rf"(?:{CARD}){{1,2}}", "QSAH or KD")

    def play(self, position: Position, word: str) -> Play | None:
        """Return the move for a word, or None if the rules do not allow it."""
        return next((play for play in self.plays(position) if play.word == word), None)

    def check_loss(self, position: Position, evidence: str) -> None:
        """Visit all positions that can be reached: none is won, and their number is the evidence."""
        loss = read_loss(self.rules, evidence)
        if loss.positions > self.limit and self.rules.moves == "pairs":
            raise Unchecked(f"{loss.positions:,} positions are more than the {self.limit:,} that plain Python visits")
        self.check_count(position, loss)

    def check_count(self, position: Position, loss: Loss) -> None:
        """Visit all positions of a loss, as many as there may be."""
        referee, first = self.easier(position, loss)
        count = referee.sweep(first) if self.rules.moves == "hole" else referee.count(first, loss.positions)
        check_positions(count, loss.positions)

    def easier(self, position: Position, loss: Loss) -> tuple["Referee", Position]:
        """Return the referee of the game that proves a loss, and the position in it."""
        if self.rules.moves == "hole":
            return self, position
        idle = "".join(rank for rank in RANKS if rank not in loss.pairs and mate_of(rank) not in loss.pairs)
        referee = replace(self, idle=idle, is_open=not loss.is_turned)
        return referee, referee.settled(position)

    def settled(self, position: Position) -> Position:
        """Return a position of the easier game after all idle cards have left that are free, or that turning uncovers
        in this pass. It does not matter there how far a stock is turned that can be turned at any time."""
        if not self.idle:
            return position
        if self.is_open or self.rules.passes == UNLIMITED:
            position = position._replace(turned=0, passes=0)
        places = list(position.places)
        for number in reversed(range(len(places))):
            if places[number][:1] in self.idle and not any(places[cover] for cover in self.rules.covers[number]):
                places[number] = ""
        waste = list(position.stock[: position.turned])
        while waste and waste[-1][0] in self.idle:
            waste.pop()
        stock = [card for card in position.stock[position.turned :] if card[0] not in self.idle]
        return position._replace(places=tuple(places), stock=(*waste, *stock), turned=len(waste))

    def count(self, position: Position, limit: int) -> int:
        """Return how many positions can be reached, or any number greater than `limit`.

        Raises
        ------
        InvalidEvidence
            If one of the positions that are visited for this is won.
        """
        latest, reached = [position], {position}
        while latest and len(reached) <= limit:
            visited = latest.pop()
            if self.won(visited):
                raise InvalidEvidence(1, f"the {'easier ' if self.idle else ''}game can be won")
            for play in self.plays(visited):
                if play.after not in reached:
                    reached.add(play.after)
                    latest.append(play.after)
        return len(reached)

    def sweep(self, position: Position) -> int:
        """Return how many positions of a game with a hole can be reached: the cards that are left, and the rank in the
        hole.

        The places are cut into chains, in which each card is covered by the next one. So the cards that are left are a
        number for each chain, and a set of such combinations is one large number, with a bit for each: taking a card
        shifts the bits. All positions with as many cards in the stock are found together, as one set for
        each rank in the hole.

        Raises
        ------
        InvalidEvidence
            If one of them is won.
        """
        takes, size = self._takes(position)
        takes_onto: dict[str, list[tuple[str, int, int]]] = {rank: [] for rank in RANKS}
        for card, free, shift in takes:
            for top in self.rules.next_ranks[card[0]]:
                takes_onto[top].append((card[0], free, shift))
        reached, count = 1 << size - 1, 0
        for top in (position.hole, *position.stock):
            sets, waiting = dict.fromkeys(RANKS, 0), {top[0]: reached}
            while waiting:
                rank, left = waiting.popitem()
                added = left ^ left & sets[rank]
                sets[rank] |= added
                for taken, free, shift in takes_onto[rank] if added else ():
                    if after := added & free:
                        waiting[taken] = waiting.get(taken, 0) | after >> shift
            reached = reduce(or_, sets.values())
            if reached & 1:
                raise InvalidEvidence(1, "the game can be won")
            count += sum(map(int.bit_count, sets.values()))
        return count

    def _takes(self, position: Position) -> tuple[list[tuple[str, int, int]], int]:
        """Return each card of the arrangement, the set of combinations in which it is free, and the shift by which it
        leaves; and the number of bits of such a set."""
        takes, size = _takes_from(self.rules, tuple(map(bool, position.places)))
        return [(position.places[number], free, stride) for number, free, stride in takes], size

    def visits(self, position: Position, loss: Loss) -> Iterator[Visit]:
        """Yield the positions of a loss that was checked, the first one first, those after its moves next."""
        referee, first = self.easier(position, loss)
        numbers, reached = {_key(first): 1}, [Visit(first, 0, None, [])]
        for number, visit in enumerate(reached, start=1):
            for play in referee.plays(visit.position):
                after = _key(play.after)
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
            yield f"position {number}{before}: {self.placed(visit.position)}. {visit.moves}"

    def placed(self, position: Position) -> str:
        """Return where cards lie, in words."""
        parts = {
            "arrangement": " ".join(filter(None, position.places)) or "no cards",
            "hole": position.hole,
            "waste": " ".join(position.stock[: position.turned]),
            "stock": " ".join(position.stock[position.turned :]),
        }
        return "; ".join(f"{name}: {cards}" for name, cards in parts.items() if cards)


@lru_cache(maxsize=2)
def _takes_from(rules: Rules, has_card: tuple[bool, ...]) -> tuple[list[tuple[int, int, int]], int]:
    """Return the number of each place that has a card, the set of combinations in which it is free, and the shift by
    which the card leaves; and the number of bits of such a set.

    The bit of a combination is the sum of an offset for each chain, which depends on how many of its cards are left: so
    large that combinations of the chains so far have higher bits, the more cards of the latest chain are left. Only
    those count in which all covered cards are left. With the chains in the order of their ends, few bits are unused.
    """
    left, possible, shifts = dict[int, int](), 1, dict[int, int]()
    for chain in sorted(chains_of(rules, has_card), key=itemgetter(-1)):
        parts = [_fitting(rules, left, possible, chain[:size], chain[size:]) for size in range(len(chain) + 1)]
        offsets = [0]
        for fewer, more in pairwise(parts):
            offsets.append(offsets[-1] + fewer.bit_length() - (more & -more).bit_length() + 1)
        for number, sets in left.items():
            left[number] = reduce(or_, ((sets & part) << offset for part, offset in zip(parts, offsets, strict=True)))
        moved = [part << offset for part, offset in zip(parts, offsets, strict=True)]
        possible = reduce(or_, moved)
        for depth, number in enumerate(chain):
            left[number] = reduce(or_, moved[depth + 1 :])
            shifts[number] = offsets[depth + 1] - offsets[depth]
    takes = []
    for number, shift in shifts.items():
        covered = reduce(or_, (left.get(cover, 0) for cover in rules.covers[number]), 0)
        takes.append((number, left[number] & ~covered, shift))
    return takes, possible.bit_length()


def _fitting(rules: Rules, left: dict[int, int], possible: int, stay: Sequence[int], gone: Sequence[int]) -> int:
    """Return those of the possible combinations of some chains in which the cards of another one can stay and be gone
    at these places: what they cover is left, and what covers them is gone. `left` has the sets for each place in which
    its card is left."""
    for number, sets in left.items():
        if not set(stay).isdisjoint(rules.covers[number]):
            possible &= sets
        if any(number in rules.covers[lower] for lower in gone):
            possible &= ~sets
    return possible


def mate_of(rank: str) -> str:
    """Return the rank of the cards with which those of a rank leave; a king leaves alone."""
    return rank if rank == KING else RANKS[len(RANKS) - 2 - RANKS.index(rank)]


def leave(cards: tuple[str, ...]) -> bool:
    """Return whether two cards may leave together, or one alone."""
    return sum(RANKS.index(card[0]) + 1 for card in cards) == len(RANKS)


def read_loss(rules: Rules, evidence: str) -> Loss:
    """Return what the evidence of a loss claims, without visiting the positions.

    Raises
    ------
    InvalidEvidence
        If it cannot be read, proves nothing by these rules, or claims more positions than any referee visits.
    """
    words = re.fullmatch(rf"(stock )?\*([{LOWER}]*) ([1-9]\d{{0,9}})", evidence, re.ASCII)
    example = "* 7276" if rules.moves == "hole" else "*A5 12 or stock *A5 36486"
    if not words or bool(words[1] or words[2]) == (rules.moves == "hole"):
        raise InvalidEvidence(1, f"{evidence[:40]!r} is not the evidence of a loss, such as {example}")
    pairs, positions = words[2], int(words[3])
    if rules.moves == "pairs" and (not pairs or list(pairs) != sorted(set(pairs), key=RANKS.index)):
        raise InvalidEvidence(1, "the pairs are not in order: the lower rank of each once, from A to 6, one at least")
    if rules.moves == "pairs" and positions > MAX_COMPILED:
        raise InvalidEvidence(1, f"it claims {positions:,} positions, more than the limit of {MAX_COMPILED:,}")
    return Loss(pairs, positions, bool(words[1]))


def _key(position: Position) -> Position:
    """Return one position for all that differ in the suit of the card in the hole."""
    return position._replace(hole=position.hole[:1])


def _pairs(text: str) -> tuple[str, ...]:
    return tuple(text[at : at + 2] for at in range(0, len(text), 2))
