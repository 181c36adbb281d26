"""A folder of installed distributions on the path of this process."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from dealmill.pipeline.games import installed
from dealmill.pipeline.solving import loading
from dealmill.pipeline.system.settings import settings


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """An empty folder on the path. What is installed there is found, and forgotten after the test."""
    folder = tmp_path / "site"
    folder.mkdir()
    monkeypatch.syspath_prepend(str(folder))
    offers = (installed._entries, installed.all_offers, installed.families)
    caches = (*offers, installed.load, settings, loading._load)
    for function in caches:
        function.cache_clear()
    yield folder
    for function in caches:
        function.cache_clear()
    for name, module in list(sys.modules.items()):
        if (getattr(module, "__file__", None) or "").startswith(str(folder)):
            del sys.modules[name]
