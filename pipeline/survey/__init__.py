"""Surveys: how many of the random deals of a game can be won, or what they are worth on average.

A survey is a run over numbered deals without end, stored packed, with a rule that says when there are enough.
`interval` has the confidence intervals, `estimate` what a run says of all deals, `growth` the rule, `report` the pages.
"""
