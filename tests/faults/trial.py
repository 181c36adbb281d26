"""A trial: inject faults into runs at random moments, and check the final state."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.faults.catalogue import FAULTS
from tests.faults.scene import Scene
from tests.servers import Postgres

FORGED = "TypeError: do_job() missing 1 required positional argument"
"""Celery's error for a forged message, the only one that may have a traceback."""

PAUSE = 500
"""The most items that are solved between two faults."""


@dataclass(frozen=True, slots=True)
class Endured:
    """The outcome of a trial: the number of injections of each fault, the number of items, those without a verdict and
    those with more than one, and the longest wait for a verdict in seconds after each fault."""

    injected: Counter[str]
    items: int
    lost: int
    doubled: int
    longest: dict[str, float]


def endure(postgres: Postgres, faults: Sequence[str], seed: int) -> Endured:
    """Inject these faults into runs at random moments, in random order, and check the final state."""
    with TemporaryDirectory(prefix="scene-") as name:
        Path(name).chmod(0o755)
        with Scene(Path(name), postgres, seed) as scene:
            order = scene.chance.sample(faults, len(faults))
            longest: dict[str, float] = {}
            for fault in order:
                scene.until_solved(scene.solved() + scene.chance.randint(1, PAUSE))
                FAULTS[fault](scene)
                longest[fault] = max(longest.get(fault, 0.0), scene.until_solved(scene.solved() + 1))
            scene.end()
            return _left(scene, Counter(order), longest)


def _left(scene: Scene, injected: Counter[str], longest: dict[str, float]) -> Endured:
    rows, different = scene.stored()
    scene.check_runs()
    tracebacks = [traceback for traceback in scene.output.split("Traceback")[1:] if FORGED not in traceback]
    assert not tracebacks, "\n".join(tracebacks)
    assert "DeprecationWarning" not in scene.output
    assert scene.processes() == []
    assert list(scene.temporary.iterdir()) == []
    return Endured(injected, scene.planned, scene.planned - different, rows - different, longest)


def as_table(endured: Iterable[Endured]) -> str:
    """Return a table with a row per fault, over all trials that injected it: numbers are aligned to the right."""
    suffered: dict[str, list[Endured]] = {}
    for trial in endured:
        for fault in sorted(trial.injected):
            suffered.setdefault(fault, []).append(trial)
    rows = [
        (
            fault,
            sum(trial.injected[fault] for trial in runs),
            sum(trial.items for trial in runs),
            sum(trial.lost for trial in runs),
            sum(trial.doubled for trial in runs),
            round(max(trial.longest[fault] for trial in runs), 1),
        )
        for fault, runs in suffered.items()
    ]
    titles = ("fault", "injected", "items", "lost", "doubled", "longest wait, s")
    lines = [titles, *((fault, *(f"{number:,}" for number in numbers)) for fault, *numbers in rows)]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    return "\n".join(
        "  ".join([line[0].ljust(widths[0]), *map(str.rjust, line[1:], widths[1:])]).rstrip() for line in lines
    )
