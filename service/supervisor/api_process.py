"""The process that answers HTTP."""

from __future__ import annotations

import gc
import logging
import socket
from importlib import import_module

import uvicorn

from service.process.startup_gate import wait_at_gate
from service.settings import settings
from service.supervisor.guard import refuse_open_door

APPLICATION = "service.api.app"
GRACE_S = 2  # for requests under way when it is told to end
QUIET = ("uvicorn.error",)


def run_api(descriptor: int | None = None) -> None:
    """Answer until told to end, on the settings' address or on a socket that is listening already.

    Raises ``CannotStart`` where others could reach it and there is no key.
    """
    application = import_module(APPLICATION).app
    wait_at_gate()
    refuse_open_door(settings().host)
    for name in QUIET:
        logging.getLogger(name).setLevel(logging.WARNING)
    config = uvicorn.Config(
        application,
        host=settings().host,
        port=settings().port,
        access_log=False,
        log_config=None,
        timeout_graceful_shutdown=GRACE_S,
        server_header=False,
        backlog=1024,
    )
    gc.freeze()  # what is loaded now stays, and is not looked through for garbage
    listening = None if descriptor is None else [socket.socket(fileno=descriptor)]
    uvicorn.Server(config).run(sockets=listening)
