"""The public figures of the six games, found again: quick ones as tests, all of them by ``make reproduce``."""
