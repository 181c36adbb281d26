"""Plain-text tables with aligned columns."""

from collections.abc import Sequence


def aligned(titles: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    """Format a line of titles and a line for each row. Text is aligned to the left, columns of numbers to the right."""
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
