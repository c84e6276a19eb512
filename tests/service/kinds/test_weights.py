from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

from tests.service.kinds.run_requests import parquet_file, place_of, run_kind
from tests.thetahat.importance_weights.samples import SOURCE, TARGET
from thetahat.errors import EvaluationError
from thetahat.importance_weights import IMPORTANCE_WEIGHTS
from thetahat_service.errors import InvalidRequest
from thetahat_service.kinds.registry import JOB_KINDS

BODY: dict[str, Any] = {
    "kind": "weights",
    "source": {"X": SOURCE.tolist(), "weight": [1, 2, 3, 4, 5, 6, 7, 8]},
    "target": {"X": TARGET.tolist()},
}


@pytest.mark.outside(
    "ctrl-iwxval util/iw_Gauss.m and libTLDA, their formula (vector iw_gaussian_ratio)"
)
def test_golden_gaussian_ratio_of_eight_rows() -> None:
    result = run_kind(BODY).result
    weights = result["weights"]

    assert_allclose(weights["values"][:2], [0.06102902241204895, 1.0128592364282336], rtol=1e-12)
    assert_allclose(weights["mean"], np.mean(weights["values"]), rtol=1e-14)
    w = np.array(weights["values"])
    assert_allclose(weights["effective_sample_size"], w.sum() ** 2 / (w @ w), rtol=1e-12)
    assert (weights["n"], weights["n_target"], weights["n_features"]) == (8, 6, 2)
    assert weights["method"] == "gaussian_ratio"
    assert {"variance", "largest", "share_above_10", "coverage", "details"} <= set(weights)
    assert [c["code"] for c in weights["cautions"]] == ["one_weight_dominates"]
    assert result["methods"] == [{"family": "weights", "name": "gaussian_ratio", "params": {}}]


@pytest.mark.parametrize("name", IMPORTANCE_WEIGHTS)
def test_property_every_method_by_its_bare_name(name: str) -> None:
    weights = run_kind({**BODY, "weights": name}).result["weights"]

    assert weights["method"] == name
    assert len(weights["values"]) == 8


def test_exact_stored_data_sets_and_inline_samples_agree(tmp_path: Path) -> None:
    source = parquet_file(
        tmp_path, {"b": SOURCE[:, 1], "a": SOURCE[:, 0], "w": np.arange(8.0), "y": np.arange(8)}
    )
    target = parquet_file(tmp_path, {"a": TARGET[:, 0], "other": TARGET[:, 0], "b": TARGET[:, 1]})
    columns = {"weight": "w", "target": "y"}
    body = {
        "kind": "weights",
        "source": {"dataset": str(source.id), "columns": columns},
        "target": {"dataset": str(target.id)},
    }
    plain = run_kind(BODY).result["weights"]["values"]

    values = run_kind(body, [source, target]).result["weights"]["values"]
    named = {**body, "target": {"dataset": str(target.id), "columns": {"features": ["b", "a"]}}}
    mixed = {**BODY, "target": {"dataset": str(target.id), "columns": {"features": ["a", "b"]}}}

    assert_allclose(values, plain, rtol=1e-10)
    assert_allclose(run_kind(named, [source, target]).result["weights"]["values"], values)
    assert_allclose(run_kind(mixed, [source, target]).result["weights"]["values"], plain)
    weights = run_kind({**body, "weights": "given"}, [source, target]).result["weights"]
    assert weights["values"] == list(range(8))


@pytest.mark.parametrize(
    ("change", "place", "match"),
    [
        ({"target": {}}, ("target",), "either X or a dataset"),
        ({"source": {"X": [[1, None], [2, 3]]}}, ("source", "X", 0, 1), "no value in row 0"),
        ({"source": {"X": [["a", 1], ["b", 3]]}}, ("source", "X", "x0"), "not numeric"),
        ({"source": {"X": [[1, 2], [3]]}}, ("source", "X", 1), "Row 1 has 1 features"),
        ({"target": {"X": [[1], [2]]}}, ("target",), "2 features and the target has 1"),
        ({"source": {"X": [[1, 2]]}}, ("source",), "at least 2"),
        (
            {"source": {"X": SOURCE.tolist(), "weight": [1]}},
            ("source", "weight"),
            "1 entries, and there are 8 rows",
        ),
        (
            {"source": {"X": SOURCE.tolist(), "weight": [1] * 7 + [None]}},
            ("source", "weight", 7),
            "no value in row 7",
        ),
        (
            {"source": {"X": SOURCE.tolist(), "y": [1]}},
            ("source", "y"),
            "1 entries, and there are 8 rows",
        ),
        ({"weights": "kmm"}, ("weights", "name"), "'kmm' is not one of the importance weights"),
        (
            {"weights": {"name": "gaussian_ratio", "params": {"width": 1}}},
            ("weights", "params", "width"),
            "no parameter 'width'",
        ),
        ({"weights": {"name": "given", "as": "own"}}, ("weights", "as"), "needs no key"),
        (
            {
                "source": {"X": SOURCE.tolist(), "features": ["a", "b"]},
                "target": {"X": TARGET.tolist(), "features": ["b", "a"]},
            },
            ("target", "features"),
            "features b, a",
        ),
        (
            {"source": {"X": SOURCE.tolist(), "columns": {"target": "y"}}},
            ("source", "columns"),
            "columns and no dataset",
        ),
    ],
)
def test_invalid_requests(change: dict[str, Any], place: tuple[Any, ...], match: str) -> None:
    with pytest.raises((EvaluationError, InvalidRequest), match=match) as caught:
        run_kind({**BODY, **change})
    assert place_of(caught.value) == place


def test_invalid_columns(tmp_path: Path) -> None:
    columns = {"a": SOURCE[:, 0], "b": SOURCE[:, 1], "w": np.array([1.0] * 7 + [np.nan])}
    file = parquet_file(tmp_path, columns)

    def refused(source: dict[str, Any], target: dict[str, Any], match: str) -> tuple[Any, ...]:
        body = {
            "kind": "weights",
            "source": {"dataset": str(file.id), **source},
            "target": {"dataset": str(file.id), **target},
        }
        with pytest.raises((EvaluationError, InvalidRequest), match=match) as caught:
            run_kind(body, [file])
        return place_of(caught.value)

    use = {"columns": {"features": ["a", "b"]}}
    assert refused({"columns": {"features": ["a", "c"]}}, use, "no column 'c'") == (
        *("source", "columns", "features", 1),
    )
    assert refused({"columns": {"features": ["a", "a"]}}, use, "has another role") == (
        *("source", "columns", "features", 1),
    )
    assert refused({**use, "y": [1]}, use, "y is only for a sample") == ("source", "y")
    with_weight = {"columns": {"features": ["a"], "weight": "w"}}
    assert refused(with_weight, use, "no value in row 7") == ("source", "columns", "weight", 7)


def test_invalid_a_target_without_the_sources_features(tmp_path: Path) -> None:
    file = parquet_file(tmp_path, {"a": SOURCE[:, 0], "b": SOURCE[:, 1]})
    columns_of_weights = {"dataset": str(file.id), "columns": {"weight": "b"}}
    body = {"kind": "weights", "source": {"dataset": str(file.id)}, "target": columns_of_weights}

    with pytest.raises(
        EvaluationError, match="the column 'b', and this data set does not"
    ) as caught:
        run_kind(body, [file])
    assert place_of(caught.value) == ("target", "columns")


def test_exact_the_data_sets_of_both_samples_are_named_once(tmp_path: Path) -> None:
    file = parquet_file(tmp_path, {"a": SOURCE[:, 0], "b": SOURCE[:, 1]})
    request = JOB_KINDS["weights"].request.model_validate(
        {"kind": "weights", "source": {"dataset": file.id}, "target": {"dataset": file.id}}
    )

    assert request.list_dataset_ids() == (file.id,)
    assert JOB_KINDS["weights"].request.model_validate(BODY).list_dataset_ids() == ()
