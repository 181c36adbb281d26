"""Folders of installed distributions, written by hand, which takes no time: a test puts them on the path."""

from collections.abc import Mapping
from pathlib import Path

PEG_ROW = Path(__file__).parents[2] / "examples" / "dealmill-peg-row" / "dealmill_peg_row"
"""The package of a game from outside, which the documentation shows."""


def install(site: Path, distribution: str, games: Mapping[str, str], version: str = "0.1") -> None:
    """Write the metadata of a distribution that offers games: the object by the name of the game."""
    metadata = site / f"{distribution.replace('-', '_')}-{version}.dist-info"
    metadata.mkdir(parents=True)
    (metadata / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {distribution}\nVersion: {version}\n")
    lines = "".join(f"{name} = {value}\n" for name, value in games.items())
    (metadata / "entry_points.txt").write_text(f"[dealmill.games]\n{lines}")


def install_peg_row(site: Path) -> None:
    """Install the game from outside."""
    install(site, "dealmill-peg-row", {"peg-row": "dealmill_peg_row:GAME"})
    (site / "dealmill_peg_row").symlink_to(PEG_ROW)
