"""Linear discriminants over splits, in rows that all rows make uncorrelated."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from thetahat.data import Data, data_of
from thetahat.learners import _discriminant_turned
from thetahat.learners.linear_discriminant import LinearDiscriminant
from thetahat.losses.zero_one import ZeroOne
from thetahat.resampling import Outcomes, SplitOutcome, gathered, rows_of, run_splits
from thetahat.schemes import SCHEMES
from thetahat.schemes.k_fold import KFold


def ill_conditioned(condition: float, n: int = 120, *, weighted: bool = False) -> Data:
    """Columns whose products have about this condition, all of them of about one length."""
    rng = np.random.default_rng(20_270_111)
    common = rng.normal(size=(n, 1))
    X = common + rng.normal(size=(n, 4)) / np.sqrt(condition)
    y = np.digitize(X @ [1, -1, 1, -1] * np.sqrt(condition) / 2 + rng.normal(size=n), [-0.5, 0.5])
    columns = {f"x{j}": X[:, j] for j in range(4)} | {"constant": np.full(n, 7.0)}
    w = rng.uniform(0.5, 2, size=n) if weighted else None
    return data_of(columns, y, "classification", weight=w)


def outcomes(data: Data, scheme: str, params: dict[str, Any], edges: list[int | None]) -> Outcomes:
    made = SCHEMES[scheme](**params)
    parts: list[SplitOutcome] = []
    for start, stop in itertools.pairwise(edges):
        splits = made.splits(rows_of(data), 5, start=start or 0, stop=stop)
        parts += run_splits(
            "m", LinearDiscriminant(), data, splits, ZeroOne(), 0, keep_predictions=True
        )
    return gathered(parts)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("condition", [1.0, 1e5, 1e7])
def test_naive_ill_conditioned_features_keep_the_fast_path(
    condition: float,
    weighted: bool,  # noqa: FBT001 - a case
) -> None:
    data = ill_conditioned(condition, weighted=weighted)

    for scheme, params in (("k_fold", {"n_folds": 6}), ("bootstrap", {"n_resamples": 3})):
        told = outcomes(data, scheme, params, [0, None])

        assert not told.why_plain
        splits = SCHEMES[scheme](**params).splits(rows_of(data), 5)
        for split, outcome in zip(splits, told, strict=True):
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
                np.asarray(outcome.probabilities), np.asarray(wanted.probabilities), atol=1e-8
            )


def test_degenerate_beyond_that_splits_are_fitted_and_say_so() -> None:
    told = outcomes(ill_conditioned(1e13), "k_fold", {"n_folds": 3}, [0, None])

    assert set(told.why_plain.values()) == {
        "the training part's covariance matrix is ill-conditioned"
    }


def test_exact_what_a_split_says_does_not_depend_on_the_others() -> None:
    data, params = ill_conditioned(1e5, 71), {"n_folds": 7, "n_repeats": 3}

    whole = outcomes(data, "repeated_k_fold", params, [0, 21])
    pieces = outcomes(data, "repeated_k_fold", params, [0, 4, 15, 21])
    alone = outcomes(data, "repeated_k_fold", params, [*range(22)])

    assert_array_equal(np.asarray(pieces.probabilities), np.asarray(whole.probabilities))
    assert_array_equal(np.asarray(alone.probabilities), np.asarray(whole.probabilities))


def test_exact_splits_a_few_at_a_time_say_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    data, params = ill_conditioned(1e5, 71), {"n_folds": 7}
    whole = outcomes(data, "k_fold", params, [0, None])
    monkeypatch.setattr(_discriminant_turned, "_HELD", 400)

    few = outcomes(data, "k_fold", params, [0, None])

    assert_array_equal(np.asarray(few.probabilities), np.asarray(whole.probabilities))


def test_naive_more_classes_than_a_product_is_good_for() -> None:
    rng = np.random.default_rng(20_270_401)
    y = np.arange(200) % 20
    X = rng.normal(size=(200, 3)) + rng.normal(size=(20, 3))[y] * 3
    data = data_of({f"x{j}": X[:, j] for j in range(3)}, y, "classification")

    told = outcomes(data, "k_fold", {"n_folds": 4}, [0, None])

    assert not told.why_plain
    splits = KFold(n_folds=4).splits(rows_of(data), 5)
    for split, outcome in zip(splits, told, strict=True):
        fitted = LinearDiscriminant().fit(
            data.features.rows(split.train), data.y[split.train], weights=None, n_classes=20,
            rng=rng,
        )  # fmt: skip
        wanted = fitted.predict(data.features.rows(split.test)).probabilities
        assert_allclose(np.asarray(outcome.probabilities), np.asarray(wanted), atol=1e-9)
