from __future__ import annotations

from itertools import combinations
from math import comb

import numpy as np
import pytest
from numpy.testing import assert_allclose

from thetahat.errors import InsufficientData, InvalidParameter
from thetahat.schemes.base import Rows, Scheme
from thetahat.schemes.complete_subsampling import CompleteSubsampling
from thetahat.schemes.leave_p_out import LeavePOut


def mean_squared_errors(scheme: Scheme, y: np.ndarray) -> np.ndarray:
    """Test error of the training mean, split by split."""
    splits = scheme.splits(Rows(n=len(y)), 0)
    return np.array([np.mean((y[s.test] - y[s.train].mean()) ** 2) for s in splits])


@pytest.mark.outside("the documented example of scikit-learn's LeavePOut: p = 2 on four rows")
def test_golden_two_of_four() -> None:
    splits = list(LeavePOut(p=2).splits(Rows(n=4), 1))

    assert [s.test.tolist() for s in splits] == [[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]]
    assert [s.train.tolist() for s in splits] == [[2, 3], [1, 3], [1, 2], [0, 3], [0, 2], [0, 1]]
    assert [(s.repeat, s.block, s.label) for s in splits] == [(0, j, j) for j in range(6)]


@pytest.mark.parametrize(("n", "p"), [(5, 1), (6, 2), (7, 3), (7, 5), (6, 5)])
def test_against_sklearn_leave_p_out(n: int, p: int) -> None:
    from sklearn.model_selection import LeavePOut as Theirs

    theirs = {tuple(test.tolist()) for _, test in Theirs(p).split(np.zeros(n))}
    ours = list(LeavePOut(p=p).splits(Rows(n=n), 1))

    assert {tuple(s.test.tolist()) for s in ours} == theirs
    assert len(ours) == LeavePOut(p=p).n_splits(Rows(n=n)) == comb(n, p)


@pytest.mark.parametrize(("n", "p"), [(9, 1), (9, 2), (8, 4), (7, 6)])
def test_exact_mean_learner_has_a_closed_form(n: int, p: int) -> None:
    r"""Over all splits the squared error of the mean of m = n - p rows is s^2 (1 + 1/m).

    A test row and m training rows are a simple random sample of the data, so the average is that
    of (y_i - mean of m others)^2 over all choices: a U-statistic, of degree two in y.
    """
    y = np.random.default_rng(31).gamma(2.0, size=n)

    errors = mean_squared_errors(LeavePOut(p=p), y)

    assert_allclose(errors.mean(), y.var(ddof=1) * (1 + 1 / (n - p)), rtol=1e-12)


def test_naive_u_statistic() -> None:
    """Leaving one out with the nearest value as the model: a plain average over ordered sets."""
    y = np.random.default_rng(32).normal(size=7)
    kernel = [
        min(abs(y[i] - y[j]) for j in range(7) if j not in pair)
        for pair in combinations(range(7), 2)
        for i in pair
    ]

    splits = LeavePOut(p=2).splits(Rows(n=7), 0)
    ours = [np.abs(y[s.test][:, None] - y[s.train]).min(axis=1).mean() for s in splits]

    assert_allclose(np.mean(ours), np.mean(kernel), rtol=1e-12)


@pytest.mark.parametrize(("size", "p"), [(0.5, 4), (0.3, 3), (2, 2)])
def test_limit_complete_subsampling_is_the_same_by_share(size: float, p: int) -> None:
    ours = CompleteSubsampling(test_size=size)
    y = np.random.default_rng(33).normal(size=8)

    assert ours.n_splits(Rows(n=8)) == comb(8, p)
    assert_allclose(
        mean_squared_errors(ours, y), mean_squared_errors(LeavePOut(p=p), y), rtol=1e-12
    )


def test_invalid_p() -> None:
    with pytest.raises(InvalidParameter, match="p must be at least 1, and is 0") as caught:
        LeavePOut(p=0)
    assert caught.value.loc == ("p",)
    with pytest.raises(InsufficientData, match="p = 5 leaves no row of 5") as short:
        LeavePOut(p=5).n_splits(Rows(n=5))
    assert short.value.loc == ("p",)


def test_invalid_too_many_splits_are_counted_in_words() -> None:
    with pytest.raises(InsufficientData, match="in 2118760 ways with 5 rows") as caught:
        LeavePOut(p=5).n_splits(Rows(n=50))
    assert caught.value.loc == ("p",)
    with pytest.raises(InsufficientData, match="random_subsampling draws some"):
        LeavePOut(p=5).splits(Rows(n=50), 1)  # at once


def test_invalid_numbers_too_long_to_write() -> None:
    """C(10^6, 5 10^5) has 301027 digits: by Stirling 10^6 log10(2) - log10(pi 10^6 / 2) / 2."""
    with pytest.raises(InsufficientData, match=r"about 10\^301027 ways"):
        CompleteSubsampling().n_splits(Rows(n=10**6))


def test_property_the_last_splits_of_many_come_without_the_first() -> None:
    scheme, rows = LeavePOut(p=2), Rows(n=440)
    total = scheme.n_splits(rows)

    (last,) = scheme.splits(rows, 1, start=total - 1)

    assert (last.block, last.test.tolist()) == (total - 1, [438, 439])
