"""The store: the only package that uses SQL. From the bottom up:

- `database`: tables, connections and their transactions, migrations, fast inserts
- `runs`: the plans and the progress of runs, jobs and their leases, workers, engine versions, the action log
- `sources`: layouts and rejects
- `filters`, `distributions`: what is asked of results, and how their numbers are distributed
- `storages`: verdicts and evidence, as rows or compact, and the forms in which they are read
- `planning`, `deletion`: how runs begin and end, by the engines that are installed here, and their state in words
- `audits`: audits, what they check, and seals
- `queries`, `diffs`, `copy`: what users ask of stored results
- `job_kinds`: the kinds of jobs, solving (`storages/solving_jobs.py`) and auditing (`audits/audit_jobs.py`)
"""
