"""Benchmark of the engine of patiences: what it decides, how fast, and how large its proofs of losses are."""

from statistics import median
from time import process_time

from bench.measure import rounded, table
from dealmill.pipeline.games import find_game
from dealmill.pipeline.games.contract import Game
from dealmill.pipeline.solve import load, solve
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


def evidence(count: int = 100, max_nodes: int = QUICK_NODES, games: tuple[str, ...] = GAMES) -> str:
    """Return a table of the first deals of games: what is decided, in how much processor time, with which evidence."""
    return table(COLUMNS, [_row(find_game(name), count, max_nodes) for name in games])


def _row(game: Game, count: int, max_nodes: int) -> list[str]:
    name = game.full_name(game.engines[0])
    layouts = deal(game, SEED, 1, count)
    load(name)
    solve(name, layouts[:1], 1)
    begun = process_time()
    solved = solve(name, layouts, max_nodes)
    seconds = process_time() - begun
    rows = list(zip(layouts, solved.verdicts, map(str, solved.evidence), strict=True))
    wins = [text.count(" ") + 1 for _, verdict, text in rows if verdict is Verdict.WINNABLE]
    losses = [(layout, text) for layout, verdict, text in rows if verdict is Verdict.UNWINNABLE]
    lists = [
        (len(cards) // 2, int(positions)) for cards, positions in (text.split() for _, text in losses) if cards != "*"
    ]
    times = sorted(ms for layout, text in losses if (ms := _judging_time(game, layout, text)) is not None)
    share = f"{len(lists) / len(losses):.0%}" if losses else "–"
    short = f"{sum(positions <= SHORT_LIST for _, positions in lists) / len(losses):.0%}" if losses else "–"
    sizes = f"{median(cards for cards, _ in lists):.0f}, {median(count for _, count in lists):.0f}" if lists else "–"
    judged = f"{rounded(median(times))}, {rounded(times[len(times) * 99 // 100])}" if times else "–"
    moves = f"{median(wins):.0f}" if wins else "–"
    counts = [f"{solved.verdicts.count(verdict)}" for verdict in (Verdict.WINNABLE, Verdict.UNWINNABLE)]
    undecided = f"{solved.verdicts.count(Verdict.UNDECIDED)} ({solved.verdicts.count(Verdict.UNDECIDED) / count:.1%})"
    return [f"`{game.name}`", *counts, undecided, rounded(count / seconds), moves, share, short, sizes, judged]


def _judging_time(game: Game, layout: str, evidence: str) -> float | None:
    """Return the milliseconds of the plain referee; None if the loss has more positions than it visits."""
    begun = process_time()
    try:
        game.check("winnable", layout, Verdict.UNWINNABLE, None, evidence)
    except Unchecked:
        return None
    return (process_time() - begun) * 1e3
