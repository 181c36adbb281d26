"""Pictures as PNG images, drawn with a font of its own package, so that they are the same on every machine."""

import re
from importlib import import_module

from dealmill.pipeline.errors import UsageError
from dealmill.pipeline.system.extras import check_extra

FONT = "Arimo"
"""As wide as Helvetica and Arial, which pictures ask for."""
ZOOM = 2
"""Pixels for each unit of a picture."""
MAX_PIXELS = 50_000_000
SIZE = re.compile(r'<svg [^>]*viewBox="0 0 ([0-9.]+) ([0-9.]+)"')


def to_png(svg: str) -> bytes:
    """Return an SVG document as a PNG image.

    Raises
    ------
    UsageError
        If it has more than `MAX_PIXELS`, or the extra ``pictures`` is not installed.
    """
    check_extra("pictures")
    size = SIZE.match(svg)
    if size is None:
        raise UsageError("the picture has no size, so it cannot be drawn as PNG")
    width, height = (ZOOM * float(length) for length in size.groups())
    if width * height > MAX_PIXELS:
        raise UsageError(
            f"the picture has {width:,.0f} x {height:,.0f} pixels, more than {MAX_PIXELS:,}: choose one picture "
            "with --step N (step=N in Python), where 0 is the layout, or write a file that ends in .svg"
        )
    font = import_module("fontpkg_arimo").ROOT / "files" / f"{FONT}[wght].ttf"
    png: bytes = import_module("resvg_py").svg_to_bytes(
        svg_string=svg,
        zoom=ZOOM,
        skip_system_fonts=True,
        font_files=[str(font)],
        sans_serif_family=FONT,
    )
    return png
