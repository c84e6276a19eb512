from __future__ import annotations

import math
from datetime import date
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd  # type: ignore[import-untyped]
import pytest
from numpy.testing import assert_array_equal

from thetahat.errors import InvalidParameter
from thetahat.tables.columns import (
    MatrixColumns,
    encode_classes,
    parse_feature_table,
    parse_features,
    parse_labels,
    parse_numbers,
    parse_time_column,
    read_columns_of_rows,
)
from thetahat.tables.data import build_data


def feature(values: Any) -> np.ndarray:
    return parse_features({"a": values})["a"]


def test_exact_rows_become_columns() -> None:
    assert read_columns_of_rows([[1, "p"], [2, None]]) == {"x0": [1, 2], "x1": ["p", None]}
    assert read_columns_of_rows([[1], [2]], ["age"]) == {"age": [1, 2]}
    assert read_columns_of_rows([]) == {}
    table = read_columns_of_rows(np.array([[1.0, 2.0], [3.0, 4.0]]))
    assert_array_equal(table["x1"], [2.0, 4.0])


def test_invalid_ragged_rows() -> None:
    with pytest.raises(InvalidParameter, match="Row 1 has 1 features and row 0 has 2") as caught:
        read_columns_of_rows([[1, 2], [3]])

    assert caught.value.loc == ("features", 1)


def test_invalid_number_of_names() -> None:
    with pytest.raises(InvalidParameter, match="The rows have 2 features, but there are 1 names"):
        read_columns_of_rows([[1, 2]], ["a"])


@pytest.mark.parametrize(
    ("values", "wanted"),
    [
        ([1, 2.5, None], [1, 2.5, math.nan]),
        ([True, False], [1, 0]),
        ([None, None], [math.nan, math.nan]),
        (np.array([1, 2]), [1, 2]),
        (np.array([True]), [1]),
        (np.array([1.5, np.nan], dtype=np.float32), [1.5, math.nan]),
    ],
)
def test_exact_numeric_features(values: Any, wanted: list[float]) -> None:
    assert feature(values).dtype == np.float64
    assert_array_equal(feature(values), wanted)


@pytest.mark.parametrize("values", [["a", None], np.array(["a", None], dtype=object)])
def test_exact_text_features(values: Any) -> None:
    assert feature(values).dtype == object
    assert feature(values).tolist() == ["a", None]


def test_exact_text_of_fixed_width() -> None:
    assert feature(np.array(["a", "bc"])).tolist() == ["a", "bc"]


@pytest.mark.parametrize(
    ("values", "message", "loc"),
    [
        ([1.0, math.inf], "feature 'a' is inf in row 1", ("features", "a", 1)),
        ([1.0, -2e154], "feature 'a' is -2e.154 in row 1. .* at most 1e.140", ("features", "a", 1)),
        ([1, "b"], "contains int and str", ("features", "a")),
        ([[1], [2]], "contains list", ("features", "a")),
        ([10**400], "too large", ("features", "a")),
        (np.zeros((2, 2)), "has shape", ("features", "a")),
        (np.array(["2020-01-01"], dtype="datetime64[D]"), "has type datetime64", ("features", "a")),
        (np.array([1j]), "has type complex128", ("features", "a")),
    ],
)
def test_invalid_features(values: Any, message: str, loc: tuple[Any, ...]) -> None:
    with pytest.raises(InvalidParameter, match=message) as caught:
        feature(values)

    assert caught.value.loc == loc


def test_exact_numbers() -> None:
    assert_array_equal(parse_numbers([1, 2.5, True], "target"), [1.0, 2.5, 1.0])


@pytest.mark.parametrize(
    ("values", "message", "loc"),
    [
        ([1.0, None], "The target has no value in row 1", ("target", 1)),
        ([1.0, math.nan], "The target has no value in row 1", ("target", 1)),
        ([-math.inf, 1.0], "The target is -inf in row 0", ("target", 0)),
        (["a"], "The target column is not numeric", ("target",)),
        ([10**400], "too large", ("target",)),
    ],
)
def test_invalid_numbers(values: Any, message: str, loc: tuple[Any, ...]) -> None:
    with pytest.raises(InvalidParameter, match=message) as caught:
        parse_numbers(values, "target")

    assert caught.value.loc == loc


@pytest.mark.parametrize(
    ("values", "wanted"),
    [
        ([3, 1], [3, 1]),
        ([3.0, 1], [3, 1]),
        ([True, False], [True, False]),
        (["b", "a"], ["b", "a"]),
        (np.array([3, 1], dtype=np.uint8), [3, 1]),
        (np.array([3.0, 1.0]), [3, 1]),
        (np.array([True, False]), [True, False]),
        (np.array(["b", "a"]), ["b", "a"]),
    ],
)
def test_exact_labels(values: Any, wanted: list[Any]) -> None:
    labels = parse_labels(values, "source").tolist()

    assert labels == wanted
    assert [type(label) for label in labels] == [type(label) for label in wanted]


@pytest.mark.parametrize(
    ("values", "message", "loc"),
    [
        (["a", None], "The source has no value in row 1", ("source", 1)),
        (["a", math.nan], "The source has no value in row 1", ("source", 1)),
        ([1.0, math.nan], "The source has no value in row 1", ("source", 1)),
        (np.array([np.nan]), "The source has no value in row 0", ("source", 0)),
        ([1, 0.5], r"The source is 0\.5 in row 1\. A label is", ("source", 1)),
        ([1.0, 1e300], r"The source is 1e\+300 in row 1", ("source", 1)),
        (["a", ["b"]], "The source in row 1 is not a label", ("source", 1)),
        (["a", 1], "The source column mixes int and str", ("source",)),
        (np.array([1j]), "The source column has type complex128", ("source",)),
    ],
)
def test_invalid_labels(values: Any, message: str, loc: tuple[Any, ...]) -> None:
    with pytest.raises(InvalidParameter, match=message) as caught:
        parse_labels(values, "source")

    assert caught.value.loc == loc


@pytest.mark.parametrize(
    ("values", "codes", "classes"),
    [
        (["spam", "ham", "spam"], [1, 0, 1], ("ham", "spam")),
        ([10, 2, 10], [1, 0, 1], (2, 10)),
        ([True, False], [1, 0], (False, True)),
        (np.array([2.0, 0.0]), [1, 0], (0, 2)),
    ],
)
def test_exact_classes_are_sorted(values: Any, codes: list[int], classes: tuple[Any, ...]) -> None:
    class_codes, labels = encode_classes(values, "target")

    assert class_codes.dtype == np.intp
    assert class_codes.tolist() == codes
    assert labels == classes
    assert [type(label) for label in labels] == [type(label) for label in classes]


@pytest.mark.parametrize(
    ("values", "codes", "classes"),
    [
        (np.array([1.5, 0.5, 1.5]), [1, 0, 1], (0.5, 1.5)),
        ([2, 0.5, 2], [1, 0, 1], (0.5, 2.0)),
        ([2.0, 0.0], [1, 0], (0, 2)),
        (["b", "a"], [1, 0], ("a", "b")),
    ],
)
def test_exact_classes_may_be_fractions(
    values: Any, codes: list[int], classes: tuple[Any, ...]
) -> None:
    class_codes, labels = encode_classes(values, "target", fractions=True)

    assert (class_codes.tolist(), labels) == (codes, classes)
    assert [type(label) for label in labels] == [type(label) for label in classes]


@pytest.mark.parametrize(
    ("values", "message", "loc"),
    [
        ([0.5, math.nan], "The target has no value in row 1", ("target", 1)),
        ([0.5, math.inf], "The target is inf in row 1", ("target", 1)),
        ([0.5, None], "The target has no value in row 1", ("target", 1)),
        ([0.5, "a"], "The target column mixes float and str", ("target",)),
    ],
)
def test_invalid_fractions_as_classes(values: Any, message: str, loc: tuple[Any, ...]) -> None:
    with pytest.raises(InvalidParameter, match=message) as caught:
        encode_classes(values, "target", fractions=True)

    assert caught.value.loc == loc


def test_exact_instants() -> None:
    days = np.array(["2020-01-02", "2020-01-01"], dtype="datetime64[D]")

    assert_array_equal(parse_time_column(days, "time"), days)
    assert_array_equal(parse_time_column([3, 1.5], "time"), [3.0, 1.5])
    assert parse_time_column(["2020-01-02", "2020-01-01"], "time").tolist() == [
        "2020-01-02",
        "2020-01-01",
    ]


@pytest.mark.parametrize(
    "values",
    [
        np.array(["2020-01-02", "NaT"], dtype="datetime64[D]"),
        [1.0, None],
        ["2020-01-02", None],
        ["2020-01-02", pd.NaT],
    ],
)
def test_invalid_instants(values: Any) -> None:
    with pytest.raises(InvalidParameter, match="The time has no value in row 1") as caught:
        parse_time_column(values, "time")

    assert caught.value.loc == ("time", 1)


@pytest.mark.parametrize(("dtype", "digits"), [(np.float16, 11), (np.float32, 24), (float, 53)])
def test_invalid_floating_point_labels_that_may_have_been_rounded(
    dtype: type[np.generic], digits: int
) -> None:
    kept = np.array([2.0**digits - 1, 1, 2], dtype=dtype)
    assert parse_labels(kept, "school").tolist() == [2**digits - 1, 1, 2]
    with pytest.raises(InvalidParameter, match=rf"must be below 2\^{digits}, or labels"):
        parse_labels(np.array([1, 2.0**digits], dtype=dtype), "school")


def test_exact_texts_of_any_length_in_numpy_are_labels() -> None:
    texts = np.array(["x", "01", "1"], dtype=np.dtypes.StringDType())

    assert parse_labels(texts, "school").tolist() == ["x", "01", "1"]


@pytest.mark.parametrize(
    "missing", [pd.NA, pd.NaT, None, float("nan"), np.float64("nan"), Decimal("NaN")]
)
@pytest.mark.parametrize("first", ["x", 2**53 + 1, True, Decimal(1), date(2026, 11, 27)])
def test_invalid_what_pandas_has_for_missing_labels_is_missing(first: Any, missing: Any) -> None:
    arrays: list[Any] = [[first, missing], np.array([first, missing], dtype=object)]
    for values in arrays:
        with pytest.raises(InvalidParameter, match="The school has no value in row 1"):
            parse_labels(values, "school")


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int16, np.bool_])
def test_exact_a_matrix_is_read_as_its_columns(dtype: type[np.generic]) -> None:
    matrix = (np.arange(12).reshape(4, 3) % 5).astype(dtype)

    columns = read_columns_of_rows(matrix, ["a", "b", "c"])
    by_name = {name: matrix[:, at] for at, name in enumerate("abc")}

    assert list(columns) == ["a", "b", "c"]
    assert_array_equal(columns["b"], matrix[:, 1])
    table = parse_feature_table(columns)
    assert isinstance(table, np.ndarray)
    assert_array_equal(table, parse_feature_table(by_name))
    assert table.dtype == np.float64


@pytest.mark.parametrize(
    ("matrix", "is_private", "is_shared"),
    [
        (np.ones((2, 3)), True, True),
        (np.ones((2, 3)), False, False),
        (np.ones((3, 2)), True, False),  # more rows than columns: the table has another order
        (np.ones((2, 3), order="F"), True, False),
        (np.ones((2, 3), dtype=np.float32), True, False),
    ],
)
def test_exact_only_a_private_wide_matrix_is_not_copied(
    matrix: np.ndarray, *, is_private: bool, is_shared: bool
) -> None:
    names = [f"x{column}" for column in range(matrix.shape[1])]

    table = parse_feature_table(MatrixColumns(matrix, names, is_private=is_private))

    assert isinstance(table, np.ndarray)
    assert np.shares_memory(table, matrix) == is_shared
    assert_array_equal(table, matrix.T)


def test_invalid_a_private_matrix_names_column_and_row_of_an_infinite_value() -> None:
    matrix = np.ones((2, 3))
    matrix[1, 2] = -np.inf

    with pytest.raises(InvalidParameter) as caught:
        parse_feature_table(MatrixColumns(matrix, ["a", "b", "c"], is_private=True))

    assert caught.value.loc == ("features", "c", 1)


def test_invalid_a_matrix_names_column_and_row_of_an_infinite_value() -> None:
    matrix = np.ones((3, 2))
    matrix[2, 1] = np.inf

    with pytest.raises(InvalidParameter) as caught:
        parse_feature_table(read_columns_of_rows(matrix, ["a", "b"]))

    assert caught.value.loc == ("features", "b", 2)


def test_invalid_a_matrix_of_other_length_than_the_target() -> None:
    with pytest.raises(InvalidParameter, match="The number of rows of the feature 'x0' is 3"):
        build_data(read_columns_of_rows(np.ones((3, 2))), [0.0, 1.0], "regression")


def test_exact_labels_beyond_64_bits_are_their_texts() -> None:
    ids = [10**20 + i for i in range(3)]
    unsigned = np.array([2**64 - 1, 5, 6], dtype=np.uint64)

    assert parse_labels(ids, "cluster").tolist() == [str(i) for i in ids]
    assert parse_labels([Decimal(i) for i in ids], "cluster").tolist() == [str(i) for i in ids]
    assert parse_labels(unsigned, "cluster").tolist() == [str(2**64 - 1), "5", "6"]
    assert parse_labels([Decimal(3), 4], "cluster").tolist() == [3, 4]
    with pytest.raises(InvalidParameter, match="is not a label"):
        parse_labels([Decimal("0.5")], "cluster")


def test_exact_dates_are_labels() -> None:
    days = [date(2026, 1, 1), date(2026, 1, 2)]
    expected = ["2026-01-01", "2026-01-02"]

    assert parse_labels(days, "block").tolist() == expected
    assert parse_labels(np.array(days, dtype="datetime64[ns]"), "block").tolist() == expected
    with pytest.raises(InvalidParameter, match="The block has no value in row 1"):
        parse_labels(np.array([days[0], "NaT"], dtype="datetime64[ns]"), "block")


def test_exact_numbers_that_stand_as_text() -> None:
    texts = [" 0.5", "1e-3", "-2", "+.25", 3, Decimal("0.1"), True, "\N{MINUS SIGN}1"]
    expected = [0.5, 1e-3, -2, 0.25, 3, 0.1, 1, -1]

    assert parse_numbers(texts, "target").tolist() == expected
    for mark in ("n/a", "", "?", None):
        with pytest.raises(InvalidParameter, match="The target has no value in row 1"):
            parse_numbers(["1", mark], "target")
    for text in ("0,5", "1_0", "inf", "50%", "0x1f", "\u0663", "1 000"):
        with pytest.raises(InvalidParameter, match="The target column is not numeric"):
            parse_numbers(["1", text], "target")
    with pytest.raises(InvalidParameter, match="written as text, such as '01' in row 0"):
        parse_numbers(["01", "2"], "target")
