from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.thetahat.schemes.some_rows import drawn
from thetahat.errors import InsufficientData, InvalidParameter
from thetahat.schemes.base import Rows, Split
from thetahat.schemes.time_series import TimeSeries


def in_order(n: int) -> Rows:
    return Rows(n=n, time=np.arange(n, dtype=np.float64))


def pairs(splits: list[Split]) -> list[tuple[list[int], list[int]]]:
    return [(s.train.tolist(), s.test.tolist()) for s in splits]


@pytest.mark.outside("the documented example of scikit-learn's TimeSeriesSplit: six rows, 5 splits")
def test_golden_five_of_six() -> None:
    splits = list(TimeSeries().splits(in_order(6), 1))

    assert pairs(splits) == [(list(range(k)), [k]) for k in range(1, 6)]
    assert [(s.repeat, s.block, s.label) for s in splits] == [(0, k, k) for k in range(5)]


@pytest.mark.outside("the documented example of scikit-learn's TimeSeriesSplit: 12 rows, gap of 2")
def test_golden_with_a_gap() -> None:
    splits = list(TimeSeries(n_folds=3, test_size=2, gap=2).splits(in_order(12), 1))

    assert pairs(splits) == [
        ([0, 1, 2, 3], [6, 7]),
        ([0, 1, 2, 3, 4, 5], [8, 9]),
        ([0, 1, 2, 3, 4, 5, 6, 7], [10, 11]),
    ]


@pytest.mark.parametrize(
    ("n", "params"),
    [
        (23, {"n_folds": 4}),
        (23, {"n_folds": 4, "gap": 1}),
        (30, {"n_folds": 3, "test_size": 5, "max_train_size": 7}),
        (30, {"n_folds": 2, "gap": 3, "max_train_size": 4}),
    ],
)
def test_against_sklearn_time_series_split(n: int, params: dict[str, Any]) -> None:
    from sklearn.model_selection import TimeSeriesSplit

    ours = list(TimeSeries(**params).splits(in_order(n), 0))
    keywords = {"n_splits" if name == "n_folds" else name: v for name, v in params.items()}
    theirs: Any = TimeSeriesSplit(**keywords)

    assert pairs(ours) == [(a.tolist(), b.tolist()) for a, b in theirs.split(np.zeros(n))]


def test_exact_the_time_column_decides_not_the_rows() -> None:
    order = np.random.default_rng(3).permutation(20)
    rows = Rows(n=20, time=order.astype(np.float64))
    place = np.argsort(order)

    shuffled = list(TimeSeries(n_folds=3).splits(rows, 1))

    straight = pairs(list(TimeSeries(n_folds=3).splits(in_order(20), 1)))
    assert pairs(shuffled) == [(sorted(place[a]), sorted(place[b])) for a, b in straight]


def test_degenerate_rows_of_one_instant_are_on_one_side() -> None:
    """Row 3 has the instant of the first test row: to learn from it would be to look ahead."""
    rows = Rows(n=6, time=np.array([0.0, 1, 2, 3, 3, 4]))

    splits = list(TimeSeries(n_folds=2, test_size=1).splits(rows, 1))

    assert pairs(splits) == [([0, 1, 2], [4]), ([0, 1, 2, 3, 4], [5])]


def test_property_instants_may_be_words_or_dates() -> None:
    words = np.array(["2024-01", "2024-03", "2024-02", "2024-04"], dtype=object)
    dates = words.astype("datetime64[M]")

    first, two = (drawn(TimeSeries(n_folds=2), Rows(n=4, time=t), 1) for t in (words, dates))

    assert first == two
    assert first[0][3:] == ([0, 2], [1])


@pytest.mark.parametrize(
    ("params", "parameter"),
    [
        ({"n_folds": 1}, "n_folds must be at least 2"),
        ({"test_size": 0}, "test_size must be at least 1"),
        ({"gap": -1}, "gap must be at least 0"),
        ({"max_train_size": 0}, "max_train_size must be at least 1"),
    ],
)
def test_invalid_parameters(params: dict[str, int], parameter: str) -> None:
    with pytest.raises(InvalidParameter, match=parameter):
        TimeSeries(**params)


@pytest.mark.parametrize(
    ("n", "params", "loc"),
    [(5, {}, "n_folds"), (6, {"n_folds": 3, "test_size": 2}, "test_size"), (6, {"gap": 1}, "gap")],
)
def test_invalid_too_few_rows(n: int, params: dict[str, int], loc: str) -> None:
    with pytest.raises(InsufficientData, match=r"more than|no row before") as caught:
        TimeSeries(**params).n_splits(in_order(n))
    assert caught.value.loc == (loc,)


def test_invalid_nothing_before_the_first_block() -> None:
    rows = Rows(n=6, time=np.zeros(6))

    with pytest.raises(InsufficientData, match=r"Block 0 starts at 0\.0") as caught:
        TimeSeries(n_folds=2).splits(rows, 1)
    assert caught.value.loc == ("columns", "time")
