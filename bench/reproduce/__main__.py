"""Find all public figures again, tell how far it is, and write docs/results.md."""

import sys
from tempfile import TemporaryDirectory
from time import perf_counter

import dealmill
from bench.reproduce import families, page, surveys
from bench.reproduce.catalogue import ALL_FIGURES
from bench.reproduce.figures import Figure, Value, shown
from tests.programs.freecell import INSTALL, available


def main() -> int:
    """Print progress on stderr and write the page; 1 if a figure disagrees."""
    rows = []
    agreeing = 0
    if not available():
        _tell(f"The second opinion on FreeCell is left out: {INSTALL}\n")
    for number, figure in enumerate(ALL_FIGURES, start=1):
        _tell(f"[{number:2}/{len(ALL_FIGURES)}] {figure.game}: {figure.name} … ")
        start = perf_counter()
        ours = figure.compute()
        agrees = figure.agrees(ours)
        agreeing += agrees
        _tell(f"{perf_counter() - start:.1f} s{'' if agrees else ', DISAGREES'}\n")
        rows.append(_row(figure, ours, agrees))
    with TemporaryDirectory() as folder, dealmill.open(f"sqlite:///{folder}/reproduce.db") as store:
        page.write(surveys.rows(store), families.rows(store, "patience"), families.rows(store, "covering"), rows)
    _tell(f"\n{page.PAGE}: {agreeing} of {len(ALL_FIGURES)} figures agree\n")
    return int(agreeing < len(ALL_FIGURES))


def _row(figure: Figure, ours: Value, agrees: bool) -> list[str]:
    return [figure.game, figure.name, figure.source, shown(figure.theirs), shown(ours), "yes" if agrees else "**no**"]


def _tell(text: str) -> None:
    sys.stderr.write(text)
    sys.stderr.flush()


if __name__ == "__main__":  # the processes that count samples import this module, too
    sys.exit(main())
