"""The rules files of Dealmill's own covering games."""

from dealmill.pipeline.games.covering import GAMES

TEXTS = {path.stem: path.read_text() for path in sorted(GAMES.folder.glob("*.toml"))}
