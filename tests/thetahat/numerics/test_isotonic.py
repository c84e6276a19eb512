"""Isotonic regression of counts of events, beside scikit-learn's and the max-min formula."""

from __future__ import annotations

from fractions import Fraction
from itertools import accumulate
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

from thetahat.numerics.isotonic import Steps, fit_isotonic


def draw(kind: str, m: int, seed: int) -> tuple[Any, Any]:
    """Return events and rows of m levels."""
    rng = np.random.default_rng(seed)
    p = np.linspace(0.05, 0.95, m)
    sizes = {
        "rows": np.ones(m),
        "ties": rng.integers(1, 9, m),
        "resample": rng.poisson(1.0, m),
    }[kind]
    sizes[rng.integers(0, m)] += 1  # there are rows
    return rng.binomial(sizes.astype(int), p).astype(float), sizes.astype(float)


def spread(steps: Steps, m: int) -> Any:
    return steps.at(np.arange(m))


@pytest.mark.parametrize("kind", ["rows", "ties", "resample"])
@pytest.mark.parametrize("seed", range(20))
def test_naive_largest_of_the_least_shares(kind: str, seed: int) -> None:
    """The share of a level is the largest over its beginnings of the least over its ends."""
    sums, sizes = draw(kind, 30, seed)
    kept = np.flatnonzero(sizes)
    s = [0, *accumulate(int(v) for v in sums[kept])]
    n = [0, *accumulate(int(v) for v in sizes[kept])]
    k = len(kept)
    expected = [
        max(
            min(Fraction(s[j] - s[i], n[j] - n[i]) for j in range(x + 1, k + 1))
            for i in range(x + 1)
        )
        for x in range(k)
    ]
    found = fit_isotonic(sums, sizes)

    assert spread(found, 30)[kept].tolist() == [float(share) for share in expected]
    assert len(found.starts) == len(set(expected))


@pytest.mark.parametrize("kind", ["rows", "ties", "resample"])
def test_against_sklearn_many_levels(kind: str) -> None:
    from sklearn.isotonic import isotonic_regression

    sums, sizes = draw(kind, 20_000, 1)
    kept = sizes > 0
    expected = isotonic_regression(sums[kept] / sizes[kept], sample_weight=sizes[kept])

    assert_allclose(spread(fit_isotonic(sums, sizes), 20_000)[kept], expected, rtol=1e-12)


def test_limit_a_level_without_rows_has_the_share_below_it() -> None:
    found = fit_isotonic(np.array([0.0, 1, 0, 0, 3]), np.array([0.0, 4, 0, 0, 4]))

    assert spread(found, 5).tolist() == [0.25, 0.25, 0.25, 0.25, 0.75]
    assert (found.events.tolist(), found.sizes.tolist()) == ([1, 3], [4, 4])
