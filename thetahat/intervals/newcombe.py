"""Newcombe's interval for the difference of two paired error rates."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

from thetahat.intervals.base import PairedRatesInterval
from thetahat.intervals.wilson import Wilson
from thetahat.registry import HOLDOUT, MethodInfo
from thetahat.traits import IntervalTraits, Recommendation
from thetahat.values.paired_counts import PairedCounts
from thetahat.values.types import MeanKind, Target


@dataclass(frozen=True, slots=True)
class Newcombe(PairedRatesInterval):
    r"""The difference, and the distances to the Wilson ends of both rates, added as squares.

    :math:`\hat p_a` and :math:`\hat p_b` are the error rates, l and u their Wilson ends, and
    :math:`\hat\phi` the correlation of the two models' errors, with n/2 taken off a positive
    numerator (not below 0).

    Degenerate cases: where a model is always or never wrong the correlation is 0.
    """

    info: ClassVar[MethodInfo] = MethodInfo(
        title="Newcombe's interval for paired rates",
        summary=(
            "An interval for the difference of two models' error rates, from zero-one losses on "
            "the same instances of a holdout, made of the Wilson intervals of both rates and of "
            "the correlation of their errors."
        ),
        formula=(
            r"\hat p_a - \hat p_b + \sqrt{(u_a - \hat p_a)^2 "
            r"- 2 \hat\phi (u_a - \hat p_a)(\hat p_b - l_b) + (\hat p_b - l_b)^2}"
        ),
        references=("fagerland2014", "newcombe1998"),
        assumptions=(
            "Independent instances, each with losses of 0 or 1. The target is the difference of "
            "these two trained models."
        ),
        errs=(
            "Close to its level on average, and above it where the two models' errors are strongly "
            "correlated. Too short where instances depend on each other."
        ),
        blocks=HOLDOUT,
        targets=(Target.THESE_MODELS,),
        mean=MeanKind.POOLED,
        recommended=(Recommendation(blocks=HOLDOUT, target=Target.THESE_MODELS, own=19),),
        only_zero_one=True,
        interval=IntervalTraits(only_for_pairs=True),
    )

    def compute_upper_end(self, counts: PairedCounts, tail: float) -> float:
        """Return the difference plus the distance of its upper end.

        A one-sided level below one half has its end on the other side of the difference.
        """
        if tail > 0.5:
            return -self.compute_upper_end(counts.swap(), 1 - tail)
        n = counts.n_instances
        errors_a, errors_b = round(counts.only_a + counts.both), round(counts.only_b + counts.both)
        wilson = Wilson()
        above = 1 - wilson.compute_lower_end(n - errors_a, n, tail) - errors_a / n
        below = errors_b / n - wilson.compute_lower_end(errors_b, n, tail)
        cross = 2 * compute_correlation(counts) * above * below
        return counts.difference + math.sqrt(max(0.0, above**2 - cross + below**2))


def compute_correlation(counts: PairedCounts) -> float:
    """Return the correlation of two models' errors, with Newcombe's correction; 0 if undefined."""
    n, errors_a, errors_b = counts.n, counts.only_a + counts.both, counts.only_b + counts.both
    product = errors_a * (n - errors_a) * errors_b * (n - errors_b)
    if product == 0:
        return 0.0
    neither = n - counts.both - counts.discordant
    numerator = counts.both * neither - counts.only_a * counts.only_b
    if numerator > 0:
        return max(numerator - n / 2, 0.0) / math.sqrt(product)
    return numerator / math.sqrt(product)
