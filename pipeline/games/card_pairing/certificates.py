"""Certificates of card pairing: proofs that no play wins, which are checked without any search.

See ``docs/proofs/card-pairing.md`` for the terms and the proofs.
"""

import re
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate, chain, permutations

from dealmill.verdicts import InvalidEvidence

MATCHINGS = ((0, 1, 2, 3), (0, 2, 1, 3), (0, 3, 1, 2))
"""The three ways in which four cards can leave: the first two together, and the last two."""
MAX_WORK = 50_000_000
"""The referee refuses a certificate that asks for more work than this: the number of options that it looks at, and of
sets that it updates. It takes about a minute."""
TOO_LONG = "the certificate takes too long to check"

NUMBER = "(?:0|[1-9][0-9]{0,6})"
LITERAL = re.compile(f"[+-]{NUMBER}")
HINT = re.compile(f"[gl]{NUMBER}|[v^]")
LITERALS = re.compile(f"[+-]{NUMBER}|.", re.DOTALL)
HINTS = re.compile(f"[gl]{NUMBER}|.", re.DOTALL)
STEPS = ("+", "-", "g", "l", "v", "^")
"""The first characters of steps."""
JAMS = {"v": "downwards", "^": "upwards"}

Card = int
"""The number of a card in its layout, counted from 0, stack by stack from bottom to top."""
Cards = int
"""A set of cards: bit c is set if it contains card c."""
Mates = dict[Card, Card]
"""For some cards, the card that leaves with each."""
Option = tuple[Card, Card]
"""Two cards of a rank that leave together. In a rank of four cards, the other two then leave together as well."""
Literal = tuple[bool, Option]
"""The statement that an option is taken, or that it is not."""
Lemma = list[Literal]
"""Statements of which at least one is true for every winning play."""


@dataclass(frozen=True)
class Deal:
    """The cards of a layout: those of each stack, from bottom to top, and those of each rank."""

    stacks: list[range]
    ranks: dict[str, list[Card]]


def deal_of(stacks: Sequence[Sequence[str]]) -> Deal:
    """Return the cards by stack and by rank, from the rank of each card, stack by stack from bottom to top."""
    ranks: dict[str, list[Card]] = {}
    for card, rank in enumerate(chain.from_iterable(stacks)):
        ranks.setdefault(rank, []).append(card)
    ends = accumulate(map(len, stacks))
    return Deal([range(end - len(stack), end) for stack, end in zip(stacks, ends, strict=True)], ranks)


def check_certificate(deal: Deal, certificate: str) -> None:
    """Check that a certificate rules out every way to pair off the cards.

    Raises
    ------
    InvalidEvidence
        If it does not.
    """
    if certificate.startswith(STEPS) or not _has_trees(deal):
        LemmaChecker(deal).check(certificate)
    else:
        _check_tree(deal, certificate)


def waits_for(card: Card, stop: Card, covered: Cards, before: dict[Card, Cards]) -> Cards:
    """Return the cards that must leave before a card can leave, whose stack ends before card `stop`.

    These are the cards above it, and those that leave no later than the lowest covered card above it.
    """
    above = (1 << stop) - (2 << card)
    if blockers := above & covered:
        return above | before[(blockers & -blockers).bit_length() - 1]
    return above


def circular(pair: Cards, waits: Cards, other_pair: Cards, other_waits: Cards) -> bool:
    """Return whether two pairs can never leave, because one of them waits for itself, or each for the other."""
    return bool(waits & pair or other_waits & other_pair or (waits & other_pair and other_waits & pair))


def with_pairs(
    before: dict[Card, Cards], pairs: Sequence[Card], pair: Cards, waits: Cards, other_pair: Cards, other_waits: Cards
) -> dict[Card, Cards]:
    """Return for each card the cards that leave no later, when one or two pairs are added that are not circular."""
    waits |= pair | (other_pair | other_waits if waits & other_pair else 0)
    other_waits |= other_pair | (waits if other_waits & pair else 0)
    after = {
        card: each | (waits if each & pair else 0) | (other_waits if each & other_pair else 0)
        for card, each in before.items()
    }
    after[pairs[0]] = after[pairs[1]] = waits
    for card in pairs[2:]:
        after[card] = other_waits
    return after


class Board:
    """What stays the same while a certificate of a deal is checked.

    `stop_of` has, for each card, the number that follows those of its stack, and `rank_of` the cards of its rank.
    `work` grows with the time that the check has taken.
    """

    def __init__(self, deal: Deal) -> None:
        self.stacks = [stack for stack in deal.stacks if stack]
        self.stop_of = [stack.stop for stack in self.stacks for _ in stack]
        self.rank_of: list[list[Card]] = [[]] * len(self.stop_of)
        for cards in deal.ranks.values():
            for card in cards:
                self.rank_of[card] = cards
        self.work = 0

    def others(self, first: Card, second: Card) -> list[Card]:
        """Return the two cards that leave together if these two do, in a rank of four; in others, none."""
        cards = self.rank_of[first]
        return [card for card in cards if card not in (first, second)] if len(cards) == 4 else []


class Waits(dict[Card, Cards]):
    """For each card that is not covered, the cards that must leave before it; found when they are first needed."""

    def __init__(self, stop_of: list[Card], covered: Cards, before: dict[Card, Cards]) -> None:
        self._stop_of, self._covered, self._before = stop_of, covered, before

    def __missing__(self, card: Card) -> Cards:
        waits = self[card] = waits_for(card, self._stop_of[card], self._covered, self._before)
        return waits


class Choice:
    """The options that are taken, and those that are shut: no winning play that is still considered takes these.

    `mate` has the mate of each card of a taken option, `covered` is the set of these cards, and `before` has, for each
    of them, the cards that leave no later: its own pair, all cards above these two, the mates of those, and so on.
    """

    def __init__(self, board: Board) -> None:
        self.board = board
        self.mate: Mates = {}
        self.covered: Cards = 0
        self.before: dict[Card, Cards] = {}
        self._shut: dict[Card, Cards] = {}
        self._waits = Waits(board.stop_of, 0, {})
        self._possible: dict[Card, Cards] = {}

    def copy(self) -> "Choice":
        """Return a choice that changes independently."""
        choice = Choice.__new__(Choice)
        vars(choice).update(vars(self))  # `take` replaces these objects and does not change them
        choice._shut = self._shut.copy()
        self.board.work += len(self._shut)
        return choice

    def mates(self, card: Card) -> Cards:
        """Return the cards with which a card can leave: those whose option with it is not closed.

        An option is closed if it is shut, or if it makes a circle of pairs of which each must leave before the next.
        """
        if card not in self._possible:
            self._find_possible(card)
        if card in self._shut:
            return self._possible[card] & ~self._shut[card]
        return self._possible[card]

    def _find_possible(self, card: Card) -> None:
        cards = self.board.rank_of[card]
        self.board.work += len(cards)
        if card in self.mate:
            self._possible[card] = 1 << self.mate[card]
        elif len(cards) == 4:
            self._find_matchings(*cards)
        else:
            waits, bit, possible = self._waits[card], 1 << card, 0
            for mate in cards:
                if not (waits | self._waits[mate]) & (bit | 1 << mate) and mate not in self.mate and mate != card:
                    possible |= 1 << mate
            self._possible[card] = possible

    def _find_matchings(self, a: Card, b: Card, c: Card, d: Card) -> None:
        """Find the possible mates of the four cards of a rank, none of which is covered."""
        waits = self._waits
        wa, wb, wc, wd = waits[a], waits[b], waits[c], waits[d]
        bit_a, bit_b, bit_c, bit_d = 1 << a, 1 << b, 1 << c, 1 << d
        mates_a = mates_b = mates_c = mates_d = 0
        if not circular(bit_a | bit_b, wa | wb, bit_c | bit_d, wc | wd):
            mates_a, mates_b, mates_c, mates_d = bit_b, bit_a, bit_d, bit_c
        if not circular(bit_a | bit_c, wa | wc, bit_b | bit_d, wb | wd):
            mates_a, mates_b, mates_c, mates_d = mates_a | bit_c, mates_b | bit_d, mates_c | bit_a, mates_d | bit_b
        if not circular(bit_a | bit_d, wa | wd, bit_b | bit_c, wb | wc):
            mates_a, mates_b, mates_c, mates_d = mates_a | bit_d, mates_b | bit_c, mates_c | bit_b, mates_d | bit_a
        possible = self._possible
        possible[a], possible[b], possible[c], possible[d] = mates_a, mates_b, mates_c, mates_d

    def closed(self, option: Option) -> bool:
        """Return whether an option is closed."""
        card, mate = option
        return not self.mates(card) >> mate & 1

    def take(self, option: Option) -> bool:
        """Take an option; return whether that is a contradiction, because it is closed."""
        if self.closed(option):
            return True
        card, mate = option
        if card in self.mate:
            return False
        self.mate = {**self.mate, card: mate, mate: card}
        pair, waits = 1 << card | 1 << mate, self._waits[card] | self._waits[mate]
        other_pair = other_waits = 0
        others = self.board.others(card, mate)
        if others:
            third, fourth = others
            self.mate[third], self.mate[fourth] = fourth, third
            other_pair, other_waits = 1 << third | 1 << fourth, self._waits[third] | self._waits[fourth]
        self.before = with_pairs(self.before, [card, mate, *others], pair, waits, other_pair, other_waits)
        self.covered |= pair | other_pair
        self._waits, self._possible = Waits(self.board.stop_of, self.covered, self.before), {}
        self.board.work += len(self.before)
        return False

    def shut(self, option: Option) -> None:
        """Shut an option."""
        for pair in (option, self.board.others(*option)):
            for card, mate in permutations(pair, 2):
                self._shut[card] = self._shut.get(card, 0) | 1 << mate

    def assume(self, taken: bool, option: Option) -> bool:
        """Take an option, or shut it; return whether that is a contradiction."""
        if taken:
            return self.take(option)
        self.shut(option)
        return False

    def refutes(self, taken: bool, option: Option) -> bool:
        """Return whether an option is closed or, if not `taken`, whether it is taken."""
        return self.closed(option) if taken else self.mate.get(option[0]) == option[1]

    def staying(self, upwards: bool) -> Cards:
        """Return the cards that stay if all leave that are uncovered and can leave with a mate that is uncovered.

        A card is uncovered if all cards above it have left; or `upwards`, if all cards below it have left.
        """
        step = 1 if upwards else -1
        last = {stack[-1 if upwards else 0] for stack in self.board.stacks}
        following = [stack[0 if upwards else -1] for stack in self.board.stacks]
        uncovered: Cards = 0
        gone: Cards = 0
        ranks = set[Card]()
        for card in following:
            uncovered |= 1 << card
            rank = self.board.rank_of[card][0]
            if rank not in ranks:
                ranks.add(rank)  # no other card of its rank is uncovered yet
            elif mates := self.mates(card) & uncovered:
                leaving = (mates | 1 << card) & ~gone
                gone |= leaving
                while leaving:
                    left = leaving.bit_length() - 1
                    leaving ^= 1 << left
                    if left not in last:
                        following.append(left + step)
        self.board.work += len(following)
        return gone ^ (1 << len(self.board.stop_of)) - 1


def _has_trees(deal: Deal) -> bool:
    """Return whether a list of ranks can be a certificate: each is one character, and has four cards."""
    return all(len(rank) == 1 and len(cards) == 4 for rank, cards in deal.ranks.items())


def _check_tree(deal: Deal, certificate: str) -> None:
    """Check that a list of ranks rules out every way to pair off the cards."""
    used = _refute(Board(deal), deal, certificate, 0, 0, {})
    if used != len(certificate):
        raise InvalidEvidence(used + 1, f"the certificate continues after {used} entries, which are enough")


def _refute(board: Board, deal: Deal, certificate: str, entry: int, covered: Cards, before: dict[Card, Cards]) -> int:
    """Check that no play wins that takes the options of the covered cards; return the index of the next entry.

    The entry at index `entry` names a rank, whose cards leave in one of three ways. Each of these options must be
    closed, or be refuted by the entries that follow. `before` has the cards that leave no later than each covered card.
    """
    if entry == len(certificate):
        raise InvalidEvidence(entry + 1, "the certificate ends before every way jams")
    if board.work > MAX_WORK:
        raise InvalidEvidence(entry + 1, TOO_LONG)
    cards = deal.ranks.get(certificate[entry], [])
    if not cards or cards[0] in before:
        raise InvalidEvidence(entry + 1, f"{certificate[entry]!a} is not a rank that is still to be paired off")
    waits = [waits_for(card, board.stop_of[card], covered, before) for card in cards]
    following = entry + 1
    for a, b, c, d in MATCHINGS:
        pairs = cards[a], cards[b], cards[c], cards[d]
        pair, other_pair = 1 << cards[a] | 1 << cards[b], 1 << cards[c] | 1 << cards[d]
        sets = pair, waits[a] | waits[b], other_pair, waits[c] | waits[d]
        if not circular(*sets):
            with_these = with_pairs(before, pairs, *sets)
            board.work += len(with_these)
            following = _refute(board, deal, certificate, following, covered | pair | other_pair, with_these)
    return following


class Numbering:
    """The options and groups of a deal, as certificates number them.

    A winning play takes exactly one option of each group, which are the options that contain a certain card.
    """

    def __init__(self, deal: Deal) -> None:
        self.options = 0
        self.groups: list[Card] = []
        self._rows: list[tuple[list[Card], int]] = []
        self._starts: list[int] = []
        for cards in deal.ranks.values():
            small = len(cards) <= 4
            self.groups += cards[:1] if small else cards
            for index in range(1 if small else len(cards) - 1):
                self._rows.append((cards, index))
                self._starts.append(self.options)
                self.options += len(cards) - 1 - index

    def option(self, number: int) -> Option:
        """Return the option with this number."""
        row = bisect_right(self._starts, number) - 1
        cards, index = self._rows[row]
        return cards[index], cards[index + 1 + number - self._starts[row]]


class LemmaChecker:
    """The check of a certificate that consists of lemmas with hints.

    `root` holds what has been concluded without assumptions, and `lemmas` those that have been proved.
    """

    def __init__(self, deal: Deal) -> None:
        self.deal = deal
        self.board = Board(deal)
        self.root = Choice(self.board)
        self.lemmas: list[Lemma] = []
        self._step = 0
        self._prefix = ""

    @cached_property
    def numbering(self) -> Numbering:
        """The numbers of options and groups, which short certificates do not need."""
        return Numbering(self.deal)

    def check(self, certificate: str) -> None:
        """Check each step in order; the last one must be a contradiction."""
        steps = certificate.split(" ")
        for self._step, step in enumerate(steps, start=1):
            self._prefix = f"lemma {len(self.lemmas) + 1}: " if step.startswith(("+", "-")) else ""
            if self._prefix:
                self.lemmas.append(self.proved(step))
            elif self.follow(step, self.root):
                break
        else:
            self._prefix = ""
            raise self._invalid("the certificate ends without a contradiction")
        if self._step < len(steps):
            raise self._invalid("this is a contradiction, but the certificate continues")

    def proved(self, step: str) -> Lemma:
        """Check a lemma ``+3-11:g2l7v``, and return its literals.

        If all of them are assumed to be false, one after the other, the hints must lead to a contradiction.
        """
        statement, colon, proof = step.partition(":")
        if not colon:
            raise self._invalid("there is no colon after the literals")
        lemma = self.literals(statement)
        hints = HINTS.findall(proof)
        choice = self.root.copy()
        assumptions = (self.assume(not positive, option, choice) for positive, option in lemma)
        conclusions = (self.follow(hint, choice) for hint in hints)
        used = next((used for used, ends in enumerate(chain(assumptions, conclusions), start=1) if ends), None)
        if used is None:
            raise self._invalid("the hints lead to no contradiction")
        if left := len(lemma) + len(hints) - used:
            raise self._invalid(f"the last {left} of its literals and hints come after a contradiction")
        return lemma

    def literals(self, statement: str) -> Lemma:
        """Read ``+3-11``, which says that option 3 is taken or option 14 is not. Each number after the first one is
        counted from the one before it."""
        lemma, number = Lemma(), 0
        for text in LITERALS.findall(statement):
            if not LITERAL.fullmatch(text):
                raise self._invalid(f"{text!a} is not a literal")
            if lemma and not int(text[1:]):
                raise self._invalid(f"there are two literals of option {number}")
            number += int(text[1:])
            if number >= self.numbering.options:
                raise self._invalid(f"there is no option {number}; the last one is {self.numbering.options - 1}")
            lemma.append((text[0] == "+", self.numbering.option(number)))
        return lemma

    def assume(self, taken: bool, option: Option, choice: Choice) -> bool:
        """Assume that an option is taken, or that it is not; return whether that is a contradiction."""
        self._check_work()
        return choice.assume(taken, option)

    def follow(self, hint: str, choice: Choice) -> bool:
        """Make the conclusion to which a hint points, and return whether it is a contradiction."""
        if not HINT.fullmatch(hint):
            raise self._invalid(f"{hint[:20]!a} is not a hint")
        self._check_work()
        if hint in JAMS:
            if not choice.staying(upwards=hint == "^"):
                raise self._invalid(f"there is no jam {JAMS[hint]}: all cards leave")
            return True
        number = int(hint[1:])
        return self._conclude_group(number, choice) if hint[0] == "g" else self._conclude_lemma(number, choice)

    def _conclude_group(self, number: int, choice: Choice) -> bool:
        """Take the only option of a group that is open; if there is none, this is a contradiction."""
        if number >= len(self.numbering.groups):
            raise self._invalid(f"there is no group {number}; the last one is {len(self.numbering.groups) - 1}")
        card = self.numbering.groups[number]
        mates = choice.mates(card)
        if mates & (mates - 1):
            raise self._invalid(f"group {number} has {mates.bit_count()} open options")
        return not mates or choice.take((card, mates.bit_length() - 1))

    def _conclude_lemma(self, back: int, choice: Choice) -> bool:
        """Make the only literal true that is not false in an earlier lemma; without one, this is a contradiction."""
        if not 1 <= back <= len(self.lemmas):
            raise self._invalid(f"there is no lemma {back} places before")
        lemma = self.lemmas[-back]
        self.board.work += len(lemma)
        possible = [literal for literal in lemma if not choice.refutes(*literal)]
        if len(possible) > 1:
            number = len(self.lemmas) + 1 - back
            raise self._invalid(f"{len(possible)} literals of lemma {number} (l{back}) can be true")
        return not possible or choice.assume(*possible[0])

    def _check_work(self) -> None:
        if self.board.work > MAX_WORK:
            raise self._invalid(TOO_LONG)

    def _invalid(self, reason: str) -> InvalidEvidence:
        return InvalidEvidence(self._step, f"{self._prefix}{reason}")
