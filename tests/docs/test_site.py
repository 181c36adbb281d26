"""The documentation site: `make site` builds it without a broken link, and it works from disk."""

import subprocess
import sys
from pathlib import Path

import pytest
from sphinx.util.inventory import InventoryFile

import dealmill
from tests.web.browser import running_browser

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the site."""
    folder = tmp_path_factory.mktemp("site")
    build = [sys.executable, "-m", "sphinx", "--quiet", "--fail-on-warning", "--keep-going", "-c", "docs"]
    built = subprocess.run([*build, str(ROOT), str(folder)], cwd=ROOT, capture_output=True, text=True, check=False)
    assert (built.returncode, built.stderr) == (0, "")
    return folder


@pytest.mark.slow
def test_every_public_name_is_in_the_reference(site: Path) -> None:
    inventory = InventoryFile.loads((site / "objects.inv").read_bytes(), uri="")
    documented = {name for kind in inventory.data.values() for name in kind}
    modules = {"db", "progress"}
    assert {f"dealmill.{name}" for name in {*dealmill.__all__} - modules} <= documented


@pytest.mark.slow
def test_search_works_from_disk(site: Path) -> None:
    with running_browser() as browser:
        page = browser.new_page()
        page.goto(f"file://{site}/search.html?q=fingerprint")
        page.wait_for_selector("#search-results li a >> text=Run.fingerprint")
