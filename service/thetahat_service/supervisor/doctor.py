"""The checks of ``thetahat doctor``: whether this installation can work, and what to do if not.

Nothing is changed: no database, folder or mark is made.
"""

from __future__ import annotations

import os
import platform
import shutil
import stat
import time
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Final

import sqlalchemy as sa
from sqlalchemy.exc import SQLAlchemyError

import thetahat
from thetahat_service.broker import queue
from thetahat_service.errors import OtherTables, Unavailable
from thetahat_service.process import compiled_loops
from thetahat_service.process.memory import MEBIBYTE, find_usable_memory_bytes
from thetahat_service.settings import Settings, is_sqlite
from thetahat_service.storage import schema
from thetahat_service.storage.engine import EpochNow
from thetahat_service.storage.files import LEAST_FREE_BYTES, MARK, LocalFileStore
from thetahat_service.storage.infrastructure import read_reason
from thetahat_service.storage.open_files import open_unmarked
from thetahat_service.storage.tables import FILE_STORE, WORKER
from thetahat_service.storage.time_limits import answer_within
from thetahat_service.storage.unit_of_work import reading
from thetahat_service.supervisor.data_dir_lock import is_locked
from thetahat_service.supervisor.errors import CannotStart
from thetahat_service.supervisor.public_address import has_keys, is_loopback, require_log_in_package

ANSWER_S: Final = 5.0  # longest wait for the database
LARGEST_CLOCK_DIFFERENCE_S: Final = 5.0
LITTLE_FREE_BYTES: Final = 1024 * MEBIBYTE
OTHERS: Final = stat.S_IRWXG | stat.S_IRWXO


class State(StrEnum):
    """The outcome of a check."""

    OK = "ok"
    WARNING = "warning"
    FAULT = "fault"


@dataclass(frozen=True, slots=True)
class Check:
    """The result of one check."""

    state: State
    """Whether it is in order."""
    message: str
    """What was found, as a sentence."""
    advice: str = ""
    """What to do; empty if it is in order."""


def run_checks(settings: Settings) -> dict[str, Check]:
    """Return the checks by name; those that need the database are left out without it."""
    checks = {
        "versions": _check_versions(),
        "memory": _check_memory(settings),
        "compiled loops": _check_loops(),
        "data folder": _check_data_folder(settings),
        "database": _check_database(settings),
    }
    if checks["database"].state is State.OK:
        reading_checks = {
            "flushes": _check_flushes,
            "clock": _check_clock,
            "file store": _check_store,
            "workers": _check_workers,
            "keys": _check_keys,
        }
        checks |= {name: _run_check(check, settings) for name, check in reading_checks.items()}
    checks["broker"] = _check_broker(settings)
    if settings.oidc_issuer:
        checks["log-in provider"] = _check_provider(settings)
    return checks


def _run_check(check: Callable[[Settings], Check], settings: Settings) -> Check:
    """Return the outcome of a check that reads the database, which may fail meanwhile."""
    try:
        with answer_within(ANSWER_S):
            return check(settings)
    except (SQLAlchemyError, Unavailable, OSError) as error:
        return Check(
            State.FAULT, f"The check failed: {read_reason(error)}", "Solve this problem first."
        )


def _check_versions() -> Check:
    """Report the versions of the program, Python, SQLite and the database tables."""
    import sqlite3  # noqa: PLC0415 - only its version is needed

    return Check(
        State.OK,
        f"thetahat {thetahat.__version__}, Python {platform.python_version()}, "
        f"SQLite {sqlite3.sqlite_version}, database revision {schema.find_newest_revision()}.",
    )


def _check_memory(settings: Settings) -> Check:
    """Compare what the workers may use with the memory of the machine or container."""
    usable = find_usable_memory_bytes()
    total_mb = settings.workers * settings.memory_limit_mb
    if usable is None or total_mb <= usable // MEBIBYTE:
        has = "an unknown amount" if usable is None else f"{usable // MEBIBYTE} MiB"
        use = f"{settings.workers} workers may use {settings.memory_limit_mb} MiB each"
        return Check(State.OK, f"{use}; there is {has}.")
    return Check(
        State.WARNING,
        f"{settings.workers} workers may use {total_mb} MiB together, and this machine or "
        f"container has {usable // MEBIBYTE} MiB.",
        "Lower THETAHAT_WORKERS or THETAHAT_MEMORY_LIMIT_MB.",
    )


def _check_loops() -> Check:
    """Check that the compiled loops are in the folder where numba searches for them."""
    chosen = os.environ.get(compiled_loops.VARIABLE)
    folders = [Path(thetahat.__file__).parent]
    if chosen is not None:
        folders = [Path(chosen), compiled_loops.SHIPPED_LOOPS]
    if any(next(folder.rglob("*.nbi"), None) for folder in folders):
        return Check(State.OK, "The loops are compiled.")
    return Check(
        State.WARNING,
        "The numerical loops are not compiled, so first evaluations wait for the compiler.",
        "Run `thetahat compile`.",
    )


def _check_data_folder(settings: Settings) -> Check:
    """Check that the data folder can be written to, and that other users cannot read it."""
    folder = settings.data_dir.resolve()
    if not folder.is_dir():
        return Check(
            State.WARNING,
            f"The data folder {folder} does not exist.",
            "`thetahat serve` makes it, if the folder above can be written to.",
        )
    mode = stat.S_IMODE(folder.stat().st_mode)
    if not os.access(folder, os.W_OK | os.X_OK):
        return Check(
            State.FAULT,
            f"The data folder {folder} cannot be written to by this user.",
            "Give it to the user that runs the service, or set THETAHAT_DATA_DIR.",
        )
    if mode & OTHERS:
        return Check(
            State.WARNING,
            f"Other users can open the data folder {folder} (mode {mode:o}).",
            f"Run `chmod 700 {folder}`.",
        )
    return Check(State.OK, f"Only this user can open the data folder {folder}.")


def _check_database(settings: Settings) -> Check:
    """Check that the database answers and has the tables of this release."""
    url = sa.make_url(settings.resolved_database_url)
    shown = url.render_as_string(hide_password=True)
    if url.get_backend_name() == "sqlite" and not Path(url.database or "").is_file():
        return Check(
            State.WARNING,
            f"There is no database at {shown} yet.",
            "`thetahat serve` and `thetahat migrate` make it.",
        )
    try:
        with answer_within(ANSWER_S):
            revision = schema.read_revision()
    except SQLAlchemyError as error:
        return Check(
            State.FAULT,
            f"The database {shown} cannot be used: {read_reason(error)}",
            "Check that it runs, and THETAHAT_DATABASE_URL with its password.",
        )
    try:
        schema.require_current()
    except OtherTables as other:
        return Check(State.FAULT, f"{shown}: {other}")
    return Check(State.OK, f"The database {shown} answers and is at revision {revision}.")


def _check_flushes(settings: Settings) -> Check:
    """Check that what the database commits is on its disk."""
    del settings
    with reading() as connection:
        is_flushed = is_sqlite() or connection.scalar(
            sa.text("SELECT current_setting('fsync')::boolean")
        )
    if is_flushed:
        return Check(State.OK, "What the database commits survives a power cut.")
    return Check(
        State.WARNING,
        "The database does not flush its log (fsync=off), so a power cut can damage it.",
        "Set fsync=on in postgresql.conf.",
    )


def _check_clock(settings: Settings) -> Check:
    """Compare this machine's clock with the database's, by which leases are counted."""
    del settings
    before = time.time()
    with reading() as connection:
        database = float(connection.scalar(sa.select(EpochNow())) or 0.0)
    difference = database - (before + time.time()) / 2
    if abs(difference) <= LARGEST_CLOCK_DIFFERENCE_S:
        return Check(
            State.OK, f"This clock and the database's differ by {abs(difference):.2f} seconds."
        )
    return Check(
        State.WARNING,
        f"The database's clock is {abs(difference):.0f} seconds "
        f"{'ahead of' if difference > 0 else 'behind'} the one of this machine.",
        "Let both synchronise with a time server; stored times are wrong meanwhile.",
    )


def _check_store(settings: Settings) -> Check:
    """Check the mark of the file store, that it can be written to, and its free space."""
    url = settings.resolved_files_url
    store = open_unmarked(url)
    with reading() as connection:
        expected = connection.scalar(sa.select(FILE_STORE.c.id))
    mark = store.read_mark()
    if expected is not None and mark != str(expected):
        state = "is missing" if mark is None else f"is {mark[:40]!r}"
        return Check(
            State.FAULT,
            f"The mark of the file store {url} {state}, and the database has {expected}.",
            f"Mount the right store. If it is the right one, write {expected} into its "
            f"file {MARK}.",
        )
    if expected is None:
        return Check(State.OK, f"The file store {url} has not been used yet.")
    store.check_space()
    free = shutil.disk_usage(store.root).free if isinstance(store, LocalFileStore) else None
    if free is not None and free < LITTLE_FREE_BYTES:
        return Check(
            State.WARNING,
            f"The disk of the file store {url} has only {free // MEBIBYTE} MiB left.",
            f"Free some space: below {LEAST_FREE_BYTES // MEBIBYTE} MiB nothing is stored.",
        )
    has = "" if free is None else f", and has {free // MEBIBYTE} MiB left"
    return Check(
        State.OK, f"The file store {url} is the one of this database, can be written to{has}."
    )


def _check_workers(settings: Settings) -> Check:
    """Check the heartbeats of the workers, and their release."""
    with reading() as connection:
        rows = connection.execute(
            sa.select(WORKER.c.version, sa.func.count())
            .where(WORKER.c.heartbeat_at > EpochNow() - settings.lease_s)
            .group_by(WORKER.c.version)
        ).all()
    other_versions = sorted(version for version, _ in rows if version != thetahat.__version__)
    count = sum(n for _, n in rows)
    if other_versions:
        return Check(
            State.WARNING,
            f"Workers of other releases are running: {', '.join(other_versions)}.",
            f"Restart them with thetahat {thetahat.__version__}.",
        )
    if count:
        return Check(
            State.OK,
            f"{count} worker processes had a heartbeat in the last {settings.lease_s:g} s.",
        )
    return Check(
        _expect_running(settings),
        "No worker is running, so evaluations stay queued.",
        "Start `thetahat serve`, or `thetahat worker` in a cluster.",
    )


def _check_keys(settings: Settings) -> Check:
    """Check that there is an API key if other machines can reach the API."""
    if is_loopback(settings.host) or has_keys():
        return Check(State.OK, f"The API may listen on {settings.host}.")
    return Check(
        State.FAULT,
        f"There is no API key, and other machines can reach {settings.host}.",
        "Run `thetahat keys create NAME`; the API does not start without a key.",
    )


def _check_broker(settings: Settings) -> Check:
    """Check that the broker answers."""
    if queue.is_up():
        return Check(State.OK, "The broker answers.")
    is_embedded = not settings.broker_url
    return Check(
        _expect_running(settings),
        "The embedded broker is not running." if is_embedded else "The broker is away.",
        "Start `thetahat serve`."
        if is_embedded
        else "Check that it runs, and THETAHAT_BROKER_URL with its password.",
    )


def _check_provider(settings: Settings) -> Check:
    """Check that the log-in provider publishes what a log-in needs."""
    issuer = settings.oidc_issuer
    try:
        require_log_in_package()
    except CannotStart as missing:
        return Check(State.FAULT, str(missing))
    from thetahat_service.identity.provider import ProviderUnreachable, get_provider  # noqa: PLC0415 - an extra

    try:
        get_provider().check()
    except ProviderUnreachable as error:
        return Check(
            State.FAULT,
            f"Nobody can log in at {issuer}: {error}",
            "Check that it runs and can be reached from here, THETAHAT_OIDC_ISSUER, and "
            "THETAHAT_OIDC_ALLOWED_HOSTS for one in your own network.",
        )
    return Check(State.OK, f"{issuer} publishes its metadata.")


def _expect_running(settings: Settings) -> State:
    """Return the state for a missing process: a fault only if ``serve`` is running."""
    is_stopped = is_sqlite() and not is_locked(settings.data_dir.resolve())
    return State.WARNING if is_stopped else State.FAULT
