"""How often intervals of coefficients and rates of agreement covered in the nearest studied design.

``agreement_coverage.json`` has the numbers of ``docs/results/edges/agreement.md``.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final, TypeVar

import numpy as np

from thetahat.analyses.agreement.result import AgreementEstimate, KappaDifference
from thetahat.values.clusters import compute_imbalance
from thetahat.values.kept_studies import (
    INTERVAL_NOT_STUDIED,
    explain_imbalance,
    find_expected_coverage,
    read_studied_intervals,
)
from thetahat.values.types import IntArray

Found = TypeVar("Found", AgreementEstimate, KappaDifference)

ITEMS: Final = "items"
DIFFERENT: Final = "items with different ratings"
RATES: Final = "rates"
RARER: Final = "items of the rarer outcome"
KAPPA_DIFFERENCES: Final = "differences of kappa"
RAREST: Final = "items of the rarest category"
ONE_RIGHT: Final = "items on which one rater alone agrees with the truth"
FILE: Final = "agreement_coverage.json"


def name_data(n_raters: int, n_categories: int) -> str:
    """Return what so many raters and categories are called in the study."""
    raters = "two raters" if n_raters == 2 else "several raters"
    categories = "two categories" if n_categories == 2 else "several categories"
    return f"{raters}, {categories}"


def add_expected_coverage(  # noqa: PLR0913 - what a design is compared with
    found: AgreementEstimate,
    coefficient: str,
    codes: IntArray,
    n_categories: int,
    cluster: IntArray | None,
    *,
    is_weighted: bool,
) -> AgreementEstimate:
    """Return a coefficient with how often such intervals covered, where it has one.

    Parameters
    ----------
    coefficient : str
        Its name.
    is_weighted : bool
        Whether it weighs categories by their distance, which was not studied and of two categories
        is the same.
    codes : ndarray of int
        (n, R) category of each item by rater, below 0 where there is no rating.
    cluster : ndarray of int or None
        (n,) clusters of the items.
    """
    if found.lower is None:
        return found
    if is_weighted and n_categories > 2:
        return replace(found, expected_coverage_missing=INTERVAL_NOT_STUDIED)
    is_counted = (codes >= 0).sum(axis=1) >= 2
    counted = codes[is_counted]
    first = counted.max(axis=1)[:, None]
    numbers = {
        ITEMS: len(counted),
        DIFFERENT: int(((counted >= 0) & (counted != first)).any(axis=1).sum()),
    }
    data = name_data(codes.shape[1], n_categories)
    counted_cluster = None if cluster is None else cluster[is_counted]
    return _add(found, coefficient, data, numbers, counted_cluster)


def add_coverage_of_rate(found: AgreementEstimate, cluster: IntArray | None) -> AgreementEstimate:
    """Return a rate over (n,) items in clusters, or none, with how often such intervals covered."""
    if found.lower is None or found.estimate is None:
        return found
    rarer = round(found.n * min(found.estimate, 1 - found.estimate))
    return _add(found, RATES, "", {ITEMS: found.n, RARER: max(1, rarer)}, cluster)


def add_coverage_of_difference(
    found: KappaDifference, codes: IntArray, n_categories: int, cluster: IntArray | None
) -> KappaDifference:
    """Return a difference of kappas with how often such intervals covered.

    ``codes`` are the (n, 3) categories of each item by both raters and the truth, and ``cluster``
    the (n,) clusters of the items.
    """
    if found.lower is None:
        return found
    agrees = codes[:, :2] == codes[:, 2:]
    numbers = {
        ITEMS: found.n,
        RAREST: int(np.unique(codes[:, 2], return_counts=True)[1].min()),
        ONE_RIGHT: int((agrees[:, 0] != agrees[:, 1]).sum()),
    }
    return _add(found, KAPPA_DIFFERENCES, name_data(2, n_categories), numbers, cluster)


def _add(
    found: Found, interval: str, data: str, numbers: dict[str, int], cluster: IntArray | None
) -> Found:
    if cluster is not None:
        sizes = np.unique(cluster, return_counts=True)[1]
        numbers = {**numbers, "clusters": len(sizes)}
        if unequal := explain_imbalance("clusters", len(sizes), compute_imbalance(sizes)):
            return replace(found, expected_coverage_missing=unequal)
    studied = read_studied_intervals(__package__, FILE, interval)
    expected, missing = find_expected_coverage(studied, data, numbers)
    return replace(found, expected_coverage=expected, expected_coverage_missing=missing)
