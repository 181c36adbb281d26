"""The engine `chances` of families of card games: what it says, without how it plays."""

from dataclasses import replace

from dealmill.pipeline.games.contract import Engine

PLAYS = 1_000
"""The plays, each of which is a node."""
LEAST_CHANCE = 1_000
"""The least chance above 0, in millionths: deals of which the player wins no play have the last grade to themselves."""
COMMON_BOUNDS = 500_000, 200_000, 50_000
BOUNDS: dict[str, tuple[int, ...]] = {}
"""The least chances of all grades but the last two of each game, in millionths; other games have the common ones.
docs/grades.md says how they were set."""


def careful_player(version: str) -> Engine:
    """Return the engine that counts the plays that the careful player of docs/chances.md wins."""
    return Engine(
        "chances",
        version,
        "how many of 1,000 plays a careful player wins, who sees only the cards that lie face up, in millionths",
        "the plays that are won: 200 digits `0-9a-v` of five plays each",
        max_nodes=PLAYS,
        value_text=lambda value: f"{value:,} millionths ({value // 1_000:,} of {PLAYS:,} plays)",
    )


def graded(engine: Engine, game: str) -> Engine:
    """Return the engine with the grades of a game."""
    return replace(engine, grades=(*BOUNDS.get(game, COMMON_BOUNDS), LEAST_CHANCE))
