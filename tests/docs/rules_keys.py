"""The table of the keys of rules files on the page of patiences, generated from the rules."""

from pathlib import Path

from dealmill.pipeline.games.patience.rules import RANKS, SUITS
from dealmill.pipeline.games.patience.schema import SCHEMA
from dealmill.rules_files import MAX_CHARACTERS, UNLIMITED_WORD, Key, toml_value

PAGE = Path(__file__).parent.parent.parent / "docs" / "patience.md"
HEAD = "| key | values | default | meaning |\n|---|---|---|---|\n"
GROUPS = {"a card": [rank + suit for rank in RANKS for suit in SUITS], "a rank": [*RANKS]}
"""Values that the table does not list one by one."""


def page() -> str:
    """Return the text of the page with the table; `make docs` writes it."""
    before, _, rest = PAGE.read_text().partition(HEAD)
    rows = [
        f"| `{f'{table}.' * bool(table)}{name}` | {_values(key)} | {_default(key)} | {key.meaning} |\n"
        for table, keys in SCHEMA.items()
        for name, key in keys.items()
    ]
    return before + HEAD + "".join(rows) + rest[rest.index("\n\n") + 1 :]


def _values(key: Key) -> str:
    """Return the values of a key in words, those that are not played in brackets."""
    if isinstance(key.allowed, range):
        return f"{key.allowed.start} to {key.allowed.stop - 1}"
    if not key.allowed:
        return "a list of numbers" if key.lists else f"text of up to {MAX_CHARACTERS} characters"
    groups = [group for group, values in GROUPS.items() if {*values} <= {*key.allowed}]
    listed = {value for group in groups for value in GROUPS[group]}
    played = [value for value in key.allowed if value not in listed and value not in key.unplayed]
    words = groups + [f"`{toml_value(value)}`" for value in played]
    words += ["1 to 9"] * (UNLIMITED_WORD in key.allowed) + ["a list of numbers"] * key.lists
    unplayed = ", ".join(f"`{toml_value(value)}`" for value in key.unplayed)
    return ", ".join(words) + f" ({unplayed})" * bool(unplayed)


def _default(key: Key) -> str:
    """Return the default of a key: none of a list, which follows from other keys, or of a text that is needed."""
    return "as `count` and `deal` say" if key.default == () else f"`{toml_value(key.default)}`" * (key.default != "")
