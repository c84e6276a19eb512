"""Commands that run the service: serve, api, worker, sweeper, migrate and compile."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Annotated, Final
from uuid import uuid4

import typer

PANEL: Final = "Service"
Host = Annotated[str | None, typer.Option(help="Address to listen on (THETAHAT_HOST).")]
Port = Annotated[str | None, typer.Option(help="Port to listen on (THETAHAT_PORT).")]
DataDir = Annotated[
    str | None,
    typer.Option(help="Folder of the embedded database, broker and files (THETAHAT_DATA_DIR)."),
]
Workers = Annotated[str | None, typer.Option(help="Number of worker processes (THETAHAT_WORKERS).")]


def add_commands(app: typer.Typer) -> None:
    """Add the commands of this module."""
    for command in (serve, api, worker, sweeper, migrate):
        app.command(rich_help_panel=PANEL)(command)
    app.command("compile", rich_help_panel=PANEL)(compile_loops)


def serve(
    host: Host = None, port: Port = None, data_dir: DataDir = None, workers: Workers = None
) -> None:
    """Run API, broker and workers on this machine."""
    _configure(host=host, port=port, data_dir=data_dir, workers=workers)
    from service.settings import settings
    from service.supervisor import run

    run.serve(settings(), _print)


def api(
    host: Host = None,
    port: Port = None,
    fd: Annotated[
        int | None, typer.Option(hidden=True, help="An open socket to listen on.")
    ] = None,
) -> None:
    """Run the HTTP API alone."""
    _configure(host=host, port=port)
    from service.supervisor.api_process import run_api

    run_api(fd)


def worker(workers: Workers = None) -> None:
    """Run workers and a sweeper on this machine."""
    _configure(workers=workers)
    from service.settings import settings
    from service.supervisor import run

    run.work(settings(), _print)


def sweeper() -> None:
    """Run a sweeper alone: it sends lost work again."""
    _configure()
    from service.settings import settings
    from service.supervisor import run

    run.sweep_only(settings())


def migrate() -> None:
    """Bring the database to the schema of this release."""
    _configure()
    from service.settings import settings
    from service.storage import engine, schema

    settings().data_dir.mkdir(parents=True, exist_ok=True)
    schema.upgrade()
    _print(f"The database is at revision {schema.current()}.")
    engine.reset()


def compile_loops(
    folder: Annotated[
        Path | None,
        typer.Option(help="Folder for the compiled loops; without it, beside the source files."),
    ] = None,
) -> None:
    """Compile the numerical loops now, so that no evaluation waits for the compiler."""
    from service.process import loop_cache

    if folder is not None:
        folder.mkdir(parents=True, exist_ok=True)
        os.environ[loop_cache.VARIABLE] = str(folder.resolve())
    from thetahat.numerics.loops.warm import compile_all

    start = time.monotonic()
    compile_all()
    if folder is not None:
        loop_cache.stamp_loops(folder, uuid4().hex)
    _print(f"The numerical loops are compiled ({time.monotonic() - start:.1f} s).")


def _configure(**options: str | None) -> None:
    """Put options into the environment, where this process and its children read the settings."""
    for name, value in options.items():
        if value is not None:
            os.environ[f"THETAHAT_{name.upper()}"] = value
    from service.process import log

    log.configure()


def _print(text: str) -> None:
    print(text, flush=True)
