"""The store: the only code that speaks SQL.

`database` has connections, tables and migrations; `queue` jobs and their leases; `sources` layouts; `runs` what was
planned and how far it is; `record` what runs have said; `audits` what the referee said of that; `actions` who did what.
"""
