"""Series of pandas whose indexes name the same rows in another order."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd  # type: ignore[import-untyped]
import pytest

import thetahat

N = 20
Y = pd.Series(np.arange(N) % 2, index=range(100, 100 + N))
LOSS = pd.Series(np.linspace(0, 1, N), index=Y.index)
SHUFFLED = np.random.default_rng(4).permutation(N)
X = pd.DataFrame({"x": np.arange(N) * 7 % 11}, index=Y.index)


def predict(y: Any, m: Any, **more: Any) -> Any:
    return thetahat.evaluate_predictions(y, {"m": m}, blocks="holdout", loss="zero_one", **more)


CALLS: list[Callable[[Callable[[Any], Any]], Any]] = [
    lambda change: predict(Y, change(Y)),
    lambda change: predict(Y, Y, cluster=change(Y)),
    lambda change: thetahat.evaluate({"a": LOSS, "b": change(LOSS)}, blocks="holdout"),
    lambda change: thetahat.evaluate({"a": LOSS}, blocks="random", block=change(Y)),
    lambda change: thetahat.cross_validate(change(X), Y, {"m": "majority"}),
    lambda change: thetahat.cross_validate(X, Y, {"m": "majority"}, cluster=change(Y)),
]


@pytest.mark.parametrize("call", CALLS)
def test_invalid_another_order_is_refused(call: Callable[[Callable[[Any], Any]], Any]) -> None:
    with pytest.raises(ValueError, match="name the same rows in another order"):
        call(lambda column: column.iloc[SHUFFLED])


@pytest.mark.parametrize("call", CALLS)
def test_exact_arrays_and_other_indexes_are_paired_by_place(
    call: Callable[[Callable[[Any], Any]], Any],
) -> None:
    call(lambda column: column)
    call(lambda column: column.reset_index(drop=True))
    call(lambda column: column.set_axis([0] * N))


@pytest.mark.parametrize("call", CALLS)
def test_invalid_rows_that_were_removed_from_one_alone_are_refused(
    call: Callable[[Callable[[Any], Any]], Any],
) -> None:
    moved = Y.index[1:].append(pd.Index([100 + N]))  # one row is gone, and another one came
    with pytest.raises(ValueError, match=f"name {N - 1} rows alike and others not"):
        call(lambda column: column.set_axis(moved))


@pytest.mark.parametrize("first", [0, 5, 100])
def test_exact_an_index_that_numbers_rows_says_nothing_of_others(first: int) -> None:
    numbered = Y.reset_index(drop=True)

    predict(Y.set_axis(range(first, first + N)), numbered)
    predict(numbered, Y.set_axis(range(first, first + N)))
