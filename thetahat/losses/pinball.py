"""The pinball loss of a quantile."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from thetahat.errors import InvalidParameter
from thetahat.losses._kinds import RegressionLoss
from thetahat.registry import MethodInfo
from thetahat.values.types import FloatArray


@dataclass(frozen=True, slots=True, kw_only=True)
class Pinball(RegressionLoss):
    r"""Absolute error, weighted by its sign, in units of the target.

    :math:`\tau` is ``quantile``. The constant with the least mean loss is that quantile of the
    target.

    Parameters
    ----------
    quantile : float
        :math:`\tau`, in (0, 1). At a half the loss is half the absolute one.
    """

    quantile: float = 0.5

    info: ClassVar[MethodInfo] = MethodInfo(
        title="Pinball loss",
        summary=(
            "The absolute error, with weight quantile where the prediction is too low and one "
            "minus that where it is too high. It is for models of a quantile."
        ),
        formula=r"e_i = \tau (y_i - \hat y_i)_+ + (1 - \tau) (\hat y_i - y_i)_+",
        references=("koenker1978",),
        assumptions="The model predicts that quantile of the target.",
        errs=(
            "It favours models of that quantile: a model of the mean loses by the distance between "
            "the two."
        ),
    )

    def __post_init__(self) -> None:
        if not 0 < self.quantile < 1:
            raise InvalidParameter(
                f"quantile must lie between 0 and 1, and is {self.quantile}.",
                loc=("quantile",),
                value=self.quantile,
            )

    def compute(self, errors: FloatArray) -> FloatArray:
        """Return (n,) losses."""
        return np.where(errors < 0, self.quantile, 1 - self.quantile) * np.abs(errors)
