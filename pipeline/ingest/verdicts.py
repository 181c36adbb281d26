"""Files of verdicts of any solver: tables in the columns of an export, or with other names and words.

Each verdict has a layout and a verdict; a value, a node count and evidence are optional, and other columns are ignored.
What cannot be used becomes a reject. The verdicts are stored with their layouts, as a source and a run over it.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from dealmill.pipeline.arguments import NUMBERS
from dealmill.pipeline.deals import DealRange, parse_deals
from dealmill.pipeline.errors import InputError, InvalidEvidence, StoreError, UsageError
from dealmill.pipeline.games import find_engine, find_game
from dealmill.pipeline.games.batch import Entries, Solved, pack
from dealmill.pipeline.games.contract import Engine, Game, Reject
from dealmill.pipeline.games.reading import check_notation, read_moves
from dealmill.pipeline.games.verdict import Verdict
from dealmill.pipeline.ingest.cells import (
    LAYOUT,
    DealColumn,
    LayoutColumn,
    LayoutTable,
    Reasons,
    is_plain,
    row_entries,
    whole_number,
    word,
)
from dealmill.pipeline.ingest.files import STDIN, Reached, rereadable
from dealmill.pipeline.ingest.reading import Reading
from dealmill.pipeline.ingest.sources import LOOKED_AT, game_of_file
from dealmill.pipeline.ingest.tables import Column, Unreadable, is_missing, row_reader
from dealmill.pipeline.printable import printable
from dealmill.pipeline.record import RESULT
from dealmill.pipeline.referee import judge
from dealmill.pipeline.store.database.connections import Database
from dealmill.pipeline.store.database.row_checks import shown_value
from dealmill.pipeline.store.run_planning import plan_run
from dealmill.pipeline.store.runs.status import RunStatus, find_run, runs_over
from dealmill.pipeline.store.sources.writing import open_source

CLAIM_COLUMNS = (
    Column(("verdict", "result"), needed=True),
    *(Column((field.name,)) for field in RESULT if field.name not in ("position", "line", "layout", "verdict")),
)
SOLUTION_COLUMNS = (*CLAIM_COLUMNS[:-1], Column((*CLAIM_COLUMNS[-1].names, "solution", "moves")))
"""The same if solutions are in the notation of another program."""
SCORED, UNDECIDED, WINNABLE = int(Verdict.SCORED), int(Verdict.UNDECIDED), int(Verdict.WINNABLE)
NODE_COUNTS = range(NUMBERS.stop)
"""The node counts that can be stored."""


@dataclass(frozen=True, slots=True)
class ImportEngine:
    """The engine that verdicts are imported for.

    `checked_as` is the full name of an installed engine, as which the referee checks them; None if `name` is the full
    name of an installed engine itself. `may_claim` says whether its verdicts may be without evidence. `words` has the
    verdicts that it can give, by the words for them.
    """

    game: Game
    name: str
    version: str
    checked_as: str | None
    may_claim: bool
    words: Mapping[str, int]
    notation: str | None = None
    """The program in whose notation solutions are, if it is not that of evidence."""

    @classmethod
    def of(
        cls, game: Game, engine: str, version: str, checked_as: str | None, words: Mapping[str, str]
    ) -> "ImportEngine":
        """Return the engine of a game with a name, which may be without that of the game. `words` are other words for
        verdicts.

        Raises
        ------
        NotFoundError
            If there is no such engine as `checked_as`.
        UsageError
            If a name, a word or the version cannot be used.
        """
        name = engine.removeprefix(f"{game.name}/")
        if not re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", name):
            raise UsageError(f"{engine!r} is not the name of an engine; write GAME/NAME in lower case")
        if not re.fullmatch(r"[!-~]{1,40}", version):
            raise UsageError(f"{version!r} is not a version; write up to 40 characters without spaces")
        installed: dict[str, Engine] = {known.name: known for known in game.engines}
        if name in installed and checked_as is not None:
            raise UsageError(f"{game.name}/{name} is installed, and is checked as itself: leave out --checked-as")
        if name in installed:
            words_of = _verdict_words(game, installed[name], words)
            return cls(game, f"{game.name}/{name}", version, None, installed[name].program is not None, words_of)
        judging, like = find_engine(checked_as or game.name, game)
        if judging.name != game.name:
            raise UsageError(f"{checked_as} is not an engine of {game.name}")
        return cls(game, f"{game.name}/{name}", version, game.full_name(like), True, _verdict_words(game, like, words))

    def solution(self, layout: str, text: object) -> str:
        """Return a solution as evidence.

        Raises
        ------
        InvalidEvidence
            If it cannot be read, or does not win.
        """
        if not isinstance(text, str) or self.notation is None:
            raise InvalidEvidence(0, f"the solution is {shown_value(text)}, not text")
        return read_moves(self.game, layout, text, self.notation, whole=True)

    def proves(self, layout: str, verdict: int, value: int | None, evidence: str) -> bool:
        """Return whether evidence proves a verdict."""
        return judge(self.checked_as or self.name, layout, verdict, value, evidence).valid


def _verdict_words(game: Game, engine: Engine, others: Mapping[str, str]) -> dict[str, int]:
    """Return the codes of the verdicts that an engine can give, by their own and `others` words."""
    words = {verdict.word: int(verdict) for verdict in game.verdicts_of(engine)}
    renamed = dict[str, int]()
    for text, meaning in others.items():
        if meaning not in words:
            raise UsageError(
                f"{meaning!r} is not a verdict of {game.full_name(engine)}; choose one of: {', '.join(words)}"
            )
        if word(text) in words or word(text) in renamed:
            raise UsageError(f"the word {text!r} has two meanings: leave one out")
        renamed[word(text)] = words[meaning]
    return words | renamed


@dataclass(frozen=True, slots=True)
class VerdictTable:
    """A file of verdicts of an engine; `layouts` is its column of layouts or of numbers of deals."""

    engine: ImportEngine
    table: LayoutTable

    @property
    def name(self) -> str:
        """The name of its source."""
        return "stdin" if self.table.file == STDIN else printable(self.table.file)

    def digest(self, max_nodes: int | None) -> bytes:
        """Return the digest of the verdicts, which identifies their source. It covers all that gives them a meaning."""
        engine = self.engine
        about = f"verdicts of {engine.name} {engine.version} {engine.checked_as} {max_nodes}\n"
        if engine.notation:
            about += f"solutions as {engine.notation} writes them\n"
        if self.table.layouts != LayoutColumn(engine.game):
            about += f"{self.table.layouts.meaning}\n"
        about += "".join(
            [
                f"{text} is {Verdict(verdict)}\n"
                for text, verdict in engine.words.items()
                if text != Verdict(verdict).word
            ]
        )
        return self.table.digest(about)

    def entries(self, reached: Reached) -> Iterator[Entries]:
        """Yield the verdicts with their layouts, and the rejects."""
        columns = SOLUTION_COLUMNS if self.engine.notation else CLAIM_COLUMNS
        for rows, layouts in self.table.parts(columns, reached):
            outcomes, claims = list[str | Reasons](), list[Claim]()
            for (_, cells), layout in zip(rows, layouts, strict=True):
                claim, reasons = _claim(self.engine, layout, cells)
                if reasons:
                    outcomes.append(tuple(reasons))
                else:
                    outcomes.append(layout)
                    claims.append(claim)
            yield replace(row_entries(rows, outcomes), solved=_solved(claims))


Claim = tuple[int, int, int, str | None]
"""A verdict with its value, nodes and evidence; 0 or None where there is none."""


def _claim(engine: ImportEngine, layout: str | Reasons, cells: Sequence[Any]) -> tuple[Claim, Sequence[str]]:
    """Return the verdict in a row, and everything that is wrong with the row; the verdict is used only if that is
    nothing."""
    _, text, value, nodes, evidence = cells
    if isinstance(cells[0], Unreadable):
        return (0, 0, 0, None), layout
    reasons = [] if isinstance(layout, str) else [*layout]
    verdict = engine.words.get(text if isinstance(text, str) else "") or engine.words.get(word(text), 0)
    value, nodes, evidence = whole_number(value), whole_number(nodes), _evidence(evidence)
    if not verdict:
        reasons.append(f"the verdict is {shown_value(text)}, expected one of: {', '.join(engine.words)}")
    if verdict == SCORED and (type(value) is not int or value not in NUMBERS):
        reasons.append(f"the value is {shown_value(value)}, not a whole number of at most 40 bits")
    if value is not None and verdict != SCORED:
        reasons.append(f"the value is {shown_value(value)}, but only the verdict scored has one")
    if nodes is not None and (type(nodes) is not int or nodes not in NODE_COUNTS):
        reasons.append(f"the number of nodes is {shown_value(nodes)}, not a whole number of at most 40 bits")
    if engine.notation and evidence and verdict == WINNABLE and isinstance(layout, str):
        try:
            evidence = engine.solution(layout, evidence)
        except InvalidEvidence as error:
            return (0, 0, 0, None), [*reasons, f"the solution cannot be used: {error}"]
    if evidence is not None and not (isinstance(evidence, str) and is_plain(evidence)):
        reasons.append(f"the evidence is {shown_value(evidence)}, not one line of ASCII text")
    if evidence and verdict == UNDECIDED:
        reasons.append("the verdict is undecided, but there is evidence")
    if evidence == "" and not reasons and not engine.proves(str(layout), verdict, value, ""):
        evidence = None
    if evidence is None and verdict != UNDECIDED and not engine.may_claim:
        reasons.append("there is no evidence, but the engine gives some for each verdict: import it as another engine")
    return (verdict, value or 0, nodes or 0, evidence), reasons


def _evidence(cell: Any) -> Any:
    """Return the evidence in a cell: None if it is missing, and ``""`` for blanks."""
    if not is_missing(cell):
        return cell
    return "" if isinstance(cell, str) and not cell.strip() else None


def _solved(claims: Sequence[Claim]) -> Solved:
    verdicts, values, nodes, evidence = zip(*claims, strict=True) if claims else ((), (), (), ())
    return Solved(
        np.array(verdicts, dtype=np.int8),
        np.array(values, dtype=np.int64),
        np.array(nodes, dtype=np.int64),
        pack([text or "" for text in evidence]),
        np.array([text is None for text in evidence], dtype=np.bool_),
    )


def open_verdicts(
    file: str,
    engine: str,
    version: str,
    copies: ExitStack,
    *,
    game: str | None = None,
    checked_as: str | None = None,
    layout_column: str | None = None,
    deals: DealRange | str | None = None,
    number_column: str | None = None,
    words: Mapping[str, str] | None = None,
    notation: str | None = None,
) -> VerdictTable:
    """Return a file of verdicts, given as for `Store.import_verdicts`; `copies` closes the copy of standard input.

    Raises
    ------
    NotFoundError, InputError
        If the game is unknown, or the engine `checked_as`.
    UsageError
        If the suffix of the file, a name, a word or the version cannot be used, or the arguments cannot be combined.
    """
    row_reader(file)
    if isinstance(deals, str):
        deals = parse_deals(deals)
    if (deals is None) != (number_column is None):
        raise UsageError(
            "--deals and --number-column belong together: name the deals and the column with their numbers"
        )
    if deals is not None and layout_column is not None:
        raise UsageError("--layout-column and --number-column exclude each other: name the column that counts")
    owner = _game_of(file, engine, game, deals)
    if notation is not None:
        check_notation(owner, notation)
    known = replace(ImportEngine.of(owner, engine, version, checked_as, words or {}), notation=notation)
    layouts = LayoutColumn(owner, layout_column or LAYOUT) if deals is None else DealColumn(deals, number_column or "")
    return VerdictTable(known, LayoutTable(file, layouts, rereadable(file, copies)))


def _game_of(file: str, engine: str, game: str | None, deals: DealRange | None) -> Game:
    """Return the game of verdicts: that of the engine, `game`, that of the deals or else that in the file's name."""
    own, slash, _ = engine.rpartition("/")
    options = {"--engine": own if slash else None, "--game": game, "--deals": deals and deals.game.name}
    names = {option: name for option, name in options.items() if name}
    if len({*names.values()}) > 1:
        listed = ", ".join(f"{option} {name}" for option, name in names.items())
        raise UsageError(f"the options name different games: {listed}; correct one, or leave it out")
    return find_game(next(iter(names.values()))) if names else game_of_file(file)


def verdict_reading(database: Database, table: VerdictTable, max_nodes: int | None) -> tuple[Reading, RunStatus]:
    """Return the reading of a file of verdicts, and the run that they become.

    Raises
    ------
    InputError
        If it cannot be read, or is empty, or none of its rows, or of its first `LOOKED_AT` ones, is a verdict on a
        layout of the game.
    StoreError
        If the run was deleted, but not its source.
    """
    engine, name = table.engine, table.name
    _check_beginning(table)
    source = open_source(database, engine.game.name, name, table.digest(max_nodes), engine.game.rules_text)
    plan = engine.name, engine.version, max_nodes
    if source.entries and plan not in [
        (run.engine, run.version, run.max_nodes) for run in runs_over(database, source.id)
    ]:
        raise StoreError(
            f"the run of {name} was deleted, but not its layouts: dealmill delete source:{source.id}, and repeat the "
            "command"
        )
    why = None if engine.checked_as is None else f"imported; checked as {engine.checked_as}"
    number = plan_run(database, source, *plan, why=why or "imported", checked_as=engine.checked_as)
    run = find_run(database, number)
    return Reading(database, source, name, table.entries, table.table.size, run), run


def read_verdicts(game: Game, file: str) -> Iterator[Entries]:
    """Yield the verdicts in a file, without storing anything.

    Raises
    ------
    InputError
        If the file cannot be read, or a row of it cannot be used.
    """
    engine = game.engines[0]
    known = ImportEngine(game, game.name, "", game.full_name(engine), True, _verdict_words(game, engine, {}))
    with ExitStack() as copies:
        table = VerdictTable(known, LayoutTable(file, LayoutColumn(game), rereadable(file, copies)))
        for entries in table.entries(lambda _: None):
            for reject in entries.rejects:
                raise InputError(f"{file}, line {reject.line}: {'; '.join(reject.reasons)}")
            yield entries


def _check_beginning(table: VerdictTable) -> None:
    rejects = list[Reject]()
    for part in table.entries(lambda _: None):
        if len(part.layouts):
            return
        rejects += part.rejects
        if len(rejects) >= LOOKED_AT:
            break
    if not rejects:
        raise InputError(f"{table.name} is empty: there is no verdict in it")
    rows = "rows" if len(rejects) < LOOKED_AT else f"first {LOOKED_AT} rows"
    raise InputError(
        f"{table.name} seems to be of something else: none of its {rows} is a verdict on a layout of "
        f"{table.engine.game.name} (line {rejects[0].line}: {'; '.join(rejects[0].reasons[:2])}); nothing of it is "
        "stored"
    )
