"""Reading of an export in JSON Lines: one object per line, which has the columns in their order.

That of an unfinished run, which may follow them, is not read.
"""

from collections.abc import Iterable, Iterator
from json import JSONDecoder

from dealmill.pipeline.results.record import UNFINISHED, ResultRow

COLUMNS = {
    (*ResultRow._fields[:count], *last)
    for count in range(len(ResultRow._fields) - len(ResultRow._field_defaults), len(ResultRow._fields) + 1)
    for last in ((), (UNFINISHED.name,))
}
"""The columns of an export, also of an unfinished run. Older exports may lack columns with a default."""


def read_rows(file: Iterable[bytes]) -> Iterator[ResultRow]:
    """Yield the rows of an export, given its lines.

    Raises
    ------
    ValueError
        At the first line that is not a row.
    """
    decode = JSONDecoder(object_pairs_hook=tuple).decode
    for line in file:
        if not line.endswith(b"\n"):
            raise ValueError("the file ends in the middle of a line")
        columns = decode(line.decode("ascii"))
        if not isinstance(columns, tuple) or tuple(name for name, _ in columns) not in COLUMNS:
            raise ValueError(f"the line is not an object with {', '.join(ResultRow._fields)}, in this order")
        yield ResultRow(*(value for name, value in columns if name != UNFINISHED.name))
