"""Compare verdicts on decks of Pyramid and TriPeaks with published ones: ``make reproduce PYRAMID=FILE``.

FILE has a deck of 52 cards such as ``6d`` on each line, as ``resources/random-decks.txt`` of mchung94/pyramid-solver
has: the rows from the top, then in TriPeaks the card in the hole, then the stock, the card first that is turned first.
Of these 1,500 decks, that program wins 998 by Microsoft's rules, and mchung94/solitaire-player 1,457 in TriPeaks. With
``--answers``, a CSV file with the columns ``number`` and ``result``, ``solved`` or ``unsolvable``, each verdict on
Pyramid is compared, too.
"""

import csv
import sys
from argparse import ArgumentParser
from collections.abc import Iterator
from pathlib import Path

from dealmill.pipeline.games import find_game
from dealmill.pipeline.games.batch import to_batch, to_texts
from dealmill.pipeline.games.covering import CoveringGame
from dealmill.pipeline.games.reading import read_one
from dealmill.verdicts import Verdict

PUBLISHED = {"pyramid": 998, "tripeaks": 1_457}
"""How many of the 1,500 decks are won."""
DECKS = 1_500
RESULTS = {"solved": Verdict.WINNABLE, "unsolvable": Verdict.UNWINNABLE}


def main() -> int:
    """Print how many decks are won; 1 if a verdict differs from a published one."""
    parser = ArgumentParser(description="Compare verdicts on decks of Pyramid and TriPeaks with published ones.")
    parser.add_argument("file", type=Path, help="a deck on each line")
    parser.add_argument("--answers", type=Path, help="a CSV file with the columns number and result, for Pyramid")
    options = parser.parse_args()
    decks = [line.split() for line in options.file.read_text().splitlines()]
    contradicts = False
    for name, published in PUBLISHED.items():
        verdicts = list(_verdicts(name, decks))
        won = verdicts.count(Verdict.WINNABLE)
        expected = f", {published:,} published" if len(decks) == DECKS else ""
        sys.stdout.write(f"{name}: {won:,} of {len(decks):,} decks are won{expected}; all evidence is refereed\n")
        contradicts |= len(decks) == DECKS and won != published
        if name == "pyramid" and options.answers:
            with options.answers.open(newline="") as file:
                answers = {int(row["number"]): RESULTS[row["result"]] for row in csv.DictReader(file)}
            differing = [number for number, verdict in answers.items() if verdicts[number - 1] is not verdict]
            sys.stdout.write(
                f"  {len(answers):,} answers; contradictions: {', '.join(map(str, differing)) or 'none'}\n"
            )
            contradicts |= bool(differing)
    return int(contradicts)


def _verdicts(name: str, decks: list[list[str]]) -> Iterator[Verdict]:
    """Yield the verdicts on decks, whose evidence is refereed."""
    game = find_game(name)
    assert isinstance(game, CoveringGame)  # noqa: S101 -- a game of Dealmill
    layouts = [read_one(game, _layout(game, deck)) for deck in decks]
    solved = to_batch(game.solvers["winnable"](to_texts(layouts)))
    for layout, verdict, evidence in zip(layouts, solved.verdicts, solved.evidence, strict=True):
        game.compiled_check("winnable", layout, verdict, None, evidence or "")
        yield verdict


def _layout(game: CoveringGame, deck: list[str]) -> str:
    """Return the position in which a deck is dealt."""
    cards = iter(deck)
    rows = "/".join("".join(next(cards) for _ in range(size)) for size in game.rules.row_sizes)
    hole = f"hole:{next(cards)}" if game.rules.moves == "hole" else ""
    return f"{game.name} {rows} {hole} stock:{''.join(cards)}"


if __name__ == "__main__":
    sys.exit(main())
