"""Out-of-bag error of the bootstrap."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar, Literal, get_args

from thetahat.cautions import STANDARD_ERROR_OF_INSTANCES
from thetahat.parameter_checks import check_choice
from thetahat.refit_estimators._checks import INDEPENDENT_ROWS
from thetahat.refit_estimators._resamples import ResamplesEstimate, compute_out_of_bag_errors
from thetahat.refit_estimators.base import RefitLosses, describe_refit
from thetahat.registry import MethodInfo
from thetahat.traits import Recommendation
from thetahat.values.json_values import JsonValue
from thetahat.values.types import MeanKind, Target
from thetahat.variances.base import VarianceEstimate

Average = Literal["instance", "split"]


@dataclass(frozen=True, slots=True, kw_only=True)
class OutOfBagEstimate(ResamplesEstimate):
    """Error of each instance under the models whose resample leaves it out.

    I_ib = 1 if resample b does not contain instance i, and D_i is defined in ``OutOfBagErrors``.

    Parameters
    ----------
    n_resamples : int
        B.
    correct_noise : bool
        Whether to subtract from the variance the part that comes from having only B resamples. With
        few resamples this is most of it; the corrected variance may be negative.
    average : str
        ``instance``: by the formula, the leave-one-out bootstrap. ``split``: the mean over the
        resamples of their mean out-of-bag loss; its standard error is that of ``instance``.

    Deviations: D_i is computed from losses less their mean, see ``OutOfBagErrors``. A resample that
    contains every instance is drawn again, and so is one with a single class if the data have more.
    Weights of the data are used in the fits, as everywhere, and not in the averages.

    Degenerate cases: instances that are in every resample are left out, with a caution; equal
    losses give a variance of 0.
    """

    n_resamples: int = 200
    correct_noise: bool = False
    average: Average = "instance"

    info: ClassVar[MethodInfo] = describe_refit(
        title="Out-of-bag error",
        summary=(
            "The mean loss of the instances under the models fitted to bootstrap resamples "
            "without them, with the standard error of the infinitesimal jackknife."
        ),
        formula=(
            r"\hat E = \frac1n \sum_i \frac{\sum_b I_{ib} L_{ib}}{\sum_b I_{ib}}, \quad "
            r"SE^2 = \frac{n}{n_{used}} \sum_i D_i^2"
        ),
        references=("efron1997", "efron1983", "schulz2024"),
        assumptions="The instances are independent, and there are some hundreds of resamples.",
        errs=(
            "The error is too large: it is that of a model fitted to 63.2 % of the instances. "
            "The standard error is too large with few resamples, and its intervals are wide."
        ),
        recommended=(
            Recommendation(blocks=INDEPENDENT_ROWS, target=Target.THESE_SOURCES, normal=20),
        ),
    )

    def __post_init__(self) -> None:
        ResamplesEstimate.__post_init__(self)
        check_choice("average", self.average, get_args(Average))

    def estimate(self, fits: RefitLosses) -> VarianceEstimate:
        """Estimate the out-of-bag error and its variance."""
        out = compute_out_of_bag_errors(self.design, fits)
        details: dict[str, JsonValue] = {"n_used": out.n_used, "n_drawn_again": out.n_drawn_again}
        variance = out.variance(without_noise=self.correct_noise)
        if self.average == "instance":
            return self.build_estimate(fits, out, out.by_instance, variance, details)
        estimate = self.build_estimate(fits, out, out.by_split, variance, details)
        cautions = (*estimate.cautions, STANDARD_ERROR_OF_INSTANCES())
        return replace(estimate, mean=MeanKind.MACRO, cautions=cautions)
