"""The store: the only package that uses SQL. From the bottom up:

- `database`: tables, connections and their transactions, migrations, fast inserts
- `runs`: the plans and the progress of runs, jobs and their leases, workers, engine versions, the action log
- `sources`: layouts and rejects
- `filters`, `histograms`, `arrow`: what is asked of results, and the forms in which they are returned
- `storages`: verdicts and evidence, as rows or compact
- `installation`, `run_planning`, `imports`, `deletion`, `states`: how runs begin and end, and their state in words
- `audits`: audits, what they check, and seals
- `results`, `find`, `diffs`: what users ask of stored results
- `job_kinds`: the two kinds of jobs
"""
