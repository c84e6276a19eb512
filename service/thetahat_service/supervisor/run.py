"""The commands ``serve`` and ``worker``: start their processes and stop them.

What was started last is stopped first: sweeper, API, workers, broker.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from typing import TYPE_CHECKING, Final
from uuid import UUID, uuid4

from thetahat_service.process.start_signal import StartSignal
from thetahat_service.settings import Settings
from thetahat_service.storage import engine
from thetahat_service.supervisor import broker, forked_process, start_processes
from thetahat_service.supervisor.child_process import ChildProcess
from thetahat_service.supervisor.data_dir_lock import lock_data_dir
from thetahat_service.supervisor.database_folder import require_database_folder
from thetahat_service.supervisor.listener import open_listener
from thetahat_service.supervisor.stop_signal import StopSignal

if TYPE_CHECKING:
    import socket

    from thetahat_service.supervisor.ready import ReadyNotice

log = logging.getLogger(__name__)

POLL_S = 0.1
FIRST_POLL_S = 0.02  # until a worker can compute
WAITS_FOR_WORKER: Final = (
    "Evaluations wait until a worker has imported its packages and loaded its compiled loops."
)


def serve(settings: Settings, say: Callable[[str], None]) -> None:
    """Run broker, workers, API and sweeper until a signal comes.

    Raises ``CannotStart`` if they cannot be started. What they all need is imported once, before
    they are forked from this process. API and workers import the rest while the database is
    prepared, and wait for that. This process starts no thread, so that each of them is forked
    again when it ends.
    """
    stop, node, start_signal = StopSignal.install(), uuid4(), StartSignal()
    with ExitStack() as stack:
        stack.callback(start_signal.close)
        stack.enter_context(lock_data_dir(settings.data_dir.resolve()))
        listener = stack.enter_context(open_listener(settings))
        children = [] if settings.broker_url else [start_processes.start_broker(settings, stack)]
        forked_process.load_shared_modules()
        if children:
            broker.wait_until_up(settings, children[0].is_alive)
        stack.callback(_requeue_unfinished, node, start_signal)
        children.append(
            start_processes.start_child(start_processes.build_workers(node, start_signal), stack)
        )
        children.append(
            start_processes.start_child(start_processes.build_api(listener, start_signal), stack)
        )
        _prepare_database(settings, stack)
        start_signal.send()
        children.append(start_processes.start_child(start_processes.build_sweeper(node), stack))
        stack.callback(_request_stops, children[-3:])
        notice = _announce(settings, listener, node, children, stop, say)
        _restart_until_stopped(children, stop, notice)


def run_workers(settings: Settings, say: Callable[[str], None]) -> None:
    """Run workers and a sweep thread until a signal comes: a machine of a cluster."""
    stop, node, start_signal = StopSignal.install(), uuid4(), StartSignal()
    with ExitStack() as stack:
        stack.callback(start_signal.close)
        stack.callback(engine.reset)
        require_database_folder(settings)
        forked_process.load_shared_modules()
        stack.callback(_requeue_unfinished, node, start_signal)
        children = [
            start_processes.start_child(start_processes.build_workers(node, start_signal), stack)
        ]
        # Imported here, while the process that was just started imports the same.
        from thetahat_service.storage import schema  # noqa: PLC0415
        from thetahat_service.supervisor import ready, sweeper_process  # noqa: PLC0415

        schema.require_current()
        start_signal.send()
        sweeper_process.start_sweeping(settings, node, stack)
        say(f"thetahat works with {settings.workers} processes. {WAITS_FOR_WORKER}")
        notice = ready.ReadyNotice(node, lambda: say("thetahat is ready: a worker can compute."))
        _restart_until_stopped(children, stop, notice)


def _prepare_database(settings: Settings, stack: ExitStack) -> None:
    """Migrate the tables to this release; on SQLite also requeue the claims of a killed run."""
    # Imported here, while the processes that were just started import the same.
    from thetahat_service.jobs import sweep  # noqa: PLC0415
    from thetahat_service.storage import schema  # noqa: PLC0415
    from thetahat_service.supervisor.public_address import require_keys, require_log_in_package  # noqa: PLC0415

    stack.callback(engine.reset)
    require_log_in_package()
    schema.upgrade()
    require_keys(settings.host)
    if settings.resolved_database_url.startswith("sqlite"):
        sweep.requeue_all()  # this process has the folder locked, so no other worker is running


def _announce(  # noqa: PLR0913 - it needs all of them
    settings: Settings,
    listener: socket.socket,
    node: UUID,
    children: Sequence[ChildProcess],
    stop: StopSignal,
    say: Callable[[str], None],
) -> ReadyNotice:
    """Say where the API answers; return the notice that is still to come."""
    from thetahat_service.supervisor.ready import ReadyNotice, format_address, wait_until_answering  # noqa: PLC0415 - as above

    address = format_address(listener)
    if wait_until_answering(listener, node, children, stop):
        workers = "1 worker" if settings.workers == 1 else f"{settings.workers} workers"
        say(
            f"thetahat answers at {address} "
            f"(data in {settings.data_dir.resolve()}, {workers}). {WAITS_FOR_WORKER}"
        )
    return ReadyNotice(node, lambda: say(f"thetahat is ready at {address} (a worker can compute)"))


def _request_stops(children: Sequence[ChildProcess]) -> None:
    """Send the stop signal to several processes at once; each is waited for afterwards."""
    for child in reversed(children):
        child.request_stop()


def _restart_until_stopped(
    children: Sequence[ChildProcess], stop: StopSignal, notice: ReadyNotice
) -> None:
    while not stop.wait(POLL_S if notice.is_done else FIRST_POLL_S):
        for child in children:
            child.restart_if_ended()
        notice.check()


def _requeue_unfinished(node: UUID, start_signal: StartSignal) -> None:
    """Queue the claims of the stopped workers again; if this fails, their leases expire.

    Before the start signal no worker has claimed a unit, and there may be no table yet.
    """
    if not start_signal.is_sent:
        return
    from sqlalchemy.exc import SQLAlchemyError  # noqa: PLC0415 - as above

    from thetahat_service.jobs import sweep  # noqa: PLC0415 - as above
    from thetahat_service.storage.infrastructure import read_reason  # noqa: PLC0415 - as above

    try:
        sweep.requeue_node(node)
    except SQLAlchemyError as error:
        log.warning("serve.leases_left", extra={"reason": read_reason(error)})
