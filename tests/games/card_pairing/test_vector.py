"""Vector instructions against the same in Python, word for word."""

import numpy as np
from hypothesis import example, given
from hypothesis import strategies as st

from dealmill.pipeline.games.card_pairing.classic.search import Effect
from dealmill.pipeline.games.card_pairing.classic.vector import pass_on_to_four
from dealmill.pipeline.games.card_pairing.sets import Words
from dealmill.pipeline.games.kernels import kernel

words = st.integers(0, 2**64 - 1)
sparse = st.integers(0, 63).map(lambda bit: 1 << bit)
sets = words | sparse | st.just(0)


@kernel
def passed_on(before: Words, old: np.uint64, new: np.uint64, shift: np.uint64, effect: Effect) -> np.uint64:
    return np.uint64(pass_on_to_four(before, old, new, shift, effect))  # type: ignore[call-arg]


@given(
    st.lists(sets, min_size=4, max_size=4), st.tuples(sets, sets, words, words), st.integers(0, 60), st.integers(0, 9)
)
@example([1 << 63, 0, 1 << 63 | 1, 1], (1 << 63, 1, 2, 4), 60, 0)
def test_four_words_get_what_follows(four: list[int], effect: tuple[int, int, int, int], shift: int, new: int) -> None:
    old = 5
    before = np.arange(100, 114, dtype=np.uint64)
    before[old : old + 4] = four
    untouched = before.tolist()
    own = passed_on(before, np.uint64(old), np.uint64(new), np.uint64(shift), tuple(map(np.uint64, effect)))  # type: ignore[arg-type]
    first, second, with_first, with_second = effect
    expected = [word | (with_first if word & first else 0) | (with_second if word & second else 0) for word in four]
    assert before.tolist() == [*untouched[:new], *expected, *untouched[new + 4 :]]
    assert own == sum((word >> shift & 15) << 4 * card for card, word in enumerate(expected))
