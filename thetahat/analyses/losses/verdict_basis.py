"""The estimate that a verdict rests on, with its p-values, ends and power."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import ClassVar

from thetahat.analyses.losses.power import compute_power, find_detectable_difference
from thetahat.distributions import compute_p_value, compute_upper_quantile
from thetahat.intervals.base import PairedRatesInterval
from thetahat.intervals.skewness_corrected import invert_transformation, transform
from thetahat.numerics.paired_rates import (
    compute_p_value_of_at_least,
    compute_p_value_of_no_difference,
    find_upper_end,
    is_mostly_discordant,
)
from thetahat.traits import VarianceTraits
from thetahat.values.paired_counts import PairedCounts
from thetahat.values.types import Alternative, Target


@dataclass(frozen=True, slots=True, kw_only=True)
class VerdictBasis:
    """A difference with its standard error, on which a verdict rests."""

    difference: float
    """Loss of a minus loss of b."""
    standard_error: float
    """Standard error of the difference, above 0."""
    degrees_of_freedom: float | None
    """Degrees of freedom of the standard error; None means normal."""
    target: Target
    """The target of the difference."""
    method: str
    variance: str | None
    """Keys of the interval and its variance in the result."""
    traits: VarianceTraits = field(default_factory=VarianceTraits)
    """How the variance and its degrees of freedom change with more data or more splits."""
    why_longer_at_margins: ClassVar[str] = ""
    """Why a margin is not shown though the interval leaves it out, after "since"."""
    within: float | None = None
    """For a new source: the part of the squared standard error that comes from sampling instances
    within sources, the average of V_k / (M_k K); None where it is unknown."""

    def compute_p_value(self) -> float:
        """Return the two-sided p-value of no difference."""
        t = self.difference / self.standard_error
        return compute_p_value(t, self.degrees_of_freedom, Alternative.TWO_SIDED)

    def compute_p_value_of_equivalence(self, margin: float) -> float:
        """Return the p-value of a difference of the margin or more, on either side."""
        return self._compute_probability_below(
            -(margin - abs(self.difference)) / self.standard_error
        )

    def compute_p_value_of_not_worse(self, margin: float, *, higher_is_better: bool) -> float:
        """Return the one-sided p-value of a being worse by the margin or more."""
        d = -self.difference if higher_is_better else self.difference
        return self._compute_probability_below((d - margin) / self.standard_error)

    def compute_ends(self, tail: float) -> tuple[float, float]:
        """Return the ends of the interval that leaves out ``tail`` at each of them."""
        reach = compute_upper_quantile(tail, self.degrees_of_freedom) * self.standard_error
        return self.difference - reach, self.difference + reach

    def compute_ends_of_margin(self, tail: float) -> tuple[float, float]:
        """Return the ends of one-sided statements about a margin, ``tail`` beyond each."""
        return self.compute_ends(tail)

    def compute_power(self, difference: float, alpha: float) -> float:
        """Return the power of the two-sided test at alpha if this is the true difference."""
        return compute_power(difference, self.standard_error, self.degrees_of_freedom, alpha)

    def find_detectable_difference(self, alpha: float, power: float) -> float | None:
        """Return the smallest true difference that is found with the power; None if none is."""
        return find_detectable_difference(
            self.standard_error, self.degrees_of_freedom, alpha, power
        )

    def _compute_probability_below(self, statistic: float) -> float:
        return compute_p_value(statistic, self.degrees_of_freedom, Alternative.LESS)


@dataclass(frozen=True, slots=True, kw_only=True)
class SkewedBasis(VerdictBasis):
    r"""A difference of which single large values may decide, with that allowed for at a margin.

    A one-sided statement has the larger one of two p-values: that of t, and that of t after Hall's
    transformation with g the skewness of the mean,

    .. math:: h(t) = t + \frac{g t^2}{3} + \frac{g^2 t^3}{27} + \frac{g}{6}

    By t alone a model that is worse by the margin through a few large losses passes in .10 to .25
    of the samples (edges/margins_of_skewed_losses). The test of no difference is that of t: the
    transformation would make it err less, in .02 to .40 in place of .06 to .48 of the samples of 20
    and 50, for up to two thirds of its power (edges/better_of_skewed_losses).

    Source: hall1992.
    """

    why_longer_at_margins: ClassVar[str] = "a few large differences decide"
    skewness: float
    """That of the mean of the differences."""

    @classmethod
    def allow_for(cls, plain: VerdictBasis, skewness: float) -> SkewedBasis:
        """Return the same difference with its skewness."""
        known = {field.name: getattr(plain, field.name) for field in fields(plain)}
        return cls(**known, skewness=skewness)

    def compute_p_value_of_equivalence(self, margin: float) -> float:
        """Return the larger one of two one-sided p-values."""
        return max(
            self._compute_p_value_of_at_least(margin, sign=1),
            self._compute_p_value_of_at_least(margin, sign=-1),
        )

    def compute_p_value_of_not_worse(self, margin: float, *, higher_is_better: bool) -> float:
        """Return the one-sided p-value of a being worse by the margin or more."""
        return self._compute_p_value_of_at_least(margin, sign=-1 if higher_is_better else 1)

    def compute_p_value_of_skewed(self) -> float:
        """Return the two-sided p-value of no difference, the larger one with skewness and by t."""
        sign = 1 if self.difference < 0 else -1
        return min(1.0, 2 * self._compute_p_value_of_at_least(0.0, sign=sign))

    def compute_ends_of_margin(self, tail: float) -> tuple[float, float]:
        """Return the farther ends of both intervals, each of which leaves out ``tail``."""
        low, high = self.compute_ends(tail)
        quantile = compute_upper_quantile(tail, self.degrees_of_freedom)
        reaches = (
            self.standard_error * invert_transformation(sign * quantile, self.skewness)
            for sign in (1, -1)
        )
        of_skewed = [self.difference - reach for reach in reaches]
        return min(low, *of_skewed), max(high, *of_skewed)

    def _compute_p_value_of_at_least(self, margin: float, *, sign: int) -> float:
        t, g = (sign * self.difference - margin) / self.standard_error, sign * self.skewness
        return self._compute_probability_below(max(t, transform(t, g)))


@dataclass(frozen=True, slots=True, kw_only=True)
class FewDiscordantBasis(VerdictBasis):
    """The difference of two error rates over one partition on which few instances differ.

    A statement about a margin has the larger one of two p-values: that of t, and that of Tango's
    score test on the counts. The interval and the test of no difference are those of t.
    """

    why_longer_at_margins: ClassVar[str] = "few instances differ"
    counts: PairedCounts
    """The two-by-two table of as many independent instances as the partition is worth."""

    @classmethod
    def allow_for(cls, plain: VerdictBasis, counts: PairedCounts) -> FewDiscordantBasis:
        """Return the same difference with its counts."""
        known = {field.name: getattr(plain, field.name) for field in fields(plain)}
        return cls(**known, counts=counts)

    def compute_p_value_of_equivalence(self, margin: float) -> float:
        """Return the larger one of the p-values of both sides, by t and by the counts."""
        of_t = VerdictBasis.compute_p_value_of_equivalence(self, margin)
        tables = self.counts, self.counts.swap()
        return max(of_t, *(compute_p_value_of_at_least(table, margin) for table in tables))

    def compute_p_value_of_not_worse(self, margin: float, *, higher_is_better: bool) -> float:
        """Return the larger one of two p-values of a being worse by the margin or more."""
        of_t = VerdictBasis.compute_p_value_of_not_worse(
            self, margin, higher_is_better=higher_is_better
        )
        counts = self.counts.swap() if higher_is_better else self.counts
        return max(of_t, compute_p_value_of_at_least(counts, margin))

    def compute_ends_of_margin(self, tail: float) -> tuple[float, float]:
        """Return the farther ends of both intervals, each of which leaves out ``tail``."""
        low, high = self.compute_ends(tail)
        of_counts = -find_upper_end(self.counts.swap(), tail), find_upper_end(self.counts, tail)
        return min(low, of_counts[0]), max(high, of_counts[1])


@dataclass(frozen=True, slots=True, kw_only=True)
class PairedRatesBasis(VerdictBasis):
    """The difference of two error rates on the same instances, by score and binomial tests.

    The p-value of no difference is McNemar's mid-p, the exact one where most instances differ, or
    with clusters that of the score test. Those of a margin are Tango's, and at least exact ones
    where one model is never alone in its error or few instances are there.
    """

    counts: PairedCounts
    """The two-by-two table. The standard error only sets digits of texts; it is one in n where the
    differences have no spread."""
    interval: PairedRatesInterval
    """The method that the ends are from."""

    @property
    def discordance(self) -> float:
        """Share of the instances on which the two models differ."""
        return self.counts.discordant / self.counts.n

    @property
    def test(self) -> str:
        """The test of no difference, in words."""
        if self.counts.degrees_of_freedom is None:
            effective = "" if self.counts.design_effect == 1 else " of the effective counts"
            many = is_mostly_discordant(self.counts.discordant, self.counts.n)
            return f"McNemar's {'exact' if many else 'mid-p'} test{effective}"
        return "the score test over clusters"

    def compute_p_value(self) -> float:
        """Return the two-sided p-value of that test."""
        return compute_p_value_of_no_difference(self.counts)

    def compute_p_value_of_equivalence(self, margin: float) -> float:
        """Return the larger one of two one-sided p-values."""
        return max(
            compute_p_value_of_at_least(self.counts, margin),
            compute_p_value_of_at_least(self.counts.swap(), margin),
        )

    def compute_p_value_of_not_worse(self, margin: float, *, higher_is_better: bool) -> float:
        """Return the one-sided p-value of a being worse by the margin or more."""
        counts = self.counts.swap() if higher_is_better else self.counts
        return compute_p_value_of_at_least(counts, margin)

    def compute_ends(self, tail: float) -> tuple[float, float]:
        """Return the ends of the interval that leaves out ``tail`` at each of them."""
        return self.interval.compute_ends(self.counts, tail)

    def compute_power(self, difference: float, alpha: float) -> float:
        """Return the power of the same test with the observed share of discordant instances."""
        from thetahat.analyses.losses.power_of_rates import compute_power_of_rates  # noqa: PLC0415 - only rates need it

        return compute_power_of_rates(
            difference, self.discordance, self.counts.n, alpha, self.counts.degrees_of_freedom
        )

    def find_detectable_difference(self, alpha: float, power: float) -> float | None:
        """Return the smallest true difference that is found with the power; None if none is."""
        from thetahat.analyses.losses.power_of_rates import find_detectable_difference_of_rates  # noqa: PLC0415 - same

        return find_detectable_difference_of_rates(
            self.discordance, self.counts.n, alpha, power, self.counts.degrees_of_freedom
        )
