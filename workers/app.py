"""The Celery app. A message carries a job's number and nothing else: the database is the truth."""

import os
import warnings

from celery import Celery
from celery.platforms import SecurityWarning
from celery.signals import worker_process_init

from dealmill.pipeline.settings import settings
from dealmill.workers.messages import be_careful
from dealmill.workers.processes import die_with_parent

QUEUE = "dealmill"
TASK = "dealmill.job"
"""The name of the one task; its arguments are the name of a kind of job and the number of a job."""

BROKER_PATIENCE = 10.0
"""Seconds after which a broker that says nothing is taken for gone, and connected to anew."""


def _broker_url() -> str | None:
    url = settings().broker_url
    return url.get_secret_value() if url else None


be_careful()
# Celery lets these go before what it is told here, and they are meant for another app.
for name in [name for name in os.environ if name.startswith("CELERY_")]:
    del os.environ[name]
# It warns of root because of pickled messages; ours are JSON only.
warnings.filterwarnings("ignore", category=SecurityWarning)

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


@worker_process_init.connect  # type: ignore[untyped-decorator]
def _leave_no_orphans(**_signal: object) -> None:
    die_with_parent()
