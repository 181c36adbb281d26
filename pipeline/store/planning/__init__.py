"""Planning of runs by what is installed here, imported verdicts, and the state of a run in words."""
