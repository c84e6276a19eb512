"""Faults of the infrastructure: the file store, the database, the machine.

The same work succeeds once the fault is over. So it is repeated, and neither a request nor a
learner is recorded as the cause.
"""

from __future__ import annotations

from typing import Final

from sqlalchemy.exc import DBAPIError, InterfaceError, OperationalError
from sqlalchemy.exc import TimeoutError as PoolTimeout

from thetahat.errors import is_machine_fault
from thetahat_service.errors import Unavailable

DATABASE_ERRORS: Final = (OperationalError, InterfaceError, PoolTimeout)
INFRASTRUCTURE_ERRORS: Final = (Unavailable, OSError, *DATABASE_ERRORS)


def find_fault(error: BaseException) -> BaseException | None:
    """Return the fault of the infrastructure that an error is or was raised from, or None.

    Arrow reports a file that cannot be parsed as an ``OSError`` without an error number. That is no
    fault, because the same file cannot be parsed later either. As the cause of another error only
    an error of the machine counts.
    """
    if isinstance(error, ConnectionError | TimeoutError):
        return error
    if isinstance(error, OSError) and error.errno is not None:
        return error
    cause: BaseException | None = error
    while cause is not None:
        if is_machine_fault(cause) or isinstance(cause, (Unavailable, *DATABASE_ERRORS)):
            return cause
        cause = cause.__cause__ or cause.__context__
    return None


def read_reason(error: BaseException) -> str:
    """Return the first line of an error's text, for the log: without SQL and its parameters."""
    return str(getattr(error, "orig", None) or error).strip().partition("\n")[0]


def describe_fault(error: BaseException) -> str:
    """Return the reason of a fault as a sentence for clients, without paths and addresses."""
    if isinstance(error, Unavailable):
        return error.message
    if isinstance(error, OSError):
        return f"The file store does not work: {error.strerror or type(error).__name__}."
    if isinstance(error, DBAPIError) and type(error.orig).__module__.startswith("sqlite3"):
        return f"The database does not work: {error.orig}."
    return "The database cannot be reached."
