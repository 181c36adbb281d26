"""Change a record, and return what an audit finds."""

from dealmill.pipeline.games import find_game
from dealmill.pipeline.games.verdict import Verdict
from dealmill.pipeline.store.audits.audit import objections_of, recorded_faults
from dealmill.pipeline.store.database.connections import Database
from dealmill.pipeline.store.filters import Filter
from dealmill.pipeline.store.runs.status import RunStatus
from dealmill.pipeline.store.storages.rows import Rows
from tests.doing import an_audit, deal

PAIRING = "card-pairing/winnable"
DEALS = deal(find_game("card-pairing"), 1, 1, 2_500)
NUMBER = 40


def of_verdict(database: Database, run: RunStatus, verdict: Verdict) -> list[tuple[int, str]]:
    """Positions and evidence of the layouts with a verdict."""
    return [
        (row.position, str(row.evidence)) for row in Rows().page(database, run, Filter((verdict,)), 0, 10_000).results
    ]


def objections(database: Database, run: RunStatus) -> list[tuple[int, str]]:
    """The verdicts that a new audit finds invalid, with step and reason."""
    audit = an_audit(database, run)
    pairs = list(objections_of(database, audit))
    assert audit.invalid == len(pairs)
    assert not audit.clean
    return [(position, f"step {judged.step}: {judged.reason}") for position, judged in pairs]


def faults(database: Database, run: RunStatus) -> list[tuple[int, int, str]]:
    """What a new audit finds wrong with the record."""
    audit = an_audit(database, run)
    recorded = recorded_faults(database, audit.id)
    assert audit.faults == len(recorded)
    return [(fault.first, fault.last, fault.reason) for fault in recorded]
