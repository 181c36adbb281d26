"""FreeCell, a game of the distribution in ``contrib/dealmill-freecell``."""
