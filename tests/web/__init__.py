"""The pages and the JSON API of ``dealmill web``."""
