"""Two runs side by side."""

from collections.abc import Iterator

from dealmill.pipeline.errors import NotFoundError
from dealmill.pipeline.store.database import Database
from dealmill.pipeline.store.differences import Difference, differences
from dealmill.pipeline.store.runs import RunStatus


def compare(store: Database, one: RunStatus, other: RunStatus) -> Iterator[Difference]:
    """All layouts of which two runs of a game do not say the same verdict with the same value and evidence.

    Surveys are compared as far as both go. Where evidence differs that cannot be made again, since another version is
    installed or the record was damaged, a block counts as one difference, unless verdicts differ too.

    Raises
    ------
    NotFoundError
        If there is nothing to compare.
    """
    if one.game != other.game:
        raise NotFoundError(f"run {one.id} is of {one.game}, run {other.id} of {other.game}: nothing to compare")
    if not one.survey and not other.survey:
        return differences(store, one, other)
    if one.source != other.source:
        raise NotFoundError(
            f"a survey is compared with one of the same deals: run {one.id} is over {one.source_name}, run {other.id} "
            f"over {other.source_name}"
        )
    from dealmill.pipeline.survey.comparing import differing_deals  # loads the compiler

    return differing_deals(store, one, other)
