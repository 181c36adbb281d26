"""Rules files of families of games: what their keys may say, by a table of keys; texts of rules, and changed ones."""

import json
import re
import tomllib
from collections.abc import Iterator, Mapping
from difflib import get_close_matches
from hashlib import blake2b
from typing import Any, NamedTuple, TypeAlias

from dealmill.pipeline.errors import UsageError

MAX_COLUMNS = 20
MAX_CHARACTERS = 80
UNLIMITED_WORD = "unlimited"
BOTH = (True, False)


class Key(NamedTuple):
    """A key of a rules file: its default, the values that are allowed, and its meaning.

    Some also have lists with a number for each column. Without `allowed` values, any other one is a text. The engine
    and the referee do not play those that are `unplayed`.
    """

    default: Any
    allowed: tuple[Any, ...] | range
    meaning: str
    unplayed: tuple[Any, ...] = ()
    lists: bool = False

    def error(self, value: object) -> str | None:
        """Return what is wrong with a value, or None."""
        if not self.allowed or (self.lists and isinstance(value, list)):
            fits = _is_sizes(value) if self.lists else _is_text(value)
            return None if fits and value else f"expected {self.expected}"
        matches = [known for known in self.allowed if type(known) is type(value) and known == value]
        if not matches and type(value) is int and UNLIMITED_WORD in self.allowed and 1 <= value <= 9:
            matches = [value]
        if not matches:
            return f"expected {self.expected}"
        if value in self.unplayed:
            played = [known for known in self.allowed if known not in self.unplayed]
            return f"the engine and the referee do not play this yet, only {', '.join(map(toml_value, played))}"
        return None

    @property
    def expected(self) -> str:
        """The allowed values, in words."""
        if isinstance(self.allowed, range):
            return f"a number from {self.allowed.start} to {self.allowed.stop - 1}"
        if not self.allowed and not self.lists:
            return f"a text of up to {MAX_CHARACTERS} characters"
        choices = list(map(toml_value, self.allowed))
        choices += ["a number from 1 to 9"] if UNLIMITED_WORD in self.allowed else []
        choices += [f"a list of up to {MAX_COLUMNS} numbers, at most 52"] if self.lists else []
        return " or ".join(choices)


def _is_sizes(value: object) -> bool:
    numbers = value if isinstance(value, list) else [-1]
    return len(numbers) <= MAX_COLUMNS and all(type(number) is int and 0 <= number <= 52 for number in numbers)


def _is_text(value: object) -> bool:
    return isinstance(value, str) and value.isprintable() and len(value) <= MAX_CHARACTERS


Schema: TypeAlias = Mapping[str, Mapping[str, Key]]
"""The keys of rules files by table; those at the top have the table with an empty name."""


def read_tables(schema: Schema, text: str) -> dict[str, Any]:
    """Return the tables of a rules file with this text.

    Raises
    ------
    UsageError
        With everything that is wrong with its keys.
    """
    try:
        tables = tomllib.loads(text)
    except (ValueError, RecursionError) as error:  # of numbers and tables without measure, too
        raise UsageError(f"it is not a TOML file: {error}") from error
    if errors := list(_errors_of_keys(schema, tables)):
        raise UsageError("; ".join(errors))
    return tables


def _errors_of_keys(schema: Schema, tables: Mapping[str, Any]) -> Iterator[str]:
    top = {key: value for key, value in tables.items() if not isinstance(value, dict)}
    for table, values in {"": top, **{key: value for key, value in tables.items() if isinstance(value, dict)}}.items():
        if table not in schema:
            near = get_close_matches(table, filter(None, schema), 1)
            hint = f"did you mean [{near[0]}]?" if near else f"the tables are {', '.join(filter(None, schema))}"
            yield f"there is no table [{table}]; {hint}"
            continue
        for key, value in values.items():
            name = f"{table}.{key}" if table else key
            if key not in schema[table]:
                elsewhere = [f"{home}.{key}" for home in schema if home and key in schema[home]]
                offered = f"{f'[{table}]' if table else 'the top'} has {', '.join(schema[table])}"
                hint = f"did you mean {' or '.join(elsewhere)}?" if elsewhere else offered
                yield f"there is no key {name}; {hint}"
            elif error := schema[table][key].error(value):
                yield f"{name} = {toml_value(value)}: {error}"
    if "title" not in top:
        yield "title is missing: expected the name of the game for people"


def value_of(schema: Schema, tables: Mapping[str, Any], key: str) -> Any:
    """Return the value of a key such as ``stock.passes``, which may be its default."""
    table, _, last = key.rpartition(".")
    return (tables.get(table, {}) if table else tables).get(last, schema[table][last].default)


def changed_text(schema: Schema, tables: dict[str, Any], changes: Mapping[str, str]) -> str:
    """Return the text of a file with tables in which keys such as ``stock.draw`` have other values, which may be wrong.

    Raises
    ------
    UsageError
        If a key is not one of a rule.
    """
    for key, text in changes.items():
        if key in ("title", "family"):
            raise UsageError(f"{key} is not a rule: write a rules file to change it")
        table, _, last = key.rpartition(".")
        values = tables.setdefault(table, {}) if table else tables
        values[last] = _parsed(schema.get(table, {}).get(last), text)
    tables["title"] = _changed_title(str(tables["title"]), changes)
    top = {key: value for key, value in tables.items() if not isinstance(value, dict)}
    return written_tables({"": top, **{table: values for table, values in tables.items() if isinstance(values, dict)}})


def _changed_title(title: str, changes: Mapping[str, str]) -> str:
    """Return the title of a game in which keys have other values: as many of them as fit, and how many more there
    are."""
    parts = [title, *(f"{key} = {text}" for key, text in changes.items())]
    for left in range(len(changes)):
        whole = ", ".join(parts[: len(parts) - left] + ([f"{left} more"] if left else []))
        if len(whole) <= MAX_CHARACTERS:
            return whole
    return f"{title}, {len(changes)} changes"[:MAX_CHARACTERS]


def _parsed(key: Key | None, text: str) -> object:
    """Return the value of a key for which a text stands; the text itself if it stands for none."""
    for value in key.allowed if key else ():
        if toml_value(value).strip('"') == text:
            return value
    numbers = [_number(part) for part in text.split(",")]
    if key and key.lists and all(isinstance(number, int) for number in numbers):
        return numbers
    return _number(text)


def _number(text: str) -> int | str:
    return int(text) if re.fullmatch("0|[1-9][0-9]{0,8}", text) else text


def written_tables(tables: Mapping[str, Mapping[str, object]]) -> str:
    """Return the text of a file with these keys by table."""
    lines = []
    for table, values in tables.items():
        lines += [f"\n[{table}]"] if table else []
        lines += [f"{key} = {toml_value(value)}" for key, value in values.items()]
    return "".join(f"{line}\n" for line in lines)


def digest_of_text(text: str) -> str:
    """Return eight hexadecimal digits that tell texts of rules apart."""
    return blake2b(text.encode(), digest_size=4).hexdigest()


def toml_value(value: object) -> str:
    """Return a value as it is written in TOML."""
    match value:
        case bool():
            return str(value).lower()
        case list() | tuple():
            return f"[{', '.join(map(str, value))}]"
        case str():
            return json.dumps(value, ensure_ascii=False)
    return str(value)[:40]
