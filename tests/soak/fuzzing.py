"""Fuzzing in processes of their own: libFuzzer cannot be stopped in ours, and a kernel might crash it."""

import os
import re
import subprocess
import sys
import time
from dataclasses import dataclass, field

GRACE = 120.0
"""Seconds to start and to compile engines in, and the most that one input may take."""


@dataclass(frozen=True, slots=True)
class SoakResult:
    """How much was tried, how many branches of our code that reached (where it was counted), and what went wrong."""

    tried: int
    coverage: int | None = None
    failures: list[str] = field(default_factory=list)


def fuzz(name: str, seconds: float) -> SoakResult:
    """Fuzz one of `tests.fuzz.targets`, driven by the branches that it reaches. An input that fails is kept in
    ``.hypothesis``, and the tests try it again."""
    return _run(["tests.soak.fuzzer", name], seconds, {})


def fuzz_kernels(seconds: float) -> SoakResult:
    """Send hostile texts through all checks and engines, with bounds checks on, from a seed that is new each time."""
    return _run(["tests.fuzz.kernels", str(int(time.time()))], seconds, {"NUMBA_BOUNDSCHECK": "1"})


def _run(module: list[str], seconds: float, env: dict[str, str]) -> SoakResult:
    """Run a module with its arguments and then the seconds, and collect how many inputs it says it has tried."""
    try:
        ran = subprocess.run(
            [sys.executable, "-m", *module, str(seconds)],
            env={**os.environ, **env},
            capture_output=True,
            text=True,
            errors="replace",
            check=False,
            timeout=seconds + GRACE,
        )
    except subprocess.TimeoutExpired:
        return SoakResult(0, None, [f"one input took more than {GRACE:.0f} seconds"])
    tried = re.findall(r"^tried (\d+)$", ran.stdout, re.MULTILINE)
    coverage = re.findall(r" cov: (\d+) ", ran.stderr)
    failures = [] if ran.returncode == 0 and tried else [ran.stdout + ran.stderr]
    return SoakResult(int(tried[-1]) if tried else 0, int(coverage[-1]) if coverage else None, failures)
