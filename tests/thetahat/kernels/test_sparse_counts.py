from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from scipy.sparse import csr_array

from thetahat.kernels import sparse_counts
from thetahat.kernels.sparse_counts import scores_by_kernel, sums_by_kernel, unsigned
from thetahat.learners import _class_sums

RNG = np.random.default_rng(20_261_135)
DENSE = np.where(RNG.random((30, 11)) < 0.4, RNG.normal(size=(30, 11)), 0)
X: Any = csr_array(DENSE)
ROWS = np.array([3, 4, 9, 21, 29])
CODES, WEIGHTS = RNG.integers(0, 3, 30), RNG.exponential(size=30)


def test_golden_two_rows_by_hand() -> None:
    counts: Any = csr_array(np.array([[1.0, 0, 2], [0, 3, 0], [5, 0, 0]]))
    rows, codes = np.array([0, 1]), np.array([1, 1, 0])

    # class 1 has 2 x (1, 0, 2) and 10 x (0, 3, 0); row 2 is not asked for
    sums = sums_by_kernel(counts, rows, codes, np.array([2.0, 10.0, 1.0]), 2)
    assert_array_equal(sums, [[0, 0, 0], [2, 30, 4]])
    # (1, 0, 2) . (1, 10, 100) = 201, (0, 3, 0) . (1, 10, 100) = 30
    assert_array_equal(scores_by_kernel(counts, rows, np.array([[1.0, 10, 100]])), [[201], [30]])


@pytest.mark.parametrize("n_classes", [1, 2, 3, 5])
def test_against_scipy_the_same_bits(n_classes: int, monkeypatch: pytest.MonkeyPatch) -> None:
    codes = CODES % n_classes
    table = RNG.normal(size=(n_classes, 11))
    monkeypatch.setattr(_class_sums, "LARGE", 10**9)
    sums = _class_sums.sums_by_class(X, ROWS, codes, WEIGHTS, n_classes)
    scores = _class_sums.scores(X, ROWS, table)

    assert_array_equal(sums_by_kernel(X, ROWS, codes, WEIGHTS, n_classes), sums)
    assert_array_equal(scores_by_kernel(X, ROWS, table), scores)


@pytest.mark.parametrize("width", [1, 2, 3])
def test_exact_the_loops_are_the_same_uncompiled(width: int) -> None:
    parts = (X.indptr, X.indices, X.data)
    table = RNG.normal(size=(11, width))
    out, sums = np.zeros((5, width)), np.zeros((3, 11))
    loops: Any = sparse_counts
    loops.row_scores(*parts, ROWS, table, out)
    loops.class_sums(*parts, ROWS, CODES, WEIGHTS, sums)

    assert_array_equal(out, scores_by_kernel(X, ROWS, table.T))
    assert_array_equal(sums, sums_by_kernel(X, ROWS, CODES, WEIGHTS, 3))


def test_exact_whole_numbers_keep_their_bits() -> None:
    for kind in (np.int8, np.int32, np.int64):
        values = np.arange(5, dtype=kind)
        assert unsigned(values).dtype == np.dtype(f"u{values.itemsize}")
        assert_array_equal(unsigned(values), values)
        assert values.flags.writeable
