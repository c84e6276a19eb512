"""The .632+ bootstrap estimate of error."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from thetahat.errors import UnsupportedCombination
from thetahat.refit_estimators._bootstrap_632 import Error632Plus
from thetahat.refit_estimators._resamples import (
    OutOfBagErrors,
    ResamplesEstimate,
    compute_out_of_bag_errors,
)
from thetahat.refit_estimators.base import RefitLosses, describe_refit
from thetahat.registry import MethodInfo
from thetahat.values.json_values import JsonValue
from thetahat.variances.base import VarianceEstimate

NOT_OF_PAIRS = (
    "the .632+ weight comes from the no-information error of one model, and a difference of two "
    "has none; bootstrap_632 and out_of_bag estimate differences too"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Bootstrap632Plus(ResamplesEstimate):
    r"""The .632 estimate with more weight on the out-of-bag error, the more the learner overfits.

    .. math:: R = \frac{\min(\hat E, \hat\gamma) - \overline{err}}{\hat\gamma - \overline{err}}

    with gamma the no-information error: the mean loss over all pairs of a target and a prediction
    of the model fitted to all data. R is limited to [0, 1], and E to at most gamma, both as in the
    source; some packages leave this out. The standard error is that of the out-of-bag error times
    the ratio of the two estimates.

    Parameters
    ----------
    n_resamples : int
        B.
    correct_noise : bool
        Whether to subtract from the variance the part that comes from having only B resamples. With
        few resamples this is most of it; the corrected variance may be negative.

    Degenerate cases: R = 0 if gamma or E is not above the apparent error, and the estimate is then
    that of ``bootstrap_632``; an E above gamma is replaced by gamma, with a caution.
    """

    n_resamples: int = 200
    correct_noise: bool = False

    info: ClassVar[MethodInfo] = describe_refit(
        title=".632+ bootstrap",
        summary=(
            "The .632 estimate with a larger weight of the out-of-bag error, the nearer that "
            "comes to the error of a model without information."
        ),
        formula=(
            r"(1 - w)\, \overline{err} + w \min(\hat E, \hat\gamma), \quad "
            r"w = \frac{.632}{1 - .368 R}"
        ),
        references=("efron1997", "schulz2024"),
        assumptions="The instances are independent, and there are some hundreds of resamples.",
        errs=(
            "Has little bias in the studies of its authors, upwards for small samples. The "
            "standard error is too large with few resamples, and its intervals are wide."
        ),
    )
    reason_against_pairs: ClassVar[str | None] = NOT_OF_PAIRS

    def estimate(self, fits: RefitLosses) -> VarianceEstimate:
        """Estimate the error, and the variance of that estimate."""
        out = compute_out_of_bag_errors(self.design, fits)
        plus = combine_632_plus(out, fits)
        details: dict[str, JsonValue] = {
            "apparent": plus.apparent,
            "out_of_bag": plus.out_of_bag,
            "no_information": plus.no_information,
            "relative_overfitting": plus.relative_overfitting,
            "weight": plus.weight,
        }
        variance = self.scale_variance(out, plus.estimate)
        return self.build_estimate(fits, out, plus.estimate, variance, details, plus.cautions)


def combine_632_plus(out: OutOfBagErrors, fits: RefitLosses) -> Error632Plus:
    """Return the .632+ combination of the apparent and out-of-bag error of one model."""
    gamma = None if fits.no_information is None else fits.no_information[0]
    if gamma is None:
        raise UnsupportedCombination(NOT_OF_PAIRS)
    return Error632Plus(float(fits.losses[0].mean()), out.by_instance, gamma)
