"""Settings of Sphinx for the documentation site, which `make site` builds of the same pages that GitHub shows."""

import importlib.metadata
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from docutils.nodes import Element
from sphinx.addnodes import toctree
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment

ROOT = Path(__file__).parent.parent
GUIDES = (
    *(
        "solve",
        "web",
        "check",
        "compare",
        "your-solver",
        "packs",
        "chances",
        "play",
        "survey",
        "paper",
        "results",
        "beside-others",
        "sizes",
    ),
    *("python", "games", "games-by-name", "patience", "fields", "sql", "commands"),
)
OPERATION = ("database", "deploy", "operate", "performance", "scale")
EXTENSIONS = ("add-a-game", "engines", "architecture", "api")
PROOFS = (
    *("guarantees", "invariants"),
    *("proofs/README", "proofs/card-pairing", "proofs/camelot", "proofs/patience", "proofs/cut", "proofs/safe"),
)
CHAPTERS = {
    **{
        chapter: [f"docs/{name}" for name in names]
        for chapter, names in {"Use": GUIDES, "Run a farm": OPERATION, "Extend": EXTENSIONS, "Trust": PROOFS}.items()
    },
    "Project": ["CHANGELOG", "CONTRIBUTING", "docs/decisions/README"],
}
"""Pages of the navigation, by chapter; all pages of the folder are found by search and by links."""

project = "Dealmill"
release = importlib.metadata.version("dealmill")
root_doc = "README"
include_patterns = ["README.md", "CONTRIBUTING.md", "CHANGELOG.md", "docs/**", "contrib/**/README.md"]
exclude_patterns = ["docs/conf.py"]
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
suppress_warnings = [
    "myst.header",  # a section of the changelog begins deeper
    "toc.not_included",  # decisions are in their index
    "ref.python",  # names of public classes are also those of their modules
    "misc.highlighting_failure",  # code with an ellipsis
]
myst_heading_anchors = 3
autodoc_default_options = {"members": True, "undoc-members": True}
autodoc_member_order = "bysource"
autodoc_typehints = "signature"
html_theme = "furo"
html_title = f"Dealmill {release}"
html_show_sourcelink = False


def _add_navigation(_app: Sphinx, page: str, text: list[str]) -> None:
    """Append the navigation to the README, where GitHub would show it as text."""
    if page == root_doc:
        for chapter, names in CHAPTERS.items():
            text[0] += "\n".join(["", "```{toctree}", ":hidden:", f":caption: {chapter}", "", *names, "```", ""])


@cache
def _titles(environment: BuildEnvironment) -> Mapping[str, Element]:
    """Return the tables of contents of all pages without the headings below the titles."""
    tables = {page: table.deepcopy() for page, table in environment.tocs.items()}
    for item in (item for table in tables.values() for item in table):
        if len(item) > 1 and not any(item.findall(toctree)):
            item.pop(1)
    return tables


def _list_titles(app: Sphinx, _page: str, _template: str, context: dict[str, Any], _tree: object) -> None:
    """Have the navigation of a page look at the titles of all pages only. The theme shows nothing else of them, but
    copies all headings first, for each page, which takes two thirds of the time of a build."""
    navigation = context["toctree"]

    def of_titles(**options: object) -> str:
        tables, app.env.tocs = app.env.tocs, _titles(app.env)
        try:
            return str(navigation(**options))
        finally:
            app.env.tocs = tables

    context["toctree"] = of_titles


def setup(app: Sphinx) -> None:
    """Connect the navigation, before the theme takes it."""
    app.connect("source-read", _add_navigation)
    app.connect("html-page-context", _list_titles, priority=400)
