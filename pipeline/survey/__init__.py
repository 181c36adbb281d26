"""Surveys: estimates of the share of a game's random deals that are winnable, or of their mean value.

A survey is a run over numbered deals without an end, with a rule that decides when there are enough deals. Those of
fast engines are compact.
`interval` computes confidence intervals, `estimate` the estimate for all deals, `growth` has the stopping rule, and
`report` writes the report.
"""
