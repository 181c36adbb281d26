"""Programs and privileges that some tests need, and the skipping of these tests.

With ``TEST_SKIPS=fail`` in the environment, a run in which a test was skipped fails.
"""

import os
from collections import Counter
from shutil import which

import pytest

from tests.selection import NOT_SLOW

STRICT = os.environ.get("TEST_SKIPS") == "fail"
MINUTES = {NOT_SLOW: 3, "slow and not by_hand": 26}
"""About how long `make test` and `make test-slow` take on two idle cores, by the markers that select their tests. The
first line of a run says it."""


def missing() -> list[str]:
    """Return what is not here, each with what to install or do."""
    needs = {
        "users, disks and networks (run as root)": os.geteuid() == 0,
        "users (install util-linux)": which("unshare") and which("setpriv"),
        "networks (install iproute2)": which("ip"),
        "the web pages (install chromium)": os.environ.get("TEST_CHROMIUM")
        or any(map(which, ("chromium-headless-shell", "chromium", "google-chrome"))),
        "engines in C (install gcc)": which("cc"),
        "the proofs (install coq and ocaml)": which("coqc") and which("ocamlopt"),
        "Freecell Solver (install freecell-solver-bin)": which("freecell-solver-range-parallel-solve"),
        "checkers on Python 3.8 to 3.10 (install one)": any(map(which, ("python3.8", "python3.9", "python3.10"))),
    }
    return [need for need, met in needs.items() if not met]


def announce(reporter: pytest.TerminalReporter, selected: str) -> None:
    """Write how long the tests `selected` by their markers take, and which will be skipped."""
    duration = f"about {MINUTES[selected]} minutes on two cores; " if selected in MINUTES else ""
    skipped = f"skips tests of {', '.join(missing())}" if missing() else "skips nothing"
    reporter.write_line(f"{duration}{skipped}")


def count_skips(reporter: pytest.TerminalReporter) -> int:
    """Write the reasons for which tests were skipped, with the number of tests for each, and return the number of
    all."""
    reasons = Counter(
        str(report.longrepr[2]).removeprefix("Skipped: ")
        for report in reporter.getreports("skipped")
        if isinstance(report.longrepr, tuple)
    )
    if reasons:
        reporter.section(f"{reasons.total()} skipped")
        for reason, count in reasons.most_common():
            reporter.write_line(f"{count:4}  {reason}")
    return reasons.total()
