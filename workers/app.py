"""The Celery app. A message names a kind of job and the number of a job, and nothing else: the database is the truth.

Importing it changes nothing for other Celery apps in the same process; what a worker process needs beyond it is set up
in `dealmill.workers.process`.
"""

from celery import Celery

from dealmill.pipeline.settings import settings

QUEUE = "dealmill"
TASK = "dealmill.job"
"""The name of the one task; its arguments are the name of a kind of job and the number of a job."""

BROKER_PATIENCE = 10.0
"""Seconds after which a broker that says nothing is taken for gone, and connected to anew."""


def _broker_url() -> str | None:
    url = settings().broker_url
    return url.get_secret_value() if url else None


app = Celery("dealmill", broker=_broker_url())
app.conf.update(
    accept_content=["json"],
    task_serializer="json",
    task_default_queue=QUEUE,
    task_ignore_result=True,
    task_acks_late=True,
    task_reject_on_worker_lost=True,
    worker_prefetch_multiplier=1,
    worker_hijack_root_logger=False,
    worker_send_task_events=False,
    worker_cancel_long_running_tasks_on_connection_loss=False,  # what they find counts, whoever hears of it
    broker_connection_retry_on_startup=True,
    # A message that a killed worker held comes back at once and not after the default of a hundred seconds.
    broker_transport_options={
        "visibility_timeout": 3600,
        "unacked_restore_interval": 1,
        "unacked_restore_throttle": 1,
        "socket_timeout": BROKER_PATIENCE,
        "socket_connect_timeout": BROKER_PATIENCE,
    },
)
