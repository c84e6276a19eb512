from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from scipy.sparse import csr_array

from thetahat.errors import InvalidParameter, UnsupportedCombination
from thetahat.tables.data import build_data
from thetahat.tables.features import Features
from thetahat.tables.sparse import NumberedNames, build_sparse_columns

DENSE = np.array([[0, 2.0, 0], [1, 0, 0], [0, 0, 0], [3, 0, 4]])


def group(name: str = "X", first: int = 0, dense: Any = DENSE) -> Any:
    matrix: Any = csr_array(dense)
    return build_sparse_columns(name, matrix, NumberedNames(name, matrix.shape[1], first))


TABLE = Features(
    ("age", "size"),
    (np.array([5.0, 6, 7, 8]), np.array([1.0, 0, 1, 0])),
    wide=(group("X"), group("Z", 1)),
)


def test_exact_numbered_names_are_those_of_a_tuple() -> None:
    names = NumberedNames("X", 4, 1)

    assert list(names) == ["X1", "X2", "X3", "X4"]
    assert names[-1] == "X4"
    assert names[1:3] == ("X2", "X3")
    assert len(names) == 4
    assert "X4" in names
    with pytest.raises(IndexError):
        names[4]


def test_by_hand_duplicates_are_added_and_stored_zeros_dropped() -> None:
    # row 0: column 1 is 2 + 3 and column 0 is stored as 0; row 1: 1 - 1
    indptr = np.array([0, 3, 5])
    matrix: Any = csr_array(
        (np.array([2.0, 0, 3, 1, -1]), np.array([1, 0, 1, 2, 2]), indptr), shape=(2, 3)
    )
    columns = build_sparse_columns("X", matrix, NumberedNames("X", 3))

    assert_array_equal(columns.dense(), [[0, 5, 0], [0, 0, 0]])
    assert columns.matrix.nnz == 1
    assert matrix.nnz == 5  # the input is as it was
    assert (columns.n, columns.width) == (2, 3)


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_invalid_a_value_that_is_not_finite_is_named(value: float) -> None:
    dense = DENSE.copy()
    dense[3, 2] = value
    with pytest.raises(InvalidParameter, match=rf"feature 'X3' is {value} in row 3") as caught:
        group(first=1, dense=dense)

    assert caught.value.loc == ("features", "X", 3)


def test_exact_features_are_columns_and_then_groups() -> None:
    whole = np.column_stack([*TABLE.columns, DENSE, DENSE])

    assert TABLE.n == Features((), (), wide=TABLE.wide).n == 4
    assert Features((), ()).n == 0
    assert TABLE.width == 8
    assert TABLE.n_stored == 8 + 4 + 4
    assert_array_equal(TABLE.matrix(), whole)
    assert_array_equal(TABLE.sparse_matrix().toarray(), whole)
    assert_array_equal(TABLE.complete_matrix(), whole)
    names = [TABLE.column_name(j) for j in range(8)]
    assert names == ["age", "size", "X0", "X1", "X2", "Z1", "Z2", "Z3"]
    with pytest.raises(IndexError):
        TABLE.column_name(8)


def test_exact_groups_written_out_are_the_same_table() -> None:
    plain = TABLE.expand()

    assert plain.names == tuple(TABLE.column_name(j) for j in range(8))
    assert plain.wide == ()
    assert_array_equal(plain.matrix(), TABLE.matrix())
    assert plain.expand() is plain


def test_exact_rows_keep_their_numbers_and_their_groups() -> None:
    selected = TABLE.rows(np.array([3, 1])).rows(np.array([1]))

    assert selected.get_row_number(0) == 1
    assert_array_equal(selected.matrix(), TABLE.matrix()[[1]])
    assert_array_equal(selected.sparse_matrix().toarray(), TABLE.matrix()[[1]])


@pytest.mark.parametrize("call", ["complete_matrix", "sparse_matrix"])
def test_invalid_a_missing_value_beside_a_group_is_named(call: str) -> None:
    age = np.array([5.0, np.nan, 7, 8])
    features = Features(("age",), (age,), wide=(group(),)).rows(np.array([2, 1]))
    with pytest.raises(InvalidParameter, match="Column 'age' has no value in row 1") as caught:
        getattr(features, call)()

    assert caught.value.loc == ("columns", "features", "age", 1)


@pytest.mark.parametrize("call", ["matrix", "sparse_matrix"])
def test_invalid_a_text_beside_a_group_is_named(call: str) -> None:
    features = Features(("text",), (np.array(list("abcd"), dtype=object),), wide=(group(),))
    with pytest.raises(InvalidParameter, match="Column 'text' is not numeric"):
        getattr(features, call)()


@pytest.mark.parametrize("call", ["matrix", "complete_matrix", "expand"])
def test_invalid_a_matrix_that_is_too_large_written_out(
    call: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("thetahat.tables.features.MAX_DENSE_CELLS", 23)
    with pytest.raises(UnsupportedCombination, match="4 rows x 6 sparse columns would be 24 cells"):
        getattr(TABLE, call)()


def test_exact_data_take_groups_among_their_features() -> None:
    data = build_data({"X": group(), "age": [1, 2, 3, 4]}, list("abab"), "classification")

    assert data.features.names == ("age",)
    assert data.features.wide[0].name == "X"
    with pytest.raises(InvalidParameter, match="rows of the feature 'X' is 4, and the target has"):
        build_data({"X": group()}, list("ababa"), "classification")
