"""Engines that are programs: any executable that speaks the line protocol of docs/engines.md on stdin and stdout.

A manifest (`manifest`) declares a program, and `found` adds the declared ones to the engines of their game. `solver`
is the function of such an engine. It runs the program (`process`) within limits, and reads its answers by
the rules of `protocol`.
"""
