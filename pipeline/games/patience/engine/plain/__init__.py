"""The plain search of patiences: positions as words of one array, their moves, and those that are lost."""
