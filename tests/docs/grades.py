"""The chart of the grades of a pack in docs/packs.md."""

from pathlib import Path

import dealmill
from dealmill.pipeline.results.charts import histogram
from dealmill.pipeline.store.distributions.histograms import histogram_of_numbers

PICTURE = Path(__file__).parent.parent.parent / "docs" / "packs.svg"
DEALS = "deal:card-pairing:seed=2026:1-20000"
"""Those of the page."""


def draw(folder: Path) -> None:
    """Make the pack of the page in a folder, and draw how many of its layouts have which chance, and its grades."""
    with dealmill.open(f"sqlite:///{folder}/packs.db") as store:
        run, odds = (store.run(DEALS, engine=f"card-pairing/{name}") for name in ("winnable", "odds"))
        pack = run.pack(folder / "levels.json", by="value", graded_by=odds, descending=True)
    chances = histogram_of_numbers("value", [entry.number for entry in pack.layouts])
    assert chances is not None
    marks = {f"grade {grade.grade} from {grade.low:,}": grade.low for grade in pack.grades}
    chart = histogram(chances.bars, "millionths", marks=marks)
    PICTURE.write_text(chart.document("Layouts of the pack by the chance that random play wins") + "\n")
