"""Check an archive with nothing but its file: that nothing was changed, and that the evidence proves all results."""

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from operator import attrgetter
from pathlib import Path

from pydantic import ValidationError

from dealmill.pipeline.archive.bag import Bag
from dealmill.pipeline.archive.record import BLOCKS, RESULTS, RULES, RUN, ArchivedRun, path_in
from dealmill.pipeline.errors import DamagedError, InputError
from dealmill.pipeline.evidence.digests import BLOCK, block_digest, fingerprint
from dealmill.pipeline.evidence.referee import Judge, Outcome, referee
from dealmill.pipeline.games import find_engine, game_by
from dealmill.pipeline.games.contract import Game
from dealmill.pipeline.games.deals import DealRange
from dealmill.pipeline.games.descriptions import RulesText, is_claim
from dealmill.pipeline.games.reading import is_canonical
from dealmill.pipeline.games.verdict import Verdict
from dealmill.pipeline.outputs.checker.facts import Export
from dealmill.pipeline.outputs.checker.json_lines import read_rows
from dealmill.pipeline.outputs.checker.program import wrong_column
from dealmill.pipeline.printable import counted, printable
from dealmill.pipeline.progress.events import CheckingArchive, Progress, silent
from dealmill.pipeline.results.record import ANSWER, ResultRow

PROBLEMS = 20
"""The most problems of an archive that are listed."""
DIGEST_BYTES = 32
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


def game_and_deals(number: int, run: ArchivedRun, rules: RulesText | None) -> tuple[Game, DealRange | None]:
    """Return the game of a run, and the deals that are its layouts, if these are numbered.

    Raises
    ------
    InputError
        If what the archive says of them is not valid.
    NotFoundError
        If the game or the engine is not installed.
    """
    path = path_in(number, RUN)
    try:
        game = game_by(run.game, rules)
        deals = None if run.source.deals is None else DealRange.of(game, run.source.deals)
    except DamagedError as error:
        raise InputError(f"{path}: the rules, or the deals, of {run.game} are not valid") from error
    if find_engine(run.judged_as(rules))[0].name != game.name:
        raise InputError(f"{path}: {run.engine} is not an engine of {game.name}")
    if deals is None and not run.stores_results:
        raise InputError(f"{path}: there are neither results nor numbered deals")
    return game, deals


def check_archive(path: Path, *, progress: Progress = silent) -> CheckedArchive:
    """Check an archive: the files are those that were written, the fingerprints are those of the results, the deals
    are dealt again, and the referee proves all results that are stored.

    Raises
    ------
    InputError
        If it cannot be read, or is not an archive.
    NotFoundError
        If the game or the engine of a run is not installed.
    """
    with Bag(path) as bag:
        runs = read_runs(bag)
        checks = [_RunCheck(bag, number, run, rules, progress) for number, (run, rules) in enumerate(runs, start=1)]
        problems = chain(bag.problems(), *(check.problems() for check in checks))
        return CheckedArchive(
            [run for run, _ in runs],
            list(islice(problems, PROBLEMS)),
            [printable(f"run {check.number}: {what}") for check in checks for what in check.unchecked],
            sum(check.unproved for check in checks),
        )


class _RunCheck:
    """The check of one run of an archive. When its problems were listed, it says what it left `unchecked`, and how many
    results are `unproved`."""

    def __init__(self, bag: Bag, number: int, run: ArchivedRun, rules: RulesText | None, progress: Progress) -> None:
        self._bag, self.number, self._run, self._rules, self._progress = bag, number, run, rules, progress
        self._game, self._deals = game_and_deals(number, run, rules)
        self.unchecked = list[str]()
        self.unproved = 0

    def problems(self) -> Iterator[str]:
        """Yield what is wrong with the run."""
        path = path_in(self.number, RESULTS if self._run.stores_results else BLOCKS)
        lines = self._bag.lines(path)
        try:
            for problem in self._rows(lines) if self._run.stores_results else self._blocks(lines):
                yield f"{path}: {printable(problem)}"
        except InputError as error:
            yield f"{path}: {error}"

    def _blocks(self, lines: Iterator[bytes]) -> Iterator[str]:
        """Yield what is wrong with the digests of a run whose results are not stored."""
        digests, counts = list[bytes](), Counter[str]()
        try:
            for line in lines:
                block = json.loads(line)
                digest, counted_words = bytes.fromhex(block["digest"]), {word: block[word] for word in CODES}
                if len(digest) != DIGEST_BYTES or any(type(count) is not int for count in counted_words.values()):
                    raise ValueError("a digest or a count is not valid")
                digests.append(digest)
                counts.update(counted_words)
        except (KeyError, TypeError, ValueError, RecursionError) as error:
            yield f"line {len(digests) + 1:,} cannot be read: {error}"
            return
        yield from self._wrong_sums(fingerprint(digests), counts)
        self.unchecked.append(f"its deals, which are not stored; solve them again with: {self._run.command}")

    def _rows(self, lines: Iterator[bytes]) -> Iterator[str]:
        """Yield what is wrong with the results of a run: the first row that is not a valid result ends the check, since
        what follows it has no position."""
        judge = referee(self._run.judged_as(self._rules), imported=self._run.checked_as is not None)
        deals = self._dealt_again()
        counts, nodes, digests = Counter[str](), 0, list[bytes]()
        rows = self._valid_rows(lines)
        try:
            while block := list(islice(rows, BLOCK)):
                if deals is not None:
                    yield from _wrong_deals(deals, block)
                for row in block:
                    yield from self._wrong_row(judge, row)
                layouts = [row.layout for row in block]
                words, *contents = zip(*map(attrgetter(*ANSWER), block), strict=True)
                digests.append(block_digest(block[0].position, layouts, [CODES[word] for word in words], *contents))
                counts.update(words)
                nodes += sum(row.nodes for row in block)
        except ValueError as error:
            yield str(error)
            return
        if nodes != self._run.nodes:
            yield f"the nodes add up to {nodes:,}, expected {self._run.nodes:,}"
        yield from self._wrong_sums(fingerprint(digests), counts)

    def _wrong_row(self, judge: Judge, row: ResultRow) -> Iterator[str]:
        """Yield what the referee says of a row, if it is not proved."""
        verdict = CODES[row.verdict]
        if not is_canonical(self._game, row.layout):
            yield f"position {row.position:,}: the layout is not a canonical one of {self._game.name}"
        elif (judgement := judge(row.layout, verdict, row.value, row.evidence)).outcome is Outcome.INVALID:
            yield f"position {row.position:,} is {judgement}"
        self.unproved += is_claim(verdict, row.evidence)
        self._progress(CheckingArchive(row.position, self._run.layouts, self.number))

    def _valid_rows(self, lines: Iterator[bytes]) -> Iterator[ResultRow]:
        """Yield the rows of results.

        Raises
        ------
        ValueError
            At the first row that is not a valid result, and if rows are missing.
        """
        run, number = self._run, 0
        expected = Export("", "", run.layouts, run.engine, run.layouts, tuple(CODES), run.source.name, None, None)
        try:
            for row in read_rows(lines):
                if wrong := wrong_column(expected, row, number + 1, number):
                    raise ValueError(wrong)
                number += 1
                yield row
        except (ValueError, RecursionError) as error:
            raise ValueError(f"row {number + 1:,}: {error}") from error
        if number < run.layouts:
            raise ValueError(f"row {number + 1:,} is missing: the run has {counted(run.layouts, 'layout')}")

    def _wrong_sums(self, digest: str, counts: Counter[str]) -> Iterator[str]:
        if digest != self._run.fingerprint:
            yield f"the fingerprint is {digest}, expected {self._run.fingerprint}"
        if +counts != Counter(self._run.counts):
            yield f"the verdicts are {dict(counts)}, expected {dict(self._run.counts)}"

    def _dealt_again(self) -> DealRange | None:
        """Return the deals of the run; None if it has none, or they cannot be dealt again here."""
        source = self._run.source
        if self._deals is None or source.deals is None:
            self.unchecked.append(f"whether the layouts are in {source.name}, which has the SHA-256 {source.sha256}")
        elif source.generator != self._game.generator:
            self.unchecked.append(f"the deals: they are of {source.generator}, and {self._game.generator} is installed")
        elif "column" in source.deals:
            self.unchecked.append(f"whether the numbers of the deals are in {source.name}")
        else:
            return self._deals
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
