"""What a verdict rests on: the referee, samples, and the digests and seals of stored results."""
