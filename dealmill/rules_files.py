"""What families of games share that have rules files: keys with what they may say, and texts of rules.

`Key` describes a key, and `read_tables` reads a file by a table of keys. `written_tables`, `digest_of_text` and
`changed_text` make the texts of a `dealmill.game.Family`.
"""

from dealmill.pipeline.games.rules_files import (
    BOTH,
    MAX_CHARACTERS,
    MAX_COLUMNS,
    UNLIMITED_WORD,
    Key,
    Schema,
    changed_text,
    digest_of_text,
    read_tables,
    toml_value,
    value_of,
    written_tables,
)

__all__ = [
    "BOTH",
    "MAX_CHARACTERS",
    "MAX_COLUMNS",
    "UNLIMITED_WORD",
    "Key",
    "Schema",
    "changed_text",
    "digest_of_text",
    "read_tables",
    "toml_value",
    "value_of",
    "written_tables",
]
