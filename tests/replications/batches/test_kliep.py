from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from tests.replications.batches.test_kernel_mean_matching import stacked
from tests.thetahat.importance_weights.samples import rng
from thetahat.errors import InsufficientData
from thetahat.importance_weights import Samples
from thetahat.importance_weights.kliep import Kliep
from thetahat.values.types import FloatArray
from thetahat_replications.batches import estimate_kliep_weights, estimate_weights_one_by_one, kliep

METHOD = Kliep(mode="early_stopped", n_centres=40)


def both(
    source: FloatArray, target: FloatArray, method: Kliep = METHOD
) -> tuple[FloatArray, FloatArray]:
    """Weights by the loops and by the method, from generators that end in the same place."""
    first, other = rng(), rng()
    weights, expected = (
        estimate_kliep_weights(source, target, first, method),
        estimate_weights_one_by_one(method, source, target, other),
    )
    assert first.random() == other.random()
    return weights, expected


@pytest.mark.parametrize("p", [1, 2, 5])
def test_exact_as_one_by_one(p: int, monkeypatch: pytest.MonkeyPatch) -> None:
    source, target = stacked(12, n=30, m=90, p=p)
    expected = estimate_weights_one_by_one(METHOD, source, target, rng())
    monkeypatch.delattr(kliep, "estimate_weights_one_by_one")

    weights = estimate_kliep_weights(source, target, rng(), METHOD)

    assert_allclose(weights, expected, rtol=1e-10, atol=1e-13)
    assert_allclose(weights.mean(axis=1), 1, rtol=1e-12)


def test_exact_what_the_loops_do_not_know_is_done_by_the_method() -> None:
    source, target = stacked(2, n=10, m=12)
    for method in (Kliep(), Kliep(mode="early_stopped", width=1.0)):
        assert_array_equal(*both(source, target, method))
    assert_array_equal(*both(source, target[:, :4]))
    assert_allclose(*both(source, target[:1]), rtol=1e-10)


def test_limit_many_cells_are_left_to_the_method(monkeypatch: pytest.MonkeyPatch) -> None:
    source, target = stacked(2, n=10, m=12)
    monkeypatch.setattr(kliep, "MAX_CELLS", 143)

    assert_array_equal(*both(source, target))


def test_degenerate_data_sets_that_are_refused() -> None:
    source, target = stacked(5, n=10, m=50)
    source[1], target[1] = 0, 0  # no width
    source[2, 3] = np.nan
    target[3, 40:] += 1e6 * np.arange(1, 11)[:, None]  # rows out of reach of every centre

    weights, expected = both(source, target)

    assert_array_equal(np.isnan(weights).all(axis=1), [False, True, True, True, False])
    assert_allclose(weights, expected, rtol=1e-10, atol=1e-13)


def test_degenerate_kernels_at_the_end_of_the_range() -> None:
    near = np.linspace(0, 1, 10)
    method = Kliep(mode="early_stopped", n_centres=10)
    refused = []
    for far in np.linspace(2, 12, 11):
        target = np.append(near, far)
        weights, expected = both(near[None, :, None], target[None, :, None], method)
        assert_allclose(weights, expected, rtol=1e-10)
        refused.append(bool(np.isnan(weights).all()))
    assert refused == sorted(refused)
    assert 0 < sum(refused) < 11


def test_degenerate_a_start_that_leaves_rows_without_weight() -> None:
    # 30 source rows beside 5 target rows, 10 beside 20 others: of the constraint's step
    # (1 - sum b) / sum b^2 b the coefficients of the five are the ones that end below 0
    source = np.where(np.arange(40) < 30, 0.0, 50.0)
    target = np.where(np.arange(25) < 5, 1.0, 51.0)

    weights, expected = both(source[None, :, None], target[None, :, None])

    assert np.isnan(weights).all()
    assert np.isnan(expected).all()
    with pytest.raises(InsufficientData, match="starts with weight 0 for a target row"):
        METHOD.estimate(Samples(source[:, None], target[:, None]), rng())
