"""Measure the proofs that deals of FreeCell are lost: ``python -m bench.lost_deals FILE [--every 8]``.

FILE has a number of Microsoft's FreeCell in each line, of deals that others call lost, such as those of
github.com/shlomif/freecell-pro-impossible-deals; lines that begin with ``#`` are left out. Each limit gives a line:
how many deals it proves, the positions of their evidence, and the processor time of solving and of auditing, each with
one process. It ends with exit code 1 if a deal is won, or if the referee refuses a proof.
"""

import sys
from argparse import ArgumentParser
from collections.abc import Sequence
from pathlib import Path
from time import process_time

from dealmill.pipeline.evidence.referee import judge
from dealmill.pipeline.games import find_game
from dealmill.pipeline.games.batch import to_strings
from dealmill.pipeline.games.patience.schema import FIELD_SEED
from dealmill.pipeline.solving.loading import load
from dealmill.pipeline.solving.solve import solve
from dealmill.verdicts import Verdict

GAME, ENGINE = "freecell", "freecell/winnable"
LIMITS = (2_500_000, 20_000_000)
"""The default, and eight times as many."""
SHARES = (50, 90, 99, 100)
"""The percentiles of positions that are printed."""


def main() -> int:
    """Print a line for each limit; return 1 if a deal is won, or a proof is refused."""
    parser = ArgumentParser(description="Measure the proofs that deals of FreeCell are lost.")
    parser.add_argument("file", type=Path, help="a file with a number of Microsoft's FreeCell in each line")
    parser.add_argument("--every", type=int, default=1, help="take one number of so many (default: 1)")
    options = parser.parse_args()
    lines = [line for line in options.file.read_text().splitlines() if line and not line.startswith("#")]
    game = find_game(GAME)
    layouts = [to_strings(game.deal(FIELD_SEED, int(line), 1))[0] for line in lines[:: options.every]]
    load(ENGINE)
    faults = [_measure(layouts, limit) for limit in LIMITS]
    return int(any(faults))


def _measure(layouts: Sequence[str], limit: int) -> bool:
    """Print the line of a limit; return whether a deal is won, or a proof is refused."""
    start = process_time()
    solved = solve(ENGINE, layouts, limit)
    solving = process_time() - start
    claims = list(zip(layouts, solved.verdicts, solved.values, solved.evidence, strict=True))
    losses = [claim for claim in claims if claim[1] is Verdict.UNWINNABLE]
    judge(ENGINE, *losses[0])  # compiles the referee
    start = process_time()
    refused = sum(not judge(ENGINE, *claim).valid for claim in losses)
    auditing = process_time() - start
    positions = sorted(int((claim[3] or "").split(" ")[-1]) for claim in losses)
    percentiles = " / ".join(f"{positions[(len(positions) * share - 1) // 100]:,}" for share in SHARES)
    sys.stdout.write(
        f"{limit:,} nodes: {len(losses)} of {len(layouts)} lost, by {percentiles} positions "
        f"({', '.join(map(str, SHARES))} %), {refused} refused; {solving:.1f} s to solve, {auditing:.1f} s to audit\n"
    )
    return refused > 0 or Verdict.WINNABLE in solved.verdicts


if __name__ == "__main__":
    sys.exit(main())
