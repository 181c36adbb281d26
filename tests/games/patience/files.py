"""The rules files of Dealmill's own patiences."""

from dealmill.pipeline.games import patience
from dealmill.pipeline.games.patience.rules import Rules

FILES = {game.name: game for game in patience.GAMES}


def rules_of(name: str) -> Rules:
    """The rules of a game."""
    return FILES[name].rules
