"""The page of figures: parts with headings, each with the day on which it was measured."""

import re
from collections.abc import Iterable, Mapping
from pathlib import Path

PAGE = Path(__file__).parent.parent / "docs" / "performance.md"
HEADING = re.compile(r"^## (.+)$", re.MULTILINE)


def parts() -> dict[str, str]:
    """The text below each heading of the page."""
    _, *found = HEADING.split(PAGE.read_text())
    return {title: text.strip() for title, text in zip(found[::2], found[1::2], strict=True)}


def write(titles: Iterable[str], texts: Mapping[str, str], end: str) -> None:
    """Write the page: the parts that there are of these titles, in their order, and what is said at its end."""
    written = [f"## {title}\n\n{texts[title]}" for title in titles if title in texts]
    PAGE.write_text("\n\n".join(["# Performance", *written, end]) + "\n")
