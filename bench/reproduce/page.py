"""The page of results, which ``make reproduce`` writes: surveys of all deals, and public figures beside ours."""

from collections.abc import Iterable, Sequence
from pathlib import Path

from bench.reproduce import families, surveys

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

## Patiences

How many random deals of seed 1 can be won if all cards are known: of 10,000 deals within 1,000,000 nodes each, or as
many as the command says, with the version of the engine that stands in the row. The interval counts undecided deals as
lost at its low end and as won at its high end. Each win has its moves, and each loss a proof: `dealmill audit` has a
referee check them, as `make reproduce` does. The published figures are those of Blake and Gent (*The Winnability of
Klondike Solitaire and Many Other Patience Games*, [arXiv 1906.12314](https://arxiv.org/abs/1906.12314)), for other
deals by the same rules. Their program plays the Spider family [by easier
rules](beside-others.md#spider-and-its-relatives).

{patiences}

## Covering games

The same for [TriPeaks, Pyramid and other covering games](covering.md), with the default limit of each: all deals are
decided. The published figures are those of mchung94/pyramid-solver and mchung94/solitaire-player, which win 998 and
1,457 of their 1,500 decks, and of solitairewinrates.com.

{covering_games}

## Public figures

Figures that others have published or that were found before, and what we find for them. They agree if exact numbers
are equal, rounded ones are right to their last digit, and means of samples are at most three standard errors of both
apart; where a figure allows more, its name says so.

{figures}
"""


def table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table in Markdown."""
    return "\n".join(f"| {' | '.join(cells)} |" for cells in [heads, ["---"] * len(heads), *rows])


Rows = Iterable[Sequence[str]]


def write(survey_rows: Rows, patience_rows: Rows, covering_rows: Rows, figure_rows: Rows) -> None:
    """Write the page."""
    PAGE.write_text(
        TEXT.format(
            surveys=table(surveys.COLUMNS, survey_rows),
            patiences=table(families.COLUMNS, patience_rows),
            covering_games=table(families.COLUMNS, covering_rows),
            figures=table(FIGURES, figure_rows),
        )
    )
