"""One command that runs it all, and ends it all.

What is stacked up is taken down in the opposite order: sweeper, API, workers, broker.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from typing import TYPE_CHECKING
from uuid import UUID, uuid4

from service.process.startup_gate import Gate
from service.settings import Settings
from service.supervisor import broker, copies, topology
from service.supervisor.children import Child
from service.supervisor.errors import CannotStart
from service.supervisor.lock import only_one
from service.supervisor.stop import Stop

if TYPE_CHECKING:
    import socket

log = logging.getLogger(__name__)

LOOK_S = 0.1


def serve(settings: Settings, say: Callable[[str], None]) -> None:
    """Run broker, workers, API and sweeper until a signal comes; ``CannotStart`` if they cannot.

    What API and workers both need is loaded once, before they are begun as copies of this process.
    They load the rest while the database is prepared, and wait at a gate for it.
    """
    stop, node, gate = Stop.installed(), uuid4(), Gate()
    with ExitStack() as stack:
        stack.callback(gate.close)
        stack.enter_context(only_one(settings.data_dir.resolve()))
        listener = stack.enter_context(topology.listening(settings))
        children = [] if settings.broker_url else [topology.start_broker(settings, stack)]
        copies.load()
        if children:
            broker.wait_until_up(settings, children[0].is_alive)
        stack.callback(_reap_quietly, node)
        children.append(topology.started(topology.workers(node, gate), stack))
        children.append(topology.started(topology.api(listener, gate), stack))
        _open_database(settings, stack)
        gate.open()
        _start_sweeping(settings, node, stack)
        stack.callback(_ask_all_to_stop, children[-2:])
        _announce(settings, listener, node, children, stop, say)
        _look_after(children, stop)


def work(settings: Settings, say: Callable[[str], None]) -> None:
    """Run workers and a sweeper until a signal comes: what a machine of a cluster does."""
    from service.storage import engine, schema  # noqa: PLC0415 - as in _open_database

    stop, node = Stop.installed(), uuid4()
    with ExitStack() as stack:
        stack.callback(engine.reset)
        if not schema.is_current():
            raise CannotStart("The database is not of this release; run `thetahat migrate` first.")
        stack.callback(_reap_quietly, node)
        children = [topology.started(topology.workers(node), stack)]
        _start_sweeping(settings, node, stack)
        say(f"thetahat works with {settings.workers} processes")
        _look_after(children, stop)


def sweep_only(settings: Settings) -> None:
    """Run a sweeper alone until a signal comes."""
    from service.storage import engine  # noqa: PLC0415 - as in _open_database

    stop = Stop.installed()
    with ExitStack() as stack:
        stack.callback(engine.reset)
        _start_sweeping(settings, None, stack)
        stop.wait()


def _open_database(settings: Settings, stack: ExitStack) -> None:
    """Bring the tables to this release; on SQLite also take back what a killed run held."""
    # Loaded here, while the processes that were just started load the same.
    from service.jobs import sweep  # noqa: PLC0415
    from service.storage import engine, schema  # noqa: PLC0415
    from service.supervisor.guard import refuse_open_door  # noqa: PLC0415

    stack.callback(engine.reset)
    schema.upgrade()
    refuse_open_door(settings.host)
    if settings.resolved_database_url.startswith("sqlite"):
        sweep.reap_all()  # the folder is ours, so no worker of its can be running


def _announce(  # noqa: PLR0913 - all of these are looked at
    settings: Settings,
    listener: socket.socket,
    node: UUID,
    children: Sequence[Child],
    stop: Stop,
    say: Callable[[str], None],
) -> None:
    from service.supervisor.ready import address, wait_until_ready  # noqa: PLC0415 - as above

    if wait_until_ready(listener, node, children, stop):
        workers = "1 worker" if settings.workers == 1 else f"{settings.workers} workers"
        say(
            f"thetahat is ready at {address(listener)} "
            f"(data in {settings.data_dir.resolve()}, {workers})"
        )


def _start_sweeping(settings: Settings, node: UUID | None, stack: ExitStack) -> None:
    from service.supervisor.sweeping import SweepingThread  # noqa: PLC0415 - as above

    sweeping = SweepingThread(settings, node)
    sweeping.start()
    stack.callback(sweeping.stop)


def _ask_all_to_stop(children: Sequence[Child]) -> None:
    """Let API and workers end side by side; each is waited for afterwards."""
    for child in reversed(children):
        child.ask_to_stop()


def _look_after(children: Sequence[Child], stop: Stop) -> None:
    while not stop.wait(LOOK_S):
        for child in children:
            child.keep_alive()


def _reap_quietly(node: UUID) -> None:
    """Queue again what the stopped workers held; a lease that stays runs out by itself."""
    from sqlalchemy.exc import SQLAlchemyError  # noqa: PLC0415 - as above

    from service.jobs import sweep  # noqa: PLC0415 - as above

    try:
        sweep.reap_node(node)
    except SQLAlchemyError as error:
        log.warning("serve.leases_left", extra={"reason": str(error)})
