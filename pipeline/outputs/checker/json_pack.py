"""Reading of a pack in JSON: an object whose ``layouts`` have the columns of an export and, after them, a grade."""

import json
from collections.abc import Iterator
from typing import BinaryIO

from dealmill.pipeline.results.record import ResultRow


def read_rows(file: BinaryIO) -> Iterator[ResultRow]:
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
        if not isinstance(entry, dict) or not entry.keys() >= {*ResultRow._fields}:
            raise ValueError(f"the layout is not an object with {', '.join(ResultRow._fields)}")
        yield ResultRow(*(entry[name] for name in ResultRow._fields))
