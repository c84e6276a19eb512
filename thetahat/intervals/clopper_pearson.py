"""Clopper and Pearson's exact interval for an error rate."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from thetahat.intervals.base import ErrorRateInterval
from thetahat.registry import HOLDOUT, MethodInfo
from thetahat.special_functions import betaincinv
from thetahat.values.types import MeanKind, Target


@dataclass(frozen=True, slots=True)
class ClopperPearson(ErrorRateInterval):
    r"""Error rates that neither one-sided exact binomial test would reject.

    x is the number of ones among n zero-one losses of one trained model, and :math:`I^{-1}` the
    quantile of a beta distribution; a one-sided bound has :math:`\alpha` in the place of
    :math:`\alpha/2`.

    Degenerate cases: no errors give the lower end 0, nothing but errors the upper end 1. Losses
    that are not all 0 or 1 give no interval.
    """

    info: ClassVar[MethodInfo] = MethodInfo(
        title="Clopper-Pearson interval",
        summary=(
            "An exact interval for the error rate of one trained model from its zero-one losses on "
            "a holdout; always inside [0, 1]."
        ),
        formula=(r"[I^{-1}_{\alpha/2}(x, n - x + 1),\ I^{-1}_{1-\alpha/2}(x + 1, n - x)]"),
        references=("clopper1934",),
        assumptions=(
            "Independent instances, each with a loss of 0 or 1. The target is the error rate of "
            "this trained model."
        ),
        errs=(
            "Conservative: it covers at least at its level, and with few instances much more "
            "often. Too short where instances depend on each other."
        ),
        blocks=HOLDOUT,
        targets=(Target.THESE_MODELS,),
        mean=MeanKind.POOLED,
        only_zero_one=True,
    )

    def compute_lower_end(self, errors: int, n: int, tail: float) -> float:
        """Return the error rate with which this many errors or more have probability ``tail``."""
        return 0.0 if errors == 0 else float(betaincinv(errors, n - errors + 1, tail))
