"""Median of a sample."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from thetahat.registry import EVERY_BLOCK_KIND, MethodInfo
from thetahat.statistics._columns import require_one_column
from thetahat.statistics._quantiles import QuantileFunctional
from thetahat.statistics.base import Sample, Statistic


@dataclass(frozen=True, slots=True)
class Median(Statistic):
    """The middle value, or the mean of the two middle ones.

    For an odd number n of distinct values the distribution of the bootstrap median is known
    (section 3 of the source): the k-th smallest value has the probability that a binomial count of
    n draws with p = (k-1)/n is at most (n-1)/2, minus the same with p = k/n.

    Degenerate cases: where the middle values are tied the replicates hardly vary.
    """

    info: ClassVar[MethodInfo] = MethodInfo(
        title="Median of a sample",
        summary="The middle value, or the mean of the two middle ones.",
        formula=(r"\tfrac12 (x_{(\lfloor (n+1)/2 \rfloor)} + x_{(\lceil (n+1)/2 \rceil)})"),
        references=("efron1979",),
        assumptions="Independent values of one distribution with a density at the median.",
        errs=(
            "Replicates take few values, so that interval ends change in jumps. With few values "
            "the standard error is too large on average."
        ),
        blocks=EVERY_BLOCK_KIND,
    )

    @property
    def is_smooth(self) -> bool:
        """False, because a median jumps from one value to another."""
        return False

    def build_functional(self, sample: Sample, *, fast: bool) -> QuantileFunctional:
        """Return the median on that sample as a function of row counts."""
        return QuantileFunctional(require_one_column("median", sample), 0.5, "linear", fast=fast)
