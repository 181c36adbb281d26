"""The description of the JSON API holds for any request."""

from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from schemathesis.specs.openapi.checks import positive_data_acceptance

import dealmill
from dealmill.web.app import application
from tests.web.conftest import HOSTS
from tests.web.test_api import OPERATIONS


@pytest.fixture(scope="module")
def schema(furnished: str) -> Any:
    """The schema of the API, called in this process."""
    app = application(dealmill.open(furnished, read_only=True), hosts=HOSTS)
    return schemathesis.openapi.from_asgi("/api/openapi.json", app, headers={"Host": HOSTS[0]})


@pytest.mark.parametrize(("method", "path"), sorted(OPERATIONS))
def test_every_answer_matches_the_openapi_description(schema: Any, method: str, path: str) -> None:
    @settings(max_examples=25, deadline=None, database=None, suppress_health_check=list(HealthCheck))
    @given(schema[path][method].as_strategy())
    def check(case: "schemathesis.Case[Any]") -> None:
        # a range whose lower end exceeds the upper one is refused, which a schema cannot say
        case.call_and_validate(headers={"Host": HOSTS[0]}, excluded_checks=[positive_data_acceptance])

    check()
