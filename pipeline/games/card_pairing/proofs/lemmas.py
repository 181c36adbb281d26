"""The steps of a certificate that consists of lemmas: what each supposes, what follows, and how it ends."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import permutations

from dealmill.pipeline.games.card_pairing.certificates import (
    HINTS,
    JAMS,
    Card,
    Choice,
    Deal,
    LemmaChecker,
    Literal,
    Mates,
    Option,
    deal_of,
)
from dealmill.pipeline.games.card_pairing.proofs.cases import Wait
from dealmill.pipeline.games.card_pairing.rules import check, start
from dealmill.verdicts import Verdict

MAX_STEPS = 300
"""The most steps of a certificate that are shown: the first ones and the last one."""


@dataclass(frozen=True, slots=True)
class Closed:
    """An option that no winning play takes.

    `circle` has the waits that it would close together with options that are taken. It is empty if the option is closed
    for another reason: it was supposed or concluded to be closed, or its cards leave with others.
    """

    option: Option
    circle: list[Wait]


@dataclass(frozen=True, slots=True)
class Conclusion:
    """What follows, because everything else is ruled out: by a lemma, or among the options of a card if it is None."""

    literal: Literal
    lemma: int | None
    closed: list[Closed]


@dataclass(frozen=True, slots=True)
class Contradiction:
    """A lemma whose literals are all false; or options of which a winning play takes one, but which are all closed."""

    lemma: int | None
    closed: list[Closed]


@dataclass(frozen=True, slots=True)
class Jam:
    """Cards that stay, although every card leaves that can: from the tops, or `upwards` from the bottoms.

    `waits` has, for each card that stays and is uncovered, the mates with which it could leave if they were uncovered.
    """

    upwards: bool
    left: set[Card]
    waits: dict[Card, list[Card]]


@dataclass(frozen=True, slots=True)
class Step:
    """A lemma with its `number`, counted from 1; or a root step, which concludes without assumptions.

    `supposed` has the negated literals of the lemma. `ending` is None if the step is not a contradiction. `taken` has
    the mates in all options that are taken at its end.
    """

    number: int | None
    supposed: list[Literal]
    conclusions: list[Conclusion]
    ending: Contradiction | Jam | None
    taken: Mates


@dataclass(frozen=True, slots=True)
class Proof:
    """The steps of a certificate that are shown, and the number of those that are left out before the last one."""

    deal: Deal
    steps: list[Step]
    left_out: int

    def mates_besides(self, option: Option) -> list[Card]:
        """Return the two cards that leave together as well if those of an option do: the others of a rank of four."""
        cards = next(cards for cards in self.deal.ranks.values() if option[0] in cards)
        return [card for card in cards if card not in option] if len(cards) == 4 else []


def proof(layout: str, certificate: str) -> Proof:
    """Return the steps of a certificate.

    Raises
    ------
    InvalidEvidence
        If the certificate proves nothing.
    """
    check("winnable", layout, Verdict.UNWINNABLE, None, certificate)
    texts = certificate.split(" ")
    deal = deal_of(start(layout))
    reader = _Reader(deal)
    steps = []
    for number, text in enumerate(texts, start=1):
        if number < MAX_STEPS or number == len(texts):
            steps.append(reader.step(text))
        else:
            reader.skip(text)
    return Proof(deal, steps, len(texts) - len(steps))


class _Reader:
    """Follows the steps of a valid certificate."""

    def __init__(self, deal: Deal) -> None:
        self.checker = LemmaChecker(deal)
        self.board = self.checker.board
        self.stack_of = {card: (number, stack) for number, stack in enumerate(deal.stacks) for card in stack}

    def skip(self, text: str) -> None:
        """Remember what a step proves."""
        if text.startswith(("+", "-")):
            self.checker.lemmas.append(self._literals(text))
        else:
            self.checker.follow(text, self.checker.root)

    def step(self, text: str) -> Step:
        """Return a step."""
        if not text.startswith(("+", "-")):
            return self._followed(None, [], [text], self.checker.root)
        literals = self._literals(text)
        number = len(self.checker.lemmas) + 1
        step = self._followed(
            number,
            [(not positive, option) for positive, option in literals],
            HINTS.findall(text.partition(":")[2]),
            self.checker.root.copy(),
        )
        self.checker.lemmas.append(literals)
        return step

    def _literals(self, text: str) -> list[Literal]:
        return self.checker.literals(text.partition(":")[0])

    def _followed(self, number: int | None, supposed: list[Literal], hints: list[str], choice: Choice) -> Step:
        conclusions = list[Conclusion]()
        ending: Contradiction | Jam | None = None
        for positive, option in supposed:
            if choice.assume(positive, option):
                ending = Contradiction(None, [self._closed(choice, option)])
        for hint in hints:
            match self._conclusion(hint, choice):
                case Conclusion() as conclusion:
                    conclusions.append(conclusion)
                case found:
                    ending = found
        return Step(number, supposed, conclusions, ending, self._mates(choice))

    def _conclusion(self, hint: str, choice: Choice) -> Conclusion | Contradiction | Jam:
        checker = self.checker
        if hint in JAMS:
            return self._jam(choice, upwards=JAMS[hint] == "upwards")
        number = int(hint[1:])
        by_cards = hint[0] == "g"
        statements = self._group(number) if by_cards else checker.lemmas[-number]
        lemma = None if by_cards else len(checker.lemmas) - number + 1
        closed = [self._closed(choice, option) for positive, option in statements if positive and choice.closed(option)]
        checker.follow(hint, choice)
        true = [statement for statement in statements if not choice.refutes(*statement)]
        return Conclusion(true[0], lemma, closed) if true else Contradiction(lemma, closed)

    def _jam(self, choice: Choice, *, upwards: bool) -> Jam:
        stacks = [list(stack) if upwards else list(reversed(stack)) for stack in self.board.stacks]
        left, waits = set[Card](), dict[Card, list[Card]]()
        while True:
            uncovered = {stack[0] for stack in stacks if stack}
            waits |= {card: self._open_mates(choice, card) for card in uncovered - waits.keys()}
            leaving = {card for card in uncovered if not (left | uncovered).isdisjoint(waits[card])}
            if not leaving:
                return Jam(upwards, left, {card: waits[card] for card in sorted(uncovered)})
            left |= leaving
            stacks = [stack[1:] if stack and stack[0] in leaving else stack for stack in stacks]

    def _group(self, number: int) -> list[Literal]:
        card = self.checker.numbering.groups[number]
        return [(True, (min(card, mate), max(card, mate))) for mate in self.board.rank_of[card] if mate != card]

    def _open_mates(self, choice: Choice, card: Card) -> list[Card]:
        return [mate for mate in self.board.rank_of[card] if choice.mates(card) >> mate & 1]

    def _mates(self, choice: Choice, *more: Option) -> Mates:
        pairs = [pair for option in more for pair in self._pairs(option)]
        mates = choice.mate | {card: mate for pair in pairs for card, mate in permutations(pair)}
        return dict(sorted(mates.items()))

    def _pairs(self, option: Option) -> list[Sequence[Card]]:
        others = self.board.others(*option)
        return [option, others] if others else [option]

    def _closed(self, choice: Choice, option: Option) -> Closed:
        cards = [card for pair in self._pairs(option) for card in pair]
        if any(choice.covered >> card & 1 for card in cards):
            return Closed(option, [])
        mates = self._mates(choice, option)
        circles = [circle for card in cards if (circle := self._circle(mates, card))]
        return Closed(option, min(circles, key=len, default=[]))

    def _circle(self, mates: Mates, first: Card) -> list[Wait]:
        """Return the shortest circle of waits that starts with a card; empty if there is none.

        Each card leaves with its mate, which lies below the card of the next wait, and the last mate below the first
        card. They are found by breadth-first search.
        """
        before: dict[Card, Card | None] = {first: None}
        for card in (queue := [first]):
            _, stack = self.stack_of[mates[card]]
            above = [higher for higher in range(mates[card] + 1, stack.stop) if higher in mates]
            if first in above:
                return list(reversed([self._wait(mates, each) for each in _back(before, card)]))
            new = [higher for higher in above if higher not in before]
            before |= dict.fromkeys(new, card)
            queue += new
        return []

    def _wait(self, mates: Mates, card: Card) -> Wait:
        mate = mates[card]
        return Wait(card, self.stack_of[card][0], mate, self.stack_of[mate][0])


def _back(before: dict[Card, Card | None], card: Card | None) -> Iterator[Card]:
    while card is not None:
        yield card
        card = before[card]
