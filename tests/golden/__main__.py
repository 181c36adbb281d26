"""Write the golden files that are missing."""

import sys
from pathlib import Path

from tests.golden.files import fingerprint_file, fingerprint_of_deals, golden_file, golden_layouts, golden_lines
from tests.golden.test_golden import ENGINES


def write(path: Path, lines: list[str]) -> None:
    """Write a golden file, and say so."""
    path.write_text("".join(f"{line}\n" for line in lines))
    sys.stdout.write(f"wrote {path.name}\n")


for game, engine in ENGINES:
    if not (path := golden_file(game, engine)).exists():
        write(path, golden_lines(game, engine, golden_layouts(game)))
    if not (path := fingerprint_file(game, engine)).exists():
        write(path, [fingerprint_of_deals(game, engine)])
