"""The interface of a game: what a package must define to offer one. See ``docs/add-a-game.md``."""

from dealmill.pipeline.games.contract import NO_LIMIT, AnswerFormat, Deals, Engine, Game, Layout, Parameter, Reject

__all__ = ["NO_LIMIT", "AnswerFormat", "Deals", "Engine", "Game", "Layout", "Parameter", "Reject"]
