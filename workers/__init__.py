"""The Celery side: the app and its task, the local broker and worker processes, and the reconciler between them."""
