"""Print the bounds of grades of games by rules files again: ``python -m bench.grades [GAME…]``. All take an hour.

The bounds divide deals of seed 1 that are won within 100,000 nodes, and of whose plays the careful player wins one at
least, into four parts of about equal size by his chances, which are rounded to two digits: the first 40 such deals, or
fewer if they take more than a minute, but at least 12. `dealmill.pipeline.games.careful.BOUNDS` has what this prints.
"""

import sys
import time
from collections.abc import Iterator

from dealmill import NotFoundError, Result, games, solve, winnable_deals

SEED, DEALS, FEWEST_DEALS, SECONDS, LIMITED_GRADES = 1, 40, 12, 60.0, 4


def bounds(name: str) -> list[int]:
    """Return the least chance of each grade but the last two, in millionths; none if too few deals have one."""
    chances = sorted(_chances(name), reverse=True)
    if len(chances) < FEWEST_DEALS:
        return []
    least, first = list[int](), 0
    for grade in range(1, LIMITED_GRADES):
        last = first + max((len(chances) - first) // (LIMITED_GRADES - grade + 1), 1) - 1
        least.append(_rounded(chances[min(last, len(chances) - 1)]))
        first = sum(chance >= least[-1] for chance in chances)
    return least


def _chances(name: str) -> Iterator[int]:
    """Yield the chances of the first deals that the player wins at least once."""
    started, count = time.process_time(), 0
    for win in _wins(name):
        [played] = solve(f"{name}/chances", [win.layout])
        if played.value:
            count += 1
            yield played.value
        if count == DEALS or time.process_time() > started + SECONDS:
            return


def _wins(name: str) -> Iterator[Result]:
    try:
        yield from winnable_deals(name, seed=SEED)
    except NotFoundError:
        return


def _rounded(chance: int) -> int:
    """Return a chance rounded to two digits, in thousandths at least."""
    unit: int = 10 ** max(len(str(chance)) - 2, 3)
    return max(round(chance / unit) * unit, 1_000)


if __name__ == "__main__":
    for name in sys.argv[1:] or [name for name, game in games().items() if game.rules_text]:
        if least := bounds(name):
            print(f'    "{name}": ({", ".join(f"{chance:_}" for chance in least)}),', flush=True)
        else:
            print(f"#   {name}", flush=True)
