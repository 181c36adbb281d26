"""Golden files: what each version of each engine says, byte for byte.

``tests/golden/GAME.ENGINE.VERSION.jsonl`` has a line per layout: the statement's examples and the first deals of
seed 1. When an output changes on purpose, give the engine a new version and write its file with ``make golden``, which
never overwrites one.
"""
