"""A property driven by the branches that it reaches, in a process of its own: libFuzzer cannot be stopped in ours."""

import re
import subprocess
import sys

from tests.soak.outcome import Outcome

GRACE = 120.0
"""Seconds to start and to compile engines in, and the most that one input may take."""


def fuzz(name: str, seconds: float) -> Outcome:
    """Fuzz one of `tests.fuzz.targets`. An input that fails is kept in ``.hypothesis``, and the tests try it again."""
    try:
        ran = subprocess.run(
            [sys.executable, "-m", "tests.soak.fuzzer", name, str(seconds)],
            capture_output=True,
            text=True,
            errors="replace",
            check=False,
            timeout=seconds + GRACE,
        )
    except subprocess.TimeoutExpired:
        return Outcome(0, None, [f"one input took more than {GRACE:.0f} seconds"])
    tried = re.findall(r"^tried (\d+)$", ran.stdout, re.MULTILINE)
    coverage = re.findall(r" cov: (\d+) ", ran.stderr)
    failures = [] if ran.returncode == 0 and tried else [ran.stdout + ran.stderr]
    return Outcome(int(tried[-1]) if tried else 0, int(coverage[-1]) if coverage else None, failures)
