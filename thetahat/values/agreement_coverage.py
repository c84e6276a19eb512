"""How often intervals of coefficients and rates of agreement covered in the nearest studied design.

``agreement_coverage.json`` has the numbers of ``docs/results/edges/agreement.md``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import numpy as np

from thetahat.values.clusters import compute_imbalance
from thetahat.values.coverage import ExpectedCoverage
from thetahat.values.kept_studies import (
    explain_imbalance,
    find_expected_coverage,
    read_studied_intervals,
)
from thetahat.values.types import IntArray

ITEMS: Final = "items"
DIFFERENT: Final = "items with different ratings"
RATES: Final = "rates"
RARER: Final = "items of the rarer outcome"
FILE: Final = "agreement_coverage.json"


def name_data(n_raters: int, n_categories: int) -> str:
    """Return what so many raters and categories are called in the study."""
    raters = "two raters" if n_raters == 2 else "several raters"
    categories = "two categories" if n_categories == 2 else "several categories"
    return f"{raters}, {categories}"


def find_agreement_coverage(
    interval: str, data: str, numbers: Mapping[str, int], cluster: IntArray | None
) -> tuple[ExpectedCoverage | None, str | None]:
    """Return the coverage of an interval over items in (n,) clusters, or none, or why it has none.

    Clusters of the study are equal.
    """
    if cluster is not None:
        sizes = np.unique(cluster, return_counts=True)[1]
        numbers = {**numbers, "clusters": len(sizes)}
        if unequal := explain_imbalance("clusters", len(sizes), compute_imbalance(sizes)):
            return None, unequal
    studied = read_studied_intervals(__package__, FILE, interval)
    return find_expected_coverage(studied, data, numbers)


def find_coverage_of_rate(
    n: int, rate: float, cluster: IntArray | None
) -> tuple[ExpectedCoverage | None, str | None]:
    """Return the coverage of the interval of a rate over n items, or why it has none."""
    numbers = {ITEMS: n, RARER: max(1, round(n * min(rate, 1 - rate)))}
    return find_agreement_coverage(RATES, "", numbers, cluster)
