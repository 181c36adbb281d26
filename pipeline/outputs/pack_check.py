"""Checks of packs, with nothing but the file."""

import time
from collections.abc import Container, Iterator
from dataclasses import dataclass
from hashlib import blake2b
from itertools import chain, islice
from pathlib import Path

from pydantic import ValidationError

from dealmill.pipeline.errors import DamagedError, InputError, InvalidEvidence, NotFoundError, UsageError
from dealmill.pipeline.evidence.referee import judge_by
from dealmill.pipeline.games import find_engine, game_by
from dealmill.pipeline.games.careful import CHANCES
from dealmill.pipeline.games.deals import DealRange
from dealmill.pipeline.games.playback import Playback
from dealmill.pipeline.games.player import JudgeOfPlays, drawn_plays
from dealmill.pipeline.games.reading import is_canonical
from dealmill.pipeline.games.verdict import Verdict
from dealmill.pipeline.outputs.pack import Entry, Found, Origin, Pack, measure_of
from dealmill.pipeline.results.measures import CHANCE
from dealmill.pipeline.solving.solve import solve
from dealmill.pipeline.store.database.row_checks import shown_value

PLAYING_SECONDS, SOLVING_SECONDS = 20.0, 15.0
"""How long the referee repeats plays of a pack that is graded by chance, and how long each of its engines solves."""
AT_ONCE = 4
"""The layouts that an engine solves between two looks at the clock."""
PROBLEMS = 20
"""The most problems of a pack that are listed."""


@dataclass(frozen=True, slots=True)
class CheckedPack:
    """A checked pack: what is wrong with it, at most `PROBLEMS`, and what could not be checked here.

    `grades_proved` says whether the numbers that grade the layouts were computed again.
    """

    pack: Pack
    problems: list[str]
    unchecked: list[str]
    grades_proved: bool

    @property
    def undecided(self) -> int:
        """The number of layouts that are undecided or failed: nothing is proved of them."""
        return sum(entry.verdict in {Verdict.UNDECIDED.word, Verdict.FAILED.word} for entry in self.pack.layouts)


def read_pack(path: Path) -> Pack:
    """Read a pack from a ``.json`` file.

    Raises
    ------
    InputError
        If it cannot be read, or is not a pack.
    """
    try:
        if path.is_char_device() or path.is_block_device():
            raise InputError(f"{path} is a device, not a file")
        return Pack.model_validate_json(path.read_bytes())
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror or error}") from error
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        if first["type"] == "json_invalid" and path.suffix != ".json":
            beside = path.with_suffix(".json")
            named = f": {beside}" if beside.exists() else ""
            raise InputError(f"{path} is not JSON; give the .json file of the pack instead{named}") from error
        where = ".".join(map(str, first["loc"])) or "the file"
        raise InputError(f"{path} is not a pack: {where}: {first['msg']}") from error


def check_pack(path: Path) -> CheckedPack:
    """Check a pack with nothing but its file: the referee judges each result, engines of the recorded versions solve
    each layout again, and deals, grades and numbers are computed again. If the chance of a careful player grades it, he
    plays a sample again, as many layouts as a minute allows.

    Raises
    ------
    InputError
        If it cannot be read, or is not a pack.
    NotFoundError
        If its game or engine is not installed.
    """
    pack = read_pack(path)
    unchecked = list[str]()
    origins = filter(None, (pack.run, pack.graded_by))
    uncounted = {origin: why for origin in origins if (why := _why_uncounted(pack, origin))}
    problems = chain(
        _wrong_order(pack),
        _wrong_days(pack),
        _wrong_deals(pack, unchecked),
        chain.from_iterable(_wrong_entry(pack, entry) for entry in pack.layouts),
        _wrong_plays(pack, unchecked) if pack.by == CHANCE else (),
        _other_results(pack, uncounted, unchecked),
    )
    first_problems = list(islice(problems, PROBLEMS))
    grades_proved = pack.by != "nodes" or (pack.graded_by or pack.run) not in uncounted
    return CheckedPack(pack, first_problems, [*unchecked, *uncounted.values()], grades_proved)


def _wrong_order(pack: Pack) -> Iterator[str]:
    """Yield what is wrong with the positions and grades, and layouts that are the same apart from names."""
    game, seen = game_by(pack.game, pack.rules_text), dict[str, int]()
    sign = -1 if pack.descending else 1
    ends = [sign * end for grade in pack.grades for end in (grade.low, grade.high)[::sign]]
    if ends != sorted(ends) or [grade.grade for grade in pack.grades] != [*range(1, len(pack.grades) + 1)]:
        yield "the grades are not in order of their numbers"
    for before, entry in zip([None, *pack.layouts], pack.layouts, strict=False):
        if pack.calendar is None and entry.position <= (before.position if before else 0):
            yield f"layout {entry.position} is not in order of positions"
        if not is_canonical(game, entry.layout):
            yield f"layout {entry.position} is not a canonical layout of {game.name}: {shown_value(entry.layout)}"
        elif (earlier := seen.setdefault(game.nameless(entry.layout), entry.position)) != entry.position:
            yield f"layout {entry.position} differs from layout {earlier} only in names"


def _wrong_days(pack: Pack) -> Iterator[str]:
    """Yield what is wrong with the days of a pack."""
    days = pack.calendar.grades if pack.calendar else {}
    if [entry.date for entry in pack.layouts] != [*days, *[None] * (len(pack.layouts) - len(days))]:
        yield "the dates of the layouts are not the days of its calendar" if days else "layouts have dates"
    for entry in pack.layouts if days else ():
        if entry.date in days and entry.grade != days[entry.date]:
            yield f"layout {entry.position} has grade {entry.grade}, but {entry.date} has {days[entry.date]}"


def _wrong_deals(pack: Pack, unchecked: list[str]) -> Iterator[str]:
    """Yield the layouts that are not the deals that they are said to be."""
    game = game_by(pack.game, pack.rules_text)
    if pack.deals is None:
        unchecked.append(f"whether the layouts are in {pack.source}")
    elif pack.generator != game.generator:
        unchecked.append(f"the numbers of the deals: they were dealt by {pack.generator}, not {game.generator}")
    else:
        try:
            deals = DealRange.of(game, pack.deals.model_dump())
        except DamagedError:
            yield f"the deals are no range of deals of {game.name}"
            return
        if pack.deals.column is not None:
            unchecked.append(f"whether the numbers of the deals are in {pack.source}")
        elif deals.name != pack.source:
            yield f"the deals are {deals.name}, not {pack.source}"
        for entry in pack.layouts:
            position = entry.position if pack.deals.column is None else entry.line - deals.first + 1
            inside = 1 <= position <= len(deals)
            [dealt] = deals.part(position, position + 1) if inside else [None]
            if dealt is None or (dealt.line, dealt.text) != (entry.line, entry.layout):
                yield f"layout {entry.position} is not deal {entry.line} of {pack.source}"


def _wrong_entry(pack: Pack, entry: Entry) -> Iterator[str]:
    """Yield what is wrong with the results of a layout, by the referee, and with its number and grade."""
    name = f"layout {entry.position}"
    graded = entry if pack.graded_by is None else entry.graded_by
    if graded is None or (pack.graded_by is None) != (entry.graded_by is None):
        yield f"{name} has no result of the run that grades, or one too many"
        return
    plays = pack.graded_by or pack.run if pack.by == CHANCE else None
    for origin, claim in ((pack.run, entry), (pack.graded_by, entry.graded_by)):
        if origin and claim and origin is not plays:
            game, engine = find_engine(pack.key(origin.referee_engine))
            verdict, check = _verdict(claim.verdict), game.compiled_check
            judged = judge_by(check, engine.referee_name, entry.layout, verdict, claim.value, claim.evidence)
            if judged.reason or game.name != pack.game:  # a claim without evidence is invalid here
                yield f"{name}, {origin.engine}: {judged}"
            elif claim is entry and entry.playback and entry.playback != _playback(pack, entry):
                yield f"{name}: its playback is not that of its evidence"
    measure = measure_of(pack.key((pack.graded_by or pack.run).referee_engine), pack.by)
    if measure.of(getattr(graded if measure.field in Found.model_fields else entry, measure.field)) != entry.number:
        yield f"{name}: its number is {entry.number}, which is not its {pack.by}"
    grade = next((grade for grade in pack.grades if grade.grade == entry.grade), None)
    if grade is None or not grade.low <= entry.number <= grade.high:
        yield f"{name}: its number {entry.number} is not in grade {entry.grade}"


def _wrong_plays(pack: Pack, unchecked: list[str]) -> Iterator[str]:
    """Yield the layouts whose chance is not that of their plays, as the referee says. He repeats two plays of each, in
    an order drawn by the seed of the pack, until `PLAYING_SECONDS` have passed."""
    origin = pack.graded_by or pack.run
    game, engine = find_engine(pack.key(origin.referee_engine))
    referee = getattr(game, "referee", None)
    if game.name != pack.game or engine.referee_name != CHANCES or not isinstance(referee, JudgeOfPlays):
        yield f"{pack.game} has no careful player whose chance {origin.engine} could be"
        return
    repeated, deadline = 0, time.monotonic() + PLAYING_SECONDS
    for entry in _drawn(pack):
        claim = entry if pack.graded_by is None else entry.graded_by
        in_time = not repeated or time.monotonic() < deadline
        try:
            if claim is None or claim.verdict != Verdict.SCORED.word:
                yield f"layout {entry.position} has no chance"
                continue
            drawn = drawn_plays(entry.layout, claim.evidence or "")
            referee.check_plays(entry.layout, claim.value, claim.evidence or "", (drawn[0], drawn[-1])[: 2 * in_time])
        except InvalidEvidence as error:
            yield f"layout {entry.position}, {origin.engine}: {error}"
        repeated += in_time
    if repeated < len(pack.layouts):
        unchecked.append(
            f"plays, but for two of {repeated:,} of the {len(pack.layouts):,} layouts, which were repeated"
        )


def _drawn(pack: Pack) -> list[Entry]:
    """Return the layouts in an order drawn by the seed of the pack and their texts."""
    return sorted(
        pack.layouts, key=lambda entry: blake2b(f"{pack.seed} {entry.layout}".encode(), digest_size=8).digest()
    )


def _playback(pack: Pack, entry: Entry) -> Playback | None:
    """Return the solution of a layout as data; None if it cannot be played."""
    play = game_by(pack.game, pack.rules_text).playback
    try:
        return play(entry.layout, Verdict.of(entry.verdict), entry.evidence) if play else None
    except (InvalidEvidence, UsageError):
        return None


def _verdict(word: str) -> int:
    return next((int(verdict) for verdict in Verdict if verdict.word == word), 0)


def _why_uncounted(pack: Pack, origin: Origin) -> str | None:
    """Return why the node counts of a run cannot be checked here; None if its engine is installed in its version.

    Raises
    ------
    NotFoundError
        If the engine is not installed, and its verdicts were not imported either.
    """
    try:
        installed = find_engine(pack.key(origin.engine))[1].version
    except NotFoundError:
        if origin.checked_as is None:
            raise
        return f"node counts of {origin.engine}, which is not installed: its verdicts were imported"
    if installed == origin.version:
        return None
    return f"node counts: they are of {origin.engine} version {origin.version}, but {installed} is installed"


def _other_results(pack: Pack, uncounted: Container[Origin], unchecked: list[str]) -> Iterator[str]:
    """Yield the layouts for which an engine of the recorded version has another result now. In packs that are graded by
    chance, each engine has `SOLVING_SECONDS` for a sample."""
    game = game_by(pack.game, pack.rules_text)
    if not all(is_canonical(game, entry.layout) for entry in pack.layouts):
        return
    entries = _drawn(pack) if pack.by == CHANCE else pack.layouts
    size = AT_ONCE if pack.by == CHANCE else len(entries)
    for origin in filter(None, (pack.run, pack.graded_by)):
        deadline = time.monotonic() + SOLVING_SECONDS
        for first in range(0, len(entries), size) if origin not in uncounted else ():
            part = entries[first : first + size]
            solved = solve(pack.key(origin.engine), [entry.layout for entry in part], origin.max_nodes).columns
            for entry, *row in zip(part, *solved.values(), strict=True):
                claim = entry if origin is pack.run else entry.graded_by
                if not claim:
                    continue
                claimed = {**claim.model_dump(include={*solved}), "verdict": _verdict(claim.verdict)}
                if claimed != dict(zip(solved, row, strict=True)):
                    yield f"layout {entry.position}: {origin.engine} now has another result or node count"
            if (done := first + len(part)) < len(entries) and time.monotonic() > deadline:
                unchecked.append(f"results of {origin.engine} but for {done:,} of {len(entries):,}, solved again")
                break
