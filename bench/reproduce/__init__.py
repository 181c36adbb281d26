"""The public figures of the six games, computed again by ``make reproduce``; tests do the same with quick ones."""
