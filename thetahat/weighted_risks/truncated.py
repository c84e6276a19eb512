"""Importance-weighted risk with large weights cut."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from thetahat.cautions import WEIGHTS_TRUNCATED, Caution
from thetahat.parameter_checks import check_positive
from thetahat.registry import MethodInfo
from thetahat.values.types import FloatArray, IntArray, MeanKind, Target
from thetahat.weighted_risks._weighted_losses import (
    check_variance,
    compute_mean_and_variance,
    multiply_by_weights,
)
from thetahat.weighted_risks.base import RiskEstimate


@dataclass(frozen=True, slots=True, kw_only=True)
class Truncated:
    r"""Mean of the losses times weights that are cut at a largest value.

    The variance is the sample variance (ddof 1) of the summands over n. The bias is estimated by
    the part that was cut:

    .. math:: \widehat{bias} = -\frac1n \sum_i \ell_i \max(w_i - c, 0)

    This estimate has the variance that cutting avoids: it shows the size of the bias, and
    subtracting it would give the weighted risk again.

    Deviations: ionides2008 cuts at the root of n times the mean weight; here c is fixed, and its
    default of 10 is that of the comparison in kouw2019.

    Degenerate cases: with no weight above c it is the weighted risk.

    Parameters
    ----------
    cut : float
        c, above 0.
    """

    cut: float = 10.0

    info: ClassVar[MethodInfo] = MethodInfo(
        title="Truncated importance-weighted risk",
        summary=(
            "The mean of losses times weights that are cut at a largest value, with an estimate "
            "of the bias that cutting causes."
        ),
        formula=r"\hat{R}_c = \frac{1}{n} \sum_i \ell_i \min(w_i, c)",
        references=("ionides2008", "kouw2019"),
        assumptions=(
            "The weights are the density ratio of target to source, and few of them reach the "
            "cut. The source covers the target. The instances are independent."
        ),
        errs=(
            "Too small for losses that are not negative, because the part of the target with "
            "weights above the cut counts too little. Its interval leaves this bias out."
        ),
        targets=(Target.NEW_POPULATION,),
        mean=MeanKind.POOLED,
    )

    def __post_init__(self) -> None:
        check_positive("cut", self.cut)

    def estimate(
        self, losses: FloatArray, weights: FloatArray, fold: IntArray | None = None
    ) -> RiskEstimate:
        """Estimate the risk from (n,) losses and (n,) weights; ``fold`` is not used."""
        del fold
        multiply_by_weights(losses, weights)
        terms = np.asarray(losses * np.minimum(weights, self.cut))
        estimate, variance = compute_mean_and_variance(terms)
        above = np.maximum(weights - self.cut, 0)
        bias = 0.0 - float((losses * above).mean())
        return RiskEstimate(
            estimate=estimate,
            variance=variance,
            bias=bias,
            cautions=(*check_variance(variance), *self._check_cut(int((above > 0).sum()), bias)),
            terms=terms,
        )

    def _check_cut(self, n_cut: int, bias: float) -> tuple[Caution, ...]:
        if not n_cut:
            return ()
        weights = "1 weight is" if n_cut == 1 else f"{n_cut} weights are"
        return (WEIGHTS_TRUNCATED(weights=weights, cut=f"{self.cut:g}", bias=bias),)
