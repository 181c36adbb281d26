"""Checks of the check before every engine that texts are canonical layouts."""

import numpy as np

from dealmill.pipeline.errors import BadLayout
from dealmill.pipeline.games.batch import Solved, Texts, lengths_to_starts, pack
from dealmill.pipeline.games.contract import NO_LIMIT
from dealmill.pipeline.solve import canonical_mask, guarded
from dealmill.testing.subject import CheckFailed, Subject, is_canonical, require

MANY = 10_000
SEPARATORS = (b"", b"\n", b"A")
REFUSED = 500


def the_canonical_check_accepts_all_layouts(subject: Subject) -> None:
    """Also the texts of many deals."""
    texts = [text.decode() for text in subject.canonical_texts] + subject.deal(5, 1, MANY)
    for text, found in zip(texts, canonical_mask(subject.game, pack(texts)).tolist(), strict=True):
        require(found, f"layout {text}: refused")
    require(len(canonical_mask(subject.game, pack([]))) == 0, "no texts give a mask that is not empty")


def the_canonical_check_agrees_with_the_reader(subject: Subject) -> None:
    """On altered layouts and random bytes, of which some are layouts."""
    texts = subject.hostile_texts(1, MANY)
    expected = [is_canonical(subject.game, text) for text in texts]
    layouts = Texts(np.frombuffer(b"".join(texts), dtype=np.uint8), lengths_to_starts([len(text) for text in texts]))
    for text, one, other in zip(texts, expected, canonical_mask(subject.game, layouts).tolist(), strict=True):
        require(one == other, f"{text!r}: the reader says {one}, the check {other}")


def the_canonical_check_reads_only_the_texts(subject: Subject) -> None:
    """The texts of a compiled check can be the lines of a block, whose last line ends with the block."""
    check = subject.game.mask
    if check is None:
        return
    texts = subject.hostile_texts(2, 1_000)
    expected = [is_canonical(subject.game, text) for text in texts]
    lengths = np.array([len(text) for text in texts], dtype=np.int64)
    for separator in SEPARATORS:
        ends = np.cumsum(lengths + len(separator)) - len(separator)
        block = np.frombuffer(separator.join(texts), dtype=np.uint8)
        found = check(block, ends - lengths, ends).tolist()
        require(found == expected, f"the check depends on the bytes between texts, here {separator!r}")


def only_layouts_reach_an_engine(subject: Subject) -> None:
    """All other texts are refused with the reasons that the reader gives."""

    def engine(layouts: Texts, max_nodes: int = NO_LIMIT) -> Solved:
        raise CheckFailed(f"{len(layouts)} texts, not all of them layouts, reached an engine (node limit {max_nodes})")

    solve = guarded(subject.game, engine)
    good = subject.canonical_texts[0].decode()
    for text in subject.bad_texts(4, MANY // 4)[:REFUSED]:
        try:
            solve(pack([good, text, good]))
        except BadLayout as error:
            require(error.reasons and all(error.reasons), f"{text!r} is refused without a reason")


CHECKS = (
    the_canonical_check_accepts_all_layouts,
    the_canonical_check_agrees_with_the_reader,
    the_canonical_check_reads_only_the_texts,
    only_layouts_reach_an_engine,
)
