"""The rules of card pairing and its referee.

A certificate of a loss is checked without any search, see ``docs/proofs/card-pairing.md`` for the terms and the proofs.
"""

import re
from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Collection
from dataclasses import dataclass
from itertools import chain

from dealmill.verdicts import IllegalMove, InvalidEvidence, Verdict

RANKS = "A23456789TJQKBCD"
"""The symbols of layouts in compact form."""
STACK_NAMES = "0123456789abcdefghijklmnopqrstuvwxyz"
"""The names of stacks in the moves of layouts with at most 36 stacks; in others, stacks are numbered."""
MATCHINGS = (((0, 1), (2, 3)), ((0, 2), (1, 3)), ((0, 3), (1, 2)))
"""The three ways in which four cards can leave in pairs."""
EMPTY = "-"
"""An empty stack in a layout."""
MOST_CARDS = MOST_STACKS = 1_024
LONGEST_CERTIFICATE = 1 << 20
"""Characters."""
MOST_WORK = 20_000_000
"""The referee refuses a certificate that asks for more work than this: the number of options that it looks at, and of
sets that it updates. It takes about a minute."""

NUMBER = "(?:0|[1-9][0-9]{0,6})"
SYMBOL = re.compile("[A-Z0-9]{1,8}")
MOVE = re.compile(f"{NUMBER},{NUMBER}")
LITERAL = re.compile(f"[+-]{NUMBER}")
HINT = re.compile(f"[gl]{NUMBER}|[v^]")
LITERALS = re.compile(f"[+-]{NUMBER}|.", re.DOTALL)
HINTS = re.compile(f"[gl]{NUMBER}|.", re.DOTALL)
STEPS = ("+", "-", "g", "l", "v", "^")
"""The first characters of steps."""
JAMS = {"v": "downwards", "^": "upwards"}

Stacks = list[list[str]]
"""The rank of each card, stack by stack from bottom to top."""

Card = int
"""The number of a card in its layout, counted from 0, stack by stack from bottom to top."""
Cards = int
"""A set of cards: bit c is set if it contains card c."""
Mates = dict[Card, Card]
"""For each card of a named rank, the card that leaves with it."""
Under = dict[Card, Card | None]
"""For each card of a named rank, the next lower card of a named rank in its stack; None if there is none."""
Option = tuple[Card, Card]
"""Two cards of a rank that can leave together, in order. In a rank of four cards, the other two then leave together as
well; such an option is named by the pair of the first card."""
Literal = tuple[bool, Option]
"""The statement that an option is taken, or that it is not."""
Lemma = list[Literal]
"""Statements of which at least one is true for every winning play."""


@dataclass(frozen=True)
class Deal:
    """The cards of a layout: those of each stack, from bottom to top, and those of each rank."""

    stacks: list[range]
    ranks: dict[str, list[Card]]


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
    if len(numbers) != 2 or min(numbers) < 0 or max(numbers) >= len(stacks):
        raise IllegalMove(step, f"{move!a} does not name two stacks")
    if numbers[0] == numbers[1]:
        raise IllegalMove(step, f"{move!a} names one stack twice")
    one, other = stacks[numbers[0]], stacks[numbers[1]]
    if not one or not other:
        raise IllegalMove(step, f"stack {stack_name(numbers[1 if one else 0], len(stacks))} is empty")
    if one[-1] != other[-1]:
        raise IllegalMove(step, f"{one[-1]} and {other[-1]} are not of the same rank")
    one.pop()
    return other.pop()


def stacks_of(move: str, stacks: int) -> list[int]:
    """Return the numbers of the stacks that a move names in a layout with so many stacks, -1 for an unknown name."""
    if stacks <= len(STACK_NAMES):
        return list(map(STACK_NAMES.find, move))
    return list(map(int, move.split(","))) if MOVE.fullmatch(move) else []


def stack_name(number: int, stacks: int) -> str:
    """Return the name of a stack in the moves of a layout with so many stacks."""
    return STACK_NAMES[number] if stacks <= len(STACK_NAMES) else str(number)


def check(engine: str, layout: str, verdict: Verdict, value: int | None, evidence: str) -> None:
    """Play a winning trace to its end, or check that a certificate rules out every way to pair off the cards.

    Raises
    ------
    InvalidEvidence
        If the evidence does not prove the verdict.
    """
    if engine != "winnable" or value is not None:
        raise InvalidEvidence(0, f"{engine} does not give value {value}")
    check_layout(layout)
    if verdict is Verdict.WINNABLE:
        _check_win(layout, evidence)
    elif verdict is Verdict.UNWINNABLE:
        deal = deal_of(layout)
        if evidence.startswith(STEPS) or not _has_trees(deal):
            LemmaChecker(deal).check(evidence)
        else:
            _check_tree(deal, evidence)
    else:
        raise InvalidEvidence(0, f"{engine} cannot prove that a deal is {verdict.word}")


def check_layout(layout: str) -> None:
    """Check that a text is a layout: 2 to 1,024 stacks, 1 to 1,024 cards, and an even number of cards of each rank.

    Raises
    ------
    InvalidEvidence
        With step 0, if it is not.
    """
    stacks = start(layout)
    if not 1 < len(stacks) <= MOST_STACKS:
        raise InvalidEvidence(0, f"the layout has {len(stacks)} stacks, expected 2 to {MOST_STACKS:,}")
    if "  " in f" {layout} ":
        raise InvalidEvidence(0, f"a stack of the layout has no text, expected {EMPTY} for an empty stack")
    cards = [card for stack in stacks for card in stack]
    if not 1 <= len(cards) <= MOST_CARDS:
        raise InvalidEvidence(0, f"the layout has {len(cards)} cards, expected 1 to {MOST_CARDS:,}")
    for rank, times in Counter(cards).items():
        if not (SYMBOL.fullmatch(rank) if "," in layout else rank in RANKS):
            raise InvalidEvidence(0, f"{rank[:9]!a} is not a rank")
        if times % 2:
            raise InvalidEvidence(0, f"rank {rank} occurs {times} times in the layout, expected an even number")


def _check_win(layout: str, trace: str) -> None:
    stacks = start(layout)
    moves = trace.split(" ")
    for step, move in enumerate(moves, start=1):
        play(stacks, move, step)
    if left := sum(map(len, stacks)):
        raise InvalidEvidence(len(moves), f"{left} cards are left: not won")


def deal_of(layout: str) -> Deal:
    """Return the cards of a layout by stack and by rank."""
    deal = Deal([], {})
    card = 0
    for stack in start(layout):
        deal.stacks.append(range(card, card + len(stack)))
        for rank in stack:
            deal.ranks.setdefault(rank, []).append(card)
            card += 1
    return deal


def pair_off(cards: list[Card], matching: tuple[tuple[int, int], tuple[int, int]]) -> Mates:
    """Return the mate of each of four cards in a matching."""
    (a, b), (c, d) = matching
    return {cards[a]: cards[b], cards[b]: cards[a], cards[c]: cards[d], cards[d]: cards[c]}


def named_cards(deal: Deal, named: Collection[Card]) -> tuple[list[Card], Under]:
    """Return the uppermost named card of each stack that has one, and the next lower named card of each, or None."""
    tops: list[Card] = []
    under: Under = {}
    for stack in deal.stacks:
        top = None
        for card in stack:
            if card in named:
                under[card] = top
                top = card
        if top is not None:
            tops.append(top)
    return tops, under


def jams(tops: list[Card], under: Under, mates: Mates) -> bool:
    """Play the relaxed game, in which cards with a mate leave with it and all others alone; return whether it jams.

    Cards without a mate never block, so only cards with a mate are considered (see `named_cards`): each is on top once
    the one above it has left. Removing cards that can leave never hurts, so any order of play gives the same result.
    """
    on_top = tops.copy()
    waiting = set[Card]()
    for card in on_top:
        mate = mates[card]
        if mate not in waiting:
            waiting.add(card)
            continue
        for left in (card, mate):  # both are on top, and leave
            if (freed := under[left]) is not None:
                on_top.append(freed)
    return len(on_top) < len(mates)


class Board:
    """What stays the same while a certificate of a deal is checked.

    `above` has, for each card, the cards that lie above it, and `rank_of` the cards of its rank.
    """

    def __init__(self, deal: Deal) -> None:
        self.stacks = [stack for stack in deal.stacks if stack]
        self.above: list[Cards] = [(1 << stack.stop) - (2 << card) for stack in self.stacks for card in stack]
        self.rank_of: list[list[Card]] = [[]] * len(self.above)
        for cards in deal.ranks.values():
            for card in cards:
                self.rank_of[card] = cards
        self.work = 0

    def option(self, one: Card, other: Card) -> Option:
        """Return the option in which these two cards of a rank leave together."""
        cards = self.rank_of[one]
        if len(cards) == 4 and cards[0] not in (one, other):
            one, other = cards[0], sum(cards) - cards[0] - one - other
        return (one, other) if one < other else (other, one)

    def other_pair(self, option: Option) -> Option | None:
        """Return the two cards that leave together besides those that name an option, if its rank has four cards."""
        cards = self.rank_of[option[0]]
        if len(cards) != 4:
            return None
        one, other = (card for card in cards if card not in option)
        return one, other


class Choice:
    """The options that are taken, and those that are shut, which means that no winning play takes them as well.

    `before` has, for each card of a taken option, the cards that leave no later: its own pair, all cards above these
    two, the mates of those, all cards above them, and so on. `covered` is the set of all cards of taken options.
    """

    def __init__(self, board: Board) -> None:
        self.board = board
        self.taken = set[Option]()
        self.shut = set[Option]()
        self.covered: Cards = 0
        self.before: dict[Card, Cards] = {}
        self._waits: dict[Card, Cards] = {}

    def copy(self) -> "Choice":
        """Return a copy, which changes independently."""
        other = Choice(self.board)
        other.taken, other.shut = self.taken.copy(), self.shut.copy()
        other.covered, other.before = self.covered, self.before.copy()
        other._waits = self._waits  # replaced by `take`, never changed to other values
        self.board.work += len(self.before) + len(self.shut)
        return other

    def waits_for(self, card: Card) -> Cards:
        """Return the cards that must leave before a card that is not covered can leave.

        They are those above it, and those that leave no later than the lowest covered card above it.
        """
        known = self._waits.get(card)
        if known is None:
            known = self.board.above[card]
            if covered := known & self.covered:
                known |= self.before[(covered & -covered).bit_length() - 1]
            self._waits[card] = known
        return known

    def closed(self, option: Option) -> bool:
        """Return whether an option is shut, or closes a circle of pairs of which each must leave before the next."""
        self.board.work += 1
        if option in self.shut:
            return True
        if option in self.taken:
            return False
        if not self._circle(option):
            return False
        self.shut.add(option)  # it stays closed, whatever else is taken
        return True

    def _circle(self, option: Option) -> bool:
        one, other = option
        pair = 1 << one | 1 << other
        if self.covered & pair:
            return True
        waits = self.waits_for(one) | self.waits_for(other)
        if waits & pair:
            return True
        second = self.board.other_pair(option)
        if second is None:
            return False
        one, other = second
        second_pair = 1 << one | 1 << other
        second_waits = self.waits_for(one) | self.waits_for(other)
        return bool(second_waits & second_pair or (waits & second_pair and second_waits & pair))

    def take(self, option: Option) -> bool:
        """Take an option; return whether that is a contradiction, because it is closed."""
        if self.closed(option):
            return True
        if option not in self.taken:
            self.taken.add(option)
            second = self.board.other_pair(option)
            for pair in [option] if second is None else [option, second]:
                self._cover(*pair)
        return False

    def _cover(self, one: Card, other: Card) -> None:
        pair = 1 << one | 1 << other
        waits = pair | self.waits_for(one) | self.waits_for(other)
        for card, before in self.before.items():
            if before & pair:
                self.before[card] = before | waits
        self.before[one] = self.before[other] = waits
        self.covered |= pair
        self._waits = {}
        self.board.work += len(self.before)

    def assume(self, positive: bool, option: Option) -> bool:
        """Take an option, or shut it; return whether that is a contradiction."""
        if positive:
            return self.take(option)
        self.shut.add(option)
        return False

    def refutes(self, positive: bool, option: Option) -> bool:
        """Return whether an option is closed; or, if not `positive`, whether it is taken."""
        return self.closed(option) if positive else option in self.taken

    def jams(self, upwards: bool) -> bool:
        """Return whether cards stay if every uncovered card leaves that has an open option with an uncovered mate.

        A card is uncovered if all cards above it have left; or `upwards`, from the bottoms, all cards below it.
        """
        step = 1 if upwards else -1
        uncovered = [stack[0 if upwards else -1] for stack in self.board.stacks]
        last = {stack[-1 if upwards else 0] for stack in self.board.stacks}
        waiting, gone = defaultdict[Card, list[Card]](list), defaultdict[Card, list[Card]](list)
        for card in uncovered:
            rank = self.board.rank_of[card][0]
            staying, leaving = list[Card](), list[Card]()
            for mate in waiting[rank]:
                (staying if self.closed(self.board.option(card, mate)) else leaving).append(mate)
            if leaving or any(not self.closed(self.board.option(card, mate)) for mate in gone[rank]):
                leaving.append(card)
            else:
                staying.append(card)
            waiting[rank] = staying
            gone[rank] += leaving
            uncovered += [left + step for left in leaving if left not in last]
        return any(waiting.values())


def _has_trees(deal: Deal) -> bool:
    """Return whether a list of ranks can be a certificate: each is one character, and has four cards."""
    return all(len(rank) == 1 and len(cards) == 4 for rank, cards in deal.ranks.items())


def _check_tree(deal: Deal, certificate: str) -> None:
    """Check that a list of ranks leaves no way to pair off their cards."""
    used = _refute(deal, certificate, 0, Choice(Board(deal)))
    if used != len(certificate):
        raise InvalidEvidence(used + 1, f"the certificate continues after {used} entries, which are enough")


def _refute(deal: Deal, certificate: str, entry: int, choice: Choice) -> int:
    """Check that no play wins that takes the options of a choice; return the index of the next entry.

    The entry at index `entry` names a rank, whose cards leave in one of three ways. Each of these options must be
    closed, or be refuted by the entries that follow.
    """
    if entry == len(certificate):
        raise InvalidEvidence(entry + 1, "the certificate ends before every way jams")
    cards = deal.ranks.get(certificate[entry], [])
    if len(cards) != 4 or cards[0] in choice.before:
        raise InvalidEvidence(entry + 1, f"{certificate[entry]!a} is not a rank that is still to be paired off")
    following = entry + 1
    for mate in cards[1:]:
        option = cards[0], mate
        if not choice.closed(option):
            branch = choice.copy()
            branch.take(option)
            following = _refute(deal, certificate, following, branch)
    return following


class Numbering:
    """The options and groups of a deal, as certificates number them.

    A winning play takes exactly one option of each group.
    """

    def __init__(self, deal: Deal) -> None:
        self.options = 0
        self.groups: list[tuple[list[Card], int]] = []
        self._rows: list[tuple[list[Card], int]] = []
        self._starts: list[int] = []
        for cards in deal.ranks.values():
            small = len(cards) <= 4
            self.groups += [(cards, place) for place in range(1 if small else len(cards))]
            for place in range(1 if small else len(cards) - 1):
                self._rows.append((cards, place))
                self._starts.append(self.options)
                self.options += len(cards) - 1 - place

    def option(self, number: int) -> Option:
        """Return the option with this number."""
        row = bisect_right(self._starts, number) - 1
        cards, place = self._rows[row]
        return cards[place], cards[place + 1 + number - self._starts[row]]

    def group(self, number: int) -> Lemma:
        """Return the statement that one of the options of the group with this number is taken."""
        cards, place = self.groups[number]
        one = cards[place]
        return [(True, (other, one) if other < one else (one, other)) for other in cards if other != one]


class LemmaChecker:
    """The check of a certificate that consists of lemmas with hints.

    `root` holds what has been concluded without assumptions, and `lemmas` those that have been proved.
    """

    def __init__(self, deal: Deal) -> None:
        self.board = Board(deal)
        self.numbering = Numbering(deal)
        self.root = Choice(self.board)
        self.lemmas: list[Lemma] = []
        self._step = 0
        self._place = ""

    def check(self, certificate: str) -> None:
        """Check each step in order; the last one must be a contradiction."""
        if len(certificate) > LONGEST_CERTIFICATE:
            raise self._invalid(
                f"the certificate has {len(certificate):,} characters, expected {LONGEST_CERTIFICATE:,}"
            )
        steps = certificate.split(" ")
        for self._step, step in enumerate(steps, start=1):
            if step.startswith(("+", "-")):
                self._place = f"lemma {len(self.lemmas) + 1}"
                self.lemmas.append(self.proved(step))
            else:
                self._place = "root step"
                if self.follow(step, self.root):
                    break
        else:
            raise self._invalid("the certificate ends without a contradiction")
        if self._step < len(steps):
            raise self._invalid("this is a contradiction, but the certificate continues")

    def proved(self, step: str) -> Lemma:
        """Check a lemma ``+3-14:g2l7v``, and return its literals.

        If all of them are assumed to be false, one after the other, the hints must lead to a contradiction.
        """
        statement, colon, proof = step.partition(":")
        if not colon:
            raise self._invalid("there is no colon after the literals")
        lemma = [self.literal(text) for text in LITERALS.findall(statement)]
        hints = HINTS.findall(proof)
        choice = self.root.copy()
        assumptions = (choice.assume(not positive, option) for positive, option in lemma)
        conclusions = (self.follow(hint, choice) for hint in hints)
        used = next((used for used, ends in enumerate(chain(assumptions, conclusions), start=1) if ends), None)
        if used is None:
            raise self._invalid("the hints lead to no contradiction")
        if used < len(lemma) + len(hints):
            raise self._invalid(f"{used} of its {len(lemma) + len(hints)} literals and hints are a contradiction")
        return lemma

    def literal(self, text: str) -> Literal:
        """Read ``+3``, which says that option 3 is taken, or ``-3``, which says that it is not."""
        if not LITERAL.fullmatch(text):
            raise self._invalid(f"{text!a} is not a literal")
        number = int(text[1:])
        if number >= self.numbering.options:
            raise self._invalid(f"there is no option {number}, but {self.numbering.options}")
        return text[0] == "+", self.numbering.option(number)

    def follow(self, hint: str, choice: Choice) -> bool:
        """Make the conclusion to which a hint points, and return whether it is a contradiction."""
        if not HINT.fullmatch(hint):
            raise self._invalid(f"{hint[:20]!a} is not a hint")
        if self.board.work > MOST_WORK:
            raise self._invalid("the certificate takes too long to check")
        if hint in JAMS:
            if not choice.jams(upwards=hint == "^"):
                raise self._invalid(f"there is no jam {JAMS[hint]}")
            return True
        number = int(hint[1:])
        if hint[0] == "g":
            if number >= len(self.numbering.groups):
                raise self._invalid(f"there is no group {number}, but {len(self.numbering.groups)}")
            what, statements = f"group {number} has two open options", self.numbering.group(number)
        else:
            if not 1 <= number <= len(self.lemmas):
                raise self._invalid(f"there is no lemma {number} places before")
            what, statements = f"{hint}, lemma {len(self.lemmas) - number + 1}, has two", self.lemmas[-number]
        possible = [statement for statement in statements if not choice.refutes(*statement)]
        if len(possible) > 1:
            raise self._invalid(what)
        return not possible or choice.assume(*possible[0])

    def _invalid(self, reason: str) -> InvalidEvidence:
        return InvalidEvidence(self._step, f"{self._place}: {reason}")
