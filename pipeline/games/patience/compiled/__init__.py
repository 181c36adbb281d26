"""The compiled referees of patiences, which share nothing with the engine."""
