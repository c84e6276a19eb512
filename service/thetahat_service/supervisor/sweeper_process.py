"""The process that recovers lost work and sends deliveries to webhooks.

``serve`` has it as a child, so that the supervisor has no thread and can be forked whenever another
of its children ends. ``worker`` has the threads in its own process, and ``sweeper`` is such a
process alone.
"""

from __future__ import annotations

import os
from contextlib import ExitStack
from uuid import UUID

from thetahat_service.process.exit_with_parent import set_process_name
from thetahat_service.settings import Settings
from thetahat_service.storage import engine, schema
from thetahat_service.supervisor.database_folder import require_database
from thetahat_service.supervisor.delivery_thread import DeliveryThread
from thetahat_service.supervisor.start_processes import NODE_VARIABLE
from thetahat_service.supervisor.stop_signal import StopSignal
from thetahat_service.supervisor.sweep_thread import SweepThread


def run_sweeper(settings: Settings) -> None:
    """Sweep and deliver until a signal comes.

    Raises ``OtherTables`` on tables of a newer release, unless ``serve`` has started it again: a
    process that runs while they are made goes on.
    """
    set_process_name("thetahat-sweep")
    stop, node = StopSignal.install(), os.environ.get(NODE_VARIABLE)
    require_database(settings)
    if node is None:
        schema.refuse_newer_tables()
    with ExitStack() as stack:
        stack.callback(engine.reset)
        start_sweeping(settings, None if node is None else UUID(node), stack)
        stop.wait()


def start_sweeping(settings: Settings, node: UUID | None, stack: ExitStack) -> None:
    """Start the threads; they are stopped when the stack is closed.

    ``node`` is the node whose ended worker processes are noticed at once; None for no node.
    """
    for thread in (SweepThread(settings, node), DeliveryThread(settings)):
        thread.start()
        stack.callback(thread.stop)
