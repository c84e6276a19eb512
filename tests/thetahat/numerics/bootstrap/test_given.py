from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from thetahat.errors import InvalidParameter
from thetahat.numerics.bootstrap.listed_resamples import GivenResamples, find_rows
from thetahat.numerics.bootstrap.resamples import HashedResamples


def column(*values: float) -> np.ndarray:
    return np.array(values, dtype=float)


def test_exact_values_become_rows_and_equal_values_the_first_row() -> None:
    rows = find_rows([column(7, 3, 2, 3, 3)], [column(3, 2, 3, 7, 1)], [("r",)])

    assert_array_equal(rows, [3, 0, 1, 0, 0])


def test_exact_pairs_are_found_together() -> None:
    x, y = column(1, 1, 2), column(0, 1, 1)

    assert_array_equal(
        find_rows([column(1, 2, 1), y[[1, 1, 0]]], [x, y], [("x",), ("y",)]), [1, 2, 0]
    )
    with pytest.raises(InvalidParameter, match=r"\(2.0, 0.0\) is not in the sample") as caught:
        find_rows([column(1, 2, 1), column(0, 0, 0)], [x, y], [("r", "x"), ("r", "y")])
    assert caught.value.loc == ("r", "x", 1)


def test_invalid_values_and_lengths() -> None:
    with pytest.raises(InvalidParameter, match="4 is not in the sample") as caught:
        find_rows([column(1, 2, 4)], [column(1, 2, 3)], [("resamples", 5)])
    assert caught.value.loc == ("resamples", 5, 2)
    with pytest.raises(InvalidParameter, match="The resample has 2 values and the sample 3"):
        find_rows([column(1, 2)], [column(1, 2, 3)], [("resamples", 0)])


def test_exact_counts_are_those_of_the_rows() -> None:
    resamples = GivenResamples(np.array([[0, 0, 2], [1, 1, 1], [2, 1, 0]]), np.array([0, 3]))

    assert_array_equal(resamples.counts(1, 3), [[0, 3, 0], [1, 1, 1]])
    assert_array_equal(resamples.take(column(1, 2, 3)), [1, 2, 3])


@pytest.mark.parametrize("n_resamples", [5, 4_000_000])
def test_exact_what_is_drawn_again_is_other_and_the_same_each_time(n_resamples: int) -> None:
    resamples = HashedResamples(np.array([0, 3, 7]), 4, n_resamples)
    which = np.array([1, 4])
    first, second = (resamples.redraw_counts(which, attempt) for attempt in (1, 2))

    assert_array_equal(first.sum(axis=1), [7, 7])
    assert_array_equal(first[:, :3].sum(axis=1), [3, 3])
    assert not np.array_equal(first, second)
    assert not np.array_equal(first, resamples.counts(0, 5)[which])
    assert_array_equal(resamples.redraw_counts(which[1:], 1), first[1:])
