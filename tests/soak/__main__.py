"""Try every target for so many seconds each, and print a table: ``python -m tests.soak 300 "lines of a file"``."""

import sys
from collections.abc import Callable
from functools import partial

from tests.fuzz.targets import TARGETS as PROPERTIES
from tests.soak.files import tiny_files
from tests.soak.fuzzing import SoakResult, fuzz, fuzz_kernels

SECONDS = 60.0

TARGETS: dict[str, Callable[[float], SoakResult]] = {
    **{name: partial(fuzz, name) for name in PROPERTIES},
    "checks and kernels": fuzz_kernels,
    "a heap of tiny files": tiny_files,
}
"""What is tried, by name: each is called with the seconds that it has."""

WIDTH = max(map(len, TARGETS))


def main(seconds: float, names: list[str]) -> int:
    """Try the targets of these names, or all, and count the failures."""
    failures: list[str] = []
    print(f"{'target':{WIDTH}}  {'tried':>9}  {'coverage':>8}  failures")
    for name in names or TARGETS:
        outcome = TARGETS[name](seconds)
        coverage = "" if outcome.coverage is None else outcome.coverage
        print(f"{name:{WIDTH}}  {outcome.tried:>9,}  {coverage:>8}  {len(outcome.failures)}", flush=True)
        failures += [f"{name}:\n{failure}" for failure in outcome.failures]
    print(*failures, sep="\n\n")
    return len(failures)


if __name__ == "__main__":
    given, *chosen = sys.argv[1:] or [str(SECONDS)]
    sys.exit(main(float(given), chosen) > 0)
