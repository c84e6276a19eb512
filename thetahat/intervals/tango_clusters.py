"""Tango's score interval for two paired error rates, with instances in clusters."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from thetahat.intervals.base import PairedRatesInterval
from thetahat.registry import HOLDOUT, MethodInfo
from thetahat.traits import IntervalTraits, Recommendation
from thetahat.values.types import MeanKind, Target


@dataclass(frozen=True, slots=True)
class TangoClusters(PairedRatesInterval):
    r"""Tango's interval with all counts divided by the design effect of the clusters.

    :math:`x_a, x_b` and n are the counts over the design effect :math:`\hat f`. :math:`D_c` is the
    sum of the differences in a cluster of :math:`m_c` instances, of which there are N, and
    :math:`\psi` the share of discordant ones; :math:`\nu` are the degrees of freedom of Bell and
    McCaffrey, C - 1 of C equal clusters.

    Deviations: the degrees of freedom; the design effect is at least 1. With fewer than five
    clusters that have a discordant instance it is shrunk towards that of clusters whose instances
    are all alike. Where only one of the models is ever alone in its error, the end on its side is
    at least the binomial one of the divided counts.

    Degenerate cases: no discordant instance, and a single cluster, give no interval.
    """

    info: ClassVar[MethodInfo] = MethodInfo(
        title="Tango's score interval over clusters",
        summary=(
            "An interval for the difference of two models' error rates, from zero-one losses on "
            "the same instances of a holdout, where instances of one cluster may depend on each "
            "other."
        ),
        formula=(
            r"\Bigl\{\Delta : \frac{|x_a - x_b - n\Delta|}"
            r"{\sqrt{n (2 q_\Delta + \Delta (1 - \Delta))}} \le t_{\nu, 1-\alpha/2}\Bigr\}, \quad"
            r"\hat f = \frac{\sum_c (D_c - m_c \bar d)^2 / (1 - m_c / N)}{N (\psi - \bar d^2)}"
        ),
        references=("bell2002", "obuchowski1998", "tango1998", "yang2010"),
        assumptions=(
            "Independent clusters of instances with losses of 0 or 1. The target is the difference "
            "of these two trained models."
        ),
        errs=(
            "In simulations with 8 to 100 clusters a margin was wrongly shown in at most .07 in "
            "place of .05, most often with clusters of very unequal size. With ten clusters and "
            "few discordant instances, or one cluster with half of them all, it is too long."
        ),
        blocks=HOLDOUT,
        targets=(Target.THESE_MODELS,),
        mean=MeanKind.POOLED,
        recommended=(Recommendation(blocks=HOLDOUT, target=Target.THESE_MODELS, own=9),),
        only_zero_one=True,
        interval=IntervalTraits(only_for_pairs=True),
    )
    of_clusters: ClassVar[bool] = True
