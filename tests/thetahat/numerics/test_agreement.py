"""Coefficients of agreement, beside the outputs of six packages and plain loops."""

from __future__ import annotations

from itertools import permutations
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

from tests.vectors.reading import VECTORS
from thetahat.numerics.agreement import (
    Coefficient,
    compute_cohen_kappa,
    compute_fleiss_kappa,
    compute_gwet_ac1,
    compute_krippendorff_alpha,
)


def read(name: str) -> tuple[Any, Any, Any]:
    """Return codes, number of categories and values of a vector."""
    rows = VECTORS[name]["inputs"]["ratings"]
    values = sorted({value for row in rows for value in row if value is not None})
    codes = {value: code for code, value in enumerate(values)}
    ratings = np.array([[codes.get(value, -1) for value in row] for row in rows])
    return ratings, len(values), np.array(values, dtype=np.float64)


def test_naive_alpha_goes_through_all_pairs_of_ratings() -> None:
    ratings, _, values = read("agreement_missing")
    rated = [[values[code] for code in row if code >= 0] for row in ratings]
    paired = [row for row in rated if len(row) > 1]
    everything = [value for row in paired for value in row]
    observed = sum(
        sum((x - y) ** 2 for x, y in permutations(row, 2)) / (len(row) - 1) for row in paired
    ) / len(everything)
    expected = sum((x - y) ** 2 for x, y in permutations(everything, 2)) / (
        len(everything) * (len(everything) - 1)
    )

    found = compute_krippendorff_alpha(ratings, "interval", values)

    assert found is not None
    assert_allclose(found.estimate, 1 - observed / expected, rtol=1e-12)


@pytest.mark.parametrize("scale", ["nominal", "ordinal", "interval"])
def test_naive_alpha_without_one_item_at_a_time(scale: Any) -> None:
    ratings, _, values = read("agreement_krippendorff_2011")
    ratings = ratings[(ratings >= 0).sum(axis=1) > 1]
    n = len(ratings)
    found = compute_krippendorff_alpha(ratings, scale, values)
    assert found is not None
    for i in range(n):
        left = compute_krippendorff_alpha(np.delete(ratings, i, axis=0), scale, values)
        assert left is not None
        pseudo = n * found.estimate - (n - 1) * left.estimate
        assert_allclose(found.contributions[i], pseudo, rtol=1e-9)


def test_limit_clusters_of_one_item_are_items() -> None:
    ratings, q, _ = read("agreement_krippendorff_2011")
    found = compute_gwet_ac1(ratings, q)

    assert found is not None
    each = np.arange(len(ratings))
    assert found.count_units(each) == found.count_units() == (ratings >= 0).any(axis=1).sum()
    assert_allclose(found.compute_variance(each), found.compute_variance(), rtol=1e-12)


def test_limit_positions_one_apart_are_the_categories() -> None:
    ratings, q, values = read("agreement_two_raters")
    a, b = ratings.T

    for power in (1, 2):
        ours = compute_cohen_kappa(a, b, q, power, 3 * values)
        theirs = compute_cohen_kappa(a, b, q, power)
        assert ours is not None
        assert theirs is not None
        assert_allclose(ours.estimate, theirs.estimate, rtol=1e-12)


def test_degenerate_a_single_item_has_no_variance() -> None:
    found = compute_cohen_kappa(np.array([0]), np.array([1]), 2)

    assert found is not None
    assert np.isnan(found.compute_variance())
    alone = np.array([[0, -1], [1, -1]])
    assert compute_krippendorff_alpha(alone, "nominal", np.arange(2.0)) is None
    assert compute_fleiss_kappa(alone, 2) is None


@pytest.mark.parametrize(("apart", "varies"), [(0.95e-9, False), (1.05e-9, True)])
def test_limit_contributions_that_differ_by_rounding_have_no_variance(
    apart: float, *, varies: bool
) -> None:
    """The limit is a share of 1e-9 of the largest contribution, whatever its size."""
    for size in (1.0, 1e6):
        contributions = size * np.array([1 + apart, 1 - apart, 1 + apart, 1 - apart])
        coefficient = Coefficient(
            estimate=0.5, contributions=contributions, items=np.ones(4, dtype=bool)
        )

        assert (coefficient.compute_variance() > 0) is varies
        assert (coefficient.compute_variance(np.arange(4)) > 0) is varies
