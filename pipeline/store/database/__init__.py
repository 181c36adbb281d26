"""The database below the store: its tables, connections and migrations. Nothing in it knows what a run is."""
