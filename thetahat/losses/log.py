"""The logarithmic loss."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from thetahat.errors import InvalidParameter
from thetahat.losses._checks import check_shares, get_probabilities
from thetahat.losses.base import Predictions
from thetahat.registry import MethodInfo
from thetahat.values.types import FloatArray

MACHINE_EPSILON = float(np.finfo(np.float64).eps)


@dataclass(frozen=True, slots=True, kw_only=True)
class Log:
    r"""Minus the logarithm of the probability that the model gave to the true class, in nats.

    :math:`\epsilon` is ``clip``. Probabilities are not rescaled. The source calls it the
    logarithmic score.

    Degenerate cases: most learners give probability 0 to a class that was not in the training data.
    Each instance of such a class then loses :math:`-\log \epsilon`, and the mean depends on
    :math:`\epsilon` more than on the model.

    Parameters
    ----------
    clip : float
        :math:`\epsilon`, in (0, 0.5). The default is the machine's, as in scikit-learn: a model
        that gave the truth probability 0 loses 36.04 there, and not infinity.
    """

    clip: float = MACHINE_EPSILON

    info: ClassVar[MethodInfo] = MethodInfo(
        title="Logarithmic loss",
        summary=(
            "Minus the natural logarithm of the probability given to the true class. Its mean is "
            "least for the true probabilities."
        ),
        formula=r"e_i = -\log \min(1 - \epsilon, \max(\epsilon, \hat p_{i, y_i}))",
        references=("gneiting2007",),
        assumptions="The learner gives class probabilities that sum to 1.",
        errs=(
            "One instance whose class had probability 0 costs as much as hundreds of others. How "
            "much it costs is set by clip and not by the data."
        ),
    )
    task: ClassVar[str | None] = "classification"
    uses: ClassVar[str] = "probabilities"
    value_range: ClassVar[tuple[float, float]] = (0.0, math.inf)

    def __post_init__(self) -> None:
        if not 0 < self.clip < 0.5:
            raise InvalidParameter(
                f"clip must lie between 0 and 0.5, and is {self.clip}.",
                loc=("clip",),
                value=self.clip,
            )

    def losses(self, y_true: np.ndarray, predictions: Predictions) -> FloatArray:
        """Return (n,) losses; ``y_true`` are codes of the probabilities' columns."""
        probabilities = get_probabilities(y_true, predictions, self.info.name)
        of_truth = probabilities[np.arange(len(y_true)), y_true]
        check_shares(of_truth)
        return np.asarray(-np.log(np.clip(of_truth, self.clip, 1 - self.clip)), dtype=np.float64)
