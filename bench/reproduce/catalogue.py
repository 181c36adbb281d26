"""All figures, in the order of the table: the tests and the table both read this list."""

from bench.reproduce import camelot, card_pairing, freecell, hi_q, memory, tantrix, tantrix_loop

ALL_FIGURES = [
    *card_pairing.FIGURES,
    *camelot.FIGURES,
    *hi_q.FIGURES,
    *tantrix.FIGURES,
    *tantrix_loop.FIGURES,
    *memory.FIGURES,
    *freecell.FIGURES,
]
