"""Card pairing as text: the stacks side by side, top cards uppermost; `·` marks a card that was just removed."""

from collections.abc import Iterator

from dealmill.pipeline.games.card_pairing.rules import (
    MATCHINGS,
    STACK_NAMES,
    Card,
    Deal,
    Mates,
    Stacks,
    check,
    deal_of,
    jams,
    named_cards,
    pair_off,
    play,
    start,
)
from dealmill.pipeline.games.scene import Scene, plain
from dealmill.pipeline.games.verdict import Verdict

FREED = "·"


def frames(layout: str, verdict: Verdict | None = None, evidence: str | None = None) -> Iterator[str]:
    """Yield the stacks, then the stacks after each removal, or the reason why no play wins.

    Raises
    ------
    InvalidEvidence
        If a move breaks the rules, or the certificate proves nothing.
    """
    stacks = start(layout)
    height = max(map(len, stacks))
    yield f"{_board(stacks, height)}\n\n{sum(map(len, stacks))} cards in {len(stacks)} stacks."
    if evidence is None:
        return
    if verdict is Verdict.WINNABLE:
        for step, move in enumerate(evidence.split(" "), start=1):
            rank = play(stacks, move, step)
            left = sum(map(len, stacks))
            ending = f"{left} cards are left." if left else "No card is left: won."
            caption = f"Move {step}: {rank} from {move[0]} and {rank} from {move[1]}. {ending}"
            yield f"{_board(stacks, height, move)}\n\n{caption}"
    elif verdict is Verdict.UNWINNABLE:
        check("winnable", layout, verdict, None, evidence)
        yield "\n".join(
            [
                "No play wins. The cards of a rank leave in one of three ways; each way jams,",
                "even if all ranks that are not named could leave card by card. A card is",
                "named by its stack and how high it lies: 3.1 is the bottom of stack 3.",
                "",
                *_explained(deal_of(layout), iter(evidence), {}, ""),
            ]
        )


def scenes(layout: str, verdict: Verdict | None = None, evidence: str | None = None) -> Iterator[Scene]:
    """Yield the pictures of the layout and of each step.

    Raises
    ------
    InvalidEvidence
        If the evidence cannot be read or proves nothing.
    """
    return plain(frames(layout, verdict, evidence))


def _explained(deal: Deal, entries: Iterator[str], mates: Mates, margin: str) -> Iterator[str]:
    rank = next(entries)
    cards = deal.ranks[rank]
    tops, under = named_cards(deal, {*mates, *cards})
    for matching in MATCHINGS:
        with_these = mates | pair_off(cards, matching)
        way = ", ".join(f"{_name(deal, cards[one])} with {_name(deal, cards[other])}" for one, other in matching)
        if jams(tops, under, with_these):
            yield f"{margin}{rank}: {way}: jams"
        else:
            yield f"{margin}{rank}: {way}: then"
            yield from _explained(deal, entries, with_these, f"{margin}  ")


def _name(deal: Deal, card: Card) -> str:
    [(name, stack)] = [(name, stack) for name, stack in zip(STACK_NAMES, deal.stacks, strict=False) if card in stack]
    return f"{name}.{stack.index(card) + 1}"


def _board(stacks: Stacks, height: int, freed: str = "") -> str:
    """Return the stacks, with a mark in place of the top card just removed from each of the stacks `freed`."""
    names = STACK_NAMES[: len(stacks)]
    columns = ["".join(stack) + (FREED if name in freed else "") for name, stack in zip(names, stacks, strict=True)]
    rows = [" ".join(column[level : level + 1] or " " for column in columns) for level in reversed(range(height))]
    return "\n".join([*map(str.rstrip, rows), "─" * (2 * len(stacks) - 1), " ".join(names)])
