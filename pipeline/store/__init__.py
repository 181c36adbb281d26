"""The store: the only package that uses SQL. Its modules, from the bottom up:

- `tables`, `sqlite`, `database`, `revisions`, `bulk`, `columns`: tables, connections, migrations, fast inserts
- `leases`, `jobs`, `workers`, `log`: jobs and the workers that hold them, and the action log
- `sources`, `source_writing`, `source_blocks`, `layout_index`: layouts and rejects
- `runs`, `engines`, `plans`: runs with their progress, engine versions, and the planning of runs
- `storage`, `rows`, `packed` and their parts: verdicts and evidence
- `audits`, `earlier_audits`, `seals`, `invariants`, `job_kinds`: audits, and the two kinds of jobs
- `filters`, `results`, `histograms`, `find`, `diff`: what users ask of stored results
"""
