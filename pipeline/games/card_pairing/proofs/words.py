"""The steps of a proof by lemmas in words."""

from collections.abc import Collection, Iterator, Sequence
from itertools import islice

from dealmill.pipeline.games.card_pairing.certificates import Card, Literal
from dealmill.pipeline.games.card_pairing.drawing import listed, printer
from dealmill.pipeline.games.card_pairing.proofs.cases import Wait, card_name
from dealmill.pipeline.games.card_pairing.proofs.lemmas import Closed, Conclusion, Contradiction, Jam, Proof, Step

MAX_STATEMENTS = 20
"""The most statements of a step that are numbered, in words and in pictures."""
MAX_WAYS, MAX_WAITS = 4, 6
"""The most ways that are ruled out, and waits in a jam, that are named in a step."""


def statements_of(step: Step) -> list[Literal]:
    """Return the numbered statements of a step: what it supposes, then what follows."""
    return [*step.supposed, *(conclusion.literal for conclusion in step.conclusions)][:MAX_STATEMENTS]


class ProofText:
    """The words for the steps of a proof."""

    def __init__(self, layout: str, proof: Proof) -> None:
        self.proof = proof
        printed = printer(layout)
        self._printed = {card: printed(rank) for rank, cards in proof.deal.ranks.items() for card in cards}

    def steps(self, *, brief: bool = False) -> Iterator[str]:
        """Yield a few sentences for each step that is shown; `brief` ones have no reasons why no other way is left."""
        left_out = self.proof.left_out
        for number, step in enumerate(self.proof.steps, start=1):
            is_last = number == len(self.proof.steps)
            skipped = f"({left_out:,} steps before the last one are not shown.) " if is_last and left_out else ""
            yield f"{skipped}{self._step(step, brief)}{' So no play wins.' if is_last else ''}"

    def stay(self, left: Collection[Card]) -> str:
        """Return a description of the cards that stay if some have left."""
        stacks = [[self._printed[card] for card in stack if card not in left] for stack in self.proof.deal.stacks]
        return listed(stacks, str)

    def name(self, card: Card) -> str:
        """Return the name of a card, such as ``3.1``."""
        return card_name(self.proof.deal, card)

    def _step(self, step: Step, brief: bool) -> str:
        numbered = [f"({number}) {self._statement(literal)}" for number, literal in enumerate(statements_of(step), 1)]
        supposed = numbered[: len(step.supposed)]
        following = [
            f"{statement}{self._source(conclusion, brief)}"
            for statement, conclusion in zip(numbered[len(supposed) :], step.conclusions, strict=False)
        ]
        if step.number is None:
            sentences = [f"In every play that wins, {statement}." for statement in following]
        else:
            more = len(step.supposed) - len(supposed)
            sentences = [f"Lemma {step.number}: no play wins if {_listed(supposed, more, ', and ')}."]
            if following:
                sentences.append(f"Then {_listed(following, len(step.conclusions) - len(following), '; ')}.")
        if step.ending:
            sentences.append(f"{self._ending(step.ending)}.")
        return " ".join(sentences)

    def _statement(self, literal: Literal) -> str:
        positive, (card, mate) = literal
        verb = "leaves" if positive else "does not leave"
        return f"{self._card(card)} {verb} with {self.name(mate)}"

    def _card(self, card: Card) -> str:
        return f"{self._printed[card]} {self.name(card)}"

    def _source(self, conclusion: Conclusion, brief: bool) -> str:
        """Return by which lemma a statement follows, and the circles that leave no other way."""
        circles = [closed for closed in conclusion.closed if closed.circle and not brief]
        reason = f": {self._ways(circles)}" if circles else ""
        return f", by lemma {conclusion.lemma}{reason}" if conclusion.lemma else reason

    def _ways(self, closed: Sequence[Closed]) -> str:
        ways = list(map(self._way, islice(closed, MAX_WAYS)))
        return _listed(ways, len(closed) - len(ways), "; ")

    def _way(self, closed: Closed) -> str:
        card, mate = closed.option
        way = f"{self.name(card)} with {self.name(mate)}"
        return f"{way} would close a circle, {self._circle(closed.circle)}" if closed.circle else f"{way} is ruled out"

    def _circle(self, circle: list[Wait]) -> str:
        first, *others = circle
        if not others:
            return f"{self._card(first.card)} with {self.name(first.mate)} below it"
        waits = [f"{self._card(wait.card)} with {self.name(wait.mate)} below" for wait in circle]
        return f"{' '.join(waits)} {self.name(first.card)}"

    def _ending(self, ending: Contradiction | Jam) -> str:
        if isinstance(ending, Jam):
            return self._jam(ending)
        if ending.lemma:
            return f"This contradicts lemma {ending.lemma}: {self._ways(ending.closed)}"
        return f"No way is left for {self._card(ending.closed[0].option[0])}: {self._ways(ending.closed)}"

    def _jam(self, jam: Jam) -> str:
        waits = [self._wait(card, mates) for card, mates in islice(jam.waits.items(), MAX_WAITS)]
        stay = len(self._printed) - len(jam.left)
        whence = "upwards, from the bottoms" if jam.upwards else "downwards, from the tops"
        return f"The cards jam {whence}, and {stay} stay: {_listed(waits, len(jam.waits) - len(waits), '; ')}"

    def _wait(self, card: Card, mates: list[Card]) -> str:
        if not mates:
            return f"{self._card(card)} has no mate left"
        return f"{self._card(card)} waits for {_listed(list(map(self.name, mates[:4])), len(mates[4:]), ' or ')}"


def _listed(words: list[str], more: int, between: str) -> str:
    """Return words in a row, and how many are left out."""
    return between.join([*words, f"{more} more"] if more else words)
