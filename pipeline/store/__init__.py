"""The store: the only package that uses SQL. From the bottom up:

- `database`: tables, connections and their transactions, migrations, fast inserts
- `runs`: the plans and the progress of runs, jobs and their leases, workers, engine versions, the action log
- `sources`: layouts, rejects, and the index of layouts
- `storages`: verdicts and evidence, as rows or packed
- `planning`, `imports`, `deletion`: how runs begin and end
- `audits`: audits, what they check, and seals
- `results`, `filters`, `histograms`, `find`, `diff`: what users ask of stored results
- `job_kinds`: the two kinds of jobs
"""
