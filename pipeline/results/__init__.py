"""What runs have said: queried, compared, summed up, exported."""
