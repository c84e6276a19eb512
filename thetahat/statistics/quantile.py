"""Quantile of a sample."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from thetahat.cautions import EXTREME_QUANTILE, Caution
from thetahat.errors import InvalidParameter
from thetahat.registry import EVERY_BLOCK_KIND, MethodInfo
from thetahat.statistics._one_sample import OneSample, one_column
from thetahat.statistics._ordered import DEFINITIONS, OfQuantile
from thetahat.statistics.base import Sample


@dataclass(frozen=True, slots=True)
class Quantile(OneSample):
    r"""The value that a share q of the sample lies below.

    .. math:: x_{(k)} + g\, (x_{(k+1)} - x_{(k)}), \qquad
        k + g = n q + \alpha + q (1 - \alpha - \beta)

    with the order statistics counted from 1, k whole, g in [0, 1), and
    :math:`\alpha = \beta = 1` for the definition ``linear`` (type 7), 1/2 ``hazen`` (5),
    0 ``weibull`` (6), 1/3 ``median_unbiased`` (8), 3/8 ``normal_unbiased`` (9), (0, 1)
    ``interpolated_inverted_cdf`` (4); ``inverted_cdf`` (1) is the smallest value with a share of at
    least q up to it.

    Assumes independent values of one distribution with a density at the quantile.

    Source: hyndman1996 for the definitions; efron1993, chapter 14, for the bootstrap of a quantile.

    Deviations: a position that is whole but for the rounding of n q is whole.

    Degenerate cases: with fewer than 5 values beyond it, the replicates are hardly more than those
    few values, and a caution says so; of the largest value the bootstrap is not consistent.

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
        name="quantile",
        title="Quantile of a sample",
        summary="The value that a share q of the sample lies below, by a definition that is named.",
        formula=r"x_{(k)} + g\, (x_{(k+1)} - x_{(k)})",
        references=("efron1993", "hyndman1996"),
        assumptions="Independent values of one distribution with a density at the quantile.",
        errs=(
            "Replicates take few values; the standard error is too large on average with few "
            "values, and means nothing far in a tail."
        ),
        blocks=EVERY_BLOCK_KIND,
    )

    def __post_init__(self) -> None:
        if isinstance(self.q, bool) or not isinstance(self.q, (int, float)):
            raise InvalidParameter("q must be a number", loc=("q",), value=self.q)
        if not 0 <= self.q <= 1:
            raise InvalidParameter(f"q must lie in [0, 1], got {self.q}", loc=("q",), value=self.q)
        if self.definition not in DEFINITIONS:
            raise InvalidParameter(
                f"definition is not one of {', '.join(DEFINITIONS)}, got {self.definition!r}",
                loc=("definition",),
                value=self.definition,
            )

    @property
    def is_smooth(self) -> bool:
        """No: a quantile jumps from value to value."""
        return False

    def on(self, sample: Sample, *, fast: bool) -> OfQuantile:
        """Return the quantile on that sample."""
        return OfQuantile(one_column("quantile", sample), self.q, self.definition, fast=fast)

    def cautions(self, sample: Sample) -> tuple[Caution, ...]:
        """Tell of a quantile with hardly a value beyond it."""
        beyond = len(sample.x) * min(self.q, 1 - self.q)
        if beyond >= EXTREME_QUANTILE.threshold:
            return ()
        return (EXTREME_QUANTILE(n_beyond=f"{beyond:.3g}", n=len(sample.x)),)


METHOD = Quantile
