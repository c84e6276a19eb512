"""Data frames and series of three packages as columns."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd  # type: ignore[import-untyped]
import polars as pl
import pyarrow as pa
import pytest

import thetahat
from thetahat.errors import InvalidParameter
from thetahat.tables.data import build_data
from thetahat.tables.frames import read_series, read_table

COLUMNS: dict[str, list[Any]] = {
    "age": [30, 41, 25, 50],
    "dose": [0.5, None, 2.0, 1.5],
    "site": ["Ames", None, "Bonn", "Ames"],
}


def test_exact_frames_of_every_package_have_the_same_columns() -> None:
    expected = build_data(COLUMNS, [1.0, 2.0, 3.0, 4.0], "regression").features
    nullable = pd.DataFrame(COLUMNS).astype({"age": "Int64", "dose": "Float64", "site": "string"})
    category = pd.DataFrame(COLUMNS).astype({"site": "category"})

    frames = {
        "mapping of series": dict(pd.DataFrame(COLUMNS).items()),
        "pandas": pd.DataFrame(COLUMNS),
        "nullable": nullable,
        "category": category,
        "polars": pl.DataFrame(COLUMNS),
        "pyarrow": pa.table(COLUMNS),
    }
    for label, frame in frames.items():
        features = build_data(read_table(frame), [1.0, 2.0, 3.0, 4.0], "regression").features
        assert features.names == expected.names, label
        for column, other in zip(features.columns, expected.columns, strict=True):
            np.testing.assert_array_equal(column, other, label)


def test_exact_chosen_columns_are_in_the_order_of_the_names() -> None:
    assert list(read_table(pd.DataFrame(COLUMNS), ["dose", "age"])) == ["dose", "age"]
    assert list(read_table(COLUMNS, ["dose", "age"])) == ["dose", "age"]
    assert list(read_table([[1, 2], [3, 4]], ["dose", "age"])) == ["dose", "age"]


@pytest.mark.parametrize("labels", [["a", "b", "a"], [3, 1, 2], [True, False, True]])
def test_exact_series_of_labels_are_the_labels(labels: list[Any]) -> None:
    for series in (pd.Series(labels), pd.Series(labels, dtype="category"), pl.Series(labels)):
        assert list(read_series(series)) == labels
    array = np.array(labels)
    assert read_series(array) is array
    assert read_series(labels) is labels


def test_exact_a_frame_gives_the_numbers_of_its_arrays() -> None:
    rng = np.random.default_rng(3)
    X = rng.normal(size=(40, 2))
    y = np.where(X[:, 0] + rng.normal(size=40) > 0, "yes", "no")
    site = np.arange(40) % 4
    frame = pd.DataFrame(X, columns=["x0", "x1"], index=rng.permutation(40))

    def evaluate(X: Any, y: Any, source: Any) -> dict[str, Any]:
        result = thetahat.cross_validate(
            X,
            y,
            {"m": "nearest_mean"},
            task="classification",
            scheme="leave_one_source_out",
            source=source,
        )
        written: dict[str, Any] = thetahat.to_json(result)
        return written

    arrays = evaluate(X, y, site)
    y_of_frame, site_of_frame = (pd.Series(column, index=frame.index) for column in (y, site))
    assert evaluate(frame, y_of_frame, site_of_frame) == arrays
    assert evaluate(pl.DataFrame(X, schema=["x0", "x1"]), pl.Series(y), pl.Series(site)) == arrays


@pytest.mark.parametrize(
    ("table", "names", "match"),
    [
        (np.ones(4), None, r"must be \(n, p\) rows"),
        ([1.0, 2.0], None, r"must be \(n, p\) rows"),
        (7, None, "are of type int"),
        (pd.DataFrame(COLUMNS), ["weight"], "no column 'weight' among the features: age, dose"),
    ],
)
def test_invalid_tables_are_described(table: Any, names: list[str] | None, match: str) -> None:
    with pytest.raises(InvalidParameter, match=match):
        read_table(table, names)


def test_invalid_learners_and_schemes_of_other_types_are_described() -> None:
    X, y = [[1.0], [2.0], [3.0], [4.0]], [0, 1, 0, 1]

    with pytest.raises(InvalidParameter, match="must have names"):
        thetahat.cross_validate(X, y, ["ridge"], task="classification")  # type: ignore[arg-type]
    with pytest.raises(InvalidParameter, match="The scheme is 10"):
        thetahat.cross_validate(
            X,
            y,
            {"m": "nearest_mean"},
            task="classification",
            scheme=10,  # type: ignore[arg-type]
        )


MASK = [False, True, False, False]


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([0.5, 7.0, 2.0, 1.5], [0.5, None, 2.0, 1.5]),
        ([3, 7, 2, 1], [3, None, 2, 1]),
        ([True, True, False, True], [True, None, False, True]),
        (["a", "b", "c", "d"], ["a", None, "c", "d"]),
    ],
)
def test_exact_masked_values_are_missing(values: list[Any], expected: list[Any]) -> None:
    masked = np.ma.masked_array(np.array(values), mask=MASK)
    found = [None if v != v else v for v in np.asarray(read_series(masked), dtype=object)]  # noqa: PLR0124

    assert found == expected
    whole = read_series(np.ma.masked_array(np.array(values), mask=[False] * 4))
    assert (type(whole), np.asarray(whole).tolist()) == (np.ndarray, values)


def test_invalid_masked_values_are_no_losses_scores_or_features() -> None:
    numbers = np.ma.masked_array([0.1, 0.2, 0.3, 0.4], mask=MASK)
    matrix = np.ma.masked_array(np.arange(8.0).reshape(4, 2), mask=np.array([MASK, MASK]).T)
    with pytest.raises(InvalidParameter, match="Loss 1 is nan"):
        thetahat.evaluate({"a": numbers}, blocks="holdout")
    with pytest.raises(InvalidParameter, match="has no value in row 1"):
        thetahat.evaluate({"a": [0.1] * 4}, block=np.ma.masked_array([1, 2, 1, 2], mask=MASK))
    with pytest.raises(InvalidParameter, match="must be finite numbers"):
        thetahat.evaluate_predictions([0, 1, 0, 1], scores={"a": numbers}, loss="log")
    assert np.isnan(np.asarray([*read_table(matrix).values()])[:, 1]).all()


@pytest.mark.parametrize(
    ("make", "match"),
    [
        (lambda: pl.LazyFrame({"a": [0.1, 0.2]}), r"Give what its method collect\(\) returns"),
        (lambda: pd.DataFrame([[0.1, 0.2]] * 4, columns=["a", "a"]), "2 columns of the name 'a'"),
        (lambda: pd.DataFrame([[0.1, 0.2]] * 4, columns=[1, "1"]), "2 columns of the name '1'"),
        (lambda: pa.table([[0.1, 0.2], [0.2, 0.3]], ["a", "a"]), "2 columns of the name 'a'"),
    ],
)
def test_invalid_frames_without_values_or_with_a_name_twice(make: Any, match: str) -> None:
    with pytest.raises(InvalidParameter, match=match):
        thetahat.evaluate(make(), blocks="holdout")
    with pytest.raises(InvalidParameter, match=match):
        read_table(make())


@pytest.mark.parametrize(
    "block", [[True, 1, 2, 1], [1, True, False, 0], [1.0, True, 2.0, 1.0], [True, 1.0, 0, 1]]
)
def test_invalid_true_is_not_the_label_1(block: list[Any]) -> None:
    with pytest.raises(InvalidParameter, match="The block column mixes bool"):
        thetahat.evaluate({"a": [0.1, 0.2, 0.3, 0.4]}, blocks="source", block=block)


def test_exact_numbers_of_numpy_in_objects_are_labels() -> None:
    losses = {"a": [0.1, 0.2, 0.3, 0.5]}
    plain = thetahat.to_json(thetahat.evaluate(losses, blocks="source", block=[7, 8, 7, 9]))
    kinds = [np.int64, np.uint8, np.int16]
    for kind in kinds:
        block = np.array([kind(label) for label in (7, 8, 7, 9)], dtype=object)
        found = thetahat.evaluate(losses, blocks="source", block=block)
        assert thetahat.to_json(found) == plain


def test_exact_whole_numbers_of_128_bits_are_labels() -> None:
    series = pl.Series([2**70, 2**70 + 1, None], dtype=pl.Int128)
    assert read_series(series) == [2**70, 2**70 + 1, None]
