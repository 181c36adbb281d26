"""The page docs/grades.md, written from the grades that engines publish."""

from pathlib import Path

from dealmill.pipeline.games import games
from dealmill.pipeline.games.careful import COMMON_BOUNDS

PAGE = Path(__file__).parent.parent.parent / "docs" / "grades.md"
INTRODUCTION = """\
# Grades of difficulty

`dealmill deal GAME --winnable --grade 3`, `GET /api/deal?grade=3`, [packs](packs.md) and calendars choose deals by
grade. The bounds of the grades are fixed for each game: the grade of a deal does not depend on other deals, and stays
the same as long as the version of the engine does.

## By the chance of a careful player

In patiences and covering games, a deal that can be won is graded by its [chance](chances.md): how often a careful
player, who sees only the cards that lie face up, wins it. Grade 1 has the deals that he wins most
often, grade 4 those that he wins at least once in 1,000 plays, and grade 5 those that he never wins, and only these.
So it counts how often people would fail, not how long a program searches: the two agree [only
loosely](chances.md#beside-other-measures).

The bounds of a game divide the deals that he wins at least once into four parts of about equal size: the first 40
such deals of seed 1 that are won within 100,000 nodes, or as many as one minute allows. They are rounded to two
digits, and `python -m bench.grades` prints them again. A game that is not in this list has the common bounds, also
one from your own rules file.

How often a grade occurs depends on the game. In FreeCell, he wins nearly every deal at least once, so grade 5 is
rare. In Klondike, grade 5 has about half of the deals that can be won if one card is turned, and three quarters with
three cards. `dealmill pack` says how many deals it needs.

"""
NODES = """
## By nodes

Games without a careful player have grades by the nodes of the search. The bounds are the most nodes of each grade;
the last grade has no end. They divide the first 200 winnable deals of seed 1 into parts of about equal size. All
other games have grades only in [packs](packs.md), which divide the layouts of a run among themselves.

"""


def page() -> str:
    """Return the text of the page; `make docs` writes it."""
    graded = [(game, engine) for game in games().values() for engine in game.engines if engine.grades]
    chances = [["common bounds", *map(_percent, COMMON_BOUNDS), "above 0", "0"]]
    chances += [
        [f"`{game.name}`", *map(_percent, engine.grades[:-1]), "above 0", "0"]
        for game, engine in graded
        if engine.scores and engine.grades[:-1] != COMMON_BOUNDS
    ]
    nodes = [[f"`{game.name}`", *map("{:,}".format, engine.grades)] for game, engine in graded if not engine.scores]
    last = max(map(len, nodes))
    by_chance = _table(["game", *(f"grade {number}, from" for number in (1, 2, 3)), "grade 4", "grade 5"], chances)
    by_nodes = _table(["game", *(f"grade {number}, up to" for number in range(1, last))], nodes)
    return INTRODUCTION + by_chance + NODES + by_nodes


def _percent(chance: int) -> str:
    return f"{chance / 10_000:g} %"


def _table(heading: list[str], rows: list[list[str]]) -> str:
    lines = [heading, ["---"] * len(heading), *([*row, *[""] * (len(heading) - len(row))] for row in rows)]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)
