"""Quantile of a sample."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from thetahat.cautions import EXTREME_QUANTILE, Caution
from thetahat.errors import InvalidParameter
from thetahat.registry import EVERY_BLOCK_KIND, MethodInfo
from thetahat.statistics._columns import require_one_column
from thetahat.statistics._quantiles import DEFINITIONS, QuantileFunctional
from thetahat.statistics.base import Sample, Statistic


@dataclass(frozen=True, slots=True)
class Quantile(Statistic):
    r"""The value below which a share q of the sample lies.

    The position is

    .. math:: k + g = n q + \alpha + q (1 - \alpha - \beta)

    with the order statistics counted from 1, k an integer and g in [0, 1). :math:`\alpha = \beta =
    1` for the definition ``linear`` (type 7), 1/2 for ``hazen`` (5), 0 for ``weibull`` (6), 1/3 for
    ``median_unbiased`` (8), 3/8 for ``normal_unbiased`` (9), and (0, 1) for
    ``interpolated_inverted_cdf`` (4). ``inverted_cdf`` (1) is the smallest value such that a share
    of at least q is not above it. The definitions are from hyndman1996; the bootstrap of a quantile
    is in chapter 14 of efron1993.

    Deviations: a position that is an integer except for the rounding of n q is taken as an integer.

    Degenerate cases: with fewer than 5 values beyond the quantile, the replicates are little more
    than those few values, and a caution says so. For the largest value the bootstrap is not
    consistent.

    Parameters
    ----------
    q : float
        Share, in [0, 1].
    definition : str
        As numpy names it.
    """

    q: float
    definition: str = "linear"

    info: ClassVar[MethodInfo] = MethodInfo(
        title="Quantile of a sample",
        summary=(
            "The value below which a share q of the sample lies, by one of seven definitions, "
            "which have numpy's names: linear, inverted_cdf, interpolated_inverted_cdf, hazen, "
            "weibull, median_unbiased and normal_unbiased."
        ),
        formula=r"x_{(k)} + g\, (x_{(k+1)} - x_{(k)})",
        references=("efron1993", "hyndman1996"),
        assumptions="Independent values of one distribution with a density at the quantile.",
        errs=(
            "Replicates take few values. With few values the standard error is too large on "
            "average, and far in a tail it has no meaning."
        ),
        blocks=EVERY_BLOCK_KIND,
    )

    def __post_init__(self) -> None:
        if isinstance(self.q, bool) or not isinstance(self.q, (int, float)):
            raise InvalidParameter("q must be a number.", loc=("q",), value=self.q)
        if not 0 <= self.q <= 1:
            raise InvalidParameter(f"q must lie in [0, 1], got {self.q}.", loc=("q",), value=self.q)
        if self.definition not in DEFINITIONS:
            raise InvalidParameter(
                f"definition is not one of {', '.join(DEFINITIONS)}, got {self.definition!r}.",
                loc=("definition",),
                value=self.definition,
            )

    @property
    def is_smooth(self) -> bool:
        """False, because a quantile jumps from one value to another."""
        return False

    def build_functional(self, sample: Sample, *, fast: bool) -> QuantileFunctional:
        """Return the quantile on that sample as a function of row counts."""
        return QuantileFunctional(
            require_one_column("quantile", sample), self.q, self.definition, fast=fast
        )

    def cautions(self, sample: Sample) -> tuple[Caution, ...]:
        """Return a caution if hardly any value lies beyond the quantile."""
        beyond = len(sample.x) * min(self.q, 1 - self.q)
        if beyond >= EXTREME_QUANTILE.threshold:
            return ()
        return (EXTREME_QUANTILE(n_beyond=beyond, n=len(sample.x)),)
