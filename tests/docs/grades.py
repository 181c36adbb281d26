"""The plot of the grades of a pack in docs/packs.md."""

from pathlib import Path

from matplotlib import rc_context
from matplotlib.figure import Figure

import dealmill

PICTURE = Path(__file__).parent.parent.parent / "docs" / "packs.svg"
DEALS = "deal:card-pairing:seed=2026:1-20000"
"""Those of the page."""
BLUES = ("#9ecae1", "#6baed6", "#4292c6", "#2171b5", "#084594")


def draw(folder: Path) -> None:
    """Make the pack of the page in a folder, and draw a dot for each of its layouts."""
    with dealmill.open(f"sqlite:///{folder}/packs.db") as store:
        run, odds = (store.run(DEALS, engine=f"card-pairing/{name}") for name in ("winnable", "odds"))
        pack = run.pack(folder / "levels.json", by="value", graded_by=odds, descending=True)
    with rc_context({"svg.hashsalt": "dealmill", "svg.fonttype": "none", "font.size": 9}):
        figure = Figure(figsize=(7, 2.8), layout="constrained", facecolor="white")
        axes = figure.subplots()
        for grade, colour in zip(pack.grades, BLUES, strict=True):
            entries = [entry for entry in pack.layouts if entry.grade == grade.grade]
            spread = [grade.grade + 0.35 * (2 * index / len(entries) - 1) for index in range(len(entries))]
            axes.scatter([entry.number / 10_000 for entry in entries], spread, s=4, color=colour)
        axes.set(xscale="log", xlabel="chance that random play wins, %", ylabel="grade", yticks=range(1, 6))
        axes.xaxis.set_major_formatter("{x:g}")
        axes.invert_yaxis()
        axes.spines[["top", "right"]].set_visible(False)
        figure.savefig(PICTURE, metadata={"Date": None})
