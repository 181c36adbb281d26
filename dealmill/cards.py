"""What games with playing cards share: how people write cards, and how cards look.

`capital_ranks`, `with_letters` and `wide_characters` are for readers of layouts. `Cards` draws the cards of a table, in
the sizes that are here, too; `Marks` says which have moved.
A `Display` shows evidence step by step, as text and as pictures, and a `CardTable` is a game in play.
"""

from dealmill.pipeline.games.card_displays import HIDDEN, IDLE, LINE, CardTable, Display, Step, card_name
from dealmill.pipeline.games.card_pictures import (
    HEIGHT,
    LABEL,
    MARGIN,
    PITCH,
    SMALL,
    SMALL_HEIGHT,
    SMALL_PITCH,
    STRIP,
    WIDTH,
    Cards,
    Marks,
    words_of_stock,
)
from dealmill.pipeline.games.card_texts import (
    LONGEST_LINE,
    WIDE,
    capital_ranks,
    is_name_of,
    wide_characters,
    with_letters,
)

__all__ = [
    "HEIGHT",
    "HIDDEN",
    "IDLE",
    "LABEL",
    "LINE",
    "LONGEST_LINE",
    "MARGIN",
    "PITCH",
    "SMALL",
    "SMALL_HEIGHT",
    "SMALL_PITCH",
    "STRIP",
    "WIDE",
    "WIDTH",
    "CardTable",
    "Cards",
    "Display",
    "Marks",
    "Step",
    "capital_ranks",
    "card_name",
    "is_name_of",
    "wide_characters",
    "with_letters",
    "words_of_stock",
]
