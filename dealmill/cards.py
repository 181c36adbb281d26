"""What games with playing cards share: how people write cards, and how cards look.

`capital_ranks`, `with_letters` and `wide_characters` are for readers of layouts. `Cards` draws the cards of a table, in
the sizes that are here, too; `Marks` says which have moved.
`scene_of_step` draws a step of evidence, and `rows_of_plays` shows which plays of a careful player are won.
"""

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
from dealmill.pipeline.games.play_pictures import caption_of_plays, rows_of_plays, scene_of_step

__all__ = [
    "HEIGHT",
    "LABEL",
    "LONGEST_LINE",
    "MARGIN",
    "PITCH",
    "SMALL",
    "SMALL_HEIGHT",
    "SMALL_PITCH",
    "STRIP",
    "WIDE",
    "WIDTH",
    "Cards",
    "Marks",
    "capital_ranks",
    "caption_of_plays",
    "is_name_of",
    "rows_of_plays",
    "scene_of_step",
    "wide_characters",
    "with_letters",
    "words_of_stock",
]
