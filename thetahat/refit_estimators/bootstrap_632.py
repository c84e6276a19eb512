"""The .632 bootstrap estimate of error."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from thetahat.refit_estimators._bootstrap_632 import SHARE, combine_632
from thetahat.refit_estimators._resamples import (
    OutOfBagErrors,
    ResamplesEstimate,
    compute_out_of_bag_errors,
)
from thetahat.refit_estimators.base import RefitLosses, describe_refit
from thetahat.registry import MethodInfo
from thetahat.values.json_values import JsonValue
from thetahat.variances.base import VarianceEstimate


@dataclass(frozen=True, slots=True, kw_only=True)
class Bootstrap632(ResamplesEstimate):
    """Weighted mean of the error on the training data and the out-of-bag error.

    The standard error is that of the out-of-bag error times the ratio of the two estimates.
    A difference of two learners may be 0, so its standard error is computed from
    ``.368 (err_i - err)/n + .632 D_i``, which is the same if the model fits its own data
    perfectly, and if it learns nothing.

    Parameters
    ----------
    n_resamples : int
        B.
    correct_noise : bool
        Whether to subtract from the variance the part that comes from having only B resamples. With
        few resamples this is most of it; the corrected variance may be negative.

    If a learner fits its training data perfectly, the estimate is .632 of the out-of-bag error
    whatever the truth is; ``bootstrap_632_plus`` corrects that. The standard error is that of
    efron1997.

    Deviations: the standard error of a difference, as above.

    Degenerate cases: equal losses give a variance of 0.
    """

    n_resamples: int = 200
    correct_noise: bool = False

    info: ClassVar[MethodInfo] = describe_refit(
        title=".632 bootstrap",
        summary=(
            "A weighted mean of the error on the training data, which is too small, and the "
            "out-of-bag error, which is too large."
        ),
        formula=r".368\, \overline{err} + .632\, \hat E",
        references=("efron1983", "efron1997"),
        assumptions="The instances are independent, and the learner does not overfit much.",
        errs=(
            "Too small, by far for learners that fit their training data (nearly) perfectly; "
            "bootstrap_632_plus corrects that. The standard error is too large with few "
            "resamples."
        ),
    )

    def estimate(self, fits: RefitLosses) -> VarianceEstimate:
        """Estimate the error, and the variance of that estimate."""
        out = compute_out_of_bag_errors(self.design, fits)
        apparent = float(fits.losses[0].mean())
        estimate = combine_632(apparent, out.by_instance)
        variance = (
            _estimate_difference_variance(out, fits, without_noise=self.correct_noise)
            if fits.is_difference
            else self.scale_variance(out, estimate)
        )
        details: dict[str, JsonValue] = {"apparent": apparent, "out_of_bag": out.by_instance}
        return self.build_estimate(fits, out, estimate, variance, details)


def _estimate_difference_variance(
    out: OutOfBagErrors, fits: RefitLosses, *, without_noise: bool
) -> float:
    apparent = fits.losses[0]
    influence = (apparent - apparent.mean()) / len(apparent)
    noise = SHARE**2 * out.noise if without_noise else 0.0
    combined = np.asarray((1 - SHARE) * influence + SHARE * out.influence)
    return out.variance_of_influence(combined, noise)
