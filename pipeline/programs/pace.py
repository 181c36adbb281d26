"""The size of the jobs of programs, whose speed is not known before."""

PART_SECONDS = 2.0
"""The time after which a program that solves a job leaves the rest of its layouts to other workers."""
AT_ONCE = 10
"""The layouts for which a program is called at once."""
