"""Commands that run the service and keep it in order: serve, migrate, doctor, backup and others."""

from __future__ import annotations

import json
import os
import sys
import time
from collections import deque
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Annotated, Final
from uuid import uuid4

import typer

Host = Annotated[str | None, typer.Option(help="Address to listen on (THETAHAT_HOST).")]
Port = Annotated[str | None, typer.Option(help="Port to listen on (THETAHAT_PORT).")]
DataDir = Annotated[
    str | None,
    typer.Option(help="Folder of the embedded database, broker and files (THETAHAT_DATA_DIR)."),
]
Workers = Annotated[str | None, typer.Option(help="Number of worker processes (THETAHAT_WORKERS).")]
COMPILED_PACKAGES: Final = (
    "alembic",
    "billiard",
    "celery",
    "kombu",
    "thetahat",
    "thetahat_migrations",
    "thetahat_replications",
    "thetahat_service",
    "thetahat_worker",
)
"""Packages whose modules are all compiled in advance; of others those that the service loads."""


def serve(
    host: Host = None, port: Port = None, data_dir: DataDir = None, workers: Workers = None
) -> None:
    """Run API, broker and workers on this machine."""
    _configure(host=host, port=port, data_dir=data_dir, workers=workers)
    from thetahat_service.process.imports import import_without_garbage_collection

    with import_without_garbage_collection():
        from thetahat_service.settings import get_settings
        from thetahat_service.supervisor import run

    run.serve(get_settings(), _print)


def api(
    host: Host = None,
    port: Port = None,
    fd: Annotated[
        int | None, typer.Option(hidden=True, help="An open socket to listen on.")
    ] = None,
) -> None:
    """Run the HTTP API alone."""
    _configure(host=host, port=port)
    from thetahat_service.supervisor.api_process import run_api

    run_api(fd)


def worker(workers: Workers = None) -> None:
    """Run workers and a sweeper on this machine."""
    _configure(workers=workers)
    from thetahat_service.process.imports import import_without_garbage_collection

    with import_without_garbage_collection():
        from thetahat_service.settings import get_settings
        from thetahat_service.supervisor import run

    run.run_workers(get_settings(), _print)


def sweeper() -> None:
    """Run a sweeper alone: it sends lost work again."""
    _configure()
    from thetahat_service.settings import get_settings
    from thetahat_service.supervisor.sweeper_process import run_sweeper

    run_sweeper(get_settings())


def migrate() -> None:
    """Bring the database to the schema of this release."""
    _configure()
    from thetahat_service.settings import get_settings
    from thetahat_service.storage import durable_files, engine, schema

    durable_files.make_folder(get_settings().data_dir.resolve(), durable_files.PRIVATE)
    schema.upgrade()
    _print(f"The database is at revision {schema.read_revision()}.")
    engine.reset()


def doctor(
    data_dir: DataDir = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Check settings, database, file store, broker and workers; status 1 if there is a fault."""
    from dataclasses import asdict

    from thetahat_service.settings import InvalidSettings, get_settings
    from thetahat_service.storage import engine
    from thetahat_service.supervisor.doctor import Check, State, run_checks

    try:
        _configure(data_dir=data_dir)
        checks = run_checks(get_settings())
    except InvalidSettings as error:
        advice = "Change or unset these variables; docs/settings.md describes them."
        checks = {"settings": Check(State.FAULT, str(error), advice)}
    engine.reset()
    if as_json:
        found = [{"name": name, **asdict(check)} for name, check in checks.items()]
        _print(json.dumps(found, indent=2))
    else:
        for name, check in checks.items():
            advice = f" {check.advice}" if check.advice else ""
            _print(f"{check.state:<8} {name}: {check.message}{advice}")
    if any(check.state is State.FAULT for check in checks.values()):
        raise typer.Exit(1)


def backup(
    folder: Annotated[Path, typer.Argument(help="A new folder for the copy.")],
    data_dir: DataDir = None,
) -> None:
    """Copy the SQLite database and the files to a new folder; the service may run meanwhile."""
    _configure(data_dir=data_dir)
    from thetahat_service.settings import get_settings
    from thetahat_service.supervisor.backup import back_up

    report = back_up(get_settings(), folder)
    _print(f"{folder} has the database and {report.files} files of {report.bytes} bytes.")
    _print_missing(report.missing)


def restore(
    folder: Annotated[Path, typer.Argument(help="A folder that `thetahat backup` has made.")],
    data_dir: DataDir = None,
) -> None:
    """Copy a backup to a data folder without a database; `thetahat serve` then goes on with it."""
    _configure(data_dir=data_dir)
    from thetahat_service.settings import get_settings
    from thetahat_service.supervisor.backup import restore as restore_backup

    report = restore_backup(get_settings(), folder)
    target = get_settings().data_dir.resolve()
    _print(f"{target} has the database and {report.files} files of {report.bytes} bytes.")
    _print_missing(report.missing)


def _print_missing(names: Sequence[str]) -> None:
    if names:
        print(f"Files that the database names and that are missing: {len(names)}", file=sys.stderr)
    for name in names:
        print(f"  {name}", file=sys.stderr)


def compile_all(
    folder: Annotated[
        Path | None,
        typer.Option(help="Folder for the compiled loops; without it, beside the source files."),
    ] = None,
) -> None:
    """Compile numerical loops and modules now, so that no start or evaluation waits for it."""
    from thetahat_service.process import compiled_loops
    from thetahat_service.process.compiled_modules import compile_modules

    if folder is not None:
        folder.mkdir(parents=True, exist_ok=True)
        os.environ[compiled_loops.VARIABLE] = str(folder.resolve())
    from thetahat.numerics.loops import compile_ahead
    from thetahat_worker.preload import import_learners

    start = time.monotonic()
    compile_ahead.compile_all()
    if folder is not None:
        compiled_loops.stamp_loops(folder, uuid4().hex)
    for name in ("alembic.command", "sqlalchemy.dialects.postgresql"):
        import_module(name)
    _import_api()
    deque(import_learners(), maxlen=0)
    count = compile_modules(COMPILED_PACKAGES)
    _print(
        f"The numerical loops and {count} modules are compiled ({time.monotonic() - start:.1f} s)."
    )


def _import_api() -> None:
    """Import what the process that answers HTTP requests imports, where it is installed."""
    try:
        from thetahat_service.supervisor import api_process
    except ModuleNotFoundError as error:
        if error.name != "uvicorn":
            raise
        return  # a machine for workers
    from thetahat_service.api import preload

    import_module(api_process.APPLICATION)
    preload.load_needed_modules()
    preload.load_slow_modules()


def _configure(**options: str | None) -> None:
    """Put options into the environment, where this process and its children read the settings."""
    for name, value in options.items():
        if value is not None:
            os.environ[f"THETAHAT_{name.upper()}"] = value
    from thetahat_service.process import log

    log.configure()


def _print(text: str) -> None:
    print(text, flush=True)
