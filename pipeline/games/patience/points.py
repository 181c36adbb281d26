"""How bad a table of a patience is: the points of docs/chances.md, for the two kernels of `chances`.

Of two numbers, the second one counts if only whole suits go to foundations.
"""

CARD_LEFT, FACE_DOWN, IN_STOCK, CELLS_SQUARED, ABOVE_NEXT = 4, 20, 1, 4, 2
COVERING, MISFIT, BROKEN_RUN, EMPTY_COLUMN = (4, 2), (2, 10), (1, 10), (-4, -12)
