"""Write the golden files that are missing."""

import sys

from tests.golden.files import golden_file, golden_lines
from tests.golden.test_golden import ENGINES

for game, engine in ENGINES:
    path = golden_file(game, engine)
    if not path.exists():
        path.write_text("".join(f"{line}\n" for line in golden_lines(game, engine)))
        sys.stdout.write(f"wrote {path.name}\n")
