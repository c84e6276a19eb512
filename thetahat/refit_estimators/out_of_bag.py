"""Out-of-bag error of the bootstrap."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal, get_args

from thetahat.cautions import STANDARD_ERROR_OF_INSTANCES
from thetahat.parameter_checks import check_choice, check_count
from thetahat.refit_estimators._checks import (
    INDEPENDENT_ROWS,
    zero_if_rounding,
)
from thetahat.refit_estimators._resamples import (
    ResamplesDesign,
    compute_out_of_bag_errors,
    resampling_cautions,
    variance_cautions,
)
from thetahat.refit_estimators.base import VARIANCES_LIST, RefitLosses
from thetahat.registry import MethodInfo
from thetahat.traits import Recommendation
from thetahat.values.types import MeanKind, Needs, Target
from thetahat.variances.base import VarianceEstimate

Average = Literal["instance", "split"]


@dataclass(frozen=True, slots=True, kw_only=True)
class OutOfBagEstimate:
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

    info: ClassVar[MethodInfo] = MethodInfo(
        name="out_of_bag",
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
        needs=Needs.REFITS,
        blocks=INDEPENDENT_ROWS,
        targets=(Target.THESE_SOURCES,),
        mean=MeanKind.POOLED,
        recommended=(
            Recommendation(blocks=INDEPENDENT_ROWS, target=Target.THESE_SOURCES, normal=20),
        ),
        by_request_only=True,
    )
    gives: ClassVar[frozenset[str]] = frozenset({VARIANCES_LIST})
    is_own_estimate: ClassVar[bool] = True
    reason_against_pairs: ClassVar[str | None] = None

    def __post_init__(self) -> None:
        check_count("n_resamples", self.n_resamples, 2)
        check_choice("average", self.average, get_args(Average))

    @property
    def design(self) -> ResamplesDesign:
        """Resamples of the rows."""
        return ResamplesDesign(self.n_resamples)

    def estimate(self, fits: RefitLosses) -> VarianceEstimate:
        """Estimate the out-of-bag error and its variance."""
        out = compute_out_of_bag_errors(self.design, fits)
        value = zero_if_rounding(out.variance(without_noise=self.correct_noise), fits.losses)
        by_split = self.average == "split"
        return VarianceEstimate(
            value=value,
            target=Target.THESE_SOURCES,
            mean=MeanKind.MACRO if by_split else MeanKind.POOLED,
            estimate=out.by_split if by_split else out.by_instance,
            degrees_of_freedom=None,
            usable=value > 0,
            cautions=(
                *variance_cautions(value),
                *resampling_cautions(
                    out,
                    self.n_resamples,
                    fits.rows.n,
                    without_noise=self.correct_noise,
                ),
                *((_ERROR_OF_INSTANCES,) if by_split else ()),
            ),
            details={"n_used": out.n_used, "n_drawn_again": out.n_drawn_again},
        )


_ERROR_OF_INSTANCES = STANDARD_ERROR_OF_INSTANCES()

METHOD = OutOfBagEstimate
