"""Tables for people to read: of text, in columns as wide as what they hold."""

from collections.abc import Sequence


def aligned(titles: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    """A line of titles and a line for each row; the first column and text to the left, numbers to the right."""
    lines = [titles, *rows]
    shown = [[f"{cell:,}" if isinstance(cell, int) else str(cell) for cell in line] for line in lines]
    widths = [max(len(line[column]) for line in shown) for column in range(len(titles))]
    numeric = [all(isinstance(row[column], int | float) for row in rows) for column in range(len(titles))]
    return "\n".join(
        "  ".join(
            cell.rjust(width) if right else cell.ljust(width)
            for cell, width, right in zip(line, widths, numeric, strict=True)
        ).rstrip()
        for line in shown
    )
