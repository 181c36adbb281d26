"""The whole way, from a range of deals to the last committed verdict, against the bare engine on the same deals."""

import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path

from bench.measure import in_turn, rounded, seconds, table
from pipeline.deals import parse_deal_range
from pipeline.solve import solve
from tests.servers import clean_environment, dealmill_command, peak_memory

DEALS = {"card-pairing": 200_000, "camelot": 200_000, "hi-q": 100_000, "memory": 100_000, "tantrix": 50_000}
STREAMED = (10_000, 100_000)


def against_bare_engines() -> str:
    """A row per game: `dealmill run`, embedded, two workers, against dealing and solving in one process."""
    rows = []
    for game, count in DEALS.items():
        source = f"deal:{game}:seed=1:1-{count}"
        sizes: list[int] = []
        run, bare, ratio = in_turn(lambda: sizes.append(_run(source)), _bare(source))  # noqa: B023
        rows.append(
            [
                game,
                f"{count:,}",
                rounded(count / run),
                rounded(count / bare),
                f"{ratio:.1f} ×",
                f"{sizes[0] / count:.0f}",
            ]
        )
    return table(
        ["game", "deals", "run, layouts/s", "bare, layouts/s", "time, run / bare", "bytes on disk a layout"], rows
    )


def stream() -> str:
    """`dealmill answer` through a pipe: memory of a long stream against that of a short one."""
    rows = []
    for game in DEALS:
        peaks, rates = [], []
        for count in STREAMED:
            with tempfile.TemporaryDirectory() as folder:
                deals = Path(folder) / "deals"
                deals.write_text("\n".join(layout.text for layout in parse_deal_range(f"deal:{game}:seed=1:1-{count}")))
                answers = Path(folder) / "answers"
                elapsed = seconds(lambda: peaks.append(peak_memory(["answer", game], deals, answers)))  # noqa: B023
                rates.append(count / elapsed)
        rows.append([game, rounded(rates[-1]), rounded(peaks[-1] / 1024), f"{peaks[-1] / peaks[0]:.2f}"])
    columns = ["game", "layouts/s", "peak MB", f"peak of {STREAMED[1]:,} / of {STREAMED[0]:,}"]
    return table(columns, rows)


def _run(source: str) -> int:
    """Solve a range in a folder of its own; the size of the database."""
    with tempfile.TemporaryDirectory() as folder:
        env = clean_environment({"DEALMILL_WORKERS": "2"})
        subprocess.run(dealmill_command(["run", source]), cwd=folder, env=env, check=True, capture_output=True)
        return (Path(folder) / "dealmill.db").stat().st_size


def _bare(source: str) -> Callable[[], object]:
    deals = parse_deal_range(source)
    name = deals.game.full_name(deals.game.engines[0])
    return lambda: solve(name, [layout.text for layout in deals])
