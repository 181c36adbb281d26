"""The job queue: jobs of all kinds, their leases, and the workers that hold them."""
