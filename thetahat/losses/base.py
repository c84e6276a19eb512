"""The protocol of pointwise losses, and the predictions that they compare."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar, Protocol

import numpy as np

from thetahat.registry import MethodInfo
from thetahat.values.types import BoolArray, FloatArray, Label


@dataclass(frozen=True, slots=True, eq=False)
class Predictions:
    """The predictions of one model for the test instances."""

    output: np.ndarray
    """(n,) class codes or values; for losses that only test equality, labels of any dtype."""
    probabilities: FloatArray | None = None
    """(n, n_classes) predicted class probabilities, where the model gives them; columns follow the
    class codes."""
    scores: FloatArray | None = None
    """(n,) decision value of the positive class, where the model gives one."""
    classes: tuple[Label, ...] = ()
    """Column order of ``probabilities`` and ``sets``."""
    sets: BoolArray | None = None
    """(n, n_classes) whether each class is in the prediction set, where the model gives sets."""
    limits: FloatArray | None = None
    """(n, 2) lower and upper prediction limits, where the model gives them."""


class Loss(Protocol):
    """A frozen dataclass whose fields are the loss's parameters.

    Optional methods:

    - ``for_classes(classes)``, if the loss depends on the labels of the classes;
    - ``check_truth(y_true)``, which raises for targets that have no such loss;
    - ``mean_over_pairs(y_true, output)``, the mean loss over all pairs of a target and a
      prediction, if it can be computed without n^2 losses.
    """

    info: ClassVar[MethodInfo]
    task: ClassVar[str | None]  # "classification", "regression" or None for both
    uses: ClassVar[str]  # "output", "probabilities", "scores", "regions" (sets, limits), "limits"

    @property
    def value_range(self) -> tuple[float, float]:
        """Smallest and largest possible loss; infinite if there is no bound."""
        ...

    def losses(self, y_true: np.ndarray, predictions: Predictions) -> FloatArray:
        """Return the (n,) losses of the instances.

        ``y_true`` is (n,) class codes or values, as in ``predictions.output``.
        """
        ...


def adapt_to_classes(loss: Loss, classes: tuple[Label, ...]) -> Loss:
    """Return the loss for these classes, in the order of their codes.

    Most losses do not depend on the classes. Such a loss is returned unchanged.
    """
    bind: Callable[[tuple[Label, ...]], Loss] | None = getattr(loss, "for_classes", None)
    return loss if bind is None or not classes else bind(classes)
