"""A deal that can be won, with its solution, for a program that plays: from a pack, from the store, or dealt and solved
at once. The seed chooses it: the same seed gives the same deal as long as the packs and the runs are the same."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import dealmill
from dealmill.pipeline.arguments import check_integer
from dealmill.pipeline.games import engine_of, find_game
from dealmill.pipeline.games.contract import Engine, Game
from dealmill.pipeline.games.deals import DealRange
from dealmill.pipeline.sampling import sampled

MOST_RUNS = 20
"""The newest runs of an engine that are searched for a deal."""
SEARCH_SECONDS = 0.02
"""How long a run is searched for a deal, behind the position that the seed chooses and before it."""


@dataclass(frozen=True, slots=True)
class WinnableDeal:
    """A deal that can be won: its result, its grade, and the name of the numbered deal, if it is one."""

    result: dealmill.Result
    grade: int | None
    deal: str | None


class Packs:
    """The packs from which deals are taken, by game."""

    def __init__(self, packs: Sequence[dealmill.Pack] = ()) -> None:
        self._deals: dict[str, list[WinnableDeal]] = {}
        for pack in packs:
            self._deals.setdefault(pack.game, []).extend(_wins(pack))

    @classmethod
    def read(cls, files: Sequence[Path]) -> "Packs":
        """Return the packs in these files.

        Raises
        ------
        InputError
            If a file cannot be read, or is not a pack.
        UsageError
            If a pack has no layout that can be won, or is of other rules than those of the installed game.
        NotFoundError
            If its game is not installed.
        """
        packs = list(map(dealmill.read_pack, files))
        for file, pack in zip(files, packs, strict=True):
            engine_of(pack.game, pack.run.rules_engine)
            if find_game(pack.game).rules_text != pack.rules_text:
                raise dealmill.UsageError(f"{file} is of other rules than those of the installed game {pack.game}")
            if not _wins(pack):
                raise dealmill.UsageError(f"{file} has no layout that can be won")
        return cls(packs)

    def choose(self, game: str, seed: int, grade: int | None) -> WinnableDeal | None:
        """Return a deal from the packs of a game; None if there is no pack of it.

        Raises
        ------
        NotFoundError
            If they have no deal of this grade.
        """
        if not (of_game := self._deals.get(game)):
            return None
        deals = [deal for deal in of_game if grade in (None, deal.grade)]
        if not deals:
            grades = ", ".join(map(str, sorted({deal.grade for deal in of_game if deal.grade is not None})))
            raise dealmill.NotFoundError(f"the packs of {game} have no grade {grade}, only {grades}")
        return deals[sampled(1, 1, len(deals), seed) - 1]


def _wins(pack: dealmill.Pack) -> list[WinnableDeal]:
    """Return the layouts of a pack that can be won."""
    game, numbers = find_game(pack.game), None if pack.deals is None else pack.deals.model_dump()
    results = [
        (
            entry.grade,
            dealmill.Result(
                pack.run.engine,
                entry.layout,
                dealmill.Verdict.of(entry.verdict),
                entry.value,
                entry.nodes,
                entry.evidence,
                entry.position,
                entry.line,
                checked_as=pack.run.checked_as,
            ),
        )
        for entry in pack.layouts
    ]
    return [
        WinnableDeal(result, grade, deal_name(game, numbers, result.line))
        for grade, result in results
        if result.verdict is dealmill.Verdict.WINNABLE
    ]


def stored_deal(store: dealmill.Store, game: Game, engine: Engine, seed: int, grade: int | None) -> WinnableDeal | None:
    """Return a win of the newest run of the installed version of an engine that has one, of a grade of the engine if
    one is given; None if there is none, or it is not found in time.

    Raises
    ------
    UsageError
        If the engine has grades, but not this one.
    """
    if grade is not None:
        if not engine.grades:
            return None
        check_integer("grade", grade, 1, len(engine.grades) + 1)
    nodes = None if grade is None else engine.nodes_of_grade(grade)
    for run in _runs_of(store, game.full_name(engine)):
        status = run.progress
        if status.retracted or status.version != engine.version or not status.counts.get(dealmill.Verdict.WINNABLE):
            continue
        start = sampled(1, 1, status.items, seed)
        for after, before in (((run.id, start - 1), None), ((run.id, 0), (run.id, start))):
            wins = store.query(
                run=run, verdict=dealmill.Verdict.WINNABLE, nodes=nodes, after=after, before=before, limit=1
            )
            for result in wins.search(SEARCH_SECONDS).results:
                return WinnableDeal(result, result.grade, deal_name(game, status.deals, result.line))
    return None


def _runs_of(store: dealmill.Store, engine: str) -> list[dealmill.Run]:
    """Return the newest runs of an engine, the newest first."""
    try:
        return store.select(engine=engine)[: -MOST_RUNS - 1 : -1]
    except dealmill.NotFoundError:
        return []


def deal_name(game: Game, numbers: Mapping[str, object] | None, line: int) -> str | None:
    """Return the name of a deal of a range with these stored numbers; None if there is no range."""
    if numbers is None:
        return None
    return replace(DealRange.of(game, numbers), first=line, last=line).name.rpartition("-")[0]


def how_to_prepare(game: Game, engine: Engine, seed: int, grade: int) -> str:
    """Return why there is no deal of a grade, and what prepares some."""
    pack = "serve a pack of it: dealmill web --pack FILE.json"
    if not engine.grades:
        return f"{game.name} has grades only in a pack; {pack}"
    run = f"dealmill run deal:{game.name}:seed={seed}:1-1000"
    return f"no deal of {game.name} of grade {grade} is prepared; solve some: {run}; or {pack}"
