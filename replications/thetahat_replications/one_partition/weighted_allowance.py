"""Intervals over one partition that take the variance between folds into account in part only.

``python -m thetahat_replications.one_partition --weighted`` writes its pages. Where today's
interval goes over to that of Nadeau and Bengio with K - 1 degrees of freedom, these use a weighted
variance with degrees of freedom by Welch and Satterthwaite; elsewhere they add less for training.
0/1 losses may have Wilson's interval.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from scipy.special import stdtrit

from thetahat.cautions import FOLDS_DIFFER, HEAVY_TAILED_LOSSES
from thetahat.values.types import FloatArray
from thetahat_replications.edges.simulated_intervals import LEVEL
from thetahat_replications.edges.table import Table
from thetahat_replications.one_partition.candidates import (
    Candidate,
    compute_p_value_of_folds,
    estimate_as_recommended,
    estimate_nadeau_bengio,
    estimate_over_instances,
    weigh,
)
from thetahat_replications.one_partition.designs import JUDGING
from thetahat_replications.one_partition.fresh_designs import FRESH
from thetahat_replications.one_partition.shorter_allowance import ON_GROUPS, IntervalRule, compare
from thetahat_replications.one_partition.shorter_allowance import SETS as SEEN
from thetahat_replications.one_partition.simulation import LossSeries, SampleMoments

SETS: Final = {"choosing": (*SEEN["choosing"], *JUDGING, *SEEN["unseen"]), "fresh": FRESH}


@dataclass(frozen=True, slots=True, kw_only=True)
class WeightedRule:
    """An interval on a weighted variance where folds differ or losses have a tail."""

    allowance: float
    """What training adds, as a share of the variance of independent losses; today's is 1."""
    weight: float
    """That of Nadeau and Bengio's variance where folds differ or losses have a tail."""
    by_wilson: bool = False
    """Whether a model whose losses are all 0 or 1 has Wilson's interval with today's allowance."""

    @property
    def name(self) -> str:
        """The rule as the tables name it."""
        return f"{self.allowance:g}; {self.weight:g}{'; Wilson' if self.by_wilson else ''}"

    def build_ends(self, series: LossSeries) -> tuple[FloatArray, FloatArray]:
        """Return the (R,) ends."""
        ends = Candidate(name=self.name, rule=self._estimate).build_ends(series)
        moments = series.moments
        if not self.by_wilson or series.is_difference:
            return ends
        of_rates = build_wilson(moments.mean, moments.n / (1 + moments.n / (moments.n - 1)))
        lower, upper = (
            np.where(moments.is_zero_one & (moments.overall > 0), rate, end)
            for rate, end in zip(of_rates, ends, strict=True)
        )
        return lower, upper

    def _estimate(self, moments: SampleMoments) -> tuple[FloatArray, FloatArray]:
        allowance = 1 + self.allowance * moments.n / (moments.n - 1)
        over_instances = estimate_over_instances(moments, allowance)
        between = estimate_nadeau_bengio(moments)
        differ = compute_p_value_of_folds(moments) < FOLDS_DIFFER.threshold
        skewness = np.abs(moments.skewness) / np.sqrt(moments.n)
        has_tail = (skewness >= HEAVY_TAILED_LOSSES.threshold) & ~moments.is_zero_one
        uses_folds = (differ & (between[0] > over_instances[0])) | has_tail
        variance, degrees = weigh(between, over_instances, self.weight)
        return (
            np.where(uses_folds, variance, over_instances[0]),
            np.where(uses_folds, degrees, over_instances[1]),
        )


@dataclass(frozen=True, slots=True)
class KnownFactor:
    """An interval on the variance over instances times the factor that the design needs."""

    name: str = "known factor"

    def build_ends(self, series: LossSeries) -> tuple[FloatArray, FloatArray]:
        """Return the (R,) ends."""
        factor = series.needed_factor
        return Candidate(
            name=self.name, rule=lambda moments: estimate_over_instances(moments, factor)
        ).build_ends(series)


def build_wilson(rates: FloatArray, n: float) -> tuple[FloatArray, FloatArray]:
    """Return the ends of Wilson's intervals of (R,) rates of n rows; others have no meaning."""
    z = float(stdtrit(np.inf, (1 + LEVEL) / 2))
    middle = (rates + z**2 / (2 * n)) / (1 + z**2 / n)
    spread = np.maximum(rates * (1 - rates), 0.0) / n
    half = z / (1 + z**2 / n) * np.sqrt(spread + z**2 / (4 * n**2))
    return middle - half, middle + half


CHOSEN: Final = WeightedRule(allowance=0.9, weight=0.3, by_wilson=True)
"""Chosen on the set ``choosing`` before any figure of ``fresh`` was known."""
RULES: Final[tuple[IntervalRule, ...]] = (
    Candidate(name="today", rule=estimate_as_recommended),
    CHOSEN,
    replace(CHOSEN, by_wilson=False),
    *(WeightedRule(allowance=a, weight=0.3) for a in (0.5, 0.75, 1.0, 1.25)),
    *(WeightedRule(allowance=0.9, weight=w) for w in (0.0, 0.5, 1.0)),
    WeightedRule(allowance=1.0, weight=0.0),
    KnownFactor(),
)
"""The rules that are compared."""

ABOUT: Final = """
The first number of a rule is its allowance: what training adds to the variance of n independent
losses; today's is 1. The second is the weight of Nadeau and Bengio's variance in those samples
whose folds differ, or whose mean loss has a skewness of .3 or more; the rest of the weight is that
of the variance over instances with the allowance, and the degrees of freedom are those of Welch and
Satterthwaite. Today's weight is 1, with K - 1 degrees. *Wilson*: a model whose losses are all 0 or
1 has Wilson's interval of n / (1 + n/(n - 1)) rows. *Known factor* is no rule: it multiplies the
variance over instances by the factor that the design needs, which no sample shows, and so tells
what the best allowance could reach.
"""
FINDINGS: Final = f"""
The set `choosing` has all designs of the pages `judging`, `shorter_choosing` and `shorter_unseen`,
which had been looked at; {CHOSEN.name} was chosen on it, and written down before any figure of the
set `fresh` was known.

**No number was changed.** On ordinary designs of `fresh` the chosen rule is 1.26 times as long as
the ideal interval for models and 1.22 times for differences (today 1.43 and 1.30), and it finds .87
and .85 of what the oracle finds (today .82 and .81). Of the models .024 of the designs are covered
in less than .93 (today .016), of the differences as many as today (.129); but with a heavy tail
they are .61 of the models (today .44), and one difference of 0/1 losses is covered in .79 (today
more than .90). Wilson's interval of models with 0/1 losses has no design of `fresh` below .93, at
1.14 times the ideal length in place of 1.23; on `choosing` it has .051 of them in place of .022,
with few samples of each: more have to be drawn before it is taken.

Why no rule does better: there is no unbiased estimator of the variance of K-fold cross-validation
(Bengio and Grandvalet 2004). The losses show their own spread; they do not show how much their mean
changes with the rows that models are trained on, and the factor that a design needs is .9 to 2 for
eight of ten models, whether there are five folds or ten. The spread between folds, which looks like
a measure of it, is smaller where more is needed (the rank correlation over designs is -.47 on the
page `judging_training_share_diagnostics`): one fold's training rows are the other folds' test rows.
So one multiple serves all designs, it has to be about 1.9 to keep the unstable ones, and the stable
ones pay. *Known factor* shows the limit: 1.07 times the ideal length, and even so .067 of the
designs below .93, because losses are skewed and their variance is estimated.
"""


def build_table(name: str, repetitions: int, seed: int) -> Table:
    """Return coverage, length and power of the rules over groups of designs of one set."""
    about = ON_GROUPS.format(repetitions=repetitions, error=(0.95 * 0.05 / repetitions) ** 0.5)
    return compare(
        f"A weighted allowance over one partition, {name}",
        f"{ABOUT}{about}{FINDINGS}",
        (SETS[name], RULES),
        (repetitions, seed),
        by_rows=False,
    )
