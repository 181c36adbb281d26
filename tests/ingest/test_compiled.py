"""The compiled check comes to somebody who reads a file while another process compiles it."""

import subprocess
import sys
from pathlib import Path

from tests.servers import clean_environment

SCRIPT = """
import gzip, os, sys, tempfile, time
from dealmill.pipeline.games import find_game
from dealmill.pipeline.ingest.scanning import ENOUGH, check_of

game = find_game("memory")
small, large, packed = tempfile.TemporaryFile(), tempfile.TemporaryFile(), tempfile.TemporaryFile()
large.truncate(ENOUGH)
packed.write(gzip.compress(os.urandom(ENOUGH // 2)))
packed.seek(0)
with check_of(game, large) as find:
    print(find(), "numba" in sys.modules)
try:
    os.waitpid(-1, os.WNOHANG)
except ChildProcessError:
    print("nobody is left")
with check_of(game, large) as find:
    while find() is None:
        time.sleep(0.05)
    from dealmill.pipeline.games.batch import pack
    texts = pack(["AABB", "AAB", "ABBA"])
    print(find()(texts.text, texts.starts[:-1], texts.starts[1:]))
with check_of(game, packed) as find:
    print(find() is not None, packed.tell())
with check_of(game, small) as find:
    print(find())
"""


def test_a_reader_gets_the_compiled_check_from_another_process(tmp_path: Path) -> None:
    told = subprocess.run(
        [sys.executable, "-c", SCRIPT],
        env=clean_environment({"XDG_CACHE_HOME": str(tmp_path)}),
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    found = ["None False", "nobody is left", "[ True False  True]", "True 0", "None"]
    assert told.stdout.splitlines() == found, told.stderr
