"""Tables of feature columns: as separate columns, as one array, and as a selection of rows."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from thetahat.errors import InvalidParameter
from thetahat.tables.columns import MAX_FEATURE, parse_feature_table, read_columns_of_rows
from thetahat.tables.data import build_data
from thetahat.tables.features import Features

COLUMNS = {"a": np.arange(6), "b": np.arange(6) / 7, "c": np.arange(6) % 2 == 0}


def test_exact_columns_of_numbers_become_one_array() -> None:
    table = parse_feature_table(COLUMNS)
    assert isinstance(table, np.ndarray)
    assert_array_equal(table, [column.astype(float) for column in COLUMNS.values()])
    assert isinstance(parse_feature_table({**COLUMNS, "d": ["x", None] * 3}), tuple)
    assert parse_feature_table({}) == ()


@pytest.mark.parametrize("is_one_array", [True, False])
def test_exact_selected_rows_have_the_same_values_in_both_layouts(*, is_one_array: bool) -> None:
    table = np.arange(12.0).reshape(3, 4)
    features = Features(("a", "b", "c"), table if is_one_array else tuple(table))
    selected = features.rows(np.array([3, 1])).rows(np.array([1, 0, 1]))
    assert selected.n == 3
    assert [selected.get_row_number(at) for at in range(3)] == [1, 3, 1]
    assert_array_equal(selected.complete_matrix(), table[:, [1, 3, 1]].T)
    assert_array_equal(np.array(selected.complete_columns()), table[:, [1, 3, 1]])
    renamed = selected.with_columns(("a",), (np.zeros(3),))
    assert renamed.get_row_number(2) == 1


def test_exact_wide_data_keep_the_values_of_a_row_side_by_side() -> None:
    rows = np.arange(12.0).reshape(3, 4) ** 2
    by_name = {name: rows[:, at] for at, name in enumerate("abcd")}
    for columns in (by_name, read_columns_of_rows(rows, list("abcd"))):
        table = parse_feature_table(columns)
        assert isinstance(table, np.ndarray)
        assert_array_equal(table, rows.T)
        features = Features(tuple("abcd"), table)
        assert features.matrix().base is features.matrix().base  # a view of the same array
        selected = features.rows(np.array([2, 0])).rows(np.array([1, 0, 1]))
        assert_array_equal(selected.complete_matrix(), rows[[0, 2, 0]])
        assert_array_equal(np.array(selected.complete_columns()), rows[[0, 2, 0]].T)
        features.matrix(copy=True)[:] = -1.0
        assert_array_equal(features.complete_matrix(), rows)
    rows[1, 2] = np.nan
    features = Features(tuple("abcd"), np.array(rows).T)
    with pytest.raises(InvalidParameter, match="'c' has no value in row 1"):
        features.complete_columns()


def test_degenerate_a_selection_copies_no_values_before_they_are_read() -> None:
    table = np.arange(12.0).reshape(3, 4)
    features = Features(("a", "b", "c"), table)
    selected = features.rows(np.array([3, 1]))
    table[:] = -1.0  # a copy made at once would still have the old values
    assert_array_equal(selected.complete_matrix(), np.full((2, 3), -1.0))
    assert selected.columns is selected.columns  # they are copied once


def test_invalid_values_are_named_with_column_and_row() -> None:
    large = {**COLUMNS, "b": np.array([0.0, 1, 2, 10 * MAX_FEATURE, 4, 5])}
    with pytest.raises(InvalidParameter, match=r"'b' is 1e\+141 in row 3"):
        parse_feature_table(large)
    with pytest.raises(InvalidParameter, match="one dimension"):
        parse_feature_table({"a": np.zeros((6, 2)), "b": np.zeros((6, 2))})
    missing = {**COLUMNS, "b": np.array([0.0, 1, np.nan, 3, 4, 5])}
    data = build_data(missing, np.arange(6.0), "regression")
    with pytest.raises(InvalidParameter, match="'b' has no value in row 2") as caught:
        data.features.rows(np.array([5, 2])).complete_matrix()
    assert caught.value.loc == ("columns", "features", "b", 2)
