"""Settings of Sphinx for the documentation site, which `make site` builds of the same pages that GitHub shows."""

import importlib.metadata
from pathlib import Path

from sphinx.application import Sphinx

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


def setup(app: Sphinx) -> None:
    """Connect the navigation."""
    app.connect("source-read", _add_navigation)
