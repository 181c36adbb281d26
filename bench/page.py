"""The performance page: sections with headings, each with the date of its measurement."""

import re
from collections.abc import Iterable, Mapping
from pathlib import Path

PAGE = Path(__file__).parent.parent / "docs" / "performance.md"
HEADING = re.compile(r"^## (.+)$", re.MULTILINE)
SUMMARISED = ("The whole way", "Starting", "Audits", "Surveys", "Pages")
"""The sections whose first paragraphs are the summary at the beginning of the page."""


def parts() -> dict[str, str]:
    """Return the text of each section of the page, by heading."""
    _, *pieces = HEADING.split(PAGE.read_text())
    return {title: text.strip() for title, text in zip(pieces[::2], pieces[1::2], strict=True)}


def write(titles: Iterable[str], texts: Mapping[str, str], end: str) -> None:
    """Write the page: a summary, the existing sections in the order of `titles`, then `end`."""
    first = {title: texts[title].partition("\n\n")[0] for title in SUMMARISED if title in texts}
    summary = "\n".join(f"- {text}" for text in first.values())
    written = [f"## {title}\n\n{texts[title]}" for title in titles if title in texts]
    PAGE.write_text("\n\n".join(["# Performance", summary, *written, end]) + "\n")
