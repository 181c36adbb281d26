"""Run local workers until a survey has reached its goal."""

from dealmill.pipeline.progress import Progress, Surveying
from dealmill.pipeline.runs.planning import check_installed, check_not_retracted, leave_out_unloadable
from dealmill.pipeline.store.database.connections import Database
from dealmill.pipeline.store.queue.leases import refused
from dealmill.pipeline.store.queue.solving import SOLVING
from dealmill.pipeline.store.runs.status import RunStatus, find_run
from dealmill.pipeline.survey.estimate import Estimate, estimate
from dealmill.pipeline.survey.growth import Width, extend_to, next_stage
from dealmill.workers.local.working import check_not_damaged, work_until


def grow_survey(store: Database, number: int, goal: Width | int, progress: Progress) -> tuple[RunStatus, Estimate]:
    """Work on a survey until its interval is narrow enough, or it has the requested number of deals. Return its status
    and its estimate.

    Raises
    ------
    RetractedError
        If its engine was retracted.
    StoreError
        If no number of deals would be enough, because too many are undecided or failed.
    DamagedError
        If some of its jobs are missing or damaged.
    VersionError
        If another version of its engine has been installed, or it cannot be loaded.
    DifferenceError
        If some of its verdicts are missing from the record or damaged.
    """
    run, found = find_run(store, number), None

    def done() -> bool:
        nonlocal run, found
        run = find_run(store, number)
        progress(Surveying(run.solved, run.items, run.id, run.rate))
        if not run.finished:
            check_not_retracted(run)
            check_not_damaged(store, run)
            leave_out_unloadable([run] if run.retried and run.id in refused(store, SOLVING) else [])
            check_installed(run)
            return False
        found = estimate(store, run)
        wanted = next_stage(found, goal)
        if wanted > run.items:
            extend_to(store, run, wanted)
        return wanted <= run.items

    if not done():
        work_until(store, done, progress)
    assert found is not None  # noqa: S101 -- there is at least one block
    return run, found
