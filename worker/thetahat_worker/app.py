"""The Celery application, which only carries messages and runs processes.

A message is acknowledged before its work begins, because lost work is found by its lease in the
database. Celery's results, events and remote control are off, because nothing reads them.
"""

from __future__ import annotations

import logging
import os
from typing import Any
from uuid import UUID

from billiard.exceptions import WorkerLostError
from celery import Celery, signals
from kombu import Queue

from thetahat_service.broker.queue import QUEUES, RUN_UNIT, TRANSPORT_OPTIONS
from thetahat_service.process import log as process_log
from thetahat_service.process import tracing
from thetahat_service.process.exit_with_parent import request_signal_on_parent_exit
from thetahat_service.process.memory import limit_memory
from thetahat_service.settings import get_settings
from thetahat_service.storage import engine
from thetahat_worker.executor import SLICE_S, UnitExecutor
from thetahat_worker.idle_poll import IdlePoll
from thetahat_worker.interrupts import SharedFlag
from thetahat_worker.preload import BUSY, warm_up

HARD_LIMIT_MARGIN_S = 60.0
LOADED_MB = 512  # more than a process uses with every package that a learner may need
REPLACED_STATUS = 0
CELERY_REQUESTS = "celery.worker.request"
"""The logger in which Celery reports the outcome of a message."""
STOPPING = SharedFlag()
log = logging.getLogger(__name__)

app = Celery("thetahat", broker=get_settings().resolved_broker_url)
app.conf.update(
    task_queues=[Queue(name) for name in QUEUES.values()],
    task_default_queue=next(iter(QUEUES.values())),
    task_acks_late=False,
    worker_disable_prefetch=True,
    worker_prefetch_multiplier=1,
    task_ignore_result=True,
    result_backend=None,
    task_serializer="json",
    accept_content=["json"],
    task_send_sent_event=False,
    worker_send_task_events=False,
    worker_enable_remote_control=False,
    worker_cancel_long_running_tasks_on_connection_loss=False,
    worker_soft_shutdown_timeout=0,
    # In KiB, more than the imported packages use: a process that has grown beyond it is replaced
    # between two units.
    worker_max_memory_per_child=(get_settings().memory_limit_mb // 2 + LOADED_MB) * 1024,
    # The watch thread interrupts work at its limit; this kills a process that never releases the
    # interpreter's lock.
    task_time_limit=(
        get_settings().time_limit_s + get_settings().max_outage_s + SLICE_S + HARD_LIMIT_MARGIN_S
    ),
    broker_connection_retry_on_startup=True,
    broker_connection_max_retries=None,
    broker_transport_options={
        **TRANSPORT_OPTIONS,
        "socket_timeout": 10,
        "socket_connect_timeout": 2,
        "health_check_interval": 10,
    },
)


class _WorkerProcess:
    """The executor of this process, and what lets it work without messages."""

    executor: UnitExecutor | None = None
    idle_poll: IdlePoll | None = None


@app.task(name=RUN_UNIT)
def run_unit(evaluation_id: str, number: int) -> None:
    """Compute units; the second delivery of a message finds no unit to claim.

    A process that could not be prepared, or in which an error of the program occurred, ends after
    this, and Celery starts a new one in its place.
    """
    executor, idle_poll = _WorkerProcess.executor, _WorkerProcess.idle_poll
    if executor is not None and idle_poll is not None:
        with idle_poll.handle_message(), BUSY:
            executor.compute_queued_units((UUID(evaluation_id), number))
    if executor is None or executor.must_be_replaced:
        log.warning("worker.replaced", extra={"pid": os.getpid()})
        raise SystemExit(REPLACED_STATUS)


def is_no_planned_end(record: logging.LogRecord) -> bool:
    """Return False for Celery's error about a process that ended to be replaced.

    ``worker.replaced`` is in the log already, and the error with its trace looks like a crash.
    """
    error = record.exc_info[1] if record.exc_info else None
    return not (
        isinstance(getattr(error, "exc", error), WorkerLostError)
        and f"exitcode {REPLACED_STATUS}." in str(error)
    )


@signals.setup_logging.connect
def _set_up_logging(**_: Any) -> None:
    process_log.configure()
    logging.getLogger(CELERY_REQUESTS).addFilter(is_no_planned_end)


@signals.worker_process_init.connect
def _begin(**_: Any) -> None:
    """Prepare a forked worker process: limits, tracing, executor and the warm-up thread."""
    request_signal_on_parent_exit()
    engine.forget()
    limit_memory(get_settings().memory_limit_mb)
    tracing.configure("thetahat-worker")
    _WorkerProcess.executor = UnitExecutor(get_settings(), STOPPING)
    _WorkerProcess.executor.start()
    warm_up(_WorkerProcess.executor.record_prepared)
    _WorkerProcess.idle_poll = IdlePoll(_WorkerProcess.executor, REPLACED_STATUS)
    _WorkerProcess.idle_poll.start()


@signals.worker_process_shutdown.connect
def _end(**_: Any) -> None:
    if _WorkerProcess.idle_poll is not None:
        _WorkerProcess.idle_poll.stop()
    if _WorkerProcess.executor is not None:
        _WorkerProcess.executor.stop()
    tracing.shut_down()


@signals.worker_shutting_down.connect
def _stop(**_: Any) -> None:
    STOPPING.set()
