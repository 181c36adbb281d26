"""Compare the engine of patiences with Solvitaire, deal by deal, and write docs/beside-others.md.

``python -m bench.solvitaire PROGRAM DEALS``. The program is built by hand from github.com/thecharlieblake/Solvitaire.
"""

import subprocess
import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from time import perf_counter
from typing import NamedTuple

from bench.reproduce.page import table
from bench.reproduce.patiences import PATIENCES
from dealmill.pipeline.games.batch import to_batch
from dealmill.pipeline.games.patience import Patience
from dealmill.pipeline.games.patience.deal import deal
from dealmill.pipeline.games.patience.engine import Winnable
from dealmill.verdicts import Verdict

PAGE = Path(__file__).parent.parent / "docs" / "beside-others.md"
MILLISECONDS = 500
"""The time that Solvitaire has for a deal."""
NODES = 1_000_000
PRESETS = {"freecell": "free-cell"}
"""Its names of games, where they are not ours."""
VERDICTS = {"solved": Verdict.WINNABLE, "unsolvable": Verdict.UNWINNABLE}
COLUMNS = [
    "game",
    "won, lost, undecided",
    "Solvitaire",
    "decided by us alone",
    "by Solvitaire alone",
    "contradictions",
    "seconds",
    "Solvitaire, seconds",
    "both decide: its time / ours",
]
TEXT = """\
# Beside others

`make bench-rivals SOLVITAIRE=PROGRAM DEALS={deals}` measures this page again, and writes it. You build the program by
hand, from [its sources](https://github.com/thecharlieblake/Solvitaire), which are under the GPL 2; nothing of it is
part of Dealmill.

Deals 1 to {deals} of seed 0 of each game, which have Solvitaire's numbers, on one core. Solvitaire has
{milliseconds} ms for a deal, and ours (version {version} of the engine) {nodes:,} nodes; a call for each deal
takes some milliseconds by itself. The start of Solvitaire is not counted. Its presets have the same names and
rules as our files (FreeCell is `free-cell`). In `klondike`, `canfield` and `northwest-territory`, it moves part
of a run only if that frees a card for a foundation, which wins the same deals. Solvitaire gives no proofs of
losses; the count of positions in ours is part of our time. The last column compares total times on the deals
that both decide.

{table}

## Spider and its relatives

Solvitaire has presets for Simple Simon, Will o’ the Wisp and Spiderette, but plays easier games: they say
`only complete pile moves`, and its reader looks for `complete piles`, so that cards go to the foundations one by one.
They are left out above. With that word changed by hand in its source, it decides 3, 0 and 0 of deals 1 to 50, in
500 ms each; ours decides 48, 24 and 16, in 0.03, 0.2 and 0.2 s each on average. Its runs of one suit go only onto
their own suit, ours onto any.
"""


class Answer(NamedTuple):
    """The verdict on a deal, and the seconds that it took."""

    verdict: Verdict
    seconds: float


def ours(game: Patience, number: int) -> Answer:
    """Decide a deal with Solvitaire's number."""
    layouts = deal(replace(game.rules, numbers="solvitaire"), 0, number, 1)
    start = perf_counter()
    [verdict] = to_batch(Winnable(game.rules)(layouts, NODES)).verdicts
    return Answer(verdict, perf_counter() - start)


def theirs(program: str, name: str, number: int) -> Answer:
    """Let Solvitaire decide the same deal."""
    options = {"type": PRESETS.get(name, name), "random": number, "timeout": MILLISECONDS}
    words = [word for key, value in options.items() for word in (f"--{key}", str(value))]
    done = subprocess.run([program, "--classify", *words], capture_output=True, text=True, check=True)
    _, outcome, milliseconds, *_ = done.stdout.splitlines()[-1].split(", ")
    return Answer(VERDICTS.get(outcome, Verdict.UNDECIDED), int(milliseconds) / 1_000)


def compare(program: str, name: str, deals: int) -> list[str]:
    """Return the row of a game."""
    game = PATIENCES[name]
    ours(game, 1)  # compiled before it is timed
    pairs = [(ours(game, number), theirs(program, name, number)) for number in range(1, deals + 1)]
    verdicts = [(first.verdict, second.verdict) for first, second in pairs]
    both = [pair for pair in pairs if Verdict.UNDECIDED not in (pair[0].verdict, pair[1].verdict)]
    our_time, their_time = (sum(pair[side].seconds for pair in both) for side in (0, 1))
    totals = [f"{sum(pair[side].seconds for pair in pairs):.1f}" for side in (0, 1)]
    alone = [sum(pair[side] is not Verdict.UNDECIDED is pair[1 - side] for pair in verdicts) for side in (0, 1)]
    contradictions = sum(first.verdict is not second.verdict for first, second in both)
    counts = [_counts(Counter(pair[side] for pair in verdicts)) for side in (0, 1)]
    ratio = f"{their_time / our_time:.1f}" if both else ""
    return [game.title, *counts, *map(str, alone), str(contradictions), *totals, ratio]


def _counts(counts: Mapping[Verdict, int]) -> str:
    return ", ".join(str(counts[verdict]) for verdict in (Verdict.WINNABLE, Verdict.UNWINNABLE, Verdict.UNDECIDED))


def rows(program: str, deals: int) -> Iterator[list[str]]:
    """Yield the row of each game that both play."""
    listed = subprocess.run([program, "--available-game-types"], capture_output=True, text=True, check=True)
    for name, game in PATIENCES.items():
        if not game.rules.complete and PRESETS.get(name, name) in listed.stdout.split():
            yield compare(program, name, deals)


def main() -> None:
    """Write the page."""
    program, deals = sys.argv[1], int(sys.argv[2])
    version = next(iter(PATIENCES.values())).engines[0].version.partition("-")[0]
    PAGE.write_text(
        TEXT.format(
            deals=deals,
            milliseconds=MILLISECONDS,
            version=version,
            nodes=NODES,
            table=table(COLUMNS, rows(program, deals)),
        )
    )


if __name__ == "__main__":
    main()
