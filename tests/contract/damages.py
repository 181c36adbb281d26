"""The catalogue of damages: the change of a record, and how much may become unreadable by it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum

SQLITE, POSTGRESQL = "sqlite", "postgresql"
BOTH = (SQLITE, POSTGRESQL)
ROWS, COMPACT = "rows", "compact"
RUN = {ROWS: 1, COMPACT: 2}
"""The runs over the same deals, by storage. Run 3 is a rerun of run 1; run 4 is over a file, with a retracted
engine."""
DEALS, FILE = 1, 2
"""The numbers of the sources of these runs."""
ITEM = 1_005
BLOCK = 1_000
HUGE = "x" * 1_000_000


def is_quick(number: int, storage: str, storages: Sequence[str]) -> bool:
    """Return whether `make test` changes the record with a number in a storage: in one of `storages`, in turn. `make
    test-slow` changes it in the other one."""
    return storage == storages[number % len(storages)]


class Cost(Enum):
    """How much is missing from an export without damaged results."""

    ITEM = "one item"
    """The record cannot be read. A run stored as rows loses one item, a compact run one block."""
    CHANGED = "one item, or none"
    """The record can be read, but was changed, which only an audit finds. A compact run detects it by solving again."""
    RUN = "the run"
    """The plan of the run or its layouts cannot be determined, or were changed to others."""
    NOTHING = "nothing"
    """No result depends on the record."""


@dataclass(frozen=True)
class Damage:
    """A change of a record: SQL with the placeholders ``{run}``, ``{deals}``, ``{source}`` and ``{item}`` for numbers,
    and the parameters `values`. On PostgreSQL, only changes that its types allow are tried."""

    name: str
    change: str
    cost: Cost
    storages: tuple[str, ...] = (ROWS,)
    databases: tuple[str, ...] = (SQLITE,)
    values: Mapping[str, object] | None = None

    def statement(self, storage: str) -> str:
        """Return the SQL that changes the run with the given storage."""
        return self.change.format(run=RUN[storage], deals=DEALS, item=ITEM, source=FILE)


def _of_verdicts(name: str, value: str, cost: Cost, databases: tuple[str, ...] = (SQLITE,)) -> Damage:
    change = f"UPDATE verdicts SET {name.partition(' ')[0]} = {value} WHERE run_id = {{run}} AND position = {{item}}"
    return Damage(name, change, cost, databases=databases)


def _of_items(name: str, value: str, cost: Cost, databases: tuple[str, ...] = (SQLITE,)) -> Damage:
    change = f"UPDATE items SET {name.partition(' ')[0]} = {value} WHERE source_id = {{deals}} AND position = {{item}}"
    values = {"huge": HUGE} if value == ":huge" else None
    return Damage(name, change, cost, databases=databases, values=values)


def _of_run(
    name: str,
    change: str,
    cost: Cost,
    databases: tuple[str, ...] = (SQLITE,),
    storages: tuple[str, ...] = (ROWS, COMPACT),
) -> Damage:
    return Damage(name, change, cost, storages, databases)


def _of_compact(name: str, change: str, cost: Cost, databases: tuple[str, ...] = (SQLITE,)) -> Damage:
    return Damage(name, change, cost, (COMPACT,), databases)


JOBS = "UPDATE jobs SET {0} WHERE run_id = {{run}} AND first = 1"
SOURCES = "UPDATE sources SET {0} WHERE id = {{deals}}"
RUNS = "UPDATE runs SET {0} WHERE id = {{run}}"
ENGINES = "UPDATE engines SET {0} WHERE id = (SELECT engine_id FROM runs WHERE id = {{run}})"
BLOCKS = "UPDATE blocks SET {0} WHERE run_id = {{run}} AND number = 1"
AUDITS = "UPDATE audits SET {0} WHERE run_id = {{run}}"
REJECTS = "UPDATE rejects SET {0} WHERE source_id = {{source}} AND number = 1"
NO_NUMBERS = (
    ("malformed JSON", "'{{'"),
    ("nested too deeply", "replace(hex(zeroblob(50000)), '0', '[')"),
    ("a list", "'[1, 2]'"),
    ("text for numbers", """'{{"seed": "8", "parameters": {{}}, "first": "1", "last": "1100"}}'"""),
)
FAR = 2**62

DAMAGES = [
    _of_verdicts("evidence not UTF-8", "CAST(x'ff' AS TEXT)", Cost.ITEM),
    _of_verdicts("evidence BLOB", "x'0102'", Cost.ITEM),
    _of_verdicts("evidence with NUL", "CAST(x'410042' AS TEXT)", Cost.CHANGED),
    _of_verdicts("evidence another", "'another'", Cost.CHANGED, BOTH),
    _of_verdicts("verdict 9", "9", Cost.ITEM, BOTH),
    _of_verdicts("verdict text", "'text'", Cost.ITEM),
    _of_verdicts("verdict NULL", "NULL", Cost.ITEM),
    _of_verdicts("value text", "'text'", Cost.ITEM),
    _of_verdicts("value float", "1.5", Cost.ITEM),
    _of_verdicts("value 2**63-1", f"{2**63 - 1}", Cost.CHANGED, BOTH),
    _of_verdicts("value 1e300", "1e300", Cost.ITEM),
    _of_verdicts("nodes text", "'text'", Cost.ITEM),
    _of_verdicts("nodes BLOB", "x'01'", Cost.ITEM),
    _of_verdicts("nodes negative", "-1", Cost.CHANGED, BOTH),
    Damage(
        "verdict deleted",
        "DELETE FROM verdicts WHERE run_id = {run} AND position = {item}",
        Cost.ITEM,
        databases=BOTH,
    ),
    _of_run(
        "verdict of no item",
        "INSERT INTO verdicts (run_id, position, verdict, nodes, evidence) VALUES ({run}, 5000, 5, 0, 'an error')",
        Cost.NOTHING,
        BOTH,
    ),
    _of_items("layout BLOB", "x'0102'", Cost.ITEM),
    _of_items("layout not UTF-8", "CAST(x'ff' AS TEXT)", Cost.ITEM),
    _of_items("layout of other characters", "'ä' || char(27) || '[2J'", Cost.CHANGED),
    _of_items("layout garbage", "'garbage'", Cost.CHANGED, BOTH),
    _of_items("layout empty", "''", Cost.CHANGED, BOTH),
    _of_items("layout NULL", "NULL", Cost.ITEM),
    _of_items("layout of a megabyte", ":huge", Cost.CHANGED, BOTH),
    _of_items("line text", "'text'", Cost.ITEM),
    Damage(
        "item deleted", "DELETE FROM items WHERE source_id = {deals} AND position = {item}", Cost.ITEM, databases=BOTH
    ),
    _of_run("jobs deleted", "DELETE FROM jobs WHERE run_id = {run}", Cost.NOTHING, BOTH),
    _of_run("first job deleted", "DELETE FROM jobs WHERE run_id = {run} AND first = 1", Cost.NOTHING, BOTH),
    _of_run("job state 7", JOBS.format("state = 7"), Cost.NOTHING, BOTH),
    _of_run("job state 'x'", JOBS.format("state = 'x'"), Cost.NOTHING),
    _of_run("job stop 2**62", JOBS.format(f"stop = {FAR}"), Cost.NOTHING, BOTH),
    _of_run("job stop 2**63-1", JOBS.format(f"stop = {2**63 - 1}"), Cost.NOTHING, BOTH),
    _of_run(
        "job first -2**63", "UPDATE jobs SET first = -(1 << 62) * 2 WHERE run_id = {run} AND first = 1", Cost.NOTHING
    ),
    _of_run("job total 2**63-1", JOBS.format(f"scored = {2**63 - 1}"), Cost.NOTHING, BOTH),
    _of_run("job finished 'never'", JOBS.format("finished = 'never'"), Cost.NOTHING),
    _of_run("job attempt text", JOBS.format("attempt = 'text'"), Cost.NOTHING),
    _of_run("job total text", JOBS.format("scored = 'text'"), Cost.NOTHING),
    _of_run("log time 'never'", "UPDATE actions SET at = 'never' WHERE run_id = {run}", Cost.NOTHING, storages=(ROWS,)),
    _of_run("log time 1e300", "UPDATE actions SET at = 1e300 WHERE run_id = {run}", Cost.NOTHING, BOTH, (ROWS,)),
    _of_run("log who BLOB", "UPDATE actions SET who = x'ff' WHERE run_id = {run}", Cost.NOTHING, storages=(ROWS,)),
    *(_of_run(f"source deals {name}", SOURCES.format(f"deals = {value}"), Cost.RUN) for name, value in NO_NUMBERS),
    *(
        _of_run(f"source deals {name}", SOURCES.format(f"deals = {value}"), Cost.RUN, (POSTGRESQL,))
        for name, value in NO_NUMBERS[2:]
    ),
    _of_run("source accepted 2**62", SOURCES.format(f"accepted = {FAR}"), Cost.RUN, BOTH),
    _of_run("source accepted negative", SOURCES.format("accepted = -1"), Cost.RUN, BOTH),
    _of_run("source accepted text", SOURCES.format("accepted = 'text'"), Cost.RUN),
    _of_run("source name BLOB", SOURCES.format("name = x'ff00'"), Cost.RUN),
    _of_run("source game unknown", SOURCES.format("game = 'whist'"), Cost.RUN, BOTH),
    _of_run("source game another", SOURCES.format("game = 'hi-q'"), Cost.RUN, BOTH),
    _of_run("run storage 7", RUNS.format("storage = 7"), Cost.RUN, BOTH),
    _of_run("run storage flipped", RUNS.format("storage = 3 - storage, repetition = 9"), Cost.RUN, BOTH),
    _of_run("run node limit text", RUNS.format("node_limit = 'text'"), Cost.RUN),
    _of_run("run engine dangling", RUNS.format("engine_id = 99"), Cost.RUN),
    _of_run("engine name unknown", ENGINES.format("name = 'memory/none'"), Cost.RUN, BOTH),
    _of_run("engine name BLOB", ENGINES.format("name = x'ff'"), Cost.RUN),
    Damage(
        "engine name of a megabyte", ENGINES.format("name = :huge"), Cost.RUN, (ROWS, COMPACT), values={"huge": HUGE}
    ),
    _of_run("engine retracted without a reason", ENGINES.format("retracted = 5"), Cost.NOTHING, BOTH),
    _of_run("engine name NULL", ENGINES.format("name = NULL"), Cost.RUN),
    _of_compact("block sum text", BLOCKS.format("scored = 'text'"), Cost.ITEM),
    _of_compact("block sum NULL", BLOCKS.format("scored = NULL"), Cost.ITEM, BOTH),
    _of_compact("block sum another", BLOCKS.format("value_sum = value_sum + 1"), Cost.ITEM, BOTH),
    _of_compact("block digest text", BLOCKS.format("digest = 'text'"), Cost.ITEM),
    _of_compact("block digest short", BLOCKS.format("digest = substr(digest, 1, 2)"), Cost.ITEM, BOTH),
    _of_compact("block deleted", "DELETE FROM blocks WHERE run_id = {run} AND number = 1", Cost.ITEM, BOTH),
    _of_run("block digest text", BLOCKS.format("digest = 'text'"), Cost.NOTHING, storages=(ROWS,)),
    _of_run("block digest short", BLOCKS.format("digest = substr(digest, 1, 2)"), Cost.NOTHING, BOTH, (ROWS,)),
    _of_run("block sum of rows", BLOCKS.format("scored = 100"), Cost.NOTHING, BOTH, (ROWS,)),
    _of_run("block deleted", "DELETE FROM blocks WHERE run_id = {run} AND number = 1", Cost.NOTHING, BOTH, (ROWS,)),
    _of_run("reject text BLOB", REJECTS.format("text = x'ff'"), Cost.NOTHING, storages=(ROWS,)),
    _of_run("reject reasons NULL", REJECTS.format("reasons = NULL"), Cost.NOTHING, storages=(ROWS,)),
    _of_run("audit size 2**62", AUDITS.format(f"size = {FAR}"), Cost.NOTHING, BOTH),
    _of_run("audit size negative", AUDITS.format("size = -1"), Cost.NOTHING, BOTH),
    _of_run("audit job state 7", "UPDATE audit_jobs SET state = 7", Cost.NOTHING, BOTH),
    _of_run("judgement 9", "UPDATE judgements SET outcome = 9 WHERE position = {item}", Cost.NOTHING, BOTH, (ROWS,)),
    _of_run(
        "fault with a BLOB",
        "INSERT INTO faults SELECT id, 1, 1, 1, 1, x'ff' FROM audits WHERE run_id = {run}",
        Cost.NOTHING,
    ),
]
"""All damages that are tested."""
