"""Tango's score interval for the difference of two paired error rates."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from thetahat.intervals.base import PairedRatesInterval
from thetahat.numerics.paired_rates import find_upper_end
from thetahat.registry import HOLDOUT, MethodInfo
from thetahat.traits import IntervalTraits, Recommendation
from thetahat.values.paired_counts import PairedCounts
from thetahat.values.types import MeanKind, Target


@dataclass(frozen=True, slots=True)
class Tango(PairedRatesInterval):
    r"""Differences of two error rates that a score test would not reject.

    :math:`x_a` is the number of instances on which only a is wrong, :math:`x_b` that on which only
    b is, of n; q is the maximum likelihood estimate of the probability of the latter if the
    difference is :math:`\Delta`. A one-sided bound has :math:`z_{1-\alpha}`.

    Deviations: with ``exact``, the default, exact probabilities take part, so that the interval
    agrees with the verdict and its p-values. Where McNemar's test does not reject equality,
    the interval is extended to 0, and to all differences for which tables that are as good for the
    better model, in both counts, have a probability of more than :math:`\alpha`; with more than
    100 instances only where one model is never alone in its error. With three to twenty instances
    the score test of a margin alone rejects in up to .19 at a level of .05.

    Degenerate cases: without any difference, the ends are those of 0 errors in n.

    Parameters
    ----------
    exact : bool
        Whether the binomial tests take part; without them it is the interval as published.
    """

    exact: bool = True

    info: ClassVar[MethodInfo] = MethodInfo(
        title="Tango's score interval",
        summary=(
            "An interval for the difference of two models' error rates, from zero-one losses on "
            "the same instances of a holdout; always inside [-1, 1]."
        ),
        formula=(
            r"\Bigl\{\Delta : \frac{|x_a - x_b - n\Delta|}"
            r"{\sqrt{n (2 q_\Delta + \Delta (1 - \Delta))}} \le z_{1-\alpha/2}\Bigr\}"
        ),
        references=("fagerland2014", "tango1998"),
        assumptions=(
            "Independent instances, each with losses of 0 or 1. The target is the difference of "
            "these two trained models."
        ),
        errs=(
            "Close to its level, also where few instances differ: with up to 20 instances a "
            "one-sided bound misses in at most .071 in place of .05. Too short where instances "
            "depend on each other. At levels above .99 it may include 0 although McNemar's mid-p "
            "test rejects equality."
        ),
        blocks=HOLDOUT,
        targets=(Target.THESE_MODELS,),
        mean=MeanKind.POOLED,
        recommended=(Recommendation(blocks=HOLDOUT, target=Target.THESE_MODELS, own=18),),
        only_zero_one=True,
        interval=IntervalTraits(only_for_pairs=True),
    )

    def compute_upper_end(self, counts: PairedCounts, tail: float) -> float:
        """Return the largest difference that is not rejected."""
        return find_upper_end(counts, tail, exact=self.exact)
