"""The effect of an assignment on the four cards of a rank, in vector instructions.

numba does not vectorize this code: its SLP vectorizer pass is switched off because it miscompiled. So the operations
on a vector of four words are written out here, and LLVM translates them for the processor. See
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
    """Apply an effect to the four sets of cards from ``before[old]`` on, and write them from ``before[new]`` on.

    A set is a word. `effect` is two sets of cards, and two sets to add: the first is added to each word that intersects
    the first set, the second to each that intersects the second. Returns the four bits of each new word from bit
    `shift` on, in one number; those of the first word are lowest.
    """

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        array, old, new, shift, effect = arguments
        words = make_array(signature.args[0])(context, builder, array).data  # type: ignore[no-untyped-call]
        first_pair, second_pair, with_first, with_second = unpack_tuple(builder, effect)  # type: ignore[no-untyped-call]

        def address(first: Any) -> Any:
            return builder.bitcast(builder.gep(words, [first]), FOUR.as_pointer())

        def all_of(word: Any) -> Any:
            lane = builder.insert_element(FOUR(ir.Undefined), word, PLACE(0))
            return builder.shuffle_vector(lane, lane, ir.VectorType(PLACE, SUITS)([0] * SUITS))

        def added(cards: Any, then: Any) -> Any:
            return builder.select(
                builder.icmp_unsigned("!=", builder.and_(before, all_of(cards)), NONE), all_of(then), NONE
            )

        before = builder.load(address(old), align=8)
        after = builder.or_(before, builder.or_(added(first_pair, with_first), added(second_pair, with_second)))
        builder.store(after, address(new), align=8)
        return _side_by_side(builder, builder.and_(builder.lshr(after, all_of(shift)), OWN))

    return types.uint64(before, old, new, shift, effect), generate


def _side_by_side(builder: Any, fours: Any) -> Any:
    shifted = builder.shl(fours, SHIFTS)
    first, *lanes = (builder.extract_element(shifted, PLACE(card)) for card in range(SUITS))
    for lane in lanes:
        first = builder.or_(first, lane)
    return first
