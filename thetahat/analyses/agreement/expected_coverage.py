"""How often intervals of coefficients of agreement covered in the nearest studied design.

``agreement_coverage.json`` has the numbers of ``docs/results/edges/agreement.md``.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

import numpy as np

from thetahat.analyses.agreement.result import AgreementEstimate
from thetahat.values.clusters import compute_imbalance
from thetahat.values.kept_studies import (
    INTERVAL_NOT_STUDIED,
    explain_imbalance,
    find_expected_coverage,
    read_studied_intervals,
)
from thetahat.values.types import IntArray

ITEMS: Final = "items"
DIFFERENT: Final = "items with different ratings"


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
    if cluster is not None:
        sizes = np.unique(cluster[is_counted], return_counts=True)[1]
        numbers["clusters"] = len(sizes)
        if unequal := explain_imbalance("clusters", len(sizes), compute_imbalance(sizes)):
            return replace(found, expected_coverage_missing=unequal)
    expected, missing = find_expected_coverage(
        read_studied_intervals(__package__, "agreement_coverage.json", coefficient),
        name_data(codes.shape[1], n_categories),
        numbers,
    )
    return replace(found, expected_coverage=expected, expected_coverage_missing=missing)
