from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from scipy.sparse import csr_array

from thetahat.learners.fast.naive_bayes import class_sums as _class_sums
from thetahat.numerics.loops import sparse_counts
from thetahat.numerics.loops.sparse_counts import (
    left_out_by_kernel,
    scores_by_kernel,
    scores_of_blocks_by_kernel,
    sums_by_kernel,
    unsigned,
)

RNG = np.random.default_rng(20_261_135)
DENSE = np.where(RNG.random((30, 11)) < 0.4, RNG.normal(size=(30, 11)), 0)
X: Any = csr_array(DENSE)
ROWS = np.array([3, 4, 9, 21, 29])
CODES, WEIGHTS = RNG.integers(0, 3, 30), RNG.exponential(size=30)


def test_by_hand_two_rows() -> None:
    counts: Any = csr_array(np.array([[1.0, 0, 2], [0, 3, 0], [5, 0, 0]]))
    rows, codes = np.array([0, 1]), np.array([1, 1, 0])

    # class 1 has 2 x (1, 0, 2) and 10 x (0, 3, 0); row 2 is not asked for
    sums = sums_by_kernel(counts, rows, codes, np.array([2.0, 10.0, 1.0]), 2)
    assert_array_equal(sums, [[0, 0, 0], [2, 30, 4]])
    # (1, 0, 2) . (1, 10, 100) = 201, (0, 3, 0) . (1, 10, 100) = 30; the next table is twice that
    table = np.array([[1.0, 10, 100]])
    assert_array_equal(scores_by_kernel(counts, rows, table), [[201], [30]])
    two = np.stack([table.T, 2 * table.T])
    assert_array_equal(
        scores_of_blocks_by_kernel(counts, rows, np.array([0, 1]), two), [[201], [60]]
    )
    assert_array_equal(scores_of_blocks_by_kernel(counts, rows, np.array([2, 1]), two), [[0], [60]])


def test_by_hand_rows_without_themselves() -> None:
    counts: Any = csr_array(np.array([[1.0, 0, 2], [0, 3, 0], [5, 0, 0]]))
    sums, logs = np.array([[1, 3, 2], [9, 9, 9]]), np.arange(10.0) ** 2

    log_shares, lengths = left_out_by_kernel(
        counts, np.array([0, 1, 1]), np.array([1.0, 2, 1]), sums, logs
    )

    # row 0: its own leave 0 and 0 of (1, 3, 2); row 1, twice: 9 - 6, 3 x 9; row 2: 9 - 5, 5 x 16
    assert log_shares.tolist() == [0, 27, 80]
    assert lengths.tolist() == [3, 3, 5]


@pytest.mark.parametrize("n_classes", [1, 2, 3, 5])
def test_against_scipy_the_same_bits(n_classes: int, monkeypatch: pytest.MonkeyPatch) -> None:
    codes = CODES % n_classes
    table = RNG.normal(size=(n_classes, 11))
    monkeypatch.setattr(_class_sums, "MIN_VALUES_FOR_LOOPS", 10**9)
    sums = _class_sums.sums_by_class(X, ROWS, codes, WEIGHTS, n_classes)
    scores = _class_sums.scores(X, ROWS, table)

    assert_array_equal(sums_by_kernel(X, ROWS, codes, WEIGHTS, n_classes), sums)
    assert_array_equal(scores_by_kernel(X, ROWS, table), scores)


@pytest.mark.parametrize("width", [1, 2, 3])
def test_exact_the_loops_are_the_same_uncompiled(width: int) -> None:
    parts = (X.indptr, X.indices, X.data)
    table = RNG.normal(size=(11, width))
    which = np.array([0, 1, 1, 0, 2])
    out, sums = np.zeros((5, width)), np.zeros((3, 11))
    loops: Any = sparse_counts
    loops.row_scores(*parts, ROWS, which, np.stack([table, 2 * table]), out)
    loops.class_sums(*parts, ROWS, CODES, WEIGHTS, sums)
    rounded: Any = csr_array((np.rint(X.data), X.indices, X.indptr), shape=X.shape)

    assert_array_equal(
        out, scores_of_blocks_by_kernel(X, ROWS, which, np.stack([table, 2 * table]))
    )
    assert_array_equal(sums, sums_by_kernel(X, ROWS, CODES, WEIGHTS, 3))
    log, predictions, lengths = RNG.normal(size=200), np.empty(30), np.empty(30)
    values, sums = np.abs(rounded.data).astype(np.uint16), np.full((3, 11), 199, np.uint64)
    loops.left_out(X.indptr, X.indices, values, CODES, np.ones(30), sums, log, predictions, lengths)
    few: Any = csr_array((values, X.indices, X.indptr), shape=X.shape)
    both = left_out_by_kernel(few, CODES, np.ones(30), sums.astype(np.intp), log)
    assert_array_equal((predictions, lengths), both)


@pytest.mark.parametrize("width", [1, 3])
def test_exact_two_bytes_say_what_eight_do(width: int) -> None:
    counts: Any = csr_array(np.rint(np.abs(5 * DENSE)))
    small, table = counts.astype(np.uint16), RNG.normal(size=(width, 11))

    for rows in (ROWS, np.arange(30)):
        assert_array_equal(
            scores_by_kernel(small, rows, table), scores_by_kernel(counts, rows, table)
        )
        assert_array_equal(
            sums_by_kernel(small, rows, CODES, WEIGHTS, 3),
            sums_by_kernel(counts, rows, CODES, WEIGHTS, 3),
        )


def test_exact_whole_numbers_keep_their_bits() -> None:
    for kind in (np.int8, np.int32, np.int64):
        values = np.arange(5, dtype=kind)
        assert unsigned(values).dtype == np.dtype(f"u{values.itemsize}")
        assert_array_equal(unsigned(values), values)
        assert values.flags.writeable
