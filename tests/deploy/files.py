"""compose.yaml and the Dockerfile, read as Docker reads them."""

import re
import tomllib
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

from ruamel.yaml import YAML

ROOT = Path(__file__).parent.parent.parent
COMPOSE = ROOT / "compose.yaml"
OURS = f"dealmill:{tomllib.loads((ROOT / 'pyproject.toml').read_text())['project']['version']}"
"""The image that the Dockerfile makes."""
REQUIRED = re.compile(r"\$(?:\$|\{(\w+):\?[^}]+\}|\{(\w+):-(\w+)\})")
"""A dollar sign, a variable that has to be set, or one with a default; compose.yaml uses no others."""


def compose() -> dict[str, Any]:
    """The file as it stands, with aliases resolved."""
    document: dict[str, Any] = YAML(typ="safe").load(COMPOSE)
    return document


def services(environment: Mapping[str, str]) -> dict[str, Any]:
    """The services with the values of variables filled in, which raises KeyError where a required one is missing."""

    def fill(value: Any) -> Any:
        if isinstance(value, str):
            return REQUIRED.sub(partial(_filled, environment), value)
        if isinstance(value, dict):
            return {key: fill(item) for key, item in value.items()}
        return [fill(item) for item in value] if isinstance(value, list) else value

    filled: dict[str, Any] = fill(compose()["services"])
    return filled


def _filled(environment: Mapping[str, str], variable: re.Match[str]) -> str:
    if variable[2]:
        return environment.get(variable[2], variable[3])
    return environment[variable[1]] if variable[1] else "$"


def variables() -> set[str]:
    """The variables that have to be set."""
    return {name for name, *_ in REQUIRED.findall(COMPOSE.read_text()) if name}


def dockerfile() -> list[tuple[str, str]]:
    """The instructions of the Dockerfile, each with what follows it."""
    lines = (ROOT / "Dockerfile").read_text().replace("\\\n", " ").splitlines()
    parts = [line.partition(" ") for line in lines if line and not line.startswith("#")]
    return [(name, " ".join(rest.split())) for name, _, rest in parts]
