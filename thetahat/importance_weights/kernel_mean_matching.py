"""Weights that match the means of two samples in a kernel's feature space."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar, Final

import numpy as np

from thetahat.cautions import NOT_OPTIMAL, Caution
from thetahat.errors import InvalidParameter
from thetahat.importance_weights._kernels import (
    WidthRule,
    check_width,
    compute_squared_distances,
    compute_width,
    slice_rows,
)
from thetahat.importance_weights.base import ImportanceWeights, Samples, check_some_positive
from thetahat.numerics.quadratic_programme import minimise_in_slab
from thetahat.parameter_checks import check_not_negative, check_positive
from thetahat.registry import MethodInfo
from thetahat.traits import WeightTraits
from thetahat.values.number_text import format_number
from thetahat.values.types import FloatArray

MAX_ROWS_IN_MEMORY: Final = 2000
"""Largest number of source rows for which the whole kernel matrix is kept in memory."""
_MAX_VIOLATION: Final = 1e-7


@dataclass(frozen=True, slots=True, kw_only=True)
class KernelMeanMatching:
    r"""Weights under which the source's mean in feature space is nearest to the target's.

    :math:`K_{ij} = k(x_i, x_j)`, :math:`\kappa_i = \frac{n}{m} \sum_j k(x_i, z_j)` and
    :math:`k(x, z) = \exp(-\|x - z\|^2 / (2 s^2))`.

    Solved by an active-set method with a multiplier for the sum: exact up to a gradient of 1e-10 of
    the largest :math:`\kappa`. ``details`` has the objective, the multiplier of the sum and the
    largest violation of the optimality conditions (relative to the largest :math:`\kappa`).

    K is nearly singular, so very different weights have nearly the same objective: judge a solution
    by its objective, never by comparing weights.

    Deviations: the default tolerance holds the mean weight at 1, where huang2007 has
    :math:`(\sqrt n - 1) / \sqrt n`; the rule for the width is that of kouw2019; the
    distance is squared and the linear term negative, as in huang2007 and unlike the published code
    of kouw2019.

    Degenerate cases: with equal samples, weights of one are a solution, and not the only one if
    rows coincide.

    Parameters
    ----------
    bound : float
        B, the largest weight.
    tolerance : float or None
        :math:`\epsilon`; None stands for :math:`(\sqrt n - 1) / \sqrt n`, as in huang2007. With the
        default the mean weight is 1, which the controlled risk assumes.
    width : float, "neighbours", "silverman" or "median"
        s, or the rule that computes it: the mean distance of the source rows to their five nearest
        target rows, Silverman's rule on both samples, or the median distance between their rows.
    """

    bound: float = 1000.0
    tolerance: float | None = 1e-6
    width: float | WidthRule = "neighbours"

    info: ClassVar[MethodInfo] = MethodInfo(
        title="Kernel mean matching",
        summary=(
            "Bounded weights with a sum near n under which the source's mean in a kernel's "
            "feature space is nearest to the target's."
        ),
        formula=(
            r"\min_w \frac{1}{2} w^T K w - \kappa^T w,\quad 0 \le w_i \le B,\quad"
            r" |\sum_i w_i - n| \le n \epsilon"
        ),
        references=("huang2007", "kouw2019"),
        assumptions=(
            "The source covers the target. Features are in comparable units, and the width fits "
            "both samples. Labels depend on the features in the same way in both populations."
        ),
        errs=(
            "If the width is large compared with the distances between rows, most weights are "
            "zero and few are large, so weighted means rest on few rows. With the tolerance null "
            "(that of its source) the mean weight may lie far from 1, and the controlled risk, "
            "which assumes 1, selects badly."
        ),
        weights=WeightTraits(has_function=False),
    )

    def __post_init__(self) -> None:
        check_positive("bound", self.bound)
        check_width(self.width)
        check_not_negative("tolerance", self.tolerance)

    def estimate(self, samples: Samples, rng: np.random.Generator) -> ImportanceWeights:
        """Solve the quadratic programme; ``rng`` thins very many rows for the median distance."""
        n = samples.n
        tolerance = (math.sqrt(n) - 1) / math.sqrt(n) if self.tolerance is None else self.tolerance
        if self.bound < 1 - tolerance:
            raise InvalidParameter(
                f"Weights of at most {self.bound:g} cannot sum to "
                f"{format_number(1 - tolerance)} n. Raise the bound or the tolerance.",
                loc=("bound",),
                value=self.bound,
            )
        width = compute_width(self.width, samples, rng)
        solved = minimise_in_slab(
            make_kernel_columns(samples.source, width),
            n / samples.m * sum_kernels(samples.source, samples.target, width),
            upper=self.bound,
            lowest=n * max(0.0, 1 - tolerance),
            highest=n * (1 + tolerance),
        )
        return ImportanceWeights(
            values=check_some_positive(solved.w),
            details={
                "width": width,
                "bound": self.bound,
                "tolerance": tolerance,
                "objective": solved.objective,
                "multiplier_of_sum": solved.multiplier,
                "largest_violation": solved.violation,
                "n_at_bound": int((solved.w >= self.bound).sum()),
            },
            cautions=_list_cautions(solved.violation, width),
        )


def make_kernel_columns(rows: FloatArray, width: float) -> Callable[[int], FloatArray]:
    """Return a function that computes column j of the (n, n) kernel matrix of the rows."""
    scaled = rows / (width * math.sqrt(2))
    if len(rows) <= MAX_ROWS_IN_MEMORY:
        matrix = np.exp(-compute_squared_distances(scaled, scaled))
        return lambda j: np.asarray(matrix[j])
    return lambda j: np.asarray(np.exp(-compute_squared_distances(scaled[j : j + 1], scaled)[0]))


def sum_kernels(rows: FloatArray, others: FloatArray, width: float) -> FloatArray:
    """Return the (n,) sums of the kernels of each row with all others."""
    scaled, scaled_others = (x / (width * math.sqrt(2)) for x in (rows, others))
    sums = [
        np.exp(-compute_squared_distances(scaled[part], scaled_others)).sum(axis=1)
        for part in slice_rows(len(rows), len(others))
    ]
    return np.concatenate(sums)


def _list_cautions(violation: float, width: float) -> tuple[Caution, ...]:
    if violation <= _MAX_VIOLATION:
        return ()
    return (
        NOT_OPTIMAL(
            details=f"the optimality conditions are violated by {violation:.2g} of the largest "
            f"entry of the linear term, with the width {format_number(width)}"
        ),
    )
