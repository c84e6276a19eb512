"""Weights of rows that were not among those they were estimated from."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

from tests.thetahat.importance_weights.samples import SOURCE, TARGET
from thetahat.importance_weights import IMPORTANCE_WEIGHTS, Samples
from thetahat.importance_weights.kliep import Kliep

WITHOUT = {"given", "kernel_mean_matching"}


@pytest.mark.parametrize("name", [name for name in IMPORTANCE_WEIGHTS if name not in WITHOUT])
def test_exact_the_function_at_the_samples_is_the_weights(name: str) -> None:
    # a constant column does not enter anywhere
    pair = [np.column_stack([rows, np.full(len(rows), 3.0)]) for rows in (SOURCE, TARGET)]
    estimate = IMPORTANCE_WEIGHTS[name]().estimate(Samples(*pair), np.random.default_rng(1))

    assert estimate.weight_function is not None
    assert estimate.target_values is not None
    assert_allclose(estimate.weight_function(pair[0]), estimate.values, rtol=1e-9)
    assert_allclose(estimate.weight_function(pair[1]), estimate.target_values, rtol=1e-9)


def test_exact_the_function_of_the_early_stopped_mode() -> None:
    method = Kliep(mode="early_stopped", width=1.0)
    estimate = method.estimate(Samples(SOURCE, TARGET), np.random.default_rng(1))

    assert estimate.weight_function is not None
    assert_allclose(estimate.weight_function(SOURCE), estimate.values, rtol=1e-9)


@pytest.mark.parametrize("name", sorted(WITHOUT))
def test_degenerate_methods_that_estimate_no_function(name: str) -> None:
    samples = Samples(SOURCE, TARGET, np.ones(len(SOURCE)))

    assert (
        IMPORTANCE_WEIGHTS[name]().estimate(samples, np.random.default_rng(1)).weight_function
        is None
    )


@pytest.mark.parametrize("name", ["gaussian_ratio", "logistic"])
def test_degenerate_far_rows_are_beyond_the_range_of_numbers(name: str) -> None:
    estimate = IMPORTANCE_WEIGHTS[name]().estimate(
        Samples(SOURCE, TARGET), np.random.default_rng(1)
    )
    assert estimate.weight_function is not None
    far = estimate.weight_function(np.array([[1e6, 0.0], [-1e6, 0.0]]))

    assert not np.isnan(far).any()
