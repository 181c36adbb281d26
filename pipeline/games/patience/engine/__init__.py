"""What Dealmill solves patiences with: a room for each kind of search, and the careful player."""
