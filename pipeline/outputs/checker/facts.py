"""The export that a checker checks."""

from typing import NamedTuple


class Export(NamedTuple):
    """What was recorded about an export when it was written.

    `engine` is the full name of the engine as which the rules of the game know it.
    `layouts` is the number of layouts of the run, and `verdicts` are those that were exported. `source_sha256` is the
    digest of the text of the source; it is None for numbered deals, which are no file. `incomplete` says why results
    are missing in the export; None if none is.
    """

    file: str
    sha256: str
    rows: int
    engine: str
    layouts: int
    verdicts: tuple[str, ...]
    source: str
    source_sha256: str | None
    incomplete: str | None
