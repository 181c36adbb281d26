"""The engine `chances` of families of card games: what it says, without how it plays."""

from dealmill.pipeline.games.contract import Engine

PLAYS = 1_000
"""The plays, each of which is a node."""


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
