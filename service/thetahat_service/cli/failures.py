"""Messages for the exceptions whose cause a user of the command line can remove."""

from __future__ import annotations

import sys
from enum import IntEnum
from typing import Final

INVALID_REQUEST: Final = frozenset({400, 413, 415, 422})
"""HTTP statuses of a request that would be refused by every service."""


class ExitStatus(IntEnum):
    """The exit statuses of the commands; ``thetahat gate`` adds 3 for an undecided gate."""

    SUCCESS = 0
    FAILURE = 1
    WRONG_USAGE = 2
    SERVICE_AWAY = 4
    REFUSED = 5
    INTERRUPTED = 130


_BY_CLASS: Final = (
    ("thetahat_service.settings", "InvalidSettings", ExitStatus.WRONG_USAGE),
    ("thetahat_client.errors", "InvalidAddress", ExitStatus.WRONG_USAGE),
    ("thetahat_client.errors", "UnknownMediaType", ExitStatus.WRONG_USAGE),
    ("thetahat_client.errors", "ConnectionFailed", ExitStatus.SERVICE_AWAY),
    ("thetahat_client.errors", "UnexpectedAnswer", ExitStatus.SERVICE_AWAY),
    ("thetahat_client.errors", "ServiceFault", ExitStatus.SERVICE_AWAY),
    ("thetahat_client.errors", "TooManyRequests", ExitStatus.SERVICE_AWAY),
    ("thetahat_client.errors", "Refused", ExitStatus.REFUSED),
    ("sqlalchemy.exc", "SQLAlchemyError", ExitStatus.SERVICE_AWAY),
    ("thetahat_service.errors", "Unavailable", ExitStatus.SERVICE_AWAY),
    ("thetahat_service.errors", "ServiceError", ExitStatus.WRONG_USAGE),
    ("thetahat.errors", "EvaluationError", ExitStatus.WRONG_USAGE),
)
"""Exit statuses by module and class; of several classes that fit, the first."""


def choose_status(error: Exception) -> ExitStatus:
    """Return the exit status for an exception, by its cause."""
    if isinstance(error, UserError | FileNotFoundError | IsADirectoryError):
        return ExitStatus.WRONG_USAGE
    if getattr(error, "status", None) in INVALID_REQUEST:
        return ExitStatus.WRONG_USAGE
    for module, name, status in _BY_CLASS:
        if _is_instance(error, module, name):
            return status
    return ExitStatus.FAILURE


def explain(error: Exception) -> str | None:
    """Return the cause of an exception as a sentence; None for a fault of this program.

    The packages that define the exceptions are slow to import. An exception of a package can only
    have been raised if the package has been imported already.
    """
    if isinstance(error, UserError):
        return str(error)
    if isinstance(error, OSError):
        return _describe_os_error(error)
    if _is_instance(error, "thetahat_client.errors", "ThetahatError"):
        return str(error)
    if _is_instance(error, "thetahat_service.settings", "InvalidSettings"):
        return str(error)
    if _is_instance(error, "thetahat_service.supervisor.errors", "CannotStart"):
        return str(error)
    if _is_instance(error, "sqlalchemy.exc", "SQLAlchemyError"):
        return _describe_database_error(_read_first_line(getattr(error, "orig", None) or error))
    for module, name in (
        ("thetahat_service.errors", "ServiceError"),
        ("thetahat.errors", "EvaluationError"),
    ):
        if _is_instance(error, module, name):
            return str(error)
    return None


def _describe_os_error(error: OSError) -> str:
    if error.filename is None or error.strerror is None:
        return str(error)
    return f"{error.filename} cannot be used: {error.strerror}."


def _describe_database_error(reason: str) -> str:
    from thetahat_service.settings import get_settings

    if "unable to open database file" in reason:
        reason = f"the file of {get_settings().resolved_database_url} cannot be opened or made."
    return f"The database cannot be used: {reason}"


class UserError(Exception):
    """A wrong argument, option or file, in words for the user."""


def _is_instance(error: Exception, module: str, name: str) -> bool:
    kind = getattr(sys.modules.get(module), name, None)
    return kind is not None and isinstance(error, kind)


def _read_first_line(error: object) -> str:
    return str(error).strip().partition("\n")[0]
