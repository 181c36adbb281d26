"""The Celery app. A message holds only the kind and the number of a job; everything else is read from the database.

Importing this module reads no settings, and does not affect other Celery apps in the same process.
`dealmill.workers.parent` sets up worker processes.
"""

from functools import cached_property

from celery import Celery
from celery.backends.base import DisabledBackend

from dealmill.pipeline.system.settings import settings

TASK = "dealmill.job"
"""The name of the only task. Its arguments are the kind and the number of a job."""

BROKER_PATIENCE = 10.0
"""Seconds after which a connection to a broker that does not respond is closed and opened again."""


class App(Celery):  # type: ignore[misc]
    """An app without results. Celery's own would look for the backend of results in all installed distributions."""

    @cached_property
    def backend(self) -> DisabledBackend:
        """Refuse to store results."""
        return DisabledBackend(app=self)


app = App("dealmill")
app.add_defaults(lambda: {"broker_url": settings().broker_url})  # read when it is used, as by Flower
app.conf.update(
    accept_content=["json"],
    task_serializer="json",
    task_ignore_result=True,
    task_acks_late=True,
    task_reject_on_worker_lost=True,
    worker_prefetch_multiplier=1,
    worker_hijack_root_logger=False,
    worker_send_task_events=False,
    worker_cancel_long_running_tasks_on_connection_loss=False,  # their results are valid without the broker
    broker_connection_retry_on_startup=True,
    # Redeliver the message of a killed worker at once, rather than after the default of a hundred seconds.
    broker_transport_options={
        "visibility_timeout": 3600,
        "unacked_restore_interval": 1,
        "unacked_restore_throttle": 1,
        "socket_timeout": BROKER_PATIENCE,
        "socket_connect_timeout": BROKER_PATIENCE,
    },
)
