"""Commands that run the service: ``serve``, ``api``, ``worker``, ``sweeper`` and ``migrate``."""

from __future__ import annotations

import argparse
import os
import sys
from typing import Any

OPTIONS = {
    "host": "address to listen on",
    "port": "port to listen on",
    "data_dir": "folder of the embedded database, broker and files",
    "workers": "number of worker processes",
}


def register(commands: Any) -> None:
    """Add the commands."""
    for name, run, text, options in (
        ("serve", _serve, "run everything on this machine", tuple(OPTIONS)),
        ("api", _api, "run the HTTP API alone", ("host", "port")),
        ("worker", _worker, "run workers and a sweeper on this machine", ("workers",)),
        ("sweeper", _sweeper, "run a sweeper alone", ()),
        ("migrate", _migrate, "bring the database's tables to this release", ()),
    ):
        command = commands.add_parser(name, help=text, description=text.capitalize() + ".")
        for option in options:
            flag = "--" + option.replace("_", "-")
            variable = f"THETAHAT_{option.upper()}"
            command.add_argument(flag, dest=option, help=f"{OPTIONS[option]} ({variable})")
        if name == "api":
            command.add_argument("--fd", type=int, help=argparse.SUPPRESS)
        command.set_defaults(run=run)


def _prepare(given: argparse.Namespace) -> None:
    """Put options into the environment, where this process and its children read them."""
    for option in OPTIONS:
        value = getattr(given, option, None)
        if value is not None:
            os.environ[f"THETAHAT_{option.upper()}"] = value
    from service.process import log  # noqa: PLC0415 - commands import late, so that --help is quick

    log.configure()


def _say(text: str) -> None:
    print(text, flush=True)


def _refuse(reason: object) -> int:
    print(f"thetahat: {reason}", file=sys.stderr)
    return 1


def _serve(given: argparse.Namespace) -> int:
    _prepare(given)
    from service.settings import settings  # noqa: PLC0415 - late, like all of these
    from service.supervisor.errors import CannotStart  # noqa: PLC0415
    from service.supervisor.run import serve  # noqa: PLC0415

    try:
        serve(settings(), _say)
    except CannotStart as reason:
        return _refuse(reason)
    return 0


def _api(given: argparse.Namespace) -> int:
    _prepare(given)
    from service.supervisor.api_process import run_api  # noqa: PLC0415
    from service.supervisor.errors import CannotStart  # noqa: PLC0415

    try:
        run_api(given.fd)
    except CannotStart as reason:
        return _refuse(reason)
    return 0


def _worker(given: argparse.Namespace) -> int:
    _prepare(given)
    from service.settings import settings  # noqa: PLC0415
    from service.supervisor.errors import CannotStart  # noqa: PLC0415
    from service.supervisor.run import work  # noqa: PLC0415

    try:
        work(settings(), _say)
    except CannotStart as reason:
        return _refuse(reason)
    return 0


def _sweeper(given: argparse.Namespace) -> int:
    _prepare(given)
    from service.settings import settings  # noqa: PLC0415
    from service.supervisor.run import sweep_only  # noqa: PLC0415

    sweep_only(settings())
    return 0


def _migrate(given: argparse.Namespace) -> int:
    _prepare(given)
    from service.settings import settings  # noqa: PLC0415
    from service.storage import engine, schema  # noqa: PLC0415

    settings().data_dir.mkdir(parents=True, exist_ok=True)
    schema.upgrade()
    _say(f"the database is at revision {schema.current()}")
    engine.reset()
    return 0
