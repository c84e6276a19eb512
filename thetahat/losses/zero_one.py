"""The zero-one loss."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from thetahat.losses._checks import check_paired
from thetahat.losses.base import Predictions
from thetahat.registry import MethodInfo
from thetahat.traits import LossTraits
from thetahat.values.types import FloatArray


@dataclass(frozen=True, slots=True, kw_only=True)
class ZeroOne:
    """1 where the predicted class is not the true one, else 0; the mean is the error rate.

    Degenerate cases: two labels of different type are different classes.
    """

    info: ClassVar[MethodInfo] = MethodInfo(
        title="Zero-one loss",
        summary="1 for a wrong class and 0 for the right one. Its mean is the error rate.",
        formula=r"e_i = [\hat y_i \ne y_i]",
        references=("hastie2009",),
        assumptions=(
            "Every wrong class costs the same, whichever the class and however sure the model was."
        ),
        errs=(
            "Where classes are rare or mistakes differ in cost it hides the mistakes that matter: "
            "always predicting the most frequent class can look good."
        ),
        is_default=True,
        loss=LossTraits(can_be_zero_one=True, has_bias_and_variance=True),
    )
    task: ClassVar[str | None] = "classification"
    uses: ClassVar[str] = "output"
    value_range: ClassVar[tuple[float, float]] = (0.0, 1.0)

    def losses(self, y_true: np.ndarray, predictions: Predictions) -> FloatArray:
        """Return (n,) zeros and ones."""
        check_paired(y_true, predictions)
        return np.asarray(predictions.output != y_true, dtype=np.float64)
