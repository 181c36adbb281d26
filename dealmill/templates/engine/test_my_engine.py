"""The engine meets the checks of Dealmill, and audits accept its verdicts.

Run it with the manifest declared: DEALMILL_ENGINES=my-engine.toml pytest
"""

import pytest
from dealmill.testing import Check, checks_of

ENGINE = "my-game/my-engine"
CHECKS = [check for check in checks_of("my-game") if check.subject == ENGINE]


def test_the_engine_is_declared() -> None:
    assert CHECKS, "set DEALMILL_ENGINES to the path of my-engine.toml"


@pytest.mark.parametrize("check", CHECKS, ids=str)
def test_my_engine(check: Check) -> None:
    check()
