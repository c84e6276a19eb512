"""p-values for the statements that a verdict can make about two models."""

from __future__ import annotations

from typing import NamedTuple

from thetahat.analyses.losses.identical_losses import IdenticalUnits
from thetahat.analyses.losses.verdict_basis import VerdictBasis
from thetahat.distributions import compute_alpha
from thetahat.values.layout import Layout


class PairQuestion(NamedTuple):
    """One pair of models with the interval that its verdict rests on."""

    a: str
    b: str
    """Names of the models."""
    basis: VerdictBasis | None
    """The estimate that the verdict uses; None where no interval could be built."""
    constant: float | None
    """The difference where it is the same for every unit."""
    n_units: int
    """Number of those units."""
    is_rounded: bool = False
    """Whether it is the same only up to rounding."""
    identical: IdenticalUnits | None = None
    """The units, where the difference is the same for every one."""
    is_of_means: bool = False
    """Whether only the means of clusters, or of sources, have the same difference."""

    @property
    def is_identical(self) -> bool:
        """Whether the two models have the same loss, or mean loss, for every unit."""
        return self.constant == 0


class VerdictTerms(NamedTuple):
    """The options that the verdicts of all pairs share."""

    level: float
    margin: float | None
    correction: str
    power: float
    """Confidence level, margin or None, correction of p-values, power of plans."""
    layout: Layout
    """Layout of the present data."""
    pair_alpha: float | None = None
    """Alpha of the interval of one pair; None for 1 - level."""
    n_pairs: int | None = None
    """Number of pairs that are corrected for; None for those that are judged."""
    control: str | None = None
    """The model that all others are compared with."""

    @property
    def interval_alpha(self) -> float:
        """Alpha of the interval of one pair, so that those of all pairs hold together."""
        return self.alpha if self.pair_alpha is None else self.pair_alpha

    @property
    def higher_is_better(self) -> bool:
        """Whether the numbers are scores, so that a positive difference means that a is better."""
        return self.layout.words.higher_is_better

    @property
    def alpha(self) -> float:
        """1 - level."""
        return compute_alpha(self.level)


class Evidence(NamedTuple):
    """p-values of the three null hypotheses of one pair; None where one cannot be computed."""

    difference: float | None
    """p-value of the hypothesis d = 0, two-sided."""
    equivalence: float | None = None
    """p-value of |d| >= margin, the larger one of two one-sided tests."""
    not_worse: float | None = None
    """p-value of d >= margin, or of d <= -margin where higher is better."""


def compute_evidence(
    question: PairQuestion, margin: float | None, *, higher_is_better: bool = False
) -> Evidence:
    r"""Return the p-values of one pair, not corrected for several pairs.

    With d the difference, s its standard error and F the t (or normal) distribution function,

    .. math::
        p = 2 F(-|d| / s), \quad
        p_\text{equivalence} = F(-(\Delta - |d|) / s), \quad
        p_\text{not worse} = F((d - \Delta) / s)

    p < alpha is equivalent to "the 1 - alpha interval excludes 0" for the first, to "the
    1 - 2 alpha interval lies inside the margins" for the second, and to "the one-sided upper
    1 - alpha bound lies below the margin" for the third. If higher is better, the third has -d
    instead of d: "the lower bound lies above minus the margin".

    The difference of two error rates on one test set has p-values of its own
    (``PairedRatesBasis``).

    Degenerate cases: if all differences are equal, there is no variance and no interval. If they
    are 0, p is 1 for a difference, and the number of units and the range of the loss bound it for
    the statements about a margin (``IdenticalUnits``); without a range there is none. Otherwise p
    is that of the exact sign test, 2^(1 - n) for n independent units, and there is no statement
    about a margin.
    """
    basis, identical = question.basis, question.identical
    if question.is_identical:
        p = None
        if margin is not None and identical is not None:
            p = identical.compute_p_value(margin)
        return Evidence(1.0, p, p)
    if basis is None:
        if question.constant is None or identical is None:
            return Evidence(None)
        return Evidence(2.0 ** (1 - min(max(identical.n_independent, 1.0), 1000.0)))
    p = basis.compute_p_value()
    if margin is None:
        return Evidence(p)
    return Evidence(
        p,
        basis.compute_p_value_of_equivalence(margin),
        basis.compute_p_value_of_not_worse(margin, higher_is_better=higher_is_better),
    )
