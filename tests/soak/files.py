"""A heap of tiny files in as few commands as the system allows."""

import tempfile
import time
from itertools import count
from pathlib import Path

from dealmill.pipeline.games import find_game
from tests.doing import deal
from tests.servers import dealmill
from tests.soak.fuzzing import SoakResult

FILES = 3_000
"""In one command: more than a process may hold open."""
EMPTY = 100
"""One in so many is."""


def tiny_files(seconds: float) -> SoakResult:
    """Files of one layout each, some of them empty, until the time is over: all good ones are kept."""
    end = time.monotonic() + seconds
    for heap in count(1):
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            for number, layout in enumerate(deal(find_game("memory"), heap, 1, FILES)):
                (folder / f"memory-{number}.txt").write_text(layout if number % EMPTY else "")
            read = dealmill("ingest", *sorted(file.name for file in folder.iterdir()), cwd=folder)
        kept = read.stderr.count(": 1 layout, 0 duplicates, 0 rejected")
        if (read.returncode, kept, read.stderr.count("is empty")) != (1, FILES - FILES // EMPTY, FILES // EMPTY):
            return SoakResult(heap * FILES, None, [f"{kept} of {FILES} kept:\n{read.stderr[-2_000:]}"])
        if time.monotonic() > end:
            return SoakResult(heap * FILES)
    raise AssertionError
