"""The offsets of fields in an array of words."""

from typing import TYPE_CHECKING

import numpy as np
import pytest

from dealmill.kernels import Fields

ARRAY = Fields()
NODES, LIMIT = ARRAY.words(2)
POSITION = ARRAY.coming()
TOPS, UNDER = ARRAY.rows(2, 52)
POSITION_SIZE = ARRAY.coming() - POSITION
LEFT = ARRAY.word()

if TYPE_CHECKING:  # `make check` fails unless each of these is an error: mypy reports a comment that ignores none
    WORDS = np.zeros(ARRAY.size, dtype=np.int64)
    WORDS[NODES + 1] = 0  # type: ignore[operator]
    WORDS[TOPS] = 0  # type: ignore[call-overload]
    COUNT: int = LIMIT  # type: ignore[assignment]
    WORDS[TOPS + UNDER] = 0  # type: ignore[operator]
    WORDS[NODES - 1] = 0  # type: ignore[operator]


def test_each_field_has_words_of_its_own_in_the_order_of_fields() -> None:
    words = np.zeros(ARRAY.size, dtype=np.int64)
    words[NODES], words[LIMIT], words[LEFT] = 1, 2, 6
    for card in range(52):
        words[TOPS + card], words[UNDER + card] = 3, 4
    words[UNDER + 51] = 5
    assert words.tolist() == [1, 2, *[3] * 52, *[4] * 51, 5, 6]
    assert POSITION_SIZE == 104
    assert words[POSITION + 103] == 5


def test_the_number_of_words_is_that_of_their_names() -> None:
    with pytest.raises(ValueError, match="too many values"):
        _first, _second = Fields().words(3)
