"""The rules files of Dealmill's own patiences."""

from dealmill.pipeline.games.patience import GAMES
from dealmill.pipeline.games.patience.rules import Rules

TEXTS = {path.stem: path.read_text() for path in sorted(GAMES.folder.glob("*.toml"))}
FILES = {name: GAMES.load(name, text) for name, text in TEXTS.items()}


def rules_of(name: str) -> Rules:
    """The rules of a game."""
    return FILES[name].rules
