"""Reading of a pack in JSON: an object whose ``layouts`` have the columns of an export and, after them, a grade."""

import json
from collections.abc import Iterator
from typing import BinaryIO

from dealmill.pipeline.results.checker.facts import ExportRow


def read_rows(file: BinaryIO) -> Iterator[ExportRow]:
    """Yield the results of a pack.

    Raises
    ------
    ValueError
        If it is not a pack.
    """
    pack = json.loads(file.read().decode("ascii"))
    layouts = pack.get("layouts") if isinstance(pack, dict) else None
    if not isinstance(layouts, list):
        raise ValueError("the file is not an object with a list of layouts")
    for entry in layouts:
        if not isinstance(entry, dict) or not entry.keys() >= {*ExportRow._fields}:
            raise ValueError(f"the layout is not an object with {', '.join(ExportRow._fields)}")
        yield ExportRow(*(entry[name] for name in ExportRow._fields))
