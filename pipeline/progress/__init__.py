"""Progress of whatever takes long: its events, and how notebooks and logs show it."""
