"""The mutants that the tests let live, by the module and the change, each with the reason."""

LIVING: dict[str, dict[str, str]] = {
    "losses.cut": {
        "off by one: operator 1 of height < self.rules.ranks": "equivalent: a foundation that has all cards takes its "
        "first one again, and stays whole",
        "without card not in self.left": "equivalent: it only saves time",
        "without number": "equivalent: below the lowest card of a column comes its top card, which was lifted first",
    },
    "losses.safe": {
        "without near.union(position.stock).isdisjoint(piles)": "equivalent: it only saves time",
    },
    "losses.walks": {
        "0 < len(column) for 0 < len(column) <= alone": "equivalent: the key has the whole column, too",
    },
    "moves": {
        "without not columns_change and (not position.absent)": "equivalent: it only saves time",
        "without card not in self.idle": "equivalent: it only saves time, since idle cards leave anyway",
        "without number": "equivalent: no card is looked at after the lowest one",
        "without self.idle": "equivalent: without idle cards, none becomes absent",
        "without turned": "equivalent: no turned cards stay none",
        "without column[-1][1].islower()": "equivalent: a card that lies face up stays as it is",
        "without bool(absent)": "equivalent: no card fits one that is absent if there is none",
    },
    "position": {
        "without not text": "equivalent: it only saves time",
        "without sorted(cards) == rules.sorted_deck": "equivalent: it only saves time",
    },
}
