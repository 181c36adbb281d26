"""Certificates by brute force: every case is tried, and each becomes a lemma.

The hints are chosen at random among those that say something, so that all kinds of them occur.
"""

from itertools import pairwise
from operator import itemgetter
from random import Random

from tests.games.card_pairing.naive import (
    Contradiction,
    Literals,
    State,
    assumed_false,
    followed,
    is_closed,
    jams,
    table_of,
)


class Winnable(Exception):
    """No option is left to be taken, and there was no contradiction."""


def certificate_of(deck: str, chance: Random) -> str | None:
    """A certificate of lemmas with hints; None if some play wins."""
    prover = Prover(deck, chance)
    try:
        proof = prover.proof([], [])
    except Winnable:
        return None
    return " ".join([*prover.steps, *prover.written(proof)])


class Prover:
    """Lemmas that have been proved, and the steps that prove them.

    While a proof is not complete, its hints to lemmas name them by their index.
    """

    def __init__(self, deck: str, chance: Random) -> None:
        self.deck, self.chance, self.table = deck, chance, table_of(deck)
        self.steps: list[str] = []
        self.lemmas: list[Literals] = []

    def proof(self, lemma: Literals, hints: list[str]) -> list[str]:
        """Hints that prove a lemma, which begin with some that are given, if they are needed at all."""
        state, used = State(), list[str]()
        try:
            for sign, option in lemma:
                state = assumed_false(self.table, state, sign, option)
            for hint in hints:
                used.append(hint)
                state = self.followed(state, hint)
            while True:
                for hint in self.next_hints(state, lemma, used):
                    used.append(hint)
                    state = self.followed(state, hint)
        except Contradiction:
            return used

    def followed(self, state: State, hint: str) -> State:
        if hint[0] == "l":
            hint = f"l{len(self.lemmas) - int(hint[1:])}"
        return followed(self.deck, self.table, self.lemmas, state, hint)

    def next_hints(self, state: State, lemma: Literals, used: list[str]) -> list[str]:
        """Hints that lead on from a state: a jam, a group, or a lemma for each open option but one of a group."""
        jam = self.chance.choice("v^")
        if self.chance.random() < 0.5 and jams(self.deck, self.table, state, jam == "^"):
            return [jam]
        choices: dict[int, list[int]] = {}
        for number, group in enumerate(self.table.groups):
            if not state.taken.intersection(group):
                choices[number] = [option for option in group if not is_closed(self.table, state, option)]
        if not choices:
            raise Winnable
        narrow = [number for number, options in choices.items() if len(options) < 2]
        number = self.chance.choice(narrow or list(choices))
        added: list[str] = []
        for option in choices[number][1:]:
            added.append(self.add([*lemma, ("-", option)], [*used, *added]))
        if self.chance.random() < 0.2:
            return [*added, self.add([("+", option) for option in self.table.groups[number]], [f"g{number}"])]
        return [*added, f"g{number}"]

    def add(self, lemma: Literals, hints: list[str]) -> str:
        """Prove a lemma, and return the hint to it."""
        lemma = sorted(lemma, key=itemgetter(1))
        proof = self.proof(lemma, hints)
        steps = pairwise([0, *(option for _, option in lemma)])
        literals = "".join(f"{sign}{option - before}" for (sign, _), (before, option) in zip(lemma, steps, strict=True))
        self.steps.append(f"{literals}:{''.join(self.written(proof))}")
        self.lemmas.append(lemma)
        return f"l{len(self.lemmas) - 1}"

    def written(self, hints: list[str]) -> list[str]:
        """Hints as a certificate has them, which count the lemmas before them."""
        return [f"l{len(self.lemmas) - int(hint[1:])}" if hint[0] == "l" else hint for hint in hints]
