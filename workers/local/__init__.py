"""The workers of one command: a broker, worker processes, and what keeps them at work until something is done."""
