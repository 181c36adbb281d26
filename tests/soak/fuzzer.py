"""The process that fuzzes one property: ``python -m tests.soak.fuzzer "lines of a file" 60``."""

import os
import sys
import time
from tempfile import TemporaryDirectory

import atheris
from hypothesis import HealthCheck, settings

LONGEST = 4096
"""Bytes that an input is made of."""
SPEAK = 1.0
"""Seconds between two lines that say how far it is."""


def main(name: str, seconds: float) -> None:
    """Fuzz until the time is over or an input fails; never returns."""
    with atheris.instrument_imports(
        include=["dealmill"]
    ):  # kernels are imported later: compilers want them as they are
        from dealmill.pipeline.games import games
        from tests.fuzz.targets import TARGETS

        for game in games().values():
            for function in ("read", "check", "scenes"):
                getattr(game, function)  # imports its module
    relaxed = settings(deadline=None, suppress_health_check=list(HealthCheck))
    try_one = relaxed(TARGETS[name]()).hypothesis.fuzz_one_input  # type: ignore[attr-defined]
    tried, said, end = 0, time.monotonic(), time.monotonic() + seconds

    def one_input(data: bytes) -> None:
        nonlocal tried, said
        tried += try_one(data) is not None
        now = time.monotonic()
        if now - said > SPEAK or now > end:
            said = now
            print("tried", tried, flush=True)
        if now > end:
            os._exit(0)

    with TemporaryDirectory() as folder:
        options = [f"-max_len={LONGEST}", "-len_control=0", f"-artifact_prefix={folder}/"]
        atheris.Setup([sys.argv[0], *options], one_input)
        atheris.Fuzz()


if __name__ == "__main__":
    main(sys.argv[1], float(sys.argv[2]))
