"""Two surveys side by side: by the digests of their blocks, and where these differ, deal by deal."""

from collections.abc import Iterator
from dataclasses import replace

from dealmill.pipeline.deals import parse_deal_range
from dealmill.pipeline.errors import DifferenceError, VersionError
from dealmill.pipeline.fingerprint import BLOCK
from dealmill.pipeline.games.verdict import Verdict
from dealmill.pipeline.store.database.connections import Database
from dealmill.pipeline.store.record.differences import Difference, Said
from dealmill.pipeline.store.record.packs import differing_blocks, kept_of
from dealmill.pipeline.store.runs.status import RunStatus
from dealmill.pipeline.survey.solving import again


def differing_deals(store: Database, one: RunStatus, other: RunStatus) -> Iterator[Difference]:
    """All deals of which two surveys of the same deals do not say the same, as far as both go."""
    for first in differing_blocks(store, one.id, other.id, min(one.items, other.items) + 1):
        yield from _differing_in_block(store, one, other, first)


def _differing_in_block(store: Database, one: RunStatus, other: RunStatus, first: int) -> Iterator[Difference]:
    deals = replace(parse_deal_range(one.source_name), first=first, last=first + BLOCK - 1)
    sides = [_made_again(store, run, first) for run in (one, other)]
    if None in sides:
        sides = [_kept(store, run, first) for run in (one, other)]
    some = False
    for layout, here, there in zip(deals, *filter(None, sides), strict=True):
        if here != there:
            some = True
            yield Difference(layout.text, here, there)
    if not some:
        nothing = Said(first, None, None, None)
        yield Difference(f"the evidence of one of {deals.name}", nothing, nothing)


def _made_again(store: Database, run: RunStatus, first: int) -> list[Said] | None:
    """All that a survey says of a block, if it can be made again."""
    try:
        return [Said(it.position, it.verdict, it.value, it.evidence) for it in again(store, run, first)]
    except (DifferenceError, VersionError):
        return None


def _kept(store: Database, run: RunStatus, first: int) -> list[Said]:
    """The verdicts alone."""
    kept = kept_of(store, run.id, first).verdicts
    codes = [None] * BLOCK if kept is None else kept.tolist()
    return [
        Said(position, None if code is None else Verdict(code), None, None)
        for position, code in enumerate(codes, start=first)
    ]
