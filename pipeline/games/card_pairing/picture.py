"""Card pairing as text: the stacks side by side, their tops above."""

from collections.abc import Iterator

from pipeline.games.card_pairing.rules import (
    MATCHINGS,
    STACK_NAMES,
    Card,
    Mates,
    Stacks,
    cards_of,
    jams,
    pair_off,
    play,
    start,
)
from pipeline.games.contract import Verdict


def frames(layout: str, verdict: Verdict | None = None, evidence: str | None = None) -> Iterator[str]:
    """The stacks, then the stacks after each removal, or why no play wins.

    Raises
    ------
    InvalidEvidence
        Where a move breaks the rules.
    """
    stacks = start(layout)
    yield f"{_board(stacks)}\n\n{sum(map(len, stacks))} cards in {len(stacks)} stacks."
    if evidence is None:
        return
    if verdict is Verdict.WINNABLE:
        for step, move in enumerate(evidence.split(" "), start=1):
            rank = play(stacks, move, step)
            left = sum(map(len, stacks))
            ending = f"{left} cards are left." if left else "No card is left: won."
            yield f"{_board(stacks)}\n\nMove {step}: {rank} from {move[0]} and {rank} from {move[1]}. {ending}"
    elif verdict is Verdict.UNWINNABLE:
        yield "\n".join(
            [
                "No play wins. The cards of a rank leave in one of three ways; each way jams,",
                "even if all ranks that are not named could leave card by card. A card is",
                "named by its stack and how high it lies: 3.1 is the bottom of stack 3.",
                "",
                *_explained(stacks, iter(evidence), {}, ""),
            ]
        )


def _explained(stacks: Stacks, entries: Iterator[str], mates: Mates, margin: str) -> Iterator[str]:
    rank = next(entries)
    cards = cards_of(stacks, rank)
    for matching in MATCHINGS:
        with_these = mates | pair_off(cards, matching)
        way = ", ".join(f"{_name(cards[one])} with {_name(cards[other])}" for one, other in matching)
        if jams(stacks, with_these):
            yield f"{margin}{rank}: {way}: jams"
        else:
            yield f"{margin}{rank}: {way}: then"
            yield from _explained(stacks, entries, with_these, f"{margin}  ")


def _name(card: Card) -> str:
    return f"{STACK_NAMES[card.stack]}.{card.height + 1}"


def _board(stacks: Stacks) -> str:
    highest = max(map(len, stacks))
    rows = [
        " ".join(stack[height] if height < len(stack) else " " for stack in stacks).rstrip()
        for height in range(highest - 1, -1, -1)
    ]
    return "\n".join([*rows, "─" * (2 * len(stacks) - 1), " ".join(STACK_NAMES[: len(stacks)])])
