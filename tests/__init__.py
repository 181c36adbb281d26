"""Tests behave alike in all shells: variables that change what Dealmill, Celery, clients of PostgreSQL or commands do
are removed before anything that reads them is imported."""

import os

SETTINGS = ("DEALMILL_", "CELERY_", "PG")
"""What the names of variables begin with that change what Dealmill, Celery or clients of PostgreSQL do."""
OUTPUT = ("COLUMNS", "LINES", "NO_COLOR", "FORCE_COLOR", "PYTHONPATH", "PYTHONWARNINGS", "PYTHONDONTWRITEBYTECODE")
"""Variables that change what commands print or import, or how fast they start."""

for _name in [name for name in os.environ if name.startswith(SETTINGS) or name in OUTPUT]:
    del os.environ[_name]
