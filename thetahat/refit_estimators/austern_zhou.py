"""Replace-one variance of a cross-validated error."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Final, Literal

from thetahat.cautions import ZERO_VARIANCE
from thetahat.refit_estimators._parameters import (
    INDEPENDENT_ROWS,
    above_rounding,
    require_at_least,
    require_one_of,
)
from thetahat.refit_estimators._replacements import Replacements
from thetahat.refit_estimators.base import VARIANCES_LIST, Fits
from thetahat.registry import MethodInfo
from thetahat.values.types import MeanKind, Needs, Target
from thetahat.variances.base import VarianceEstimate

Form = Literal["corrected", "published"]
FORMS: Final[dict[Form, int]] = {"corrected": 4, "published": 2}
"""What the sum of squares is divided by, after the factor n."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AusternZhou:
    r"""Variance of a cross-validated error, from what replacing one instance changes.

    .. math:: \hat\theta = \frac{s^2}{n}, \quad
        s^2 = \frac{n}{4} \sum_{i=1}^{n/2} \bigl(\hat R - \hat R_i\bigr)^2

    with R the K-fold error of one half of the data, and R_i the same with instance i replaced by
    one of the other half, on the same folds. The estimate is the K-fold error of all data.

    Parameters
    ----------
    n_folds : int
        K, at least 2.
    n_repeats : int
        Number of partitions that R, R_i and the estimate are averaged over.
    form : str
        ``corrected``: as above. ``published``: n/2 in the place of n/4, twice as much.

    For losses of a fixed model the sum is 4 s_e^2 / n on average, with s_e^2 the variance of one
    loss, so that n/4 gives the variance of their mean and n/2 twice that. For a learner the sum
    bounds the variance of R from above (Efron and Stein), and R is that of half the data.

    Assumes independent instances and a learner that one instance does not change much.

    Source: austern2020; schulz2024 for the correction and for how it covers.

    Deviations: the model without the fold of i is the same with and without the replacement, so
    it is fitted once, not once for each of its instances: the same numbers from fewer fits,
    unless the learner draws random numbers.

    Degenerate cases: replacements that change nothing give 0. An odd row is part of the estimate
    alone.
    """

    n_folds: int = 5
    n_repeats: int = 1
    form: Form = "corrected"

    info: ClassVar[MethodInfo] = MethodInfo(
        name="austern_zhou",
        title="Replace-one variance (Austern and Zhou)",
        summary=(
            "The variance of a cross-validated error, from how much that of half the data moves "
            "when one instance after the other is replaced by one of the other half."
        ),
        formula=(r"\hat\theta = \frac14 \sum_{i=1}^{n/2} \bigl(\hat R - \hat R_i\bigr)^2"),
        references=("austern2020", "schulz2024"),
        assumptions="Instances are independent, and no single one changes the model much.",
        errs=(
            "Too large, the more so the more the model changes with its training data; its "
            "intervals were among the widest that cover in the largest benchmark."
        ),
        needs=Needs.REFITS,
        blocks=INDEPENDENT_ROWS,
        targets=(Target.THESE_SOURCES,),
        mean=MeanKind.POOLED,
    )
    by_request_only: ClassVar[bool] = True
    gives: ClassVar[frozenset[str]] = frozenset({VARIANCES_LIST})
    is_own_estimate: ClassVar[bool] = False
    not_of_pairs: ClassVar[str | None] = None

    def __post_init__(self) -> None:
        require_at_least("n_folds", self.n_folds, 2)
        require_at_least("n_repeats", self.n_repeats, 1)
        require_one_of("form", self.form, tuple(FORMS))

    @property
    def design(self) -> Replacements:
        """Cross-validations with one row replaced."""
        return Replacements(self.n_folds, self.n_repeats)

    def estimate(self, fits: Fits) -> VarianceEstimate:
        """Estimate the cross-validated error of all data, and its variance."""
        error, R, R_i = self.design.errors(fits)
        mean_square = above_rounding(float(((R - R_i) ** 2).mean()), fits.losses)
        value = mean_square * len(R_i) / FORMS[self.form]
        return VarianceEstimate(
            value=value,
            target=Target.THESE_SOURCES,
            mean=MeanKind.POOLED,
            estimate=error,
            degrees_of_freedom=None,
            usable=value > 0,
            cautions=() if value > 0 else (_NOTHING_CHANGES,),
            details={"error_of_half": R, "n_replaced": len(R_i)},
        )


_NOTHING_CHANGES = ZERO_VARIANCE(
    reason="no replaced instance changes the error", consequence="No interval is built on it."
)

METHOD = AusternZhou
