"""Golden files: what each version of each engine says, byte for byte.

``tests/golden/GAME.ENGINE.VERSION.jsonl`` is described in `dealmill.testing.engines`. Beside it,
``GAME.ENGINE.VERSION.deals-VERSION.txt`` has the fingerprint of very many deals. When an output changes on purpose,
give the engine a new version and write its files with ``make golden``, which never overwrites one. Lines for further
layouts can be added to a file: those after line 303 of ``card-pairing.winnable.1.jsonl`` have layouts of other sizes.
"""
