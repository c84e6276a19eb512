"""Messages for the exceptions whose cause a user of the command line can remove."""

from __future__ import annotations

import sys


def explain(error: Exception) -> str | None:
    """Return what went wrong as a sentence; None for an exception that is a fault of this program.

    The packages that define the exceptions are slow to import. An exception of a package can only
    have been raised if the package has been imported already.
    """
    if isinstance(error, OSError | UserError):
        return str(error)
    if _is_instance(error, "thetahat_client", "ThetahatError"):
        return str(error)
    if _is_instance(error, "httpx", "InvalidURL"):
        return f"The address of the service is not valid: {error}"
    if _is_instance(error, "service.settings", "InvalidSettings"):
        return str(error)
    if _is_instance(error, "service.supervisor.errors", "CannotStart"):
        return str(error)
    if _is_instance(error, "sqlalchemy.exc", "SQLAlchemyError"):
        return f"The database cannot be used: {_first_line(getattr(error, 'orig', None) or error)}"
    return None


class UserError(Exception):
    """A wrong argument, option or file, in words for the user."""


def _is_instance(error: Exception, module: str, name: str) -> bool:
    kind = getattr(sys.modules.get(module), name, None)
    return kind is not None and isinstance(error, kind)


def _first_line(error: object) -> str:
    return str(error).strip().partition("\n")[0]
