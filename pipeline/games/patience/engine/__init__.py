"""The engines of patiences: a package for each kind of search, and the careful player."""
