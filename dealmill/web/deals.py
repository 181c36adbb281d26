"""A deal that can be won, with its solution, for a program that plays: from a pack, from the store, or dealt and solved
at once. The seed chooses it: the same seed gives the same deal as long as the packs and the runs are the same."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import dealmill
from dealmill.pipeline.arguments import check_integer
from dealmill.pipeline.games import engine_of, find_game
from dealmill.pipeline.games.contract import Game
from dealmill.pipeline.games.deals import DealRange
from dealmill.pipeline.games.descriptions import Engine
from dealmill.pipeline.games.sampling import sampled

MAX_RUNS = 20
"""The newest runs of an engine that are searched for a deal."""
MAX_LOST = 20
"""How many deals of a grade are looked at to find one that can be won: the player may have played lost ones, too."""
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
            engine_of(pack.game, pack.run.referee_engine)
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
    return [
        WinnableDeal(entry.result(pack.run), entry.grade, deal_name(game, numbers, entry.line))
        for entry in pack.layouts
        if dealmill.Verdict.of(entry.verdict) is dealmill.Verdict.WINNABLE
    ]


def stored_deal(store: dealmill.Store, game: Game, engine: Engine, seed: int, grade: int | None) -> WinnableDeal | None:
    """Return a win of the newest run of the installed version of an engine that has one, of a grade if one is given;
    None if there is none, or it is not found in time. If the careful player grades the wins, he must have played them.

    Raises
    ------
    UsageError
        If there are grades, but not this one.
    """
    grader = engine if grade is None else game.grader(engine)
    if grader is None:
        return None
    numbers = None
    if grade is not None:
        check_integer("grade", grade, 1, len(grader.grades) + 1)
        numbers = grader.range_of_grade(grade)
    verdict = dealmill.Verdict.SCORED if grader.scores else dealmill.Verdict.WINNABLE
    solved = _runs_of(store, game, engine)
    for run in solved if grader is engine else _runs_of(store, game, grader):
        status = run.progress
        if not status.counts.get(verdict):
            continue
        same = [run] if grader is engine else [each for each in solved if each.progress.source == status.source]
        start = sampled(1, 1, status.items, seed)
        for after, before in (((run.id, start - 1), None), ((run.id, 0), (run.id, start))):
            page = store.query(
                run=run,
                verdict=verdict,
                value=numbers if grader.scores else None,
                nodes=None if grader.scores else numbers,
                after=after,
                before=before,
                limit=1 if grader is engine else MAX_LOST,
            )
            for result in page.search(SEARCH_SECONDS).results if same else ():
                if win := _win_at(same, result):
                    own = grade if grade is not None else win.grade
                    return WinnableDeal(win, own, deal_name(game, status.deals, win.line))
    return None


def _win_at(runs: Sequence[dealmill.Run], result: dealmill.Result) -> dealmill.Result | None:
    """Return the win of the layout of a result in one of these runs over its source, if there is one."""
    for run in runs:
        same = result if run.id == result.run else run.result(result.position)
        if same.verdict is dealmill.Verdict.WINNABLE and same.evidence is not None:
            return same
    return None


def _runs_of(store: dealmill.Store, game: Game, engine: Engine) -> list[dealmill.Run]:
    """Return the newest runs of the installed version of an engine, the newest first."""
    try:
        runs = store.select(engine=game.full_name(engine))[: -MAX_RUNS - 1 : -1]
    except dealmill.NotFoundError:
        return []
    return [run for run in runs if not run.progress.retracted and run.progress.version == engine.version]


def deal_name(game: Game, numbers: Mapping[str, object] | None, line: int) -> str | None:
    """Return the name of a deal of a range with these stored numbers; None if there is no range."""
    if numbers is None:
        return None
    return replace(DealRange.of(game, numbers), first=line, last=line).name.rpartition("-")[0]


def how_to_prepare(game: Game, engine: Engine, seed: int, grade: int) -> str:
    """Return why there is no deal of a grade, and what prepares some."""
    grader, served = game.grader(engine), "serve it with: dealmill web --pack FILE.json"
    run = f"dealmill run deal:{game.name}:seed={seed}:1-1000"
    if grader is None:
        return (
            f"{game.name} has grades only in a pack: make one with: {run}, and dealmill pack last FILE.json; {served}"
        )
    if grader is engine:
        return f"no deal of {game.name} of grade {grade} is prepared: solve some with: {run}"
    made = f"dealmill pack {game.name} FILE.json --each 20 --grades {grade}"
    return f"no deal of {game.name} of grade {grade} is prepared: make a pack with: {made}; it is found in this store"
