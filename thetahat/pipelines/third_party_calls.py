"""Third-party code run so that its failures and warnings become words."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from thetahat.cautions import LEARNER_WARNING, NOT_CONVERGED, Caution
from thetahat.errors import EvaluationError, LearnerFailed

_LONGEST_MESSAGE: Final = 500
_ABOUT_THE_INTERFACE: Final = (DeprecationWarning, FutureWarning, PendingDeprecationWarning)


@contextmanager
def guarded(name: str, cautions: list[Caution]) -> Iterator[None]:
    """Run a block of third-party code.

    What it raises becomes ``LearnerFailed`` with the first paragraph of its message; what it
    warns of is added to ``cautions``, each sentence once, warnings about its own interface left
    out. Refusals of our own pass.

    Parameters
    ----------
    name : str
        Whose code it is, for the message.
    cautions : list of Caution
        Grows by ``not_converged`` and ``learner_warning``.
    """
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            yield
        # A lack of memory is not the learner's failure; a time limit is no Exception at all.
        except (EvaluationError, MemoryError):
            raise
        except Exception as error:
            raise LearnerFailed(f"{name}: {_first_paragraph(error)}") from error
    for warning in caught:
        caution = _caution(name, warning.category, warning.message)
        if caution is not None and caution not in cautions:
            cautions.append(caution)


def _caution(name: str, category: type[Warning], message: Warning | str) -> Caution | None:
    if issubclass(category, _ABOUT_THE_INTERFACE):
        return None
    converged = category.__name__ != "ConvergenceWarning"
    return (LEARNER_WARNING if converged else NOT_CONVERGED)(
        sentence=f"{name}: {_first_paragraph(message)}"
    )


def _first_paragraph(message: object) -> str:
    text = str(message).strip().split("\n\n")[0]
    return " ".join(text.split())[:_LONGEST_MESSAGE] or type(message).__name__
