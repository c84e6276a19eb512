"""Linear discriminants over splits, in rows that all rows make uncorrelated."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from thetahat.cross_validation import Outcomes, SplitOutcome, as_outcomes, build_rows, run_splits
from thetahat.learners.fast.discriminants import decorrelated as _discriminant_turned
from thetahat.learners.linear_discriminant import LinearDiscriminant
from thetahat.losses.zero_one import ZeroOne
from thetahat.schemes import SCHEMES
from thetahat.schemes.k_fold import KFold
from thetahat.tables.data import Data, build_data


def ill_conditioned(condition: float, n: int = 120, *, weighted: bool = False) -> Data:
    """Columns whose products have about this condition, all of them of about one length."""
    rng = np.random.default_rng(20_270_111)
    common = rng.normal(size=(n, 1))
    X = common + rng.normal(size=(n, 4)) / np.sqrt(condition)
    y = np.digitize(X @ [1, -1, 1, -1] * np.sqrt(condition) / 2 + rng.normal(size=n), [-0.5, 0.5])
    columns = {f"x{j}": X[:, j] for j in range(4)} | {"constant": np.full(n, 7.0)}
    w = rng.uniform(0.5, 2, size=n) if weighted else None
    source = np.arange(n) * 4 // n
    return build_data(columns, y, "classification", weight=w, source=source)


SCHEMES_TRIED: list[tuple[str, dict[str, Any]]] = [
    ("k_fold", {"n_folds": 6}),
    ("leave_one_source_out", {}),
    ("bootstrap", {"n_resamples": 3}),
    ("leave_one_out", {}),
]


def some_of(scheme: str) -> list[int | None]:
    return [0, 40 if scheme == "leave_one_out" else None]


def outcomes(data: Data, scheme: str, params: dict[str, Any], edges: list[int | None]) -> Outcomes:
    made = SCHEMES[scheme](**params)
    parts: list[SplitOutcome] = []
    for start, stop in itertools.pairwise(edges):
        splits = made.splits(build_rows(data), 5, start=start or 0, stop=stop)
        parts += run_splits(
            "m", LinearDiscriminant(), data, splits, ZeroOne(), 0, keep_predictions=True
        )
    return as_outcomes(parts)


def assert_as_fitted(
    data: Data,
    results: Outcomes,
    scheme: str,
    params: dict[str, Any],
    ends: list[int | None],
    *,
    atol: float,
) -> None:
    """Compare every outcome with a fit on its training part."""
    splits = SCHEMES[scheme](**params).splits(build_rows(data), 5, start=ends[0] or 0, stop=ends[1])
    for split, outcome in zip(splits, results, strict=True):
        fitted = LinearDiscriminant().fit(
            data.features.rows(split.train),
            data.y[split.train],
            weights=None if data.weight is None else data.weight[split.train],
            n_classes=3,
            rng=np.random.default_rng(0),
        )
        wanted = fitted.predict(data.features.rows(split.test))
        assert_array_equal(outcome.output, wanted.output)
        assert_allclose(
            np.asarray(outcome.probabilities), np.asarray(wanted.probabilities), atol=atol
        )


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("condition", [1.0, 1e5, 1e7])
def test_naive_ill_conditioned_features_keep_the_fast_path(
    condition: float,
    weighted: bool,  # noqa: FBT001 - a case
) -> None:
    data = ill_conditioned(condition, weighted=weighted)

    for scheme, params in SCHEMES_TRIED:
        results = outcomes(data, scheme, params, [0, None])

        assert not results.fit_reason
        assert_as_fitted(data, results, scheme, params, [0, None], atol=1e-8)


@pytest.mark.parametrize(
    ("scheme", "params"),
    [("k_fold", {"n_folds": 3}), ("bootstrap", {"n_resamples": 2}), ("leave_one_out", {})],
)
def test_degenerate_worse_conditioned_splits_are_fitted_with_a_reason(
    scheme: str, params: dict[str, Any]
) -> None:
    results = outcomes(ill_conditioned(1e13), scheme, params, [0, None])

    assert set(results.fit_reason.values()) == {
        "the training part's covariance matrix is ill-conditioned"
    }


def test_exact_what_a_split_says_does_not_depend_on_the_others() -> None:
    data, params = ill_conditioned(1e5, 71), {"n_folds": 7, "n_repeats": 3}

    whole = outcomes(data, "repeated_k_fold", params, [0, 21])
    pieces = outcomes(data, "repeated_k_fold", params, [0, 4, 15, 21])
    alone = outcomes(data, "repeated_k_fold", params, [*range(22)])

    assert_array_equal(np.asarray(pieces.probabilities), np.asarray(whole.probabilities))
    assert_array_equal(np.asarray(alone.probabilities), np.asarray(whole.probabilities))


@pytest.mark.parametrize("scheme", ["k_fold", "repeated_k_fold"])
def test_exact_splits_a_few_at_a_time_say_the_same(
    scheme: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    data, params = ill_conditioned(1e5, 71), {"n_folds": 14}
    whole = outcomes(data, scheme, params, [0, None])
    monkeypatch.setattr(_discriminant_turned, "_MAX_ENTRIES", 400)

    few = outcomes(data, scheme, params, [0, None])

    assert_allclose(np.asarray(few.probabilities), np.asarray(whole.probabilities), atol=1e-12)
    if scheme == "repeated_k_fold":  # else all folds at once are predicted in another way
        assert_array_equal(np.asarray(few.probabilities), np.asarray(whole.probabilities))


def test_naive_more_classes_than_a_product_is_good_for() -> None:
    rng = np.random.default_rng(20_270_401)
    y = np.arange(200) % 20
    X = rng.normal(size=(200, 3)) + rng.normal(size=(20, 3))[y] * 3
    data = build_data({f"x{j}": X[:, j] for j in range(3)}, y, "classification")

    results = outcomes(data, "k_fold", {"n_folds": 4}, [0, None])

    assert not results.fit_reason
    splits = KFold(n_folds=4).splits(build_rows(data), 5)
    for split, outcome in zip(splits, results, strict=True):
        fitted = LinearDiscriminant().fit(
            data.features.rows(split.train), data.y[split.train], weights=None, n_classes=20,
            rng=rng,
        )  # fmt: skip
        wanted = fitted.predict(data.features.rows(split.test)).probabilities
        assert_allclose(np.asarray(outcome.probabilities), np.asarray(wanted), atol=1e-9)


@pytest.mark.parametrize("n_folds", [2, 7])
@pytest.mark.parametrize("condition", [1.0, 1e5])
def test_exact_splits_that_leave_out_each_row_once_say_the_same_but_for_rounding(
    condition: float, n_folds: int
) -> None:
    data, params = ill_conditioned(condition, 71), {"n_folds": n_folds}

    whole = outcomes(data, "k_fold", params, [0, None])
    pieces = outcomes(data, "k_fold", params, [0, 1, n_folds])

    assert not whole.fit_reason
    assert_array_equal(pieces.output, whole.output)
    assert_allclose(
        np.asarray(pieces.probabilities), np.asarray(whole.probabilities), atol=1e-15 * condition
    )


def hardly_seen(case: str) -> Data:
    """Rows of which every tenth or so tells little of the others."""
    rng = np.random.default_rng(20_270_402)
    n = 600
    X, w = rng.normal(size=(n, 3)), np.ones(n)
    if case == "a column that varies in few rows":
        X = np.column_stack([X, np.isin(np.arange(n), [7, 101, 202, 303, 404, 505])])
    elif case == "a direction that varies elsewhere":
        X[::5, 1] = X[::5, 0] + 1e-3 * X[::5, 1]
    elif case == "all weight on few rows":
        w[:] = np.where(np.arange(n) % 25 == 3, 1.0, 1e-4)
    elif case == "in another scale":
        X[::5] *= 1e-3
    elif case == "a common part elsewhere":
        X[np.arange(n) % 5 > 0] += 1e7 * rng.normal(size=(480, 1))
    y = np.digitize(X[:, 0] + rng.normal(size=n), [-0.5, 0.5])
    columns = {f"x{j}": column for j, column in enumerate(X.T)}
    source = np.repeat(np.arange(4), n // 4)
    return build_data(columns, y, "classification", weight=w, source=source)


@pytest.mark.parametrize(
    "case",
    [
        "a column that varies in few rows",
        "a direction that varies elsewhere",
        "all weight on few rows",
        "in another scale",
    ],
)
@pytest.mark.parametrize(("scheme", "params"), SCHEMES_TRIED)
def test_naive_rows_of_which_a_few_differ_from_the_others(
    case: str, scheme: str, params: dict[str, Any]
) -> None:
    data = hardly_seen(case)

    results = outcomes(data, scheme, params, some_of(scheme))

    assert not results.fit_reason
    assert_as_fitted(data, results, scheme, params, some_of(scheme), atol=1e-9)


@pytest.mark.parametrize(
    ("scheme", "params"),
    [("leave_one_source_out", {}), ("bootstrap", {"n_resamples": 3}), ("leave_one_out", {})],
)
def test_degenerate_where_decorrelating_would_cost_the_digits_splits_are_fitted(
    scheme: str, params: dict[str, Any]
) -> None:
    results = outcomes(hardly_seen("a common part elsewhere"), scheme, params, some_of(scheme))

    assert set(results.fit_reason.values()) == {
        "the training part's covariance matrix is ill-conditioned"
    }
