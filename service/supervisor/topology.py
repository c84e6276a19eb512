"""Which processes there are, and how each is started."""

from __future__ import annotations

import signal
import socket
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from uuid import UUID

from service.process.startup_gate import Gate
from service.settings import Settings
from service.supervisor import broker
from service.supervisor.children import Child
from service.supervisor.errors import CannotStart

API_PATIENCE_S = 4.0
WORKER_PATIENCE_S = 5.0
BROKER_PATIENCE_S = 3.0
NODE_VARIABLE = "THETAHAT_NODE"


@contextmanager
def listening(settings: Settings) -> Iterator[socket.socket]:
    """Listen before the API is there, so that no request is refused while it starts again."""
    family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
    with socket.socket(family, socket.SOCK_STREAM) as listener:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind((settings.host, settings.port))
        except OSError as error:
            raise CannotStart(
                f"Cannot listen on {settings.host}, port {settings.port}: {error.strerror}. "
                "Choose another with --port."
            ) from error
        listener.listen(1024)
        yield listener


def started(child: Child, stack: ExitStack) -> Child:
    """Start a process that is stopped when the stack is taken down."""
    stack.callback(child.stop)
    child.start()
    return child


def start_broker(settings: Settings, stack: ExitStack) -> Child:
    """Start the embedded broker; ``broker.wait_until_up`` waits until it answers."""
    child = Child(
        "broker",
        lambda: broker.command(settings),
        BROKER_PATIENCE_S,
        orphan_signal=signal.SIGTERM,  # it writes its file and ends
    )
    return started(child, stack)


def workers(node: UUID, gate: Gate | None = None) -> Child:
    """Return the processes that compute."""
    waiting = {} if gate is None else gate.environment
    return Child(
        "workers",
        lambda: [sys.executable, "-m", "worker"],
        WORKER_PATIENCE_S,
        environment={NODE_VARIABLE: str(node), **waiting},
        file_descriptors=[] if gate is None else [gate.descriptor],
    )


def api(listener: socket.socket, gate: Gate) -> Child:
    """Return the process that answers HTTP on a socket that is listening already."""
    number = listener.fileno()
    return Child(
        "api",
        lambda: [sys.executable, "-m", "service.cli", "api", "--fd", str(number)],
        API_PATIENCE_S,
        environment=gate.environment,
        file_descriptors=[number, gate.descriptor],
    )
