"""The public figures of the five games, found again: quick ones as tests, all of them by ``make reproduce``."""
