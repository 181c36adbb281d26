"""The mutants that the tests let live, by the module and the change, each with the reason."""

LIVING: dict[str, dict[str, str]] = {
    "losses.safe": {
        "without near.union(position.stock).isdisjoint(suits)": "equivalent: it only saves time",
    },
    "losses.walks": {
        "0 < len(column) for 0 < len(column) <= alone": "equivalent: the key has the whole column, too",
    },
}
