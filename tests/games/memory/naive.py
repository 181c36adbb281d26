"""Memory a second time: the programs of the article in their own terms, on a card giver that hides the cards."""


class CardGiver:
    """Turns cards over (counted from 1); pairs turned up together are gone, which their place shows as ''."""

    def __init__(self, layout: str) -> None:
        self.stack: list[str] = ["", *layout]
        self.first = 0
        self.turned: list[int] = []

    def turn(self, card: int) -> str:
        symbol = self.stack[card]
        assert symbol, "turned a card that is gone"
        assert card != self.first, "turned the same card twice"
        self.turned.append(card)
        if not self.first:
            self.first = card
        else:
            if self.stack[self.first] == symbol:
                self.stack[self.first] = self.stack[card] = ""
            self.first = 0
        return symbol

    @property
    def over(self) -> bool:
        return not any(self.stack)


def two_pass(layout: str) -> list[int]:
    giver = CardGiver(layout)
    size = len(layout)
    stack = ["\0"] * (size + 1)
    for card in range(1, size, 2):
        stack[card] = giver.turn(card)
        stack[card + 1] = giver.turn(card + 1)
        if stack[card] == stack[card + 1]:
            stack[card] = stack[card + 1] = ""
    for card in range(1, size + 1):
        for mate in range(card + 1, size + 1):
            if stack[card] and stack[card] == stack[mate]:
                giver.turn(card)
                giver.turn(mate)
                stack[card] = stack[mate] = ""
    assert giver.over
    return giver.turned


def two_pass_last_card(layout: str) -> list[int]:
    giver = CardGiver(layout)
    size = len(layout)
    where: dict[str, list[int]] = {}
    for card in range(1, size - 2, 2):
        for flipped in (card, card + 1):
            where.setdefault(giver.turn(flipped), []).append(flipped)
    symbol = giver.turn(size - 1)
    if symbol in where:
        giver.turn(where.pop(symbol)[0])
        single = [places for places in where.values() if len(places) == 1]
        single[0].append(size)
    else:
        giver.turn(size)
    for card, mate in sorted(where.values()):
        if giver.stack[card]:
            giver.turn(card)
            giver.turn(mate)
    assert giver.over
    return giver.turned


def incremental(layout: str) -> list[int]:
    giver = CardGiver(layout)
    size = len(layout)
    where = dict.fromkeys(layout, 0)
    i = 1
    while i <= size:
        a = giver.turn(i)
        if where[a]:
            giver.turn(where[a])
        else:
            where[a] = i
            i += 1
            b = giver.turn(i)
            if a != b:
                if where[b]:
                    giver.turn(i)
                    giver.turn(where[b])
                else:
                    where[b] = i
        i += 1
    assert giver.over
    return giver.turned


STRATEGIES = {"two-pass": two_pass, "two-pass-last-card": two_pass_last_card, "incremental": incremental}
