"""Games that other distributions offer."""
