"""Weights from the whole source and from each training part."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from tests.thetahat.analyses.importance_weighting.shifts import shift
from thetahat.analyses.importance_weighting.samples import SourceAndTarget
from thetahat.analyses.importance_weighting.weights import (
    estimate_weights_in_training_parts,
    estimate_weights_on_all_rows,
)
from thetahat.errors import InsufficientData, UnsupportedCombination
from thetahat.importance_weights import IMPORTANCE_WEIGHTS, Samples
from thetahat.seeds import make_random_stream
from thetahat.tables.features import Features

FUNCTIONS = [name for name in IMPORTANCE_WEIGHTS if name not in {"given", "kernel_mean_matching"}]


@pytest.mark.parametrize("name", FUNCTIONS)
def test_naive_each_training_part_by_itself(name: str) -> None:
    sample, method = shift(), IMPORTANCE_WEIGHTS[name]()
    weights = estimate_weights_in_training_parts(method, sample, 3)
    X, Z = sample.source.features.complete_matrix(), sample.target.complete_matrix()
    of_target = np.zeros(15)

    for k in range(4):
        train = sample.fold != k
        rng = make_random_stream(3, "weights in training", k)
        own = method.estimate(Samples(X[train], Z), rng)
        assert own.weight_function is not None
        assert own.target_values is not None
        of_target += own.target_values / 4
        assert_array_equal(weights.get_fit_weights(k)[train], own.values)
        assert not weights.get_fit_weights(k)[~train].any()
        assert_allclose(weights.validation[~train], own.weight_function(X[~train]), rtol=1e-12)
    on_all = estimate_weights_on_all_rows(method, sample, 3)
    assert_array_equal(weights.weighing.values, on_all.weighing.values)
    moment = weights.second_moment()
    assert moment is not None
    assert_allclose(moment, [of_target.mean(), of_target.var(ddof=1) / 15], rtol=1e-10)


def test_exact_on_all_every_fit_and_loss_has_the_same_weights() -> None:
    weights = estimate_weights_on_all_rows(IMPORTANCE_WEIGHTS["ulsif"](), shift(), 3)

    assert weights.get_fit_weights(2) is weights.weighing.values
    assert weights.validation is weights.weighing.values


def test_limit_given_weights_are_the_same_either_way() -> None:
    sample = shift(known_weights=np.arange(24.0))
    shift_weights = estimate_weights_in_training_parts(IMPORTANCE_WEIGHTS["given"](), sample, 3)

    assert_array_equal(shift_weights.get_fit_weights(1), np.arange(24.0))
    assert shift_weights.second_moment() is None


def test_invalid_weights_that_are_no_function() -> None:
    with pytest.raises(UnsupportedCombination, match="given, kliep, logistic, rulsif, ulsif"):
        estimate_weights_in_training_parts(IMPORTANCE_WEIGHTS["kernel_mean_matching"](), shift(), 3)


def moved(row: int, to: list[float]) -> SourceAndTarget:
    sample = shift()
    columns = [column.copy() for column in sample.source.features.columns]
    for column, value in zip(columns, to, strict=True):
        column[row] = value
    source: Any = sample.source
    rows = Features(source.features.names, tuple(columns))
    data = type(source)(features=rows, y=source.y, task=source.task, classes=source.classes)
    a, b = sample.target.columns
    return SourceAndTarget(
        source=data,
        target=Features(("a", "b"), (3 * a, 3 * b)),
        target_y=None,
        fold=sample.fold,
        fold_labels=sample.fold_labels,
    )


def test_degenerate_a_validation_row_beyond_the_range_of_numbers() -> None:
    # by the other rows alone this one is 80 standard deviations away, and the target is wider
    sample = moved(5, [80.0, 0.0])
    with pytest.raises(InsufficientData, match="Source row 5 would have a weight above 1e\\+140"):
        estimate_weights_in_training_parts(IMPORTANCE_WEIGHTS["gaussian_ratio"](), sample, 3)


def test_degenerate_a_training_part_that_is_too_small_is_named() -> None:
    sample = shift()
    tiny = SourceAndTarget(
        source=sample.source,
        target=sample.target,
        target_y=None,
        fold=np.where(np.arange(24) < 2, 0, 1).astype(np.intp),
        fold_labels=("few", "many"),
    )
    with pytest.raises(InsufficientData, match="In the training part without fold 'many'"):
        estimate_weights_in_training_parts(IMPORTANCE_WEIGHTS["gaussian_ratio"](), tiny, 3)


def test_degenerate_one_function_that_overflows_leaves_no_second_moment() -> None:
    # the target has a row that is infinitely likelier under its own normal
    sample = shift()
    a, b = sample.target.columns
    far = Features(("a", "b"), (np.append(a, 300.0), np.append(b, 0.0)))
    wide = SourceAndTarget(
        source=sample.source,
        target=far,
        target_y=None,
        fold=sample.fold,
        fold_labels=sample.fold_labels,
    )
    shift_weights = estimate_weights_in_training_parts(
        IMPORTANCE_WEIGHTS["gaussian_ratio"](), wide, 3
    )

    assert shift_weights.target_values is None
    assert shift_weights.second_moment() is None
