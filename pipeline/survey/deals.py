"""The deals of a survey, which are known by the name of its source."""

from dealmill.pipeline.deals import DealRange, parse_deal_range
from dealmill.pipeline.errors import VersionError
from dealmill.pipeline.games import find_engine
from dealmill.pipeline.store.runs.status import PlannedRun


def dealt_here(run: PlannedRun) -> DealRange:
    """The deals of a survey.

    Raises
    ------
    VersionError
        If what is installed is not what dealt and solved them.
    """
    deals = parse_deal_range(run.source_name)
    _, engine = find_engine(run.engine)
    if (engine.version, deals.game.generator) != (run.version, run.generator):
        raise VersionError(
            f"run {run.id} is a survey by {run.engine} {run.version} of deals by {run.generator}, but {engine.version} "
            f"and {deals.game.generator} are installed: its deals can only be shown by the Dealmill that has those"
        )
    return deals
