"""Solve pasted layouts, judge results and draw them: each in a process that ends if that takes too much time or memory,
since texts in a store may be anything."""

from collections import OrderedDict
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from threading import BoundedSemaphore, Lock, Thread
from typing import TypeVar

import dealmill
from dealmill.pipeline.games import engine_of
from dealmill.pipeline.games.caches import UncompiledError, nothing_compiled
from dealmill.pipeline.games.deals import is_deal_range, parse_deal
from dealmill.pipeline.games.verdict import RETRYABLE
from dealmill.pipeline.system.bounded import BoundedProcess, TooMuch
from dealmill.web.drawing import Steps, draw, draw_layout

TIME_LIMIT = 10
"""The longest time for solving a layout, judging a result, or drawing it."""
LOADING_TIME_LIMIT = 60
"""The longest time if an engine, or a referee, may have to be compiled."""
WAIT_LIMIT = 15
"""How long a request waits for those before it, in seconds."""
QUEUE_LIMIT = 15
"""The most requests that wait for a process; each of them takes one of the forty threads that make pages."""
DEFAULT_NODES, NODE_LIMIT = 200_000, 100_000_000
"""The node limit if none is given, unless the engine needs none, and the largest one."""
BUSY = "other layouts are being solved or drawn; try again in a minute"
LAYOUT_LIMIT = 10_000
"""The longest layout, in characters."""
MOVES_LIMIT = 10_000
"""The most characters of moves."""
DEALS_LIMIT = 20
"""How many deals are solved to find one that can be won."""
DEAL_NODES = 10_000_000
"""The node limit for each of them by engines that need none."""
JUDGEMENT_LIMIT = 500
"""The judgements that are kept, and the most that wait to be made."""
PATIENCE = 0.2
"""How long a page waits for a judgement, in seconds."""
SOLUTION_LIMIT = 20
"""The solutions that are kept, since each step of one is a page, and so is each move of a game that is played on."""

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Task:
    """A layout or the name of a numbered deal, to solve with the default engine of a game, or another one, within a
    node limit; None for the default one."""

    game: str
    layout: str
    engine: str | None
    max_nodes: int | None

    @property
    def limit(self) -> int:
        """The node limit: a sweep takes milliseconds, however many positions it visits.

        Raises
        ------
        NotFoundError, UsageError
            If there is no such game or engine.
        """
        if self.max_nodes is not None:
            return self.max_nodes
        _, engine = engine_of(self.game, self.engine)
        return NODE_LIMIT if engine.needs_no_limit else DEFAULT_NODES


class Busy(dealmill.UnavailableError):
    """Too many requests at once."""


def _load_games() -> None:
    """Import the installed games."""
    dealmill.games()


def _load_runtime() -> None:
    """Import the installed games and the compiler, which takes longer than to load the kernels of one engine."""
    from dealmill.pipeline.games.kernels import load_runtime

    _load_games()
    load_runtime()


class SharedProcess:
    """A process that requests use one after the other. When it has started, it calls the function `preparation`."""

    preparation = staticmethod(_load_games)

    def __init__(self) -> None:
        self.lock = Lock()
        self.process = BoundedProcess()
        self._room = BoundedSemaphore(1 + QUEUE_LIMIT)

    def start(self) -> None:
        """Start the process in the background, so that the first page need not wait for it."""
        Thread(target=self._prepare, daemon=True).start()

    def _prepare(self) -> None:
        with suppress(dealmill.DealmillError):  # the server may end before; the first page says what else is wrong
            self.call(LOADING_TIME_LIMIT, self.preparation)

    def call(self, seconds: int, function: Callable[..., T], *arguments: object) -> T:
        """Call a function in the process.

        Raises
        ------
        TooMuch
            If it takes too much time or memory.
        Busy
            If the process does not become free in time, or too many requests wait for it.
        DealmillError
            If the function raises any other error.
        """
        if not self._room.acquire(blocking=False):
            raise Busy(BUSY)
        try:
            if not self.lock.acquire(timeout=WAIT_LIMIT):
                raise Busy(BUSY)
            try:
                return self.process.call(seconds, function, *arguments)
            finally:
                self.lock.release()
        finally:
            self._room.release()

    def close(self) -> None:
        """End the process."""
        self.process.close()


class PasteSolver(SharedProcess):
    """The process that solves pasted layouts."""

    preparation = staticmethod(_load_runtime)

    def __init__(self) -> None:
        super().__init__()
        self._loaded: set[tuple[str, str | None]] = set()

    def solve(self, task: Task) -> tuple[dealmill.Result, dealmill.Judgement]:
        """Solve a layout, and check its evidence with the referee.

        Raises
        ------
        UsageError, NotFoundError
            If the layout or the engine is not valid, or it takes too much time or memory.
        Busy
            If the process does not become free in time, or too many requests wait for it.
        """
        return self._solved(task, _solve)

    def after(self, task: Task, moves: tuple[str, ...]) -> tuple[dealmill.After, dealmill.Judgement]:
        """Solve the position after some moves, and check its evidence with the referee. See `solve` for errors; a
        `UsageError` also says which move is not legal."""
        return self._solved(task, _after, moves)

    def _solved(self, task: Task, solve: Callable[..., T], *arguments: object) -> T:
        if len(task.layout) > LAYOUT_LIMIT:
            raise dealmill.UsageError(
                f"the layout has more than {LAYOUT_LIMIT:,} characters; solve it with: dealmill run"
            )
        try:
            return self._loaded_call(task.game, task.engine, solve, task, *arguments)
        except TooMuch as error:
            raise TooMuch(f"the layout {error}; lower the node limit, or solve it with: dealmill run") from error

    def deal(self, game: str, seed: int) -> dealmill.Result:
        """Return the first deal of a seed that can be won, which is one of the first `DEALS_LIMIT`; its line is the
        number of the deal.

        Raises
        ------
        NotFoundError
            If none of them is won within the limits.
        UsageError
            If the game has no such deals, or solving takes too much time or memory.
        Busy
            If the process does not become free in time, or too many requests wait for it.
        """
        try:
            return self._loaded_call(game, None, _deal, game, seed)
        except TooMuch as error:
            raise TooMuch(f"solving deals of {game} {error}; try another seed") from error

    def _loaded_call(self, game: str, engine: str | None, solve: Callable[..., T], *arguments: object) -> T:
        """Call a function that solves; if something must be compiled for it, it may take longer."""
        if (game, engine) not in self._loaded:
            self.call(LOADING_TIME_LIMIT, _load, game, engine)
            self._loaded.add((game, engine))
        solved = self.call(TIME_LIMIT, _without_compiling, solve, *arguments)
        return solved or self.call(LOADING_TIME_LIMIT, solve, *arguments)


class Drawer(SharedProcess):
    """The process that draws results."""

    def __init__(self) -> None:
        super().__init__()
        self._stopped: dict[dealmill.Result, TooMuch] = {}

    def steps(
        self, result: dealmill.Result, number: int | None, *, as_text: bool = False, open_cards: bool = False
    ) -> Steps | None:
        """Return what `draw` does.

        Raises
        ------
        DealmillError
            If the game is not installed, or drawing takes too much time or memory.
        """
        if result in self._stopped:
            raise self._stopped[result]
        try:
            return self.call(TIME_LIMIT, draw, result, number, as_text, open_cards)
        except TooMuch as error:
            if len(self._stopped) == JUDGEMENT_LIMIT:
                self._stopped.clear()
            self._stopped[result] = TooMuch(f"drawing it {error}")
            raise self._stopped[result] from error

    def layout(self, result: dealmill.Result) -> str | None:
        """Return the picture of the layout of a result, None if its text is not a layout.

        Raises
        ------
        DealmillError
            If the game is not installed, or drawing takes too much time or memory.
        """
        return self.call(TIME_LIMIT, draw_layout, result)

    def playback(self, result: dealmill.Result) -> dealmill.Playback | None:
        """Return the solution of a result as data; None if the game does not tell, or the evidence cannot be played.

        Raises
        ------
        DealmillError
            If the game is not installed, or that takes too much time or memory.
        """
        try:
            return self.call(TIME_LIMIT, dealmill.Result.playback, result)
        except dealmill.InvalidEvidence:
            return None


class Judge:
    """The judgements on results, each made once in a process and kept for later views."""

    def __init__(self) -> None:
        self.process = BoundedProcess()
        self._lock = Lock()
        self._thread = ThreadPoolExecutor(1)
        self._kept: OrderedDict[dealmill.Result, Future[dealmill.Judgement]] = OrderedDict()

    def start(self) -> None:
        """Start the process, so that the first page need not wait for it."""
        self._thread.submit(self.process.call, LOADING_TIME_LIMIT, _load_games)

    def judge(self, result: dealmill.Result) -> dealmill.Judgement | None:
        """Return the judgement on a result; None if it takes longer than a page waits.

        Raises
        ------
        DealmillError
            If the game is not installed, or the referee takes too much time or memory.
        """
        with self._lock:
            judgement = self._kept.get(result)
            if judgement is None or _may_succeed_later(judgement):
                judgement = self._kept[result] = self._thread.submit(self.judge_now, result)
            self._kept.move_to_end(result)
            while len(self._kept) > JUDGEMENT_LIMIT:
                self._kept.popitem(last=False)[1].cancel()
        try:
            return judgement.result(PATIENCE)
        except TimeoutError:
            return None

    def judge_now(self, result: dealmill.Result) -> dealmill.Judgement:
        """Have the process check the evidence of a result with the referee.

        Raises
        ------
        DealmillError
            If the game is not installed, or the referee takes too much time or memory.
        """
        try:
            judgement = self.process.call(TIME_LIMIT, _without_compiling, dealmill.Result.check, result)
            return judgement or self.process.call(LOADING_TIME_LIMIT, dealmill.Result.check, result)
        except TooMuch as error:
            raise TooMuch(f"checking it {error}; use: dealmill audit {result.run}") from error

    def close(self) -> None:
        """End the process."""
        self._thread.shutdown(wait=False, cancel_futures=True)
        self.process.close()


def _may_succeed_later(judgement: Future[dealmill.Judgement]) -> bool:
    """Return whether a judgement was not made, for another reason than that it takes too long."""
    if judgement.cancelled():
        return True
    return judgement.done() and not isinstance(judgement.exception(), TooMuch | None)


def _load(name: str, engine: str | None) -> None:
    """Have an engine compiled by solving a numbered deal."""
    game, _ = engine_of(name, engine)
    deal = dealmill.deals(game.name, seed=1, first=4, count=1)
    dealmill.solve(name, deal, engine=engine, max_nodes=1)


def _without_compiling(function: Callable[..., T], *arguments: object) -> T | None:
    """Call a function. Return None if it needs kernels that are not compiled yet, which would take too long."""
    try:
        with nothing_compiled():
            return function(*arguments)
    except UncompiledError:
        return None


@lru_cache(maxsize=SOLUTION_LIMIT)
def _solve(task: Task) -> tuple[dealmill.Result, dealmill.Judgement]:
    if is_deal_range(task.layout):
        deal = parse_deal(task.layout)
        [result] = dealmill.solve(task.game, deal, engine=task.engine, max_nodes=task.limit)
    else:
        result = dealmill.solve(task.game, task.layout, engine=task.engine, max_nodes=task.limit)
    return result, _judgement(result)


def _judgement(result: dealmill.Result) -> dealmill.Judgement:
    if (result.evidence or "").startswith(f"{RETRYABLE}{MemoryError.__name__}"):
        raise MemoryError
    return result.check()


def named_layout(game: str, layout: str) -> str:
    """Return the layout of a numbered deal, given by its name, or any other text as it is.

    Raises
    ------
    UsageError, NotFoundError
        If there is no such deal, or it is of another game.
    """
    if not is_deal_range(layout):
        return layout
    deals = parse_deal(layout)
    if deals.game.name != engine_of(game)[0].name:
        raise dealmill.UsageError(f"{layout} is not of {game}: choose the game {deals.game.name}")
    [deal] = deals
    return deal.text


@lru_cache(maxsize=SOLUTION_LIMIT)
def _after(task: Task, moves: tuple[str, ...]) -> tuple[dealmill.After, dealmill.Judgement]:
    layout = named_layout(task.game, task.layout)
    try:
        position = dealmill.after(task.game, layout, moves, engine=task.engine, max_nodes=task.limit)
    except dealmill.InvalidEvidence as error:
        raise dealmill.UsageError(f"these moves cannot be played: {error}") from None
    return position, _judgement(position.result)


@lru_cache(maxsize=SOLUTION_LIMIT)
def _deal(name: str, seed: int) -> dealmill.Result:
    from dealmill.pipeline.solving.winnable import check_grade, default_limit, winnable_deals  # loads the compiler

    game, engine = engine_of(name)
    check_grade(game, engine, None)
    deals = dealmill.deals(game.name, seed=seed)
    try:
        return next(winnable_deals(deals, engine, None, default_limit(engine) or DEAL_NODES, DEALS_LIMIT))
    except dealmill.NotFoundError:
        raise dealmill.NotFoundError(
            f"none of the first {DEALS_LIMIT} deals of {name} with the seed {seed} was won within the node limit; try "
            "another seed, or serve a pack: dealmill web --pack FILE.json"
        ) from None
