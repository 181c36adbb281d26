"""The engine `chances` of families of card games: what it says, without how it plays."""

from dataclasses import replace

from dealmill.pipeline.games.descriptions import Engine

CHANCES = "chances"
"""The name of the engine."""
PLAYS = 1_000
"""The plays, each of which is a node."""
LEAST_CHANCE = 1_000
"""The least chance above 0, in millionths: deals of which the player wins no play have the last grade to themselves."""
COMMON_BOUNDS = 500_000, 200_000, 50_000
BOUNDS: dict[str, tuple[int, ...]] = {
    "bakers-game": (410_000, 210_000, 13_000),
    "black-hole": (65_000, 36_000, 20_000),
    "canfield": (1_000_000, 880_000, 420_000),
    "castles-of-spain": (600_000, 280_000, 110_000),
    "east-haven": (450_000, 220_000, 84_000),
    "eight-off": (870_000, 580_000, 130_000),
    "fan": (440_000, 86_000, 11_000),
    "free-cell-3-cell": (230_000, 92_000, 18_000),
    "freecell": (490_000, 320_000, 160_000),
    "giza": (940_000, 730_000, 390_000),
    "golf": (180_000, 67_000, 14_000),
    "klondike": (890_000, 490_000, 200_000),
    "klondike-deal-1": (1_000_000, 910_000, 560_000),
    "pyramid": (1_000_000, 920_000, 630_000),
    "russian-solitaire": (860_000, 400_000, 150_000),
    "scorpion": (870_000, 380_000, 160_000),
    "seahaven-towers": (590_000, 290_000, 110_000),
    "simple-simon": (110_000, 34_000, 12_000),
    "spanish-patience": (950_000, 860_000, 680_000),
    "spider-1-suit": (370_000, 260_000, 160_000),
    "spider-2-suits": (39_000, 22_000, 9_000),
    "tripeaks": (950_000, 700_000, 290_000),
    "tripeaks-no-wrap": (910_000, 510_000, 98_000),
    "worm-hole": (52_000, 40_000, 28_000),
    "yukon": (370_000, 180_000, 96_000),
}
"""The least chances of all grades but the last two of each game, in millionths; other games have the common ones.
docs/grades.md says how they were set."""


def careful_player(version: str) -> Engine:
    """Return the engine that counts the plays that the careful player of docs/chances.md wins."""
    return Engine(
        CHANCES,
        version,
        "how many of 1,000 plays a careful player wins, who sees only the cards that lie face up, in millionths",
        "the plays that are won: 200 digits `0-9a-v` of five plays each",
        max_nodes=PLAYS,
        value_text=lambda value: f"{value:,} millionths ({value // 1_000:,} of {PLAYS:,} plays)",
    )


def graded(engine: Engine, game: str) -> Engine:
    """Return the engine with the grades of a game."""
    return replace(engine, grades=(*BOUNDS.get(game, COMMON_BOUNDS), LEAST_CHANCE))
