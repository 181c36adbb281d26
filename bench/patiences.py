"""Benchmark of the engine of patiences: what it decides, how fast, and how large its proofs of losses are."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import add
from statistics import median
from time import process_time

from bench.measure import rounded, table
from dealmill.pipeline.games import find_game, games
from dealmill.pipeline.games.contract import Game
from dealmill.pipeline.games.patience import Patience
from dealmill.pipeline.games.patience.losses.counted import easier_game_is_sound
from dealmill.pipeline.solving.loading import load
from dealmill.pipeline.solving.solve import solve
from dealmill.verdicts import Unchecked, Verdict
from tests.doing import deal

GAMES = (
    *("klondike-deal-1", "klondike", "trigon", "canfield", "fan", "beleaguered-castle"),
    *("free-cell-3-cell", "bakers-game", "seahaven-towers", "golf", "black-hole"),
)
SEED = 1
QUICK_NODES = 100_000
SHORT_LIST = 10_000
COLUMNS = [
    *("game", "won", "lost", "undecided", "deals/s", "moves, median"),
    *(
        "losses with a list",
        f"of at most {SHORT_LIST:,} positions",
        "cards, positions, median",
        "referee, ms: median, p99",
    ),
]


@dataclass(frozen=True)
class Figures:
    """The verdicts on deals, the moves of wins, the evidence of losses, the milliseconds in which the plain referee
    checks each loss that it can check, and the seconds of solving."""

    verdicts: Counter[Verdict]
    moves: list[int]
    losses: list[str]
    judging: list[float]
    seconds: float

    @property
    def lists(self) -> list[tuple[int, int]]:
        """The cards and positions of losses with a list."""
        proofs = [text.split()[-2:] for text in self.losses]
        return [(len(cards) // 2, int(positions)) for cards, positions in proofs if cards != "*"]

    def __add__(self, other: "Figures") -> "Figures":
        """Return the figures of the deals of both."""
        return Figures(
            self.verdicts + other.verdicts,
            self.moves + other.moves,
            self.losses + other.losses,
            self.judging + other.judging,
            self.seconds + other.seconds,
        )


def evidence(count: int = 100, max_nodes: int = QUICK_NODES, names: Sequence[str] = GAMES) -> str:
    """Return a table of the first deals of games: what is decided, in how much processor time, with which evidence."""
    figures = {f"`{name}`": measured(find_game(name), 1, count, max_nodes) for name in names}
    figures["all"] = reduce(add, figures.values())
    return table(COLUMNS, [row(name, each) for name, each in figures.items()])


def games_with_lists() -> Iterator[str]:
    """Yield the patiences of which a list can prove a loss."""
    for name, game in games().items():
        if isinstance(game, Patience) and easier_game_is_sound(game.rules):
            yield name


def measured(game: Game, first: int, count: int, max_nodes: int | None) -> Figures:
    """Solve deals, with the default limit if none is given, and referee their losses."""
    name = game.full_name(game.engines[0])
    layouts = deal(game, SEED, first, count)
    load(name)
    solve(name, layouts[:1], 1)
    begun = process_time()
    solved = solve(name, layouts, max_nodes or game.engines[0].max_nodes)
    seconds = process_time() - begun
    rows = list(zip(layouts, solved.verdicts, map(str, solved.evidence), strict=True))
    losses = [(layout, text) for layout, verdict, text in rows if verdict is Verdict.UNWINNABLE]
    return Figures(
        Counter(solved.verdicts),
        [text.count(" ") + 1 for _, verdict, text in rows if verdict is Verdict.WINNABLE],
        [text for _, text in losses],
        [ms for layout, text in losses if (ms := _judging_time(game, layout, text)) is not None],
        seconds,
    )


def row(name: str, figures: Figures) -> list[str]:
    """The row of the table."""
    won, lost, undecided = (
        figures.verdicts[verdict] for verdict in (Verdict.WINNABLE, Verdict.UNWINNABLE, Verdict.UNDECIDED)
    )
    deals, lists, times = figures.verdicts.total(), figures.lists, sorted(figures.judging)
    share = f"{len(lists) / lost:.1%}" if lost else "–"
    short = f"{sum(positions <= SHORT_LIST for _, positions in lists) / lost:.1%}" if lost else "–"
    sizes = f"{median(cards for cards, _ in lists):.0f}, {median(count for _, count in lists):.0f}" if lists else "–"
    judged = f"{rounded(median(times))}, {rounded(times[len(times) * 99 // 100])}" if times else "–"
    moves = f"{median(figures.moves):.0f}" if figures.moves else "–"
    counts = [f"{won:,}", f"{lost:,}", f"{undecided:,} ({undecided / deals:.1%})"]
    return [name, *counts, rounded(deals / figures.seconds), moves, share, short, sizes, judged]


def _judging_time(game: Game, layout: str, evidence: str) -> float | None:
    """Return the milliseconds of the plain referee; None if the loss has more positions than it visits."""
    begun = process_time()
    try:
        game.check("winnable", layout, Verdict.UNWINNABLE, None, evidence)
    except Unchecked:
        return None
    return (process_time() - begun) * 1e3
