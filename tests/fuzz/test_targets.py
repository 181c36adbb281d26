"""Some hundred hostile inputs for every reader."""

import pytest
from hypothesis import HealthCheck, settings

from tests.fuzz.targets import TARGETS

INPUTS = 150


@pytest.mark.parametrize("name", TARGETS)
def test_whatever_comes_in_is_taken_or_refused(name: str) -> None:
    settings(max_examples=INPUTS, deadline=None, suppress_health_check=list(HealthCheck))(TARGETS[name]())()
