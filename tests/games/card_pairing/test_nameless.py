"""Card pairing without names: the same text for the same layout under other names, and for no other one."""

import random
from itertools import permutations

import pytest

from dealmill.pipeline.games.card_pairing.layout import canonical, nameless
from tests.doing import dealer

deal = dealer("card-pairing")


def smallest(stacks: tuple[str, ...]) -> tuple[str, ...]:
    """The first of all ways to name the ranks and order the stacks."""
    ranks = sorted(set("".join(stacks)))
    return min(
        tuple(sorted(stack.translate(str.maketrans("".join(ranks), "".join(names))) for stack in stacks))
        for names in permutations(ranks)
    )


@pytest.mark.parametrize(("heights", "alike"), [((2, 2, 2, 2), 2), ((1, 3, 4), 0), ((0, 3, 3, 2), 3)])
def test_all_layouts_of_a_small_deck(heights: tuple[int, ...], alike: int) -> None:
    """The same layouts have the same text. Few other ones do: `alike` is how many more layouts there are than texts."""
    texts: dict[tuple[str, ...], set[str]] = {}
    for cards in sorted(set(permutations("AAAA2233"))):
        deck = iter(cards)
        stacks = tuple("".join(next(deck) for _ in range(height)) for height in heights)
        texts.setdefault(smallest(stacks), set()).add(nameless(" ".join(stack or "-" for stack in stacks)))
    assert {len(alternatives) for alternatives in texts.values()} == {1}
    assert len({min(alternatives) for alternatives in texts.values()}) == len(texts) - alike


@pytest.mark.parametrize("parameters", [{}, {"ranks": 60, "suits": 2, "stacks": 17}, {"ranks": 3, "stacks": 5}])
def test_random_deals_keep_their_text_under_other_names(parameters: dict[str, int]) -> None:
    chance, texts = random.Random(3), deal(6, 1, 100, **parameters)
    for text in texts:
        listed = "," in text
        stacks = [stack.split(",") if listed else [*stack] for stack in text.split(" ")]
        ranks = sorted({card for stack in stacks for card in stack})
        names = dict(zip(ranks, chance.sample(ranks, len(ranks)), strict=True))
        chance.shuffle(stacks)
        renamed = " ".join(("," if listed else "").join(names[card] for card in stack) for stack in stacks)
        assert nameless(canonical(renamed)) == nameless(text)
    if parameters.get("ranks") != 3:  # so few cards are often dealt in the same way
        assert len(set(map(nameless, texts))) == len(texts)
