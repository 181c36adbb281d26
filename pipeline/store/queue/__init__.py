"""The job queue: jobs of all kinds, who holds them, and who may take them."""
