"""The Celery app and its task, the local broker and worker processes, and the reconciler."""
