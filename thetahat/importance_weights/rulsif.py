"""Weights from a relative density ratio, fitted by least squares."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from thetahat.importance_weights._kernels import check_width
from thetahat.importance_weights._least_squares import fit_ratio
from thetahat.importance_weights._width_search import SEARCH, WidthChoice, check_penalty
from thetahat.importance_weights.base import ImportanceWeights, Samples
from thetahat.parameter_checks import check_at_least, check_probability, check_range
from thetahat.registry import MethodInfo


@dataclass(frozen=True, slots=True, kw_only=True)
class Rulsif:
    r"""Relative density ratio by least squares: no weight exceeds 1 / share.

    The fit is that of ``ulsif``, with :math:`\hat H` the mean of :math:`k(\cdot, c_l) k(\cdot,
    c_{l'})` over the target times :math:`\eta` plus its mean over the source times :math:`1 -
    \eta`.

    The true relative ratio is at most :math:`1/\eta`: large weights are bounded by changing what is
    estimated. It is not the density ratio, and its mean over the source is not 1.

    Deviations: the default width comes from a rule and the default penalty is a number; the source
    chooses both by cross-validation.

    Degenerate cases: share 0 is ``ulsif``.

    Parameters
    ----------
    share : float
        :math:`\eta`, in [0, 1).
    penalty : float or "cross_validation"
        :math:`\lambda`, at least 0, or the best of nine from 0.001 to 10.
    n_centres : int
        The largest number of centres; they are drawn from the target rows if there are more rows.
    width : float, "neighbours", "silverman", "median" or "cross_validation"
        s, or the rule that computes it; see kernel mean matching. ``cross_validation`` takes, of
        ten widths from 0.1 to 3 times the median distance, the one with the least squared error
        when each pair of rows is left out in turn; the penalty is chosen in the same way.
    """

    share: float = 0.1
    penalty: float | Literal["cross_validation"] = 0.1
    n_centres: int = 100
    width: float | WidthChoice = "neighbours"

    info: ClassVar[MethodInfo] = MethodInfo(
        title="Relative least-squares importance fitting",
        summary=(
            "The ratio of the target's density to a mixture of both densities, fitted by "
            "penalised least squares. The weights are bounded and lean towards the source."
        ),
        formula=r"w_\eta(x) = p_T(x) / (\eta p_T(x) + (1 - \eta) p_S(x))",
        references=("yamada2013",),
        assumptions=(
            "Features are in comparable units, and width and penalty fit the samples. A target "
            "risk that leans towards the source's is acceptable."
        ),
        errs=(
            "By design the weights are too small where the target is dense compared with the "
            "source. The weighted risk is biased towards the source's, and varies less in "
            "return."
        ),
    )

    def __post_init__(self) -> None:
        check_probability("share", self.share, zero=True)
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
            share=self.share,
        )
