"""Surveys: how many of the random deals of a game can be won, or what they are worth on average.

A survey is a run over numbered deals without end, which grows until its interval is narrow enough. Its deals and its
evidence are kept nowhere: they are dealt and solved again whenever someone asks, and held against what is kept.
"""
