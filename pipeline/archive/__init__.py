"""Archives: runs in one file that can be checked, and read into another store, without the store they are from.

`bag.py` is the form of the file, `record.py` what it says of a run, `about.py` its texts for people and catalogues;
`writing.py` writes an archive, `checking.py` proves it again, and `importing.py` reads it into a store. `provenance.py`
says who solved and audited a run, and `adding.py` adds what another store says of that.
"""
