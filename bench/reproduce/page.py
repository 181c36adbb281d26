"""The page of results, which ``make docs`` writes from docs/results.json."""

from collections.abc import Iterable, Sequence
from decimal import Decimal

from bench.reproduce.proofs import Proofs
from bench.reproduce.results import DATA, FigureRow, Results, Row, SurveyRow
from dealmill.pipeline.games import find_engine

PAGE = DATA.with_suffix(".md")
SURVEY_COLUMNS = ["question", "95 % interval; of the deals solved", "exact", "published", "deals", "fingerprint"]
GAME_COLUMNS = ["game", "winnable (95 %)", "won", "lost", "undecided", "published, %", "losses by", "positions"]
GAME_COLUMNS += ["fingerprint"]
FIGURE_COLUMNS = ["figure", "source", "theirs", "ours", "agrees"]
ORIGIN_COLUMNS = ["version", "date", "command"]
WIDE = 2
"""Percentage points, between the ends of an interval."""
TEXT = """\
# What is known

[results.json](results.json) has every figure of this page, with its whole fingerprint and who else found it; [its
schema](results.schema.json) says how. The name of a row is a link to it. A row has the version of its engine, the day
and the version of Dealmill, the beginning of the fingerprint of its run, and the command that repeats it. Where there
is a later version of the engine, the row says so: it was not computed again with that one. In a clone, `make reproduce`
computes all again, and `.venv/bin/python -m bench.reproduce NAME…` single rows by the names in their links; then `make
docs` writes this page.

A published figure agrees if exact numbers are equal, rounded ones are right to their last digit, and means of samples
are at most three standard errors of both apart; where a figure allows more, its name says so.

## Surveys of random deals

Each figure is the share or the mean over random deals of seed 1, with its 95 % confidence interval. Where the exact
figure over all deals is known, it stands beside it, with the distance in standard errors. The command repeats the
survey, with the same fingerprint on every machine. [Card pairing by size](sizes.md) has further surveys.

{surveys}

## Patiences

How many random deals of seed 1 can be won if all cards are known: of 10,000 deals within 1,000,000 nodes each, or as
many as the command says. The interval counts undecided deals as lost at its low end and as won at its high end. Each
win has its moves, and each loss a proof: `dealmill audit` has a referee check them, as `make reproduce` does. The
published figures are those of Blake and Gent (*The Winnability of Klondike Solitaire and Many Other Patience Games*,
[arXiv 1906.12314](https://arxiv.org/abs/1906.12314)), and of lonelybot, for other deals by the same rules. Blake and
Gent's program plays the Spider family [by easier rules](beside-others.md#spider-and-its-relatives).

The column "losses by" says which [forms of evidence](patience.md#evidence) prove the losses: a *list* of the cards that
matter, a *count* of all positions, a *sweep* over sets of cards, or the form that begins with the word in the column.
Then come the median, the 90th percentile and the largest of the numbers of positions that they count. Both are empty
where no deal is lost, and in rows from before the columns.

Of Solvitaire's deals 1 to 10,000 of Klondike (seed 0), 8,131 can be won and 1,869 cannot, all decided and refereed. No
verdict on the first 5,000 contradicts those of Dang and others (*Constraint Models for Klondike*, CP 2025). `make
reproduce KLONDIKE=FILE` compares them again.

Intervals are at most two percentage points wide, but for undecided deals. They are wider where some deals take seconds,
so that 1,000 are searched:
{wide}.

Of Klondike, 20,000 deals are searched within 200,000,000 nodes, so that none is undecided. Only three of those that
turn three cards need more than the default limit of 20,000,000: 7449, 7779 and 13185.

{patiences}

## Covering games

The same for [TriPeaks, Pyramid and other covering games](covering.md), with the default limit of each: all deals are
decided. The published figures are those of mchung94/pyramid-solver and mchung94/solitaire-player, which win 998 and
1,457 of their 1,500 decks, and of solitairewinrates.com.

{covering_games}

## Public figures

Figures that others have published or that were found before, and what we find for them.

{figures}
"""


def table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table in Markdown."""
    return "\n".join(f"| {' | '.join(cells)} |" for cells in [heads, ["---"] * len(heads), *rows])


def page() -> str:
    """Return the text of the page."""
    results = Results.load()
    return TEXT.format(
        surveys=table([*SURVEY_COLUMNS, *ORIGIN_COLUMNS], map(_survey_cells, results.surveys)),
        patiences=table([*GAME_COLUMNS, *ORIGIN_COLUMNS], map(_game_cells, results.patiences)),
        covering_games=table([*GAME_COLUMNS, *ORIGIN_COLUMNS], map(_game_cells, results.covering_games)),
        wide=", ".join(row.title for row in results.patiences if _is_wide(row)),
        figures=table([*FIGURE_COLUMNS, *ORIGIN_COLUMNS], map(_figure_cells, results.figures)),
    )


def _is_wide(row: SurveyRow) -> bool:
    """Whether the interval would be wider than two percentage points if no deal were undecided."""
    return float(row.high) - float(row.low) - 100 * (row.undecided or 0) / row.deals > WIDE


def _survey_cells(row: SurveyRow) -> list[str]:
    unit = " %" if row.estimate == "winnability" else ""
    low, high = (f"{Decimal(digits):,}{unit}" for digits in (row.low, row.high))
    interval = "; ".join([f"{low} to {high}", *([f"{Decimal(row.value):,}{unit}"] if row.value else [])])
    exact = f"{row.exact.value}{unit}, {row.exact.standard_errors} standard errors" if row.exact else ""
    return [
        _name(row, row.title),
        interval,
        exact,
        _published(row) or "none known",
        f"{row.deals:,}",
        f"`{row.fingerprint[:12]}`",
        *_origin(row),
    ]


def _game_cells(row: SurveyRow) -> list[str]:
    counts = [f"{count:,}" for count in (row.winnable, row.unwinnable, row.undecided)]
    return [
        _name(row, row.title),
        f"{row.low} % to {row.high} %",
        *counts,
        _published(row),
        *_proofs(row.proofs),
        f"`{row.fingerprint[:12]}`",
        *_origin(row),
    ]


def _figure_cells(row: FigureRow) -> list[str]:
    name = _name(row, f"{row.game}: {row.title}")
    agrees = "yes" if row.agrees else "**no**"
    return [name, row.published.source, row.published.number.text, row.ours.text, agrees, *_origin(row)]


def _name(row: Row, text: str) -> str:
    return f'<a id="{row.anchor}" href="#{row.anchor}">{text}</a>'


def _published(row: SurveyRow) -> str:
    """Return what others found, and whether it agrees."""
    figures = [
        f"{published.text}: {'agrees' if row.agrees_with(published) else '**differs**'}" for published in row.published
    ]
    return "; ".join(figures)


def _proofs(proofs: Proofs | None) -> tuple[str, str]:
    """Return the forms of evidence, with numbers of losses if there are several, and the numbers of positions."""
    if proofs is None:
        return "", ""
    only = len(proofs.forms) == 1
    forms = (form if only else f"{form} {count:,}" for form, count in proofs.forms.items())
    return ", ".join(forms), f"{proofs.median:,} / {proofs.ninetieth:,} / {proofs.largest:,}"


def _origin(row: Row) -> list[str]:
    version = row.version or ""
    if row.engine and row.version != (latest := find_engine(row.engine)[1].version):
        version += f"; there is {latest}"
    return [version, f"{row.date}, {row.dealmill}", f"`{row.command}`"]
