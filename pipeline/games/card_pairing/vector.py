"""What an assignment means for the four cards of a rank, in instructions that work on all four at once.

numba would not choose them by itself: the pass that does is switched off because it miscompiled. So a vector of four
words is written out here, of which LLVM makes what the processor has. See
``docs/decisions/0021-four-cards-at-once.md``.
"""

from typing import Any

from llvmlite import ir
from numba import types
from numba.core.cgutils import unpack_tuple
from numba.extending import intrinsic
from numba.np.arrayobj import make_array

from dealmill.pipeline.games.card_pairing.layout import SUITS

PLACE = ir.IntType(32)
FOUR = ir.VectorType(ir.IntType(64), SUITS)
NONE = FOUR([0] * SUITS)
OWN = FOUR([(1 << SUITS) - 1] * SUITS)
SHIFTS = FOUR([SUITS * card for card in range(SUITS)])


@intrinsic
def pass_on_to_four(_: Any, before: Any, old: Any, new: Any, shift: Any, effect: Any) -> Any:
    """Read four words from ``before[old]`` on, which are sets of cards; add to each what follows from the `effect` (two
    sets, and what is added to the words that meet the first, and the second), and write them from ``before[new]`` on.
    Returns the four bits from `shift` on of each of them, side by side, those of the first lowest."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        array, old, new, shift, effect = arguments
        words = make_array(signature.args[0])(context, builder, array).data  # type: ignore[no-untyped-call]
        pair, other, with_pair, with_other = unpack_tuple(builder, effect)  # type: ignore[no-untyped-call]

        def address(first: Any) -> Any:
            return builder.bitcast(builder.gep(words, [first]), FOUR.as_pointer())

        def all_of(word: Any) -> Any:
            one = builder.insert_element(FOUR(ir.Undefined), word, PLACE(0))
            return builder.shuffle_vector(one, one, ir.VectorType(PLACE, SUITS)([0] * SUITS))

        def added(cards: Any, then: Any) -> Any:
            return builder.select(
                builder.icmp_unsigned("!=", builder.and_(before, all_of(cards)), NONE), all_of(then), NONE
            )

        before = builder.load(address(old), align=8)
        after = builder.or_(before, builder.or_(added(pair, with_pair), added(other, with_other)))
        builder.store(after, address(new), align=8)
        return _side_by_side(builder, builder.and_(builder.lshr(after, all_of(shift)), OWN))

    return types.uint64(before, old, new, shift, effect), generate


def _side_by_side(builder: Any, fours: Any) -> Any:
    shifted = builder.shl(fours, SHIFTS)
    first, *others = (builder.extract_element(shifted, PLACE(card)) for card in range(SUITS))
    for other in others:
        first = builder.or_(first, other)
    return first
