"""Weights from a density ratio fitted by least squares."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from thetahat.importance_weights._kernels import check_width
from thetahat.importance_weights._least_squares import fit_ratio
from thetahat.importance_weights._width_search import SEARCH, WidthChoice, check_penalty
from thetahat.importance_weights.base import ImportanceWeights, Samples
from thetahat.parameter_checks import check_at_least, check_range
from thetahat.registry import MethodInfo


@dataclass(frozen=True, slots=True, kw_only=True)
class Ulsif:
    r"""Density ratio by unconstrained least squares: one linear system.

    The weights are :math:`\hat w(x) = \sum_l \hat\alpha_l k(x, c_l)` with
    :math:`\hat H_{ll'} = \frac1n \sum_i k(x_i, c_l) k(x_i, c_{l'})` over the source,
    :math:`\hat h_l = \frac1m \sum_j k(z_j, c_l)` over the target, and
    :math:`k(x, c) = \exp(-\|x - c\|^2 / (2 s^2))` with target rows as centres.

    Deviations: the default width comes from a rule and the default penalty is a number; the source
    chooses both by cross-validation.

    Degenerate cases: penalty 0 with linearly dependent kernels is refused.

    Parameters
    ----------
    penalty : float or "cross_validation"
        :math:`\lambda`, at least 0, or the best of nine from 0.001 to 10.
    n_centres : int
        The largest number of centres; they are drawn from the target rows if there are more rows.
    width : float, "neighbours", "silverman", "median" or "cross_validation"
        s, or the rule that computes it; see kernel mean matching. ``cross_validation`` takes, of
        ten widths from 0.1 to 3 times the median distance, the one with the least squared error
        when each pair of rows is left out in turn; the penalty is chosen in the same way.
    """

    penalty: float | Literal["cross_validation"] = 0.1
    n_centres: int = 100
    width: float | WidthChoice = "neighbours"

    info: ClassVar[MethodInfo] = MethodInfo(
        title="Least-squares importance fitting",
        summary=(
            "A sum of kernels on target rows that is fitted to the density ratio by penalised "
            "least squares."
        ),
        formula=r"\hat\alpha = \max\{0, (\hat{H} + \lambda I)^{-1} \hat{h}\}",
        references=("kanamori2009",),
        assumptions=(
            "The source covers the target. Features are in comparable units, and width and "
            "penalty fit the samples."
        ),
        errs=(
            "The penalty makes weights too small, most of all large ones and those far from the "
            "centres; the mean weight is usually below 1."
        ),
    )

    def __post_init__(self) -> None:
        check_penalty(self.penalty)
        check_at_least("n_centres", self.n_centres, 1)
        check_range("n_centres", self.n_centres, 1, 10_000)
        check_width(self.width, SEARCH)

    def estimate(self, samples: Samples, rng: np.random.Generator) -> ImportanceWeights:
        """Solve one linear system; ``rng`` draws the centres."""
        return fit_ratio(
            samples,
            rng,
            width=self.width,
            n_centres=self.n_centres,
            penalty=self.penalty,
            share=0.0,
        )
