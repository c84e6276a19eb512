"""Sums of products over many resamples at once."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from thetahat.cross_validation import Outcomes, as_outcomes, build_rows, run_splits
from thetahat.cross_validation.fast_path import _build_for_all_rows
from thetahat.learners.base import Part
from thetahat.learners.fast.ridge import resampled_products as _resampled_products
from thetahat.learners.fast.ridge.resampled_products import (
    product_in_widths,
    sum_products_of_resamples,
)
from thetahat.learners.ridge import Ridge
from thetahat.losses.squared import Squared
from thetahat.schemes.bootstrap import BootstrapScheme
from thetahat.tables.data import Data, build_data
from thetahat.values.types import IntArray


def drawn(n: int, m: int) -> list[IntArray]:
    rng = np.random.default_rng(20_270_501)
    return [np.sort(rng.integers(n, size=n)) for _ in range(m)]


def made(*, weighted: bool = False, n: int = 90) -> Data:
    rng = np.random.default_rng(20_270_502)
    X = rng.normal(size=(n, 3)) * [1, 100, 1e-3] + [0, 1e4, 5]
    y = X @ [1.0, 0.02, 300.0] + rng.normal(size=n)
    w = rng.integers(0, 3, size=n).astype(np.float64) if weighted else None
    return build_data({f"x{j}": X[:, j] for j in range(3)}, y, "regression", weight=w)


def outcomes(data: Data, learner: Ridge, n_resamples: int, start: int, stop: int) -> Outcomes:
    _build_for_all_rows.cache_clear()
    scheme = BootstrapScheme(n_resamples=n_resamples)
    splits = scheme.splits(build_rows(data), 7, start=start, stop=stop)
    return as_outcomes(run_splits("m", learner, data, splits, Squared(), 7, keep_predictions=True))


def test_by_hand_two_rows_counted() -> None:
    both = np.array([[1.0, 3.0], [2.0, -1.0]])

    (sums,) = sum_products_of_resamples(both, None, [np.array([0, 1, 1])])

    # Once (1, 2) and twice (3, -1): 1 + 2 * 9, 2 - 2 * 3, 4 + 2 * 1.
    assert_array_equal(sums, [[19, -4], [-4, 6]])


@pytest.mark.parametrize("m", [1, 39, 40, 41, 85])
@pytest.mark.parametrize("block", [7, 60, 250_000])
def test_naive_sums_over_the_listed_rows(
    m: int, block: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_resampled_products, "NUMBERS_IN_2_MB", block)
    rng = np.random.default_rng(20_270_503)
    both, w = rng.normal(size=(4, 30)), rng.uniform(size=30)
    resamples = drawn(30, m)

    plain, weighted = (sum_products_of_resamples(both, weights, resamples) for weights in (None, w))

    for at, index in enumerate(resamples):
        selected = both[:, index]
        assert_allclose(plain[at], selected @ selected.T, atol=1e-12)
        assert_allclose(weighted[at], (selected * w[index]) @ selected.T, atol=1e-12)


def test_exact_a_row_of_a_product_does_not_depend_on_the_others() -> None:
    rng = np.random.default_rng(20_270_504)
    rows, others = rng.normal(size=(97, 301)), rng.normal(size=(301, 77))

    whole = product_in_widths(rows, others)

    assert_allclose(whole, rows @ others, atol=1e-11)
    for a, b in ((0, 97), (3, 4), (50, 97), (41, 83)):
        assert_array_equal(product_in_widths(rows[a:b], others), whole[a:b])


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("together", [True, False])
def test_naive_resamples_are_predicted_as_a_fit_predicts_them(
    weighted: bool,  # noqa: FBT001 - a case
    intercept: bool,  # noqa: FBT001 - a case
    together: bool,  # noqa: FBT001 - a case
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    if not together:
        monkeypatch.setattr(_resampled_products, "MAX_PRODUCTS_OF_RESAMPLES", 0)
    data, learner = made(weighted=weighted), Ridge(penalty=0.5, intercept=intercept)

    results = outcomes(data, learner, 6, 0, 6)

    assert not results.fit_reason
    splits = BootstrapScheme(n_resamples=6).splits(build_rows(data), 7)
    for split, outcome in zip(splits, results, strict=True):
        fitted = learner.fit(
            data.features.rows(split.train),
            data.y[split.train],
            weights=None if data.weight is None else data.weight[split.train],
            n_classes=0,
            rng=np.random.default_rng(0),
        )
        wanted = fitted.predict(data.features.rows(split.test)).output
        assert_allclose(np.asarray(outcome.output), wanted, rtol=1e-9)


def test_exact_what_a_resample_says_does_not_depend_on_the_others() -> None:
    data = made()

    whole = outcomes(data, Ridge(), 90, 0, 90)

    for start, stop in ((0, 1), (7, 60), (60, 90)):
        stretch = outcomes(data, Ridge(), 90, start, stop)
        for first, same in zip(stretch, list(whole)[start:stop], strict=True):
            assert_array_equal(np.asarray(first.output), np.asarray(same.output))


def test_degenerate_resamples_without_weight_or_spread_have_to_be_fitted() -> None:
    data = made(weighted=True)
    light = np.flatnonzero(np.asarray(data.weight) == 0)
    splits = Ridge(penalty=0.0).over_splits(data.features, data.y, weights=data.weight, n_classes=0)
    every = np.arange(data.n)
    parts = [
        Part(np.repeat(light, 3), every, None),
        Part(np.repeat([np.flatnonzero(np.asarray(data.weight) > 0)[0]], 5), every, None),
    ]

    reasons = [prediction.reason for prediction in splits.predict_all(parts)]  # type: ignore[union-attr]

    assert reasons == [
        "the training part has no weight",
        "the training part's normal equations are ill-conditioned",
    ]
    assert [splits.predict(part).reason for part in parts] == reasons  # type: ignore[union-attr]
