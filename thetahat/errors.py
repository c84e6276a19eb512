"""Exceptions of the library.

::

    EvaluationError
    ├── InvalidParameter        an argument is out of its range (also a ValueError)
    ├── InsufficientData        too few rows, blocks or classes (also a ValueError)
    ├── UnsupportedCombination  a method that does not fit this layout, scheme or loss
    ├── NotConverged            an iteration ended without an answer
    └── LearnerFailed           a learner raised an exception in fit or predict

The core knows no HTTP: ``thetahat_service.api.errors`` has the one table of statuses.
"""

from __future__ import annotations

import errno
import math
from collections.abc import Callable
from typing import Any, ClassVar, Final

Loc = tuple[str | int, ...]


class EvaluationError(Exception):
    """Base class: the evaluation cannot be done; the message is for the user.

    Parameters
    ----------
    message : str
        A sentence that names the argument and shows the value.
    loc : tuple of str or int
        Where in the input the fault lies, outermost first, such as ``("losses", "nb", 0, 3)``.
    value : Any
        The offending value, if it can be shown.

    Attributes
    ----------
    others : tuple of EvaluationError
        Faults of the same request that do not depend on this one.
    """

    code: ClassVar[str] = "evaluation_error"

    def __init__(self, message: str, *, loc: Loc = (), value: Any = None) -> None:
        super().__init__(message)
        self.message = message
        self.loc = loc
        self.value = value
        self.others: tuple[EvaluationError, ...] = ()


class InvalidParameter(EvaluationError, ValueError):
    """An argument has an invalid value."""

    code = "invalid_parameter"


class InsufficientData(EvaluationError, ValueError):
    """The data are too few for the request."""

    code = "insufficient_data"


class UnsupportedCombination(EvaluationError):
    """A method does not fit the layout, the scheme or the loss; the message names those that do."""

    code = "unsupported_combination"


class NotConverged(EvaluationError):
    """An iterative algorithm did not converge."""

    code = "not_converged"


class LearnerFailed(EvaluationError):
    """A learner raised an exception; the message is the learner's own, without the traceback."""

    code = "learner_failed"


def run_checks(*checks: Callable[[], object]) -> None:
    """Run checks that do not depend on each other, and raise the first fault with the others.

    A fault that several checks find is raised once.
    """
    faults: dict[tuple[Loc, str], EvaluationError] = {}
    for check in checks:
        try:
            check()
        except EvaluationError as error:
            for each in (error, *error.others):
                faults.setdefault((each.loc, each.message), each)
            error.others = ()
    if faults:
        first, *others = faults.values()
        first.others = tuple(others)
        for other in others:
            first.add_note(f"Also: {other.message}")
        raise first


_MACHINE_ERRORS: Final = frozenset(
    {
        errno.EAGAIN,
        errno.EDQUOT,
        errno.EIO,
        errno.EMFILE,
        errno.ENFILE,
        errno.ENODEV,
        errno.ENOMEM,
        errno.ENOSPC,
        errno.ENXIO,
        errno.EROFS,
        errno.ESTALE,
    }
)


def is_machine_fault(error: BaseException) -> bool:
    """Return whether an error is a fault of the machine: its disk, its files or its memory.

    The same computation succeeds once the fault is over, so it is not the failure of a learner.
    """
    return isinstance(error, OSError) and error.errno in _MACHINE_ERRORS


def shorten_value(value: Any) -> Any:
    """Return a value for an error document: shortened, and NaN or infinity as text."""
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    if isinstance(value, str | list | dict):
        text = value if isinstance(value, str) else repr(value)
        return text if len(text) <= 80 else text[:77] + "..."
    return value
