"""The socket that the service listens on."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import contextmanager

from thetahat_service.settings import Settings
from thetahat_service.supervisor.errors import CannotStart


@contextmanager
def open_listener(settings: Settings) -> Iterator[socket.socket]:
    """Listen on the settings' address; no request is refused while the API process restarts."""
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
