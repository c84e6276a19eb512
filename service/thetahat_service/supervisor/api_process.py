"""The process that answers HTTP requests."""

from __future__ import annotations

import logging
import socket
import sys
from contextlib import ExitStack
from importlib import import_module
from typing import Any

import uvicorn

from thetahat_service.process import tracing
from thetahat_service.process.exit_with_parent import set_process_name
from thetahat_service.process.imports import import_without_garbage_collection
from thetahat_service.process.start_signal import wait_for_start_signal
from thetahat_service.settings import get_settings
from thetahat_service.storage import schema
from thetahat_service.supervisor.database_folder import require_database
from thetahat_service.supervisor.http_protocol import LimitedHttpProtocol, raise_descriptor_limit
from thetahat_service.supervisor.listener import open_listener
from thetahat_service.supervisor.public_address import require_keys, require_log_in_package

APPLICATION = "thetahat_service.api.app"  # by name: the supervisor does not import the API
PRELOAD = "thetahat_service.api.preload"
SHUTDOWN_TIMEOUT_S = 2  # for requests that are being answered when the process is stopped
QUIET_LOGGERS = ("uvicorn.error",)


def run_api(descriptor: int | None = None) -> None:
    """Answer requests until stopped, on the settings' address or on a socket that already listens.

    Raises ``CannotStart`` if other machines can reach the address and there is no API key, or if
    the address cannot be listened on; raises the database's error if it cannot be reached, and
    ``OtherTables`` if a newer release has made its tables. A process that runs while they are made
    goes on, because its statements work on them.
    """
    set_process_name("thetahat-api")
    raise_descriptor_limit()
    with ExitStack() as stack:
        if descriptor is None:
            require_database(get_settings())
            schema.refuse_newer_tables()
            listener = stack.enter_context(open_listener(get_settings()))
        else:
            listener = stack.enter_context(socket.socket(fileno=descriptor))
        _answer_requests(listener)


def load_slow_modules() -> None:
    """Import what some requests need; starts no thread and opens no connection."""
    with import_without_garbage_collection():
        import_module(PRELOAD).load_slow_modules()


def load_application() -> None:
    """Import what the process needs; starts no thread and opens no connection."""
    if APPLICATION in sys.modules:
        return
    with import_without_garbage_collection():
        import_module(APPLICATION)
        import_module(PRELOAD).load_needed_modules()


def _answer_requests(listener: socket.socket) -> None:
    """Load the application and answer requests on a socket until a signal comes."""
    load_application()
    wait_for_start_signal()
    require_log_in_package()
    require_keys(get_settings().host)
    for name in QUIET_LOGGERS:
        logging.getLogger(name).setLevel(logging.WARNING)
    config = build_server_config(import_module(APPLICATION).app)
    import_module(PRELOAD).start_loading()
    tracing.configure("thetahat-api")
    try:
        uvicorn.Server(config).run(sockets=[listener])
    finally:
        tracing.shut_down()


def build_server_config(application: Any) -> uvicorn.Config:
    """Return the configuration of the HTTP server.

    Only the proxies of the settings may say by which scheme and from which address a request came:
    the scheme decides whether cookies are for HTTPS alone, and the address whether a request
    without a key is of this machine.
    """
    return uvicorn.Config(
        application,
        http=LimitedHttpProtocol,
        access_log=False,
        log_config=None,
        timeout_graceful_shutdown=SHUTDOWN_TIMEOUT_S,
        server_header=False,
        backlog=1024,
        proxy_headers=True,
        forwarded_allow_ips=get_settings().trusted_proxies,
    )
