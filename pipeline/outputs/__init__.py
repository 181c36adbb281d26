"""The results of runs: querying, comparing, summarising and exporting them."""
