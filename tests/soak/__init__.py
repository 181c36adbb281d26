"""What takes as long as it is given: `make soak`, or `python -m tests.soak SECONDS TARGET…`."""
