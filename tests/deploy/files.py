"""compose.yaml and the Dockerfile, read as Docker reads them."""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ruamel.yaml import YAML

ROOT = Path(__file__).parent.parent.parent
COMPOSE = ROOT / "compose.yaml"
OURS = "dealmill"
"""The image that the Dockerfile makes."""
REQUIRED = re.compile(r"\$(?:\$|\{(\w+):\?[^}]+\})")
"""A dollar sign, or a variable that has to be set; compose.yaml uses no others."""


def compose() -> dict[str, Any]:
    """The file as it stands, with aliases resolved."""
    document: dict[str, Any] = YAML(typ="safe").load(COMPOSE)
    return document


def services(environment: Mapping[str, str]) -> dict[str, Any]:
    """The services with the values of variables filled in, which raises KeyError where a required one is missing."""

    def fill(value: Any) -> Any:
        if isinstance(value, str):
            return REQUIRED.sub(lambda filled: environment[filled[1]] if filled[1] else "$", value)
        if isinstance(value, dict):
            return {key: fill(item) for key, item in value.items()}
        return [fill(item) for item in value] if isinstance(value, list) else value

    filled: dict[str, Any] = fill(compose()["services"])
    return filled


def variables() -> set[str]:
    """The variables that have to be set."""
    return {name for name in REQUIRED.findall(COMPOSE.read_text()) if name}


def dockerfile() -> list[tuple[str, str]]:
    """The instructions of the Dockerfile, each with what follows it."""
    lines = (ROOT / "Dockerfile").read_text().replace("\\\n", " ").splitlines()
    parts = [line.partition(" ") for line in lines if line and not line.startswith("#")]
    return [(name, " ".join(rest.split())) for name, _, rest in parts]
