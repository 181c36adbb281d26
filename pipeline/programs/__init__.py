"""Engines that are programs: any executable that speaks the line protocol of docs/engines.md on stdin and stdout.

A manifest (`manifest`) declares a program, and `found` adds the declared ones to the engines of their game. `solver`
is the function of such an engine. It runs the program (`process`) within limits, and reads its answers by
the rules of `protocol`.
"""

PART_SECONDS = 2.0
"""The time after which a worker that solves a job leaves the rest of its layouts to others."""
AT_ONCE = 10
"""The layouts for which a program is called at once, or an engine at the beginning of a job."""
