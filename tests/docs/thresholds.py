"""The page docs/grades.md, written from the grades that engines publish."""

from pathlib import Path

from dealmill.pipeline.games import games

PAGE = Path(__file__).parent.parent.parent / "docs" / "grades.md"
INTRODUCTION = """\
# Grades of difficulty

`dealmill deal GAME --winnable --grade 3` and `dealmill.winnable_deals` choose deals by grade. A deal that can be won
has the grade that the nodes of its search fall into, and the bounds are fixed for each game: the grade of a deal does
not depend on other deals, and stays the same as long as the version of the engine does. [Packs](packs.md) divide the
layouts of a run into grades of equal size instead.

The bounds are the most nodes of each grade; the last grade has no end. They divide the first 200 winnable deals of
seed 1 that need at most 100,000 nodes into fifths, so each grade has about every fifth deal that can be won. Where the
first 1,000 deals have fewer, they divide those, and in FreeCell without cells the first 50 of more deals. Card pairing
has fewer grades, since many of its deals have the same number of nodes. Games without grades are Camelot, whose engine
needs one node for each win, Golf, TriPeaks and Escalator, whose nodes are positions that can be reached, Pyramid, where
nodes and difficulty have [little in common](chances.md#beside-other-measures), British Canister, of which no deal is
won, games by rules of users, and those whose bounds are not set yet: Mrs. Mop, Baker's Dozen, Penguin, Thirty, FreeCell
with four to seven columns, Eight Off with any card in a space, and Klondike with a reserve.

`python -m bench.grades` prints the bounds of games by rules files, which were set with the present version of each
engine.

Nodes say how long a program searches. They agree only roughly with what people find hard: see
[how often a careful player wins](chances.md), by which packs can be graded.

"""


def page() -> str:
    """Return the text of the page; `make docs` writes it."""
    graded = [(game.name, engine.grades) for game in games().values() for engine in game.engines[:1] if engine.grades]
    last = max(len(ends) for _, ends in graded)
    lines = [["game", *(f"grade {number}, up to" for number in range(1, last + 1))], ["---"] * (last + 1)]
    lines += [[f"`{name}`", *(f"{end:,}" for end in ends), *[""] * (last - len(ends))] for name, ends in graded]
    return INTRODUCTION + "".join(f"| {' | '.join(line)} |\n" for line in lines)
