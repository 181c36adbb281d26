"""Check an archive with nothing but its file: that nothing was changed, and that the evidence proves all results."""

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import chain, islice
from pathlib import Path
from tempfile import TemporaryFile
from typing import BinaryIO

from pydantic import ValidationError

from dealmill.pipeline.archive.bag import Bag
from dealmill.pipeline.archive.record import BLOCKS, RESULTS, RULES, RUN, ArchivedRun, path_in
from dealmill.pipeline.errors import DamagedError, InputError
from dealmill.pipeline.evidence.digests import BLOCK, block_digest, fingerprint
from dealmill.pipeline.evidence.referee import Outcome, referee
from dealmill.pipeline.games import game_by
from dealmill.pipeline.games.contract import Game, RulesText
from dealmill.pipeline.games.deals import DealRange
from dealmill.pipeline.games.reading import is_canonical
from dealmill.pipeline.games.verdict import Verdict
from dealmill.pipeline.outputs.checker.facts import Export
from dealmill.pipeline.outputs.checker.json_lines import read_rows
from dealmill.pipeline.outputs.checker.program import wrong_column
from dealmill.pipeline.printable import counted, printable
from dealmill.pipeline.progress.events import CheckingArchive, Progress, silent
from dealmill.pipeline.results.record import ResultRow

PROBLEMS = 20
"""The most problems of an archive that are listed."""
CODES = {verdict.word: verdict for verdict in Verdict}


@dataclass(frozen=True, slots=True)
class CheckedArchive:
    """A checked archive: its runs, what is wrong with it, at most `PROBLEMS`, and what could not be checked with the
    file alone. `unproved` is the number of results that claim something without evidence."""

    runs: Sequence[ArchivedRun]
    problems: Sequence[str]
    unchecked: Sequence[str]
    unproved: int


def read_runs(bag: Bag) -> list[tuple[ArchivedRun, RulesText | None]]:
    """Return the runs of an archive, with the rules of their games.

    Raises
    ------
    InputError
        If what it says of a run is missing or cannot be read.
    """
    runs = list[tuple[ArchivedRun, RulesText | None]]()
    while not runs or path_in(len(runs) + 1, RUN) in bag.paths:
        number = len(runs) + 1
        text = bag.read(path_in(number, RUN))
        try:
            run = ArchivedRun.model_validate_json(text)
        except ValidationError as error:
            first = error.errors(include_url=False)[0]
            field = ".".join(map(str, first["loc"])) or "the file"
            raise InputError(f"{path_in(number, RUN)} is not a run of an archive: {field}: {first['msg']}") from error
        rules = None
        if run.rules is not None:
            rules = RulesText(run.rules.digest, run.rules.family, bag.read(path_in(number, RULES)))
        runs.append((run, rules))
    return runs


@contextmanager
def opened(bag: Bag, path: str) -> Iterator[BinaryIO]:
    """Open a file of an archive, copied to a temporary one."""
    with TemporaryFile() as file:
        for block in bag.blocks(path):
            file.write(block)
        file.seek(0)
        yield file


def check_archive(path: Path, *, progress: Progress = silent) -> CheckedArchive:
    """Check an archive: the files are those that were written, the fingerprints are those of the results, the deals
    are dealt again, and the referee proves all results.

    Raises
    ------
    InputError
        If it cannot be read, or is not an archive.
    NotFoundError
        If the game of a run is not installed.
    """
    with Bag(path) as bag:
        runs = read_runs(bag)
        checks = [_RunCheck(bag, number, *each, progress) for number, each in enumerate(runs, start=1)]
        problems = chain(bag.problems(), *(check.problems() for check in checks))
        return CheckedArchive(
            [run for run, _ in runs],
            list(islice(problems, PROBLEMS)),
            [f"run {check.number}: {what}" for check in checks for what in check.unchecked],
            sum(check.unproved for check in checks),
        )


class _RunCheck:
    """The check of one run of an archive. When its problems were listed, it says what it left `unchecked`, and how many
    results are `unproved`."""

    def __init__(self, bag: Bag, number: int, run: ArchivedRun, rules: RulesText | None, progress: Progress) -> None:
        self._bag, self.number, self._run, self._rules, self._progress = bag, number, run, rules, progress
        self.unchecked = list[str]()
        self.unproved = 0

    def problems(self) -> Iterator[str]:
        """Yield what is wrong with the run."""
        check = self._rows if self._run.stores_results else self._blocks
        path = path_in(self.number, RESULTS if self._run.stores_results else BLOCKS)
        with opened(self._bag, path) as file:
            for problem in check(file):
                yield f"{path}: {printable(problem)}"

    def _blocks(self, file: BinaryIO) -> Iterator[str]:
        """Yield what is wrong with the digests of a run whose results are not stored."""
        try:
            blocks = [json.loads(line) for line in file]
            digests = [bytes.fromhex(block["digest"]) for block in blocks]
            counts = Counter({word: sum(int(block[word]) for block in blocks) for word in CODES})
        except (KeyError, TypeError, ValueError, RecursionError) as error:
            yield f"it has a line that cannot be read: {error}"
            return
        yield from self._wrong_sums(fingerprint(digests), counts)
        self.unchecked.append(f"its deals, which are not stored; solve them again with: {self._run.command}")

    def _rows(self, file: BinaryIO) -> Iterator[str]:
        """Yield what is wrong with the results of a run: the first row that is no result ends the check, since what
        follows it has no position."""
        game = game_by(self._run.game, self._rules)
        imported = self._run.checked_as is not None
        judge = referee(self._run.judged_as(self._rules), imported=imported)
        deals = self._deals(game)
        counts, nodes, digests, done = Counter[str](), 0, list[bytes](), 0
        rows = self._valid_rows(file)
        try:
            while block := list(islice(rows, BLOCK)):
                if deals is not None:
                    yield from _wrong_deals(deals, block)
                for row in block:
                    if not is_canonical(game, row.layout):
                        yield f"position {row.position:,}: the layout is not a canonical one of {game.name}"
                        continue
                    judgement = judge(row.layout, CODES[row.verdict], row.value, row.evidence)
                    if judgement.outcome is Outcome.INVALID:
                        yield f"position {row.position:,} is {judgement}"
                    self.unproved += row.evidence is None and row.verdict != Verdict.UNDECIDED.word
                    done += 1
                    self._progress(CheckingArchive(done, self._run.layouts, self.number))
                layouts, words = [row.layout for row in block], [row.verdict for row in block]
                values, evidence = [row.value for row in block], [row.evidence for row in block]
                digests.append(
                    block_digest(block[0].position, layouts, [CODES[word] for word in words], values, evidence)
                )
                counts.update(words)
                nodes += sum(row.nodes for row in block)
        except (ValueError, RecursionError) as error:
            yield f"row {counts.total() + 1:,} or one of the next {BLOCK:,}: {error}"
            return
        if nodes != self._run.nodes:
            yield f"the nodes add up to {nodes:,}, expected {self._run.nodes:,}"
        yield from self._wrong_sums(fingerprint(digests), counts)

    def _valid_rows(self, file: BinaryIO) -> Iterator[ResultRow]:
        """Yield the rows of results.

        Raises
        ------
        ValueError
            At the first row that is no result, and if rows are missing.
        """
        run, number = self._run, 0
        expected = Export("", "", run.layouts, run.engine, run.layouts, tuple(CODES), run.source.name, None, None)
        for number, row in enumerate(read_rows(file), start=1):
            if wrong := wrong_column(expected, row, number, number - 1):
                raise ValueError(wrong)
            yield row
        if number < run.layouts:
            raise ValueError(f"row {number + 1:,} is missing: the run has {counted(run.layouts, 'layout')}")

    def _wrong_sums(self, digest: str, counts: Counter[str]) -> Iterator[str]:
        if digest != self._run.fingerprint:
            yield f"the fingerprint is {digest}, expected {self._run.fingerprint}"
        if +counts != Counter(self._run.counts):
            yield f"the verdicts are {dict(counts)}, expected {dict(self._run.counts)}"

    def _deals(self, game: Game) -> DealRange | None:
        """Return the deals of the run; None if it has none, or they cannot be dealt again here."""
        source = self._run.source
        if source.deals is None:
            self.unchecked.append(f"whether the layouts are in {source.name}, which has the SHA-256 {source.sha256}")
        elif source.generator != game.generator:
            self.unchecked.append(f"the deals: they are of {source.generator}, and {game.generator} is installed")
        elif "column" in source.deals:
            self.unchecked.append(f"whether the numbers of the deals are in {source.name}")
        else:
            try:
                return DealRange.of(game, source.deals)
            except DamagedError as error:
                raise InputError(f"{path_in(self.number, RUN)}: the deals are no range of {game.name}") from error
        return None


def _wrong_deals(deals: DealRange, rows: Sequence[ResultRow]) -> Iterator[str]:
    """Yield the rows that are not the deals at their positions."""
    first, last = rows[0].position, rows[-1].position
    if last > len(deals):
        yield f"position {last:,} is not one of {counted(len(deals), 'deal')}"
        return
    for row, dealt in zip(rows, deals.part(first, last + 1), strict=True):
        if (dealt.line, dealt.text) != (row.line, row.layout):
            yield f"position {row.position:,} is not deal {row.line} of {deals.name}"
