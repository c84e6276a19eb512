"""Estimates of agreement with how often their intervals covered in the nearest studied design."""

from __future__ import annotations

from dataclasses import replace
from typing import Final, TypeVar

import numpy as np

from thetahat.analyses.agreement.result import AgreementEstimate, KappaDifference
from thetahat.values.agreement_coverage import (
    DIFFERENT,
    ITEMS,
    find_agreement_coverage,
    find_coverage_of_rate,
    name_data,
)
from thetahat.values.kept_studies import INTERVAL_NOT_STUDIED
from thetahat.values.types import IntArray

Found = TypeVar("Found", AgreementEstimate, KappaDifference)

KAPPA_DIFFERENCES: Final = "differences of kappa"
RAREST: Final = "items of the rarest category"
ONE_RIGHT: Final = "items on which one rater alone agrees with the truth"


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
    expected, missing = find_coverage_of_rate(found.n, found.estimate, cluster)
    return replace(found, expected_coverage=expected, expected_coverage_missing=missing)


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
    expected, missing = find_agreement_coverage(interval, data, numbers, cluster)
    return replace(found, expected_coverage=expected, expected_coverage_missing=missing)
