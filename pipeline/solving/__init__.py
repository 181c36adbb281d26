"""Solving of layouts with an engine, and what is answered at once; without SQL or Celery."""
