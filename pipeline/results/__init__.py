"""The result of a layout; the fields of results and runs, each written down once; and figures and charts of many."""
