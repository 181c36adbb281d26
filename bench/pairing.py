"""Card pairing of any size against other solvers: clingo, python-sat, OR-tools, and a search over states.

All get the same deals. The options of the deals are worked out before the clock starts, so the time of the others is
that of building their models and solving; ours includes reading the text and writing the evidence.
"""

import os
import signal
from collections.abc import Callable, Iterator
from contextlib import suppress
from importlib.util import find_spec
from itertools import chain, combinations, permutations
from math import ceil, inf
from multiprocessing import get_context
from multiprocessing.connection import Connection
from resource import RUSAGE_SELF, getrusage
from statistics import median
from typing import NamedTuple

import numba
import numpy as np
from numpy.typing import NDArray

from bench.measure import NotInstalled, rounded, table
from dealmill.pipeline.games.card_pairing.certificates import Board, Card, Deal, Numbering, Option, deal_of
from dealmill.pipeline.games.card_pairing.rules import start
from dealmill.pipeline.games.verdict import Verdict
from dealmill.pipeline.solving.loading import load
from dealmill.pipeline.solving.solve import solve
from tests.doing import dealer

ENGINE = "card-pairing/winnable"
INSTALL = "The other solvers are not installed; `make bench-rivals` installs them and runs this benchmark."
SEED = 2000
"""That of the first set; each following set has the next one."""
DEALS = int(os.environ.get("DEALS", "3"))
"""The number of deals of each set."""
LIMIT = 10
"""Seconds of CPU time for a deal."""
COPIES = 20
"""The number of copies of a deal in a call of ours, since engines take batches."""
PROGRAM = """
1 { taken(O) : in(G, O) } 1 :- in(G, _).
#edge (X, Y) : below(X, Y).
#edge (X, Z) : taken(O), pair(O, X, Y), below(Y, Z).
"""
"""A card leaves before the one below it, and before the one below its mate."""
SETS = (
    (9, 4, 9),
    (13, 4, 13),
    (20, 4, 16),
    (36, 4, 24),
    (48, 4, 32),
    (60, 4, 40),
    (13, 8, 13),
    (13, 8, 26),
    (52, 8, 52),
    (100, 4, 50),
)
"""Ranks, suits and stacks."""
SMALL = "A,10 10,A"
"""A deal before the clock starts, for imports and compiled code."""


class Puzzle:
    """A deal: which card lies below which, and the options, of which a winning play takes one of each group."""

    def __init__(self, layout: str) -> None:
        self.layout = layout
        self.deal: Deal = deal_of(start(layout))
        board, numbering = Board(self.deal), Numbering(self.deal)
        options = [numbering.option(number) for number in range(numbering.options)]
        self.pairs = [[option, *_second_pair(board, option)] for option in options]
        containing: dict[Card, list[int]] = {}
        for number, pairs in enumerate(self.pairs):
            for card in {card for pair in pairs for card in pair}:
                containing.setdefault(card, []).append(number)
        self.groups = [containing[card] for card in numbering.groups]
        self.below = {card: card - 1 for stack in self.deal.stacks for card in stack[1:]}


def _second_pair(board: Board, option: Option) -> Iterator[Option]:
    if others := board.others(*option):
        yield others[0], others[1]


def by_ours(puzzle: Puzzle) -> bool:
    """Decide a deal as one of many, and write its evidence."""
    verdicts = set(solve(ENGINE, [puzzle.layout] * COPIES).verdicts)
    return {Verdict.WINNABLE: True, Verdict.UNWINNABLE: False}[verdicts.pop()]


def by_clingo(puzzle: Puzzle) -> bool:
    """Decide a deal by answer set programming, with an acyclicity constraint on the cards."""
    import clingo

    facts = [f"below({card},{lower})." for card, lower in puzzle.below.items()]
    facts += [f"in({group},{option})." for group, options in enumerate(puzzle.groups) for option in options]
    for option, pairs in enumerate(puzzle.pairs):
        facts += [f"pair({option},{upper},{mate}). pair({option},{mate},{upper})." for upper, mate in pairs]
    control = clingo.Control()
    control.add("base", [], PROGRAM + "".join(facts))
    control.ground([("base", [])])
    return bool(control.solve().satisfiable)


def by_clasp(puzzle: Puzzle) -> bool:
    """Decide a deal with the same model, given to clingo's solver rule by rule, without a text and its grounding."""
    import clingo

    control = clingo.Control()
    with control.backend() as backend:
        taken = [backend.add_atom() for _ in puzzle.pairs]
        backend.add_rule(taken, choice=True)
        for group in puzzle.groups:
            backend.add_rule([], [-taken[option] for option in group])
            for left, right in combinations(group, 2):
                backend.add_rule([], [taken[left], taken[right]])
        for card, lower in puzzle.below.items():
            backend.add_acyc_edge(card, lower, [])
        for option, pairs in enumerate(puzzle.pairs):
            for card, mate in chain.from_iterable(permutations(pair) for pair in pairs):
                if mate in puzzle.below:
                    backend.add_acyc_edge(card, puzzle.below[mate], [taken[option]])
    return bool(control.solve().satisfiable)


def by_sat(puzzle: Puzzle) -> bool:
    """Decide a deal with CaDiCaL, and add a clause for each cycle of its answer, until there is none."""
    from pysat.solvers import Cadical195

    with Cadical195() as solver:
        for group in puzzle.groups:
            solver.add_clause([option + 1 for option in group])
            for left, right in combinations(group, 2):
                solver.add_clause([-left - 1, -right - 1])
        while solver.solve():
            answer = solver.get_model() or []
            chosen = [option for option in range(len(puzzle.pairs)) if answer[option] > 0]
            cycles = _cycles(puzzle, chosen)
            if not cycles:
                return True
            for cycle in cycles:
                solver.add_clause([-option - 1 for option in cycle])
    return False


def _cycles(puzzle: Puzzle, chosen: list[int]) -> set[frozenset[int]]:
    """Play the chosen options; if tops stay, return the options of a shortest cycle through each that is in one."""
    option_of: dict[Card, int] = {}
    mate_of: dict[Card, Card] = {}
    for option in chosen:
        for card, mate in puzzle.pairs[option]:
            mate_of[card], mate_of[mate] = mate, card
            option_of[card] = option_of[mate] = option
    tops = {stack[-1] for stack in puzzle.deal.stacks if stack}
    waiting = list(tops)
    while waiting:
        card = waiting.pop()
        if card in tops and mate_of[card] in tops:
            uncovered = [puzzle.below[each] for each in (card, mate_of[card]) if each in puzzle.below]
            tops -= {card, mate_of[card]}
            tops.update(uncovered)
            waiting += uncovered
    return {frozenset(map(option_of.__getitem__, cycle)) for top in tops if (cycle := _cycle(puzzle, mate_of, top))}


def _cycle(puzzle: Puzzle, mate_of: dict[Card, Card], first: Card) -> list[Card]:
    """Return a shortest list of cards that starts with `first`, in which the mate of each card lies below the one
    before it, and that of `first` below the last one; if there is none, an empty list."""
    came_from = {first: first}
    for card in (queue := [first]):
        lower = card
        while lower in puzzle.below:
            lower = puzzle.below[lower]
            mate = mate_of[lower]
            if first in (lower, mate):
                return [card, *_back(came_from, card)]
            if mate not in came_from:
                came_from[mate] = card
                queue.append(mate)
    return []


def _back(came_from: dict[Card, Card], card: Card) -> Iterator[Card]:
    while came_from[card] != card:
        card = came_from[card]
        yield card


def by_constraints(puzzle: Puzzle) -> bool:
    """Decide a deal with CP-SAT: each card has the number of its move."""
    from ortools.sat.python import cp_model

    model = cp_model.CpModel()
    taken = [model.new_bool_var("") for _ in puzzle.pairs]
    cards = sum(map(len, puzzle.deal.stacks))
    moves = [model.new_int_var(0, cards // 2 - 1, "") for _ in range(cards)]
    for group in puzzle.groups:
        model.add_exactly_one(taken[option] for option in group)
    for card, lower in puzzle.below.items():
        model.add(moves[card] < moves[lower])
    for option, pairs in enumerate(puzzle.pairs):
        for card, mate in pairs:
            model.add(moves[card] == moves[mate]).only_enforce_if(taken[option])
    solver = cp_model.CpSolver()
    solver.parameters.num_workers = 1
    return {cp_model.OPTIMAL: True, cp_model.FEASIBLE: True, cp_model.INFEASIBLE: False}[solver.solve(model)]


def by_states(puzzle: Puzzle) -> bool:
    """Decide a deal by a compiled depth-first search over the heights of the stacks, which remembers lost states."""
    numbers = {rank: number for number, rank in enumerate(puzzle.deal.ranks)}
    rank_of = np.empty(sum(map(len, puzzle.deal.stacks)), dtype=np.int64)
    for rank, cards in puzzle.deal.ranks.items():
        rank_of[cards] = numbers[rank]
    starts = np.array([stack.start for stack in puzzle.deal.stacks], dtype=np.int64)
    tops = np.array([stack.stop for stack in puzzle.deal.stacks], dtype=np.int64)
    keys = np.random.default_rng(1).integers(1, 1 << 63, len(rank_of), dtype=np.uint64)
    return bool(_wins(rank_of, starts, tops, keys))


@numba.njit(cache=False)
def _wins(
    rank_of: NDArray[np.int64], starts: NDArray[np.int64], tops: NDArray[np.int64], keys: NDArray[np.uint64]
) -> bool:
    """Return whether some play wins. A state is the sum of the random 64-bit keys of the cards that are left."""
    state, depth = keys.sum(), 0
    lost = {state}  # so that the set has a type; no move leads there
    moves = np.zeros((len(keys) // 2 + 1, 2), dtype=np.int64)
    while 2 * depth < len(keys):
        left, right = moves[depth]
        while left < len(tops):
            right += 1
            if right >= len(tops):
                left, right = left + 1, left + 1
            elif tops[left] > starts[left] and tops[right] > starts[right]:
                card, mate = tops[left] - 1, tops[right] - 1
                if rank_of[card] == rank_of[mate] and state - keys[card] - keys[mate] not in lost:
                    break
        moves[depth] = left, right
        if left < len(tops):
            tops[left] -= 1
            tops[right] -= 1
            state -= keys[tops[left]] + keys[tops[right]]
            depth += 1
            moves[depth] = 0
        elif depth == 0:
            return False
        else:
            lost.add(state)
            depth -= 1
            left, right = moves[depth]
            state += keys[tops[left]] + keys[tops[right]]
            tops[left] += 1
            tops[right] += 1
    return True


class Rival(NamedTuple):
    """A solver, and the goals: how many times as long as ours it takes at least, at the median and at p99."""

    decide: Callable[[Puzzle], bool]
    median: float
    p99: float


RIVALS = {
    "clingo": Rival(by_clingo, 20, 3),
    "clingo without grounding": Rival(by_clasp, 0, 0),
    "CP-SAT": Rival(by_constraints, 150, 40),
    "lazy SAT": Rival(by_sat, 30, 40),
    "search over states": Rival(by_states, 0, 1),
}
Answer = tuple[bool | None, float]
"""Whether a deal can be won, or None if that takes too long; and the seconds."""


def against_rivals() -> str:
    """Return a table with a row per set: our times, and those of the others as multiples of ours."""
    if not all(map(find_spec, ("clingo", "ortools", "pysat"))):
        raise NotInstalled(INSTALL)
    load(ENGINE)
    headings = ["ranks × suits / stacks", "won", "ours, ms: median / p99 / most", *map(_heading, RIVALS)]
    return table(headings, [_row(SEED + number, *sizes) for number, sizes in enumerate(SETS)])


def _heading(name: str) -> str:
    goals = RIVALS[name][1:]
    return f"{name} (≥ {' / '.join(f'{goal:g}' if goal else '–' for goal in goals)})" if any(goals) else name


def _row(seed: int, ranks: int, suits: int, stacks: int) -> list[str]:
    layouts = dealer("card-pairing")(seed, 1, DEALS, ranks=ranks, suits=suits, stacks=stacks)
    ours = [(verdict, seconds / COPIES) for verdict, seconds in _answers(by_ours, layouts)]
    cells = [_times(*_ranked(ours), max(seconds for _, seconds in ours))]
    for name, rival in RIVALS.items():
        theirs = _answers(rival.decide, layouts)
        for layout, (verdict, _), (rival_verdict, _) in zip(layouts, ours, theirs, strict=False):
            if None not in (verdict, rival_verdict) and verdict != rival_verdict:
                raise RuntimeError(f"{name} and ours disagree on {layout}")
        cells.append(_ratios(ours, theirs, rival))
    won = sum(verdict is True for verdict, _ in ours)
    return [f"{ranks} × {suits} / {stacks}", f"{won} of {DEALS}", *cells]


def _ratios(ours: list[Answer], theirs: list[Answer], rival: Rival) -> str:
    """Return both ratios, in bold type where the goal is missed."""
    cells = []
    for mine, rival_time, goal in zip(_ranked(ours), _ranked(theirs), rival[1:], strict=True):
        more, seconds = ("> ", LIMIT) if rival_time == inf else ("", rival_time)
        cell = f"{more}{rounded(seconds / mine)}"
        cells.append(f"**{cell}**" if rival_time / mine < goal else cell)
    return " / ".join(cells)


def _times(*seconds: float) -> str:
    return " / ".join(rounded(1e3 * each) for each in seconds)


def _ranked(answers: list[Answer]) -> tuple[float, float]:
    """Return the median and the 99th percentile of the seconds; of fewer than a hundred deals, that is the most."""
    seconds = sorted(seconds for _, seconds in answers)
    return median(seconds), seconds[ceil(0.99 * len(seconds)) - 1]


def _answers(decide: Callable[[Puzzle], bool], layouts: list[str]) -> list[Answer]:
    """Decide deals in another process, in a new one after each that takes too long.

    If more than half of them do, the median is known to be above the limit, and the rest are left out.
    """
    answers: list[Answer] = []
    fork = get_context("fork")
    while len(answers) < len(layouts) and 2 * sum(verdict is None for verdict, _ in answers) <= len(layouts):
        receiver, sender = fork.Pipe(duplex=False)
        process = fork.Process(target=_decide_each, args=(decide, layouts[len(answers) :], sender))
        process.start()
        sender.close()
        with suppress(EOFError):
            while True:
                answers.append(receiver.recv())
        process.join()
        if process.exitcode == -signal.SIGPROF:
            answers.append((None, inf))
        elif process.exitcode:
            raise RuntimeError(f"{decide.__name__} failed")
    return answers


def _decide_each(decide: Callable[[Puzzle], bool], layouts: list[str], sender: Connection) -> None:
    """Send the answer for each deal. The signal at the end of the time ends this process."""
    decide(Puzzle(SMALL))
    for layout in layouts:
        puzzle = Puzzle(layout)
        signal.setitimer(signal.ITIMER_PROF, LIMIT)
        start = _cpu_seconds()
        verdict = decide(puzzle)
        seconds = _cpu_seconds() - start
        signal.setitimer(signal.ITIMER_PROF, 0)
        sender.send((verdict, seconds))


def _cpu_seconds() -> float:
    """Return the CPU time of this process. While there is a timer, `time.process_time` has the resolution of ticks."""
    spent = getrusage(RUSAGE_SELF)
    return spent.ru_utime + spent.ru_stime
