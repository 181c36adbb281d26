"""From the name of a file or a range of deals to a stored source."""
