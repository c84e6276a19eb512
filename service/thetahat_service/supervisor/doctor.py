"""The checks of ``thetahat doctor``: whether this installation can work, and what to do if not.

Nothing is changed: no database, folder or mark is made.
"""

from __future__ import annotations

import os
import platform
import shutil
import stat
import time
from collections.abc import Callable, Iterator
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """The result of one check."""

    name: str
    """What was checked."""
    state: State
    """Whether it is in order."""
    message: str
    """What was found, as a sentence."""
    advice: str = ""
    """What to do; empty if it is in order."""


def run_checks(settings: Settings) -> list[Check]:
    """Return the outcome of every check; those that need the database are left out without it."""
    checks = [_check_versions(), _check_memory(settings), _check_loops()]
    checks += _check_data_folder(settings)
    database = list(_check_database(settings))
    checks += database
    if all(check.state is State.OK for check in database):
        reading_checks = {
            "flushes": _check_flushes,
            "clock": _check_clock,
            "file store": _check_store,
            "workers": _check_workers,
            "keys": _check_keys,
        }
        checks += [_run_check(name, check, settings) for name, check in reading_checks.items()]
    checks.append(_check_broker(settings))
    if settings.oidc_issuer:
        checks.append(_check_provider(settings))
    return checks


def _run_check(name: str, check: Callable[[Settings], Check], settings: Settings) -> Check:
    """Return the outcome of a check that reads the database, which may fail meanwhile."""
    try:
        with answer_within(ANSWER_S):
            return check(settings)
    except (SQLAlchemyError, Unavailable, OSError) as error:
        return Check(
            name=name,
            state=State.FAULT,
            message=f"The check failed: {read_reason(error)}",
            advice="Solve this problem first.",
        )


def _check_versions() -> Check:
    """Report the versions of the program, Python, SQLite and the database tables."""
    import sqlite3  # noqa: PLC0415 - only its version is needed

    return Check(
        name="versions",
        state=State.OK,
        message=f"thetahat {thetahat.__version__}, Python {platform.python_version()}, "
        f"SQLite {sqlite3.sqlite_version}, database revision {schema.find_newest_revision()}.",
    )


def _check_memory(settings: Settings) -> Check:
    """Compare what the workers may use with the memory of the machine or container."""
    usable = find_usable_memory_bytes()
    total_mb = settings.workers * settings.memory_limit_mb
    if usable is None or total_mb <= usable // MEBIBYTE:
        has = "an unknown amount" if usable is None else f"{usable // MEBIBYTE} MiB"
        use = f"{settings.workers} workers may use {settings.memory_limit_mb} MiB each"
        message = f"{use}; there is {has}."
        return Check(name="memory", state=State.OK, message=message)
    return Check(
        name="memory",
        state=State.WARNING,
        message=f"{settings.workers} workers may use {total_mb} MiB together, and this machine or "
        f"container has {usable // MEBIBYTE} MiB.",
        advice="Lower THETAHAT_WORKERS or THETAHAT_MEMORY_LIMIT_MB.",
    )


def _check_loops() -> Check:
    """Check that the compiled loops are in the folder where numba searches for them."""
    chosen = os.environ.get(compiled_loops.VARIABLE)
    folders = [Path(thetahat.__file__).parent]
    if chosen is not None:
        folders = [Path(chosen), compiled_loops.SHIPPED_LOOPS]
    if any(next(folder.rglob("*.nbi"), None) for folder in folders):
        return Check(name="compiled loops", state=State.OK, message="The loops are compiled.")
    return Check(
        name="compiled loops",
        state=State.WARNING,
        message="The numerical loops are not compiled, so first evaluations wait for the compiler.",
        advice="Run `thetahat compile`.",
    )


def _check_data_folder(settings: Settings) -> Iterator[Check]:
    """Check that the data folder can be written to, and that other users cannot read it."""
    folder = settings.data_dir.resolve()
    if not folder.is_dir():
        yield Check(
            name="data folder",
            state=State.WARNING,
            message=f"The data folder {folder} does not exist.",
            advice="`thetahat serve` makes it, if the folder above can be written to.",
        )
        return
    mode = stat.S_IMODE(folder.stat().st_mode)
    if not os.access(folder, os.W_OK | os.X_OK):
        yield Check(
            name="data folder",
            state=State.FAULT,
            message=f"The data folder {folder} cannot be written to by this user.",
            advice="Give it to the user that runs the service, or set THETAHAT_DATA_DIR.",
        )
    elif mode & OTHERS:
        yield Check(
            name="data folder",
            state=State.WARNING,
            message=f"Other users can open the data folder {folder} (mode {mode:o}).",
            advice=f"Run `chmod 700 {folder}`.",
        )
    else:
        message = f"Only this user can open the data folder {folder}."
        yield Check(name="data folder", state=State.OK, message=message)


def _check_database(settings: Settings) -> Iterator[Check]:
    """Check that the database answers and has the tables of this release."""
    url = sa.make_url(settings.resolved_database_url)
    shown = url.render_as_string(hide_password=True)
    if url.get_backend_name() == "sqlite" and not Path(url.database or "").is_file():
        yield Check(
            name="database",
            state=State.WARNING,
            message=f"There is no database at {shown} yet.",
            advice="`thetahat serve` and `thetahat migrate` make it.",
        )
        return
    try:
        with answer_within(ANSWER_S):
            revision = schema.read_revision()
    except SQLAlchemyError as error:
        yield Check(
            name="database",
            state=State.FAULT,
            message=f"The database {shown} cannot be used: {read_reason(error)}",
            advice="Check that it runs, and THETAHAT_DATABASE_URL with its password.",
        )
        return
    try:
        schema.require_current()
    except OtherTables as other:
        yield Check(name="database", state=State.FAULT, message=f"{shown}: {other}")
        return
    message = f"The database {shown} answers and is at revision {revision}."
    yield Check(name="database", state=State.OK, message=message)


def _check_flushes(settings: Settings) -> Check:
    """Check that what the database commits is on its disk."""
    del settings
    with reading() as connection:
        is_flushed = is_sqlite() or connection.scalar(
            sa.text("SELECT current_setting('fsync')::boolean")
        )
    if is_flushed:
        message = "What the database commits survives a power cut."
        return Check(name="flushes", state=State.OK, message=message)
    return Check(
        name="flushes",
        state=State.WARNING,
        message="The database does not flush its log (fsync=off), so a power cut can damage it.",
        advice="Set fsync=on in postgresql.conf.",
    )


def _check_clock(settings: Settings) -> Check:
    """Compare this machine's clock with the database's, by which leases are counted."""
    del settings
    before = time.time()
    with reading() as connection:
        database = float(connection.scalar(sa.select(EpochNow())) or 0.0)
    difference = database - (before + time.time()) / 2
    if abs(difference) <= LARGEST_CLOCK_DIFFERENCE_S:
        message = f"This clock and the database's differ by {abs(difference):.2f} seconds."
        return Check(name="clock", state=State.OK, message=message)
    return Check(
        name="clock",
        state=State.WARNING,
        message=f"The database's clock is {abs(difference):.0f} seconds "
        f"{'ahead of' if difference > 0 else 'behind'} the one of this machine.",
        advice="Let both synchronise with a time server; stored times are wrong meanwhile.",
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
            name="file store",
            state=State.FAULT,
            message=f"The mark of the file store {url} {state}, and the database has {expected}.",
            advice=f"Mount the right store. If it is the right one, write {expected} into its "
            f"file {MARK}.",
        )
    if expected is None:
        message = f"The file store {url} has not been used yet."
        return Check(name="file store", state=State.OK, message=message)
    store.check_space()
    free = shutil.disk_usage(store.root).free if isinstance(store, LocalFileStore) else None
    if free is not None and free < LITTLE_FREE_BYTES:
        return Check(
            name="file store",
            state=State.WARNING,
            message=f"The disk of the file store {url} has only {free // MEBIBYTE} MiB left.",
            advice=f"Free some space: below {LEAST_FREE_BYTES // MEBIBYTE} MiB nothing is stored.",
        )
    has = "" if free is None else f", and has {free // MEBIBYTE} MiB left"
    message = f"The file store {url} is the one of this database, can be written to{has}."
    return Check(name="file store", state=State.OK, message=message)


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
            name="workers",
            state=State.WARNING,
            message=f"Workers of other releases are running: {', '.join(other_versions)}.",
            advice=f"Restart them with thetahat {thetahat.__version__}.",
        )
    if count:
        message = f"{count} worker processes had a heartbeat in the last {settings.lease_s:g} s."
        return Check(name="workers", state=State.OK, message=message)
    return Check(
        name="workers",
        state=_expect_running(settings),
        message="No worker is running, so evaluations stay queued.",
        advice="Start `thetahat serve`, or `thetahat worker` in a cluster.",
    )


def _check_keys(settings: Settings) -> Check:
    """Check that there is an API key if other machines can reach the API."""
    if is_loopback(settings.host) or has_keys():
        message = f"The API may listen on {settings.host}."
        return Check(name="keys", state=State.OK, message=message)
    return Check(
        name="keys",
        state=State.FAULT,
        message=f"There is no API key, and other machines can reach {settings.host}.",
        advice="Run `thetahat keys create NAME`; the API does not start without a key.",
    )


def _check_broker(settings: Settings) -> Check:
    """Check that the broker answers."""
    if queue.is_up():
        return Check(name="broker", state=State.OK, message="The broker answers.")
    is_embedded = not settings.broker_url
    return Check(
        name="broker",
        state=_expect_running(settings),
        message="The embedded broker is not running." if is_embedded else "The broker is away.",
        advice="Start `thetahat serve`."
        if is_embedded
        else "Check that it runs, and THETAHAT_BROKER_URL with its password.",
    )


def _check_provider(settings: Settings) -> Check:
    """Check that the log-in provider publishes what a log-in needs."""
    name, issuer = "log-in provider", settings.oidc_issuer
    try:
        require_log_in_package()
    except CannotStart as missing:
        return Check(name=name, state=State.FAULT, message=str(missing))
    from thetahat_service.identity.provider import ProviderUnreachable, get_provider  # noqa: PLC0415 - an extra

    try:
        get_provider().check()
    except ProviderUnreachable as error:
        return Check(
            name=name,
            state=State.FAULT,
            message=f"Nobody can log in at {issuer}: {error}",
            advice="Check that it runs and can be reached from here, THETAHAT_OIDC_ISSUER, and "
            "THETAHAT_OIDC_ALLOWED_HOSTS for one in your own network.",
        )
    return Check(name=name, state=State.OK, message=f"{issuer} publishes its metadata.")


def _expect_running(settings: Settings) -> State:
    """Return the state for a missing process: a fault only if ``serve`` is running."""
    is_stopped = is_sqlite() and not is_locked(settings.data_dir.resolve())
    return State.WARNING if is_stopped else State.FAULT
