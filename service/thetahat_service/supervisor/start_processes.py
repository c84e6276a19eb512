"""Starting the processes of the service."""

from __future__ import annotations

import signal
import socket
import sys
from contextlib import ExitStack
from importlib import import_module
from uuid import UUID

from thetahat_service.process.start_signal import StartSignal
from thetahat_service.settings import Settings, get_settings
from thetahat_service.supervisor import broker
from thetahat_service.supervisor.child_process import ChildProcess
from thetahat_service.supervisor.errors import CannotStart

API_PATIENCE_S = 4.0
WORKER_PATIENCE_S = 5.0
BROKER_PATIENCE_S = 3.0
SWEEPER_PATIENCE_S = 5.0
NODE_VARIABLE = "THETAHAT_NODE"
KEEPER_MODULE = "thetahat_service.supervisor.keeper"


def start_child(child: ChildProcess, stack: ExitStack) -> ChildProcess:
    """Start a process; it is stopped when the stack is closed."""
    stack.callback(child.stop)
    child.start()
    return child


def start_broker(settings: Settings, stack: ExitStack) -> ChildProcess:
    """Start the embedded broker; ``broker.wait_until_up`` waits until it answers."""
    child = ChildProcess(
        "broker",
        lambda: broker.build_command(settings),
        BROKER_PATIENCE_S,
        orphan_signal=signal.SIGTERM,  # it removes its socket and exits
    )
    return start_child(child, stack)


def build_workers(node: UUID, start_signal: StartSignal | None = None) -> ChildProcess:
    """Return the process that keeps the workers running."""
    waiting = {} if start_signal is None else start_signal.environment
    return ChildProcess(
        "workers",
        lambda: [sys.executable, "-m", KEEPER_MODULE],
        WORKER_PATIENCE_S,
        function=_run_workers,
        environment={NODE_VARIABLE: str(node), **waiting},
        file_descriptors=[] if start_signal is None else [start_signal.descriptor],
    )


def build_sweeper(node: UUID) -> ChildProcess:
    """Return the process that recovers lost work and sends deliveries to webhooks."""
    return ChildProcess(
        "sweeper",
        lambda: [sys.executable, "-m", "thetahat_service.cli", "sweeper"],
        SWEEPER_PATIENCE_S,
        function=_run_sweeper,
        environment={NODE_VARIABLE: str(node)},
    )


def _run_workers() -> None:
    import_module(KEEPER_MODULE).keep_workers()


def _run_sweeper() -> None:
    """Run the sweeper process."""
    # Loaded in the child: the supervisor has no use for what sends deliveries.
    from thetahat_service.supervisor.sweeper_process import run_sweeper  # noqa: PLC0415

    run_sweeper(get_settings())


def build_api(listener: socket.socket, start_signal: StartSignal) -> ChildProcess:
    """Return the process that answers HTTP requests on a socket that already listens."""
    number = listener.fileno()
    return ChildProcess(
        "api",
        lambda: [sys.executable, "-m", "thetahat_service.cli", "api", "--fd", str(number)],
        API_PATIENCE_S,
        function=lambda: _run_api(number),
        environment=start_signal.environment,
        file_descriptors=[number, start_signal.descriptor],
    )


def _run_api(descriptor: int) -> None:
    """Keep the API process running on a socket that listens."""
    # Loaded in the child: the supervisor has no use for uvicorn.
    from thetahat_service.supervisor.api_process import load_application, load_slow_modules, run_api  # noqa: PLC0415
    from thetahat_service.supervisor.keeper import keep  # noqa: PLC0415

    def run() -> None:
        try:
            run_api(descriptor)
        except CannotStart as reason:
            sys.exit(f"thetahat: {reason}")

    keep("api", load_application, run, [descriptor], load_slow_modules)
