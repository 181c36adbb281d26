"""The page of results, which ``make reproduce`` writes: surveys of all deals, and public figures beside ours."""

from collections.abc import Iterable, Sequence
from pathlib import Path

from bench.reproduce import surveys

PAGE = Path(__file__).parent.parent.parent / "docs" / "results.md"
FIGURES = ["game", "figure", "source", "theirs", "ours", "agrees"]
TEXT = """\
# What is known

`make reproduce` computes every figure of this page again, and writes it.

## Surveys of random deals

Each figure is the share or the mean over random deals of seed 1, with its 95 % confidence interval. Where the exact
figure over all deals is known, it stands beside it, with the distance in standard errors. The command repeats the
survey, with the same fingerprint on every machine. [Card pairing by size](sizes.md) has further surveys.

{surveys}

## Public figures

Figures that others have published or that were found before, and what we find for them. A mean of a sample may be off
by three standard errors.

{figures}
"""


def table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table in Markdown."""
    return "\n".join(f"| {' | '.join(cells)} |" for cells in [heads, ["---"] * len(heads), *rows])


def write(survey_rows: Iterable[Sequence[str]], figure_rows: Iterable[Sequence[str]]) -> None:
    """Write the page."""
    PAGE.write_text(TEXT.format(surveys=table(surveys.COLUMNS, survey_rows), figures=table(FIGURES, figure_rows)))
