"""Columns that cannot play their part are refused with the request."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.service.kinds.run_requests import parquet_file, place_of, run_kind
from thetahat.errors import InvalidParameter
from thetahat_service.errors import InvalidRequest

FIT: dict[str, Any] = {
    "kind": "cross_validation",
    "learners": {"m": "nearest_neighbours"},
    "scheme": {"name": "k_fold", "params": {"n_folds": 2}},
}


@pytest.mark.parametrize(
    ("body", "place"),
    [
        ({"kind": "losses", "blocks": "holdout", "columns": {"losses": ["x", "s"]}}, ("losses", 1)),
        ({"kind": "bootstrap", "statistic": "mean", "columns": {"x": "s"}}, ("x",)),
        (
            {**FIT, "task": "classification", "columns": {"target": "s", "weight": "s"}},
            ("weight",),
        ),
        ({**FIT, "task": "regression", "columns": {"target": "s", "features": ["x"]}}, ("target",)),
    ],
    ids=["losses", "bootstrap", "weight", "target"],
)
def test_invalid_texts_for_numbers(
    tmp_path: Path, body: dict[str, Any], place: tuple[str | int, ...]
) -> None:
    file = parquet_file(tmp_path, {"x": [0.0, 1.0, 2.0, 3.0], "s": ["a", "b", "a", "b"]})
    with pytest.raises(InvalidRequest, match="'s' holds text") as caught:
        run_kind({**body, "dataset": str(file.id)}, [file])

    assert place_of(caught.value) == ("columns", *place)


def test_invalid_weights_of_texts_in_a_sample(tmp_path: Path) -> None:
    file = parquet_file(tmp_path, {"x": [0.0, 1.0, 2.0], "s": ["a", "b", "a"]})
    source = {"dataset": str(file.id), "columns": {"features": ["x"], "weight": "s"}}
    with pytest.raises(InvalidRequest, match="'s' holds text") as caught:
        run_kind({"kind": "weights", "source": source, "target": {"X": [[0.0], [1.0]]}}, [file])

    assert place_of(caught.value) == ("source", "columns", "weight")


def test_invalid_a_step_on_a_column_that_is_no_feature(tmp_path: Path) -> None:
    file = parquet_file(tmp_path, {"x": [0.0, 1.0, 2.0, 3.0], "y": [0, 1, 0, 1]})
    step = {"name": "standardise", "columns": ["y"]}
    body = {
        **FIT,
        "learners": {"m": {"name": "nearest_neighbours", "prepare": [step]}},
        "task": "classification",
        "columns": {"target": "y"},
        "dataset": str(file.id),
    }
    with pytest.raises(InvalidParameter, match="The input columns of this step are x") as caught:
        run_kind(body, [file])

    assert place_of(caught.value) == ("learners", "m", "prepare", 0, "columns", 0)
