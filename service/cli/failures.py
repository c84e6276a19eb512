"""Messages for the exceptions whose cause a user of the command line can remove."""

from __future__ import annotations

import sys


def explain(error: Exception) -> str | None:
    """Return what went wrong as a sentence; None for an exception that is a fault of this program.

    The packages that define the exceptions are slow to import. An exception of a package can only
    have been raised if the package has been imported already.
    """
    if isinstance(error, UserError):
        return str(error)
    if isinstance(error, OSError):
        return _describe_os_error(error)
    if _is_instance(error, "thetahat_client", "ThetahatError"):
        return str(error)
    if _is_instance(error, "httpx", "InvalidURL"):
        return f"The address of the service is not valid: {error}"
    if _is_instance(error, "service.settings", "InvalidSettings"):
        return str(error)
    if _is_instance(error, "service.supervisor.errors", "CannotStart"):
        return str(error)
    if _is_instance(error, "sqlalchemy.exc", "SQLAlchemyError"):
        return _describe_database_error(_first_line(getattr(error, "orig", None) or error))
    if _is_instance(error, "service.errors", "Unavailable"):
        return str(error)
    return None


def _describe_os_error(error: OSError) -> str:
    if error.filename is None or error.strerror is None:
        return str(error)
    return f"{error.filename} cannot be used: {error.strerror}."


def _describe_database_error(reason: str) -> str:
    from service.settings import settings

    if "unable to open database file" in reason:
        reason = f"the file of {settings().resolved_database_url} cannot be opened or made."
    return f"The database cannot be used: {reason}"


class UserError(Exception):
    """A wrong argument, option or file, in words for the user."""


def _is_instance(error: Exception, module: str, name: str) -> bool:
    kind = getattr(sys.modules.get(module), name, None)
    return kind is not None and isinstance(error, kind)


def _first_line(error: object) -> str:
    return str(error).strip().partition("\n")[0]
