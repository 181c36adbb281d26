"""The store: the only package that uses SQL.

- `database`: connections, tables and migrations
- `queue`: jobs and their leases
- `sources`: layouts and rejects
- `runs`: plans and progress of runs
- `record`: verdicts and evidence
- `audits`: plans, jobs and findings of audits
- `actions`: the action log
"""
