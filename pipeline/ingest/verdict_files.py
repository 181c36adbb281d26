"""Files of verdicts of any solver: tables in the columns of an export, or with other names and words; and lists of
numbers of deals, which say something of those that they leave out, too.

Each row has a layout, or the number of a deal, and a verdict; a value, a node count and evidence are optional, and
other columns are ignored. What cannot be used becomes a reject. The verdicts are stored with their layouts, as a source
and a run over it.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import partial
from operator import call
from typing import Any

import numpy as np

from dealmill.pipeline.arguments import VERDICT_NUMBERS
from dealmill.pipeline.errors import InputError, InvalidEvidence, StoreError, UsageError
from dealmill.pipeline.evidence.referee import judge
from dealmill.pipeline.games import find_engine, find_game
from dealmill.pipeline.games.batch import Batch, Bytes, Entries, Solved, to_solved, to_texts
from dealmill.pipeline.games.contract import Game
from dealmill.pipeline.games.deals import DealRange
from dealmill.pipeline.games.descriptions import Engine, Reject
from dealmill.pipeline.games.reading import check_notation, read_moves
from dealmill.pipeline.games.verdict import Verdict
from dealmill.pipeline.ingest.cells import (
    LAYOUT,
    DealColumn,
    LayoutColumn,
    LayoutTable,
    Reasons,
    deal_column,
    is_plain,
    row_entries,
    whole_number,
    word,
)
from dealmill.pipeline.ingest.files import STDIN, Reached, rereadable
from dealmill.pipeline.ingest.options import VerdictOptions
from dealmill.pipeline.ingest.reading import Reading
from dealmill.pipeline.ingest.sources import LOOKED_AT, game_of_file
from dealmill.pipeline.ingest.tables import Column, Unreadable, check_titles, is_missing, row_reader
from dealmill.pipeline.printable import printable
from dealmill.pipeline.progress.events import Message, Progress
from dealmill.pipeline.results.measures import recorded_numbers
from dealmill.pipeline.results.record import RESULT
from dealmill.pipeline.store.audits.contradictions import contradictions
from dealmill.pipeline.store.database.connections import Database
from dealmill.pipeline.store.database.row_checks import shown_value
from dealmill.pipeline.store.planning.run_planning import insert_run
from dealmill.pipeline.store.runs.finding import find_run, runs_over
from dealmill.pipeline.store.runs.status import RunStatus
from dealmill.pipeline.store.sources.writing import open_source

LAYOUT_OPTIONS = "--layout-column (--deals for numbers of deals)"
VERDICT_OPTIONS = "--verdict-column (--verdict if all rows have the same one; --columns if there is no header)"
"""The options that an error names for a missing column."""
VERDICT_COLUMN = Column(("verdict", "result"), needed=True, option=VERDICT_OPTIONS)
"""The column of verdicts, if no other one is named."""
FIELDS = tuple(field for field in RESULT if field.name not in ("position", "line", "layout"))
"""The fields of a claim: the verdict, and others that are optional."""
NAMES = tuple(field.name for field in FIELDS)
VALUE, EVIDENCE = NAMES.index("value"), NAMES.index("evidence")
COUNTS = tuple((NAMES.index(order.measure.field), order.phrase) for order in recorded_numbers(scored=False))
"""The numbers of a claim that do not depend on its verdict: their indexes, and what errors call them."""
OTHER_COLUMNS = tuple(Column((name,)) for name in NAMES[1:])
SOLUTION_COLUMNS = tuple(Column((name, "solution", "moves") if name == "evidence" else (name,)) for name in NAMES[1:])
"""The same if solutions are in the notation of another program."""
MAX_COVERED = 10**9
"""The numbers of deals that a list may cover: reading takes a bit of memory for each."""
CONTRADICTIONS_TOLD = 10
"""The contradictions that an import reports as it ends."""
NO_COLUMN = Column(())
SCORED, UNDECIDED, WINNABLE = int(Verdict.SCORED), int(Verdict.UNDECIDED), int(Verdict.WINNABLE)
STORED_COUNTS = range(VERDICT_NUMBERS.stop)
"""The counts that can be stored, such as those of nodes."""


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

    def verdict_of(self, cell: object) -> int:
        """Return the verdict for which a cell is a word, or 0."""
        return self.words.get(cell if isinstance(cell, str) else "") or self.words.get(word(cell), 0)

    def chosen(self, option: str, text: str) -> int:
        """Return the verdict that is chosen by an option for many deals.

        Raises
        ------
        UsageError
            If the engine has no such verdict.
        """
        if verdict := self.verdict_of(text):
            return verdict
        raise UsageError(f"{option} {text!r} is not a verdict of {self.name}; choose one of: {', '.join(self.words)}")

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
        known = (words | renamed).get(word(text), words[meaning])
        if known != words[meaning]:
            raise UsageError(f"the word {text!r} has two meanings, {Verdict(known)} and {meaning}: leave one out")
        renamed[word(text)] = words[meaning]
    return words | renamed


Claim = tuple[Any, ...]
"""The `FIELDS` of a row, in their order: the code of the verdict, and None where there is nothing else."""


@dataclass(frozen=True, slots=True)
class Absent:
    """The verdict on the deals that a list leaves out; `numbers` is its column, with the range that it covers."""

    verdict: int
    numbers: DealColumn

    def listed(self, table: LayoutTable) -> Bytes:
        """Return which of the deals have a row: one bit for each, little-endian. Rows whose verdict cannot be used
        count, too.

        Raises
        ------
        InputError
            If the number in a row cannot be read: nobody knows then which ones the list leaves out.
        """
        first, last = self.numbers.deals.first, self.numbers.deals.last
        listed = np.zeros(_bytes(len(self.numbers.deals)), dtype=np.uint8)
        with table.reopen() as file:
            for rows in table.rows(file, (), lambda _: None):
                indexes = list[int]()
                for line, (cell, *_) in rows:
                    number = whole_number(cell)
                    if type(number) is not int:
                        raise InputError(
                            f"{printable(table.file)}, line {line}: {self.numbers.no_number(cell)}; correct it, "
                            "because without it nobody knows which numbers are left out; nothing of the file is stored"
                        )
                    if first <= number <= last:
                        indexes.append(number - first)
                bits = np.array(indexes, dtype=np.int64)
                np.bitwise_or.at(listed, bits >> 3, (1 << (bits & 7)).astype(np.uint8))
        return listed

    def entries(self, listed: Bytes) -> Iterator[Entries]:
        """Yield the verdicts on the deals that are not `listed`, in order of their numbers. They have no line."""
        deals = self.numbers.deals
        for part in deals.parts():
            first = part.first - deals.first  # a multiple of 8
            bits = np.unpackbits(listed[first // 8 : _bytes(first + len(part))], count=len(part), bitorder="little")
            missing = np.flatnonzero(bits == 0)
            if count := len(missing):
                nothing = np.zeros(count, dtype=np.int64)
                claims = np.ones(count, dtype=np.bool_)
                verdicts = np.full(count, self.verdict, dtype=np.int8)
                span = part.part(int(missing[0]) + 1, int(missing[-1]) + 2)
                layouts = span.texts().take(missing - missing[0])
                solved = Solved(verdicts, nothing, nothing, to_texts([""] * count), claims)
                yield Entries(nothing, layouts, [], nothing[:0], solved)


def _bytes(bits: int) -> int:
    return -(-bits // 8)


@dataclass(frozen=True, slots=True)
class VerdictTable:
    """A file of verdicts of an engine; `layouts` is its column of layouts or of numbers of deals.

    `verdict` is that of all rows, or the column that has those of each.
    """

    engine: ImportEngine
    table: LayoutTable
    verdict: Column | int = VERDICT_COLUMN
    absent: Absent | None = None

    @property
    def name(self) -> str:
        """The name of its source."""
        return "stdin" if self.table.file == STDIN else printable(self.table.file)

    @property
    def columns(self) -> tuple[Column, ...]:
        """The columns of a claim."""
        others = SOLUTION_COLUMNS if self.engine.notation else OTHER_COLUMNS
        return (self.verdict if isinstance(self.verdict, Column) else NO_COLUMN, *others)

    def digest(self, max_nodes: int | None) -> bytes:
        """Return the digest of the verdicts, which identifies their source. It covers all that gives them a meaning."""
        engine = self.engine
        about = f"verdicts of {engine.name} {engine.version} {engine.checked_as} {max_nodes}\n"
        if engine.notation:
            about += f"solutions as {engine.notation} writes them\n"
        if self.table.layouts != LayoutColumn(engine.game):
            about += f"{self.table.layouts.meaning}\n"
        if not isinstance(self.verdict, Column):
            about += f"all are {Verdict(self.verdict)}\n"
        elif self.verdict != VERDICT_COLUMN:
            about += f"verdicts in {self.verdict.names}\n"
        if self.table.titles is not None:
            about += f"columns {list(self.table.titles)}\n"
        if self.absent is not None:
            about += f"others are {Verdict(self.absent.verdict)}\n"
        about += "".join(
            [
                f"{text} is {Verdict(verdict)}\n"
                for text, verdict in engine.words.items()
                if text != Verdict(verdict).word
            ]
        )
        return self.table.digest(about)

    def entries(self, reached: Reached, *, listed: Bytes | None = None) -> Iterator[Entries]:
        """Yield the verdicts with their layouts, and the rejects; then the verdicts on the deals that are not `listed`
        (see `Absent.listed`)."""
        for rows, layouts in self.table.parts(self.columns, reached):
            outcomes, claims = list[str | Reasons](), list[Claim]()
            for (_, cells), layout in zip(rows, layouts, strict=True):
                claim, reasons = self._claim(layout, cells)
                if reasons:
                    outcomes.append(tuple(reasons))
                else:
                    outcomes.append(layout)
                    claims.append(claim)
            yield replace(row_entries(rows, outcomes), solved=_solved(claims))
        if self.absent is not None and listed is not None:
            yield from self.absent.entries(listed)

    def _claim(self, layout: str | Reasons, cells: Sequence[Any]) -> tuple[Claim, Sequence[str]]:
        """Return the verdict in a row, and everything that is wrong with the row; the verdict is used only if that is
        nothing."""
        engine = self.engine
        if isinstance(cells[0], Unreadable):
            return (), layout
        text = cells[1]
        reasons = [] if isinstance(layout, str) else [*layout]
        verdict = self.verdict if isinstance(self.verdict, int) else engine.verdict_of(text)
        claim = [verdict, *map(call, READERS, cells[2:])]
        value, evidence = claim[VALUE], claim[EVIDENCE]
        if not verdict:
            reasons.append(f"the verdict is {shown_value(text)}, expected one of: {', '.join(engine.words)}")
        if verdict == SCORED and (type(value) is not int or value not in VERDICT_NUMBERS):
            reasons.append(f"the value is {shown_value(value)}, not a whole number of at most 40 bits")
        if value is not None and verdict != SCORED:
            reasons.append(f"the value is {shown_value(value)}, but only the verdict scored has one")
        for index, phrase in COUNTS:
            count = claim[index]
            if count is not None and (type(count) is not int or count not in STORED_COUNTS):
                reasons.append(f"{phrase} is {shown_value(count)}, not a whole number of at most 40 bits")
        if engine.notation and evidence and verdict == WINNABLE and isinstance(layout, str):
            try:
                evidence = engine.solution(layout, evidence)
            except InvalidEvidence as error:
                return (), [*reasons, f"the solution cannot be used: {error}"]
        if evidence is not None and not (isinstance(evidence, str) and is_plain(evidence)):
            reasons.append(f"the evidence is {shown_value(evidence)}, not one line of ASCII text")
        if evidence and verdict == UNDECIDED:
            reasons.append("the verdict is undecided, but there is evidence")
        if evidence == "" and not reasons and not engine.proves(str(layout), verdict, value, ""):
            evidence = None
        if evidence is None and verdict != UNDECIDED and not engine.may_claim:
            reasons.append(
                "there is no evidence, but the engine gives some for each verdict: import it as another engine"
            )
        claim[EVIDENCE] = evidence
        return tuple(claim), reasons


def _evidence(cell: Any) -> Any:
    """Return the evidence in a cell: None if it is missing, and ``""`` for blanks."""
    if not is_missing(cell):
        return cell
    return "" if isinstance(cell, str) and not cell.strip() else None


READERS = [_evidence if field.is_text else whole_number for field in FIELDS[1:]]
"""The functions that read the cells of the optional fields."""


def _solved(claims: Sequence[Claim]) -> Solved:
    batch = Batch.of(claims)
    return to_solved(replace(batch, nodes=[nodes or 0 for nodes in batch.nodes]))


def open_verdicts(file: str, engine: str, version: str, copies: ExitStack, options: VerdictOptions) -> VerdictTable:
    """Return a file of verdicts, given as for `Store.import_verdicts`; `copies` closes the copy of standard input.

    Raises
    ------
    NotFoundError, InputError
        If the game is unknown, or the engine as which it is checked.
    UsageError
        If the suffix of the file, a name, a word, a range or the version cannot be used, or the options cannot be
        combined.
    """
    titles = options.columns.split(",") if isinstance(options.columns, str) else options.columns
    row_reader(file, titles)
    numbers = deal_column(options.deals, options.layout_column, options.number_column)
    _check_combination(numbers, options)
    if numbers is not None and options.absent is not None:
        numbers = replace(numbers, deals=_covered(numbers.deals, options.of))
    owner = _game_of(file, engine, options.game, numbers)
    if options.notation is not None:
        check_notation(owner, options.notation)
    known = ImportEngine.of(owner, engine, version, options.checked_as, options.words or {})
    known = replace(known, notation=options.notation)
    layouts: LayoutColumn | DealColumn = LayoutColumn(owner, options.layout_column or LAYOUT, LAYOUT_OPTIONS)
    others = None
    if numbers is not None:
        layouts = numbers
        others = None if options.absent is None else Absent(_verdict_without_row(known, options.absent), numbers)
    verdicts: Column | int = VERDICT_COLUMN
    if options.verdict is not None:
        verdicts = known.chosen("--verdict", options.verdict)
    elif options.verdict_column is not None:
        verdicts = replace(VERDICT_COLUMN, names=(options.verdict_column,))
    table = VerdictTable(known, LayoutTable(file, layouts, rereadable(file, copies), titles), verdicts, others)
    if titles is not None:
        check_titles(titles, (layouts.column, *table.columns))
    return table


def _check_combination(numbers: DealColumn | None, options: VerdictOptions) -> None:
    if options.verdict is not None and options.verdict_column is not None:
        raise UsageError("--verdict and --verdict-column exclude each other: one verdict is that of all rows")
    if numbers is None and options.absent is not None:
        raise UsageError("--absent needs --deals: only numbers of deals can be left out")
    if options.absent is None and options.of is not None:
        raise UsageError("--of needs --absent: say which verdict the other numbers have")


def _covered(deals: DealRange, of: str | None) -> DealRange:
    """Return the deals of which a list that leaves some out has a verdict on each.

    Raises
    ------
    UsageError
        If `of` is not a range of their numbers, or they are too many, or have no end.
    """
    if of is not None:
        deals = deals.within(of)
    if deals.endless:
        raise UsageError("--absent must know which numbers the list is about: add them, as in --of 1-3000")
    if len(deals) > MAX_COVERED:
        raise UsageError(
            f"{deals.name} has {len(deals):,} deals, but with --absent a list is about {MAX_COVERED:,} at most: name "
            "a part with --of"
        )
    deals.check_deals()
    return deals


def _verdict_without_row(engine: ImportEngine, text: str) -> int:
    """Return the verdict on the deals that a list leaves out.

    Raises
    ------
    UsageError
        If it is not a verdict of the engine, or one that needs a value or evidence.
    """
    verdict = engine.chosen("--absent", text)
    if verdict == SCORED:
        raise UsageError(f"--absent {text} needs a value for each deal: list these deals with their values")
    if verdict != UNDECIDED and not engine.may_claim:
        raise UsageError(
            f"{engine.name} gives evidence for each verdict, and a number that is left out has none: import it as "
            "another engine"
        )
    return verdict


def _game_of(file: str, engine: str, game: str | None, numbers: DealColumn | None) -> Game:
    """Return the game of verdicts: that of the engine, `game`, that of the deals or else that in the file's name."""
    own, slash, _ = engine.rpartition("/")
    options = {"--engine": own if slash else None, "--game": game, "--deals": numbers and numbers.game.name}
    names = {option: name for option, name in options.items() if name}
    if len({*names.values()}) > 1:
        listed = ", ".join(f"{option} {name}" for option, name in names.items())
        raise UsageError(f"the options name different games: {listed}; correct one, or leave it out")
    return find_game(next(iter(names.values()))) if names else game_of_file(file)


def import_table(database: Database, table: VerdictTable, max_nodes: int | None, progress: Progress) -> RunStatus:
    """Store the verdicts of a file as a run, report contradictions among them, and return it.

    Raises
    ------
    InputError
        If it cannot be read to the end; or if it is empty, or none of its rows, or of its first `LOOKED_AT` ones, is a
        verdict on a layout of the game, and nothing of it is stored.
    StoreError
        If the run was deleted, but not its source.
    """
    engine, name = table.engine, table.name
    _check_beginning(table)
    listed = None if table.absent is None else table.absent.listed(table.table)
    entries = partial(table.entries, listed=listed)
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
    number = insert_run(database, source, *plan, why=why or "imported", checked_as=engine.checked_as)
    reading = Reading(database, source, name, entries, table.table.size, find_run(database, number))
    reading.finish(progress)
    if reading.error:
        raise InputError(
            f"{reading.error}; the verdicts before it are run {number}, which cannot be finished: correct the file and "
            f"import it as a new run; delete this one with: dealmill delete {number}"
        )
    run = find_run(database, number)
    for contradiction in contradictions(database, run, CONTRADICTIONS_TOLD):
        progress(Message(f"{name}, {contradiction}"))
    return run


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
    are_numbers = isinstance(table.table.layouts, LayoutColumn) and rejects[0].text.strip().isdecimal()
    numbers = "; if these are numbers of deals, name the deals with --deals" if are_numbers else ""
    raise InputError(
        f"{table.name} seems to be of something else: none of its {rows} is a verdict on a layout of "
        f"{table.engine.game.name} (line {rejects[0].line}: {'; '.join(rejects[0].reasons[:2])}); nothing of it is "
        f"stored{numbers}"
    )
