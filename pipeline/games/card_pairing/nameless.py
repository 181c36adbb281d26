"""Layouts of card pairing without the names of their ranks and stacks."""

from dealmill.pipeline.games.card_pairing.layout import COMMA, EMPTY


def nameless(layout: str) -> str:
    """Return a text that is the same for all layouts that differ only in the names of ranks or the order of stacks.

    Ranks and stacks are told apart by colours: those of the stacks follow from the ranks in them, and those of the
    ranks from the places where they lie, until no more of them differ (colour refinement; Weisfeiler and Leman, 1968).
    If all ranks get different colours, as in nearly all random deals, the text describes the layout completely.
    Otherwise, a very regular layout may have the text of another one.
    """
    listed = COMMA in layout
    stacks = [
        [] if word == EMPTY else [card for card in word.split(COMMA) if card] if listed else [*word]
        for word in layout.split(" ")
    ]
    colour_of = {rank: 0 for stack in stacks for rank in stack}
    while True:
        colours = [[colour_of[rank] for rank in stack] for stack in stacks]
        places: dict[str, list[tuple[list[int], int]]] = {rank: [] for rank in colour_of}
        for stack, colour in zip(stacks, colours, strict=True):
            for height, rank in enumerate(stack):
                places[rank].append((colour, height))
        keys = {rank: (colour_of[rank], sorted(found)) for rank, found in places.items()}
        order: list[object] = []
        refined = dict[str, int]()
        for rank in sorted(keys, key=keys.__getitem__):
            if not order or order[-1] != keys[rank]:
                order.append(keys[rank])
            refined[rank] = len(order) - 1
        if len(order) == len({*colour_of.values()}):
            return " ".join(COMMA.join(map(str, colour)) for colour in sorted(colours))
        colour_of = refined
