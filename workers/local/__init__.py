"""The local workers of a command: a broker, worker processes, and the loop that keeps them running until the work is
done."""
