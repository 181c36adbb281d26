"""The search of patiences, for a kernel: positions as words of one array, their moves, and those that are lost."""
