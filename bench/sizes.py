"""``python -m bench.sizes``: how many deals of card pairing can be won, and how hard they are, by size; it writes
docs/sizes.md and its picture."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median, quantiles

from bench.measure import table
from dealmill.pipeline.games import find_game
from dealmill.pipeline.games.batch import to_strings
from dealmill.pipeline.games.verdict import Verdict
from dealmill.pipeline.results.charts import SampleInterval, curves
from dealmill.pipeline.solving.loading import load
from dealmill.pipeline.solving.solve import solve
from dealmill.pipeline.survey.interval import Interval, of_share

PAGE = Path(__file__).parent.parent / "docs" / "sizes.md"
PICTURE = PAGE.with_suffix(".svg")
GAME, ENGINE = "card-pairing", "card-pairing/winnable"
SEED, DEALS = 1, 2_000
SIZES = {
    4: (4, 6, 9, 13, 20, 30, 40, 60, 100),
    5: (5, 10, 15, 20, 25, 30, 40, 60, 80),
    6: (6, 12, 18, 24, 30, 36, 42, 48, 60, 75, 90),
    7: (7, 14, 28, 42, 56, 63, 70),
    8: (8, 16, 32, 48, 64, 80),
}
"""Ranks of four cards by the height of the stacks."""
INTRODUCTION = """\
# Card pairing by size

Deals of four cards of each rank, in stacks of equal height: how many can be won, and how many nodes their verdicts
take. Each row has {deals:,} deals of seed {seed}, all decided, and each verdict comes with a play or a proof for the
referee. The intervals are 95 % confidence intervals. The same deals, with every verdict to look at:

```sh
dealmill run deal:card-pairing:seed=1:ranks=36:stacks=24:1-2000
```

![The share of winnable deals by ranks, for stacks of four to eight cards](sizes.svg)

**Higher stacks lose.** With stacks of four cards, most deals can be won at any size, and a larger deck helps. With
stacks of five or six, small decks lose and large ones win; the higher the stacks, the later comes the change. With
stacks of seven, nearly one deal in four can be won at 70 ranks; with stacks of eight, hardly any up to 80 ranks. Stacks
of one and two cards can always be won (M. de Bondt,
[Solving Mahjong Solitaire boards with peeking](https://arxiv.org/abs/1203.6559)).

**Deals are hardest near the change**, where neither verdict is obvious. `python -m bench.sizes` writes this page.

"""


@dataclass(frozen=True, slots=True)
class Size:
    """The results for a number of ranks and a height: the share of winnable deals, its interval, and node counts."""

    height: int
    ranks: int
    share: float
    interval: Interval
    nodes: Sequence[int]

    @property
    def row(self) -> list[str]:
        """The row of the table."""
        low, high = 100 * self.interval.low, 100 * self.interval.high
        deal = f"{self.ranks} × 4 / {4 * self.ranks // self.height}"
        hardness = f"{median(self.nodes):,.0f}", f"{quantiles(self.nodes, n=100)[-1]:,.0f}", f"{max(self.nodes):,}"
        return [str(self.height), deal, f"{100 * self.share:.1f} %", f"{low:.1f} to {high:.1f} %", *hardness]


def solved(height: int, ranks: int) -> Size:
    """Solve the deals of a size.

    Raises
    ------
    RuntimeError
        If one of them is left undecided.
    """
    deals = find_game(GAME).deal(SEED, 1, DEALS, ranks=ranks, stacks=4 * ranks // height)
    batch = solve(ENGINE, to_strings(deals))
    won = batch.verdicts.count(Verdict.WINNABLE)
    if won + batch.verdicts.count(Verdict.UNWINNABLE) < DEALS:
        raise RuntimeError(f"{ranks} ranks in stacks of {height}: some deals are undecided")
    return Size(height, ranks, won / DEALS, of_share(won, 0, DEALS), batch.nodes)


def page(sizes: Sequence[Size]) -> str:
    """Return the text of the page."""
    heads = ["height", "ranks × suits / stacks", "winnable", "interval", "nodes, median", "99 %", "most"]
    return f"{INTRODUCTION.format(deals=DEALS, seed=SEED)}{table(heads, [size.row for size in sizes])}\n"


def _draw(sizes: Sequence[Size]) -> None:
    series: dict[str, dict[float, SampleInterval]] = {f"{height} high": {} for height in SIZES}
    for size in sizes:
        series[f"{size.height} high"][size.ranks] = SampleInterval(size.share, size.interval.low, size.interval.high)
    PICTURE.write_text(curves(series, "ranks of four cards").document("Winnable deals of card pairing by size") + "\n")


def _all() -> Iterator[Size]:
    load(ENGINE)
    for height, numbers in SIZES.items():
        for ranks in numbers:
            size = solved(height, ranks)
            print(*size.row, sep="\t", flush=True)
            yield size


if __name__ == "__main__":
    sizes = list(_all())
    _draw(sizes)
    PAGE.write_text(page(sizes))
