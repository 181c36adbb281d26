"""Compare the engines of patiences with Solvitaire, deal by deal, and write docs/beside-others.md.

``python -m bench.solvitaire PROGRAM ANSWERS``. The program is built by hand from github.com/thecharlieblake/Solvitaire.
Each answer is appended to ANSWERS, a CSV file, and is not computed again: an interrupted comparison goes on where it
was, and Solvitaire need not run again for the next version of the engine.
"""

import csv
import subprocess
import sys
from argparse import ArgumentParser
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from resource import RUSAGE_CHILDREN, getrusage
from signal import SIGKILL
from statistics import geometric_mean
from textwrap import fill
from time import process_time
from typing import NamedTuple

from bench.reproduce.families import known_as
from bench.reproduce.page import table
from dealmill.pipeline.games import find_game, games
from dealmill.pipeline.games.batch import to_strings
from dealmill.pipeline.games.names import games_by_name
from dealmill.pipeline.games.patience import Patience
from dealmill.pipeline.games.patience.deal import deal
from dealmill.pipeline.games.patience.schema import FIELD_SEED
from dealmill.pipeline.solving.loading import load
from dealmill.pipeline.solving.solve import solve
from dealmill.verdicts import Verdict

PAGE = Path(__file__).parent.parent / "docs" / "beside-others.md"
SECONDS = 1
"""The CPU time that Solvitaire has for a deal."""
NODES = 1_000_000
"""How many nodes ours may visit."""
FEWEST = 10
"""The deals that both must decide, for times to be compared."""
SOLVITAIRE = "Solvitaire"
NAMES = {"free-cell": "freecell"}
"""Our names of its presets, where they are not the same."""
DECIDED = (Verdict.WINNABLE, Verdict.UNWINNABLE)
VERDICTS = dict(zip(("solved", "unsolvable"), DECIDED, strict=True))
"""Its words for the verdicts."""
COLUMNS = [
    "game",
    "version",
    "won, lost, undecided",
    "Solvitaire",
    "decided by us alone",
    "by Solvitaire alone",
    "contradictions",
    "seconds",
    "Solvitaire, seconds",
    "both decide: its time / ours",
]
TEXT = """\
# Beside others

`make bench-rivals SOLVITAIRE=PROGRAM DEALS={deals}` measures this page again, and writes it. You build the program by
hand, from [its sources](https://github.com/thecharlieblake/Solvitaire), which are under the GPL 2; nothing of it is
part of Dealmill.

Each game has deals 1 to {deals} of seed 0, which are those of Solvitaire's numbers. Solvitaire may compute for
{seconds} s on each, and ours may visit {nodes:,} nodes, fewer than the default limit of most games. Times are CPU
seconds of one core. The start of Solvitaire is not counted: its time is less that of a call that only deals. Ours is
the time of one call for all deals, and includes reading them, and the count of positions that proves a loss;
Solvitaire gives no proofs. The last column compares the deals that both decide, if they are at least {fewest}, for
which ours is called again.

The presets of Solvitaire have the same names and rules as our files (FreeCell is `free-cell`) and as the variants of
[the page of names](games-by-name.md). In `klondike`, `canfield` and `northwest-territory`, it moves part of a run only
if that frees a card for a foundation, which wins the same deals; presets for other parts of runs are left out, since
they are the same games to us.

{summary}

{table}

## Spider and its relatives

Solvitaire has presets for Simple Simon, Will o’ the Wisp and Spiderette, but plays easier games, and they are left out
above: the presets say `only complete pile moves`, and its reader looks for `complete piles`, so that cards go to the
foundations one by one. It has been so since July 2018 (its commit b044ca4), a year before the first version of the
paper whose figures [What is known](results.md#patiences) shows. There, these games have no published figures.

The smallest deal that shows it has two ranks, in one column with the aces on the twos. Solvitaire wins it with eight
moves, and by the words of the preset there is no move:

```console
$ echo 'simple-simon:deck.ranks=2:tableau.sizes=8 2C2H2S2DACAHASAD' > two-ranks.txt
$ dealmill run two-ranks.txt --game simple-simon:deck.ranks=2:tableau.sizes=8
…
$ dealmill query last --csv | cut -d, -f3
verdict
unwinnable
```

Of the whole deck, Solvitaire wins deals 97 and 145 of Simple Simon, which are lost. Besides, it puts runs of one suit
only onto their own suit, ours onto any.

With both corrected by hand, which takes a line of its sources each, its rules are ours. Within 1 s a deal, it then
decides three of deals 1 to 50 of Simple Simon, which are lost (10, 24 and 28), none of deals 1 to 50 of Spiderette and
Will o’ the Wisp, and none of deals 1 to 20 of Spider and Mrs. Mop. On deals 1 to 30, ours decides 29 of Simple Simon,
the same three among them, with 0.02 s a deal; 21 of Spiderette with 0.10 s; and 28 of Will o’ the Wisp with 0.06 s. Of
deals 1 to 20 of Spider, it wins [five](decisions/0089-spider.md). They were measured once, by hand.
"""


class Answer(NamedTuple):
    """The verdict on a deal, and the CPU seconds that it took."""

    verdict: Verdict
    seconds: float

    @property
    def decided(self) -> bool:
        """Whether the deal is won or lost."""
        return self.verdict is not Verdict.UNDECIDED


class Answers:
    """A CSV file of answers, by solver, game and number of the deal."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._answers: dict[tuple[str, str, int], Answer] = {}
        if file.exists():
            with file.open(newline="") as lines:
                for solver, game, number, verdict, seconds in csv.reader(lines):
                    self._answers[solver, game, int(number)] = Answer(Verdict[verdict], float(seconds))

    def get(self, solver: str, game: str, deals: int) -> dict[int, Answer]:
        """Return the answers that there are for deals 1 to `deals`."""
        numbers = range(1, deals + 1)
        return {number: self._answers[key] for number in numbers if (key := (solver, game, number)) in self._answers}

    def add(self, solver: str, game: str, answers: Mapping[int, Answer]) -> None:
        """Append answers to the file."""
        with self._file.open("a", newline="") as lines:
            for number, answer in answers.items():
                self._answers[solver, game, number] = answer
                csv.writer(lines).writerow([solver, game, number, answer.verdict.name, f"{answer.seconds:.6f}"])


@dataclass(frozen=True)
class Comparison:
    """The answers of both solvers to the same deals of a game."""

    title: str
    version: str
    """The version of our engine."""
    pairs: Sequence[tuple[Answer, Answer]]
    """Ours, and Solvitaire's."""

    @property
    def both(self) -> list[tuple[Answer, Answer]]:
        """The deals that both decide."""
        return [(ours, theirs) for ours, theirs in self.pairs if ours.decided and theirs.decided]

    @property
    def alone(self) -> list[int]:
        """How many deals each decides alone."""
        return [sum(pair[side].decided for pair in self.pairs) - len(self.both) for side in (0, 1)]

    @property
    def seconds(self) -> list[float]:
        """The time of each."""
        return [sum(pair[side].seconds for pair in self.pairs) for side in (0, 1)]

    @property
    def contradictions(self) -> list[int]:
        """The numbers of the deals on which the verdicts differ."""
        pairs = enumerate(self.pairs, start=1)
        return [number for number, pair in pairs if {answer.verdict for answer in pair} == set(DECIDED)]

    @property
    def ratio(self) -> float | None:
        """Solvitaire's time for the deals that both decide, divided by ours; None if they are few, or the time is too
        short to be measured."""
        ours, theirs = (sum(pair[side].seconds for pair in self.both) for side in (0, 1))
        return theirs / ours if theirs > 0 and len(self.both) >= FEWEST else None

    @property
    def takes_longer(self) -> bool:
        """Whether ours takes longer in sum."""
        ours, theirs = self.seconds
        return ours > theirs

    @property
    def row(self) -> list[str]:
        """The row of the table."""
        counts = [Counter(pair[side].verdict for pair in self.pairs) for side in (0, 1)]
        return [
            self.title,
            self.version.partition("-")[0],
            *(", ".join(str(count[verdict]) for verdict in (*DECIDED, Verdict.UNDECIDED)) for count in counts),
            *map(str, self.alone),
            ", ".join(map(str, self.contradictions)) or "none",
            *(f"{seconds:.1f}" for seconds in self.seconds),
            "" if self.ratio is None else f"{self.ratio:.1f}",
        ]


def theirs(program: str, preset: str, number: int) -> Answer:
    """Let Solvitaire decide a deal."""
    call = ["prlimit", f"--cpu={SECONDS}", program, "--type", preset, "--random", str(number)]
    times = [_seconds_of_children()]
    done = subprocess.run([*call, "--classify"], check=False, capture_output=True, text=True)
    times.append(_seconds_of_children())
    subprocess.run([*call, "--deal-only"], capture_output=True, check=True)
    times.append(_seconds_of_children())
    if done.returncode != -SIGKILL:
        done.check_returncode()
    outcome = done.stdout.strip().rpartition(", ")[2]
    return Answer(VERDICTS.get(outcome, Verdict.UNDECIDED), 2 * times[1] - times[0] - times[2])


def _seconds_of_children() -> float:
    usage = getrusage(RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def ours(game: Patience, deals: int, decided: Collection[int]) -> dict[int, Answer]:
    """Decide deals within `NODES`, and those of them again that Solvitaire decided, too. Answers of one call
    have its mean time."""
    layouts = to_strings(deal(replace(game.rules, numbers="solvitaire"), FIELD_SEED, 1, deals))
    load(game.full_name(game.engines[0]))
    _solve(game, layouts[:1])  # compiled before it is timed
    verdicts, seconds = _solve(game, layouts)
    both = [number for number in decided if verdicts[number - 1] in DECIDED]
    _, seconds_of_both = _solve(game, [layouts[number - 1] for number in both])
    means = {True: seconds_of_both / max(len(both), 1), False: (seconds - seconds_of_both) / max(deals - len(both), 1)}
    return {number: Answer(verdict, means[number in both]) for number, verdict in enumerate(verdicts, start=1)}


def _solve(game: Patience, layouts: Sequence[str]) -> tuple[list[Verdict], float]:
    start = process_time()
    solved = solve(game.full_name(game.engines[0]), layouts, NODES if game.engines[0].max_nodes else None)
    return list(solved.verdicts), process_time() - start


def compared(program: str) -> dict[str, Patience]:
    """Return the presets that both play by the same rules, each with our game, the first preset of each game."""
    listed = subprocess.run([program, "--available-game-types"], capture_output=True, text=True, check=True)
    presets: dict[str, tuple[str, Patience]] = {}
    for preset in listed.stdout.split():
        name = NAMES.get(preset, preset)
        game = find_game(games_by_name().get(name, name)) if name in (*games(), *games_by_name()) else None
        if isinstance(game, Patience) and not game.rules.complete:
            presets.setdefault(game.name, (preset, game))
    return dict(presets.values())


def compare(program: str, preset: str, game: Patience, deals: int, answers: Answers) -> Comparison:
    """Compare the answers on a game, and compute those that are missing."""
    for number in sorted(set(range(1, deals + 1)) - set(answers.get(SOLVITAIRE, preset, deals))):
        answers.add(SOLVITAIRE, preset, {number: theirs(program, preset, number)})
        _tell(f"\r{preset}: Solvitaire, deal {number} of {deals}")
    engine, by_solvitaire = game.engines[0], answers.get(SOLVITAIRE, preset, deals)
    solver = f"{engine.version} with {NODES} nodes"
    if len(answers.get(solver, preset, deals)) < deals:
        _tell(f"\r{preset}: {solver}, {deals} deals\n")
        decided = [number for number, answer in by_solvitaire.items() if answer.decided]
        answers.add(solver, preset, ours(game, deals, decided))
    by_engine = answers.get(solver, preset, deals)
    pairs = [(by_engine[number], by_solvitaire[number]) for number in range(1, deals + 1)]
    title = game.title if game.name in games() else known_as(preset)
    return Comparison(title, str(engine.version), pairs)


def summary(comparisons: Sequence[Comparison]) -> str:
    """Return the sentences above the table."""
    ratios = [comparison.ratio for comparison in comparisons if comparison.ratio is not None]
    ours, theirs = (sum(comparison.alone[side] for comparison in comparisons) for side in (0, 1))
    contradictions = sum(len(comparison.contradictions) for comparison in comparisons)
    sentences = [
        f"Ours alone decides {ours:,} deals, Solvitaire alone {theirs:,}; they contradict each other on "
        f"{contradictions or 'none'}. On the deals that both decide, ours is {geometric_mean(ratios):.1f} times as "
        f"fast, as the geometric mean over {len(ratios)} games.",
        _sentence("Ours is slower there", (game for game in comparisons if game.ratio is not None and game.ratio < 1)),
        _sentence("Solvitaire decides more deals", (game for game in comparisons if game.alone[1] > game.alone[0])),
        _sentence("Ours takes longer in sum", (game for game in comparisons if game.takes_longer)),
    ]
    return "\n".join(fill(sentence, 120, initial_indent="- ", subsequent_indent="  ") for sentence in sentences)


def _sentence(what: str, games: Iterable[Comparison]) -> str:
    return f"{what} in {'; '.join(game.title for game in games) or 'none of the games'}."


def _tell(text: str) -> None:
    sys.stderr.write(text)
    sys.stderr.flush()


def main() -> int:
    """Write the page; 1 if there is a contradiction."""
    parser = ArgumentParser(prog="python -m bench.solvitaire", description="Compare our verdicts with Solvitaire's.")
    parser.add_argument("program", help="Solvitaire, built by hand")
    parser.add_argument("answers", type=Path, help="a CSV file of answers, which is written and continued")
    parser.add_argument("--deals", type=int, default=200, help="the number of deals of each game (default: 200)")
    options = parser.parse_args()
    answers = Answers(options.answers)
    comparisons = [
        compare(options.program, preset, game, options.deals, answers)
        for preset, game in compared(options.program).items()
    ]
    text = TEXT.format(
        deals=options.deals,
        seconds=SECONDS,
        nodes=NODES,
        fewest=FEWEST,
        summary=summary(comparisons),
        table=table(COLUMNS, [comparison.row for comparison in comparisons]),
    )
    PAGE.write_text(text)
    return int(any(comparison.contradictions for comparison in comparisons))


if __name__ == "__main__":
    sys.exit(main())
