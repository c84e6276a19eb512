"""Calls of third-party code whose exceptions and warnings become our own."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from thetahat.cautions import LEARNER_WARNING, NOT_CONVERGED, Caution
from thetahat.errors import EvaluationError, LearnerFailed, is_machine_fault

_MAX_MESSAGE_LENGTH: Final = 500
_UNKNOWN_CATEGORIES: Final = "Found unknown categories"
"""How the message begins of an encoder inside an estimator of the caller."""
_ADVICE: Final = (
    "Give the encoder handle_unknown='ignore' or, if it is an OrdinalEncoder, "
    "handle_unknown='use_encoded_value' with an unknown_value."
)
_ABOUT_THE_INTERFACE: Final = (DeprecationWarning, FutureWarning, PendingDeprecationWarning)


@contextmanager
def catch_failures(name: str, cautions: list[Caution]) -> Iterator[None]:
    """Turn exceptions and warnings of third-party code inside the ``with`` block into our own.

    An exception becomes ``LearnerFailed`` with the first paragraph of its message; our own
    exceptions, ``MemoryError`` and faults of the machine, such as a full disk, pass unchanged. Each
    distinct warning is appended to ``cautions``, except deprecation warnings. ``name`` is the name
    of the class that is called, for the message. ``cautions`` gets the cautions ``not_converged``
    and ``learner_warning`` appended.
    """
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            yield
        # Running out of memory is not the learner's failure, and a time limit is no Exception.
        except (EvaluationError, MemoryError):
            raise
        except Exception as error:
            if is_machine_fault(error):
                raise
            message = _get_first_paragraph(error)
            if message.startswith(_UNKNOWN_CATEGORIES):
                message = f"{message.rstrip('.')}: the training part lacks them. {_ADVICE}"
            raise LearnerFailed(f"{name}: {message}") from error
    for warning in caught:
        caution = _build_caution(name, warning.category, warning.message)
        if caution is not None and caution not in cautions:
            cautions.append(caution)


def _build_caution(name: str, category: type[Warning], message: Warning | str) -> Caution | None:
    if issubclass(category, _ABOUT_THE_INTERFACE):
        return None
    converged = category.__name__ != "ConvergenceWarning"
    return (LEARNER_WARNING if converged else NOT_CONVERGED)(
        sentence=f"{name}: {_get_first_paragraph(message)}"
    )


def _get_first_paragraph(message: object) -> str:
    text = str(message).strip().split("\n\n")[0]
    return " ".join(text.split())[:_MAX_MESSAGE_LENGTH] or type(message).__name__
