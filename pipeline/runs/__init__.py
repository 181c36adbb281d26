"""Planning of runs: new runs, reruns, and runs that replace retracted ones."""
