"""Commands and workers in processes that are forked from a server, which has imported most modules before.

`server` runs in a process of its own and answers `client`, which does the same as the program ``dealmill``.
`background` controls commands that run while a test goes on. `workers` has `subprocess` take workers from a server.
"""
