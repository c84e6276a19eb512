"""Scores that are ratios of sums: their values by item."""

from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.testing import assert_allclose

from thetahat.errors import InsufficientData, InvalidParameter
from thetahat.values.ratios import BITS, PERPLEXITY, SHARE, compute_jackknife_values

RNG = np.random.default_rng(20_261_126)
LENGTHS = np.ceil(RNG.lognormal(3, 1, 40))
BLOCKS = RNG.integers(0, 3, 40)


@pytest.mark.parametrize(
    ("score", "find"),
    [
        (PERPLEXITY, lambda y, w: math.exp(-sum(y) / sum(w))),
        (BITS, lambda y, w: -sum(y) / sum(w) / math.log(2)),
        (SHARE, lambda y, w: sum(y) / sum(w)),
    ],
)
def test_naive_values_have_the_jackknife_mean_and_variance(score: object, find: object) -> None:
    parts = -LENGTHS * RNG.normal(2, 0.5, 40)

    values = compute_jackknife_values(score, parts, LENGTHS, BLOCKS)  # type: ignore[arg-type]

    for block in range(3):
        y, w = parts[block == BLOCKS].tolist(), LENGTHS[block == BLOCKS].tolist()
        n, own = len(y), values[block == BLOCKS]
        without = [find(y[:i] + y[i + 1 :], w[:i] + w[i + 1 :]) for i in range(n)]  # type: ignore[operator]
        assert_allclose(own.mean(), find(y, w), rtol=1e-12)  # type: ignore[operator]
        variance = (n - 1) / n * np.sum((np.array(without) - np.mean(without)) ** 2)
        assert_allclose(own.var(ddof=1) / n, variance, rtol=1e-9)


def test_exact_values_of_equal_lengths_are_the_items() -> None:
    parts = np.array([0.0, 1, 2, 2.5])

    values = compute_jackknife_values(SHARE, parts, np.full(4, 2.0), np.zeros(4, dtype=np.intp))

    assert_allclose(values, parts / 2, atol=1e-15)


def test_exact_a_block_of_one_item_has_its_score() -> None:
    values = compute_jackknife_values(BITS, np.array([-4.0]), np.array([2.0]), np.array([0]))

    assert_allclose(values, 2 / math.log(2), rtol=1e-15)


def test_invalid_sums_are_explained() -> None:
    one = np.zeros(3, dtype=np.intp)
    with pytest.raises(InsufficientData, match="needs two items"):
        compute_jackknife_values(SHARE, np.ones(3), np.array([1.0, 0, 0]), one)
    with pytest.raises(InvalidParameter, match="too large to be a number"):
        compute_jackknife_values(PERPLEXITY, np.full(3, -9000.0), np.ones(3), one)
