"""Surveys of all patiences and covering games: how many deals can be won."""

from bench.reproduce.pyramid import DECKS
from bench.reproduce.surveys import Question, published
from dealmill.pipeline.games import find_game, games
from dealmill.pipeline.games.covering import GAMES as COVERING_GAMES
from dealmill.pipeline.games.names import names_of, word_of
from dealmill.pipeline.games.patience import GAMES as PATIENCES

DEALS, FEWER_DEALS, MORE_DEALS = 10_000, 1_000, 20_000
FEWER = (
    "flower-garden",
    "gypsy",
    "mrs-mop",
    "spiderette",
    "whitehead",
)
"""Games of which `FEWER_DEALS` are searched, since some of their deals take seconds."""
MORE = ("klondike", "klondike-deal-1")
"""Games of which `MORE_DEALS` are searched, within a limit by which all are decided. It takes time only for those few
that need it: of 20,000 deals that turn three cards, three need more than the default limit."""
NODES = dict.fromkeys(MORE, 200_000_000)
"""Limits by which surveys decide deals that the default limit leaves open."""
VARIANTS = (
    "canister",
    "chinaman",
    "kings-only-bakers-game",
    "moosehide",
    "morehead",
    "portuguese-solitaire",
    "putt-putt",
    "relaxed-freecell",
    "thumb-and-pouch",
    "wasp",
    "westcliff",
    "westhaven",
    "whitehead",
)
"""Patiences that are variants of others, by the names by which people know them."""
GAMES = {
    family.name: [name for name, game in games().items() if game.rules_text and game.rules_text.family == family.name]
    for family in (PATIENCES, COVERING_GAMES)
}
"""The names of the games of each family."""
GAMES[PATIENCES.name] = sorted([*GAMES[PATIENCES.name], *VARIANTS])
BLAKE_AND_GENT = "Blake and Gent, arXiv 1906.12314"
PUBLISHED = {
    **{
        name: (published(percentage, source=BLAKE_AND_GENT),)
        for name, percentage in {
            "bakers-game": "75.053",
            "beleaguered-castle": "68.170",
            "black-hole": "86.944",
            "canfield": "71.24",
            "eight-off": "99.88",
            "freecell": "99.9988",
            "golf": "45.109",
            "king-albert": "68.54",
            "seahaven-towers": "89.332",
        }.items()
    },
    "klondike": (
        published("81.945", "0.084", source=BLAKE_AND_GENT),
        published("81.95", "0.03", source="lonelybot, 5.9 million deals"),
    ),
    "pyramid": (published("66.53", source="mchung94/pyramid-solver", deals=DECKS),),
    "pyramid-one-pass": (published("9.02", source="solitairewinrates.com"),),
    "tripeaks": (published("97.13", source="mchung94/solitaire-player", deals=DECKS),),
}
"""The winnable deals in per cent."""


def question(name: str) -> Question:
    """How many deals of a game can be won."""
    game = find_game(name)
    count = FEWER_DEALS if name in FEWER else MORE_DEALS if name in MORE else DEALS
    nodes = NODES.get(name, game.engines[0].max_nodes)
    title = game.title if name == game.name else known_as(name)
    return Question(f"{name}/winnable", title, PUBLISHED.get(name, ()), count=count, max_nodes=nodes)


def known_as(name: str) -> str:
    """Return how people write the name of a variant."""
    return next(known for known in names_of(find_game(name).name) if word_of(known) == name)
