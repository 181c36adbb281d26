"""Write the golden files that are missing."""

import sys

from dealmill.pipeline.games import games
from dealmill.testing import write_golden
from tests.doing import QUICK_GAMES
from tests.golden.files import FOLDER, fingerprint_file, fingerprint_of_deals

for game in games().values():
    written = write_golden(game.name, FOLDER)
    for engine in game.engines if game in QUICK_GAMES else ():
        if not (path := fingerprint_file(game, engine)).exists():
            path.write_text(f"{fingerprint_of_deals(game, engine)}\n")
            written.append(path)
    sys.stdout.writelines(f"wrote {path.name}\n" for path in written)
