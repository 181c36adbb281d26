"""Solutions as data, which `Result.playback` returns and games make; see ``docs/play.md``."""

from dealmill.pipeline.games.playback import GONE, Move, Pile, Playback, Step, carried, turned

__all__ = ["GONE", "Move", "Pile", "Playback", "Step", "carried", "turned"]
