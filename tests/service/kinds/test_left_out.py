"""Rows without a target or a source, and sources with a single row: refused, kept or left out."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.service.kinds import shifted_samples
from tests.service.kinds.run_requests import parquet_file, place_of, run_kind
from thetahat.errors import EvaluationError

N = 40
RNG = np.random.default_rng(5)
X = np.round(RNG.normal(size=(N, 2)), 3).tolist()
Y: list[Any] = [
    ("yes" if x[0] + 0.4 * e > 0 else "no") for x, e in zip(X, RNG.normal(size=N), strict=True)
]
SITE: list[Any] = [f"s{i % 4}" for i in range(N)]

LEARNERS: dict[str, Any] = {"near": "nearest_mean", "constant": "majority"}
CURVE: dict[str, Any] = {
    "task": "classification",
    "scheme": "leave_one_source_out",
    "learners": LEARNERS,
}
KINDS: dict[str, dict[str, Any]] = {
    "cross_validation": {"kind": "cross_validation", **CURVE},
    "learning_curve": {"kind": "learning_curve", **CURVE, "sizes": [0.5, 1]},
    "selection": {
        "kind": "selection",
        "task": "classification",
        "candidates": LEARNERS,
        "internal": {"name": "k_fold", "params": {"n_folds": 3}},
        "external": "leave_one_source_out",
    },
}


def with_data(kind: str, keep: list[int] | None = None, **changed: Any) -> dict[str, Any]:
    """A request over the data with some values changed, or over some of its rows."""
    columns = {"X": X, "y": Y, "source": SITE, **changed}
    rows = range(N) if keep is None else keep
    return {**KINDS[kind], "data": {k: [v[i] for i in rows] for k, v in columns.items()}}


def changed_at(values: list[Any], *rows: int, to: Any = None) -> list[Any]:
    return [to if i in rows else value for i, value in enumerate(values)]


def without(result: dict[str, Any]) -> dict[str, Any]:
    """A result without what names the rows that are left out."""
    cautions = [c for c in result["cautions"] if "left_out" not in c["code"]]
    return {**{k: v for k, v in result.items() if k != "left_out"}, "cautions": cautions}


@pytest.mark.parametrize("kind", KINDS)
def test_exact_rows_left_out_give_the_result_of_the_other_rows(kind: str) -> None:
    body = with_data(kind, y=changed_at(Y, 3, 17), source=changed_at(SITE, 17, 20))
    ran = run_kind({**body, "missing": "leave_out"}, job=1)
    keep = [i for i in range(N) if i not in (3, 17, 20)]
    expected = run_kind(with_data(kind, keep), job=1)
    assert without(ran.result) == expected.result
    assert "left_out" not in expected.result
    assert ran.result["left_out"] == {
        "n_rows": 3,
        "n_remaining": 37,
        "missing": {"target": {"n": 2, "rows": [3, 17]}, "source": {"n": 2, "rows": [17, 20]}},
    }
    (caution,) = [c for c in ran.result["cautions"] if c["code"] == "rows_left_out"]
    assert "no target in rows 3, 17; no source in rows 17, 20" in caution["message"]
    assert "37 rows" in caution["message"]
    assert set(ran.losses.column("instance").to_pylist()) <= set(keep)


def test_exact_losses_name_the_rows_of_the_data() -> None:
    body = {**with_data("cross_validation", y=changed_at(Y, 0)), "missing": "leave_out"}
    losses = run_kind(body).losses.to_pydict()
    sources = dict(zip(losses["instance"], losses["block"], strict=True))
    assert sources == {i: SITE[i] for i in range(1, N)}


@pytest.mark.parametrize("kind", KINDS)
def test_exact_small_sources_left_out_give_theta_a_back(kind: str) -> None:
    model = "selected" if kind == "selection" else "near"
    body = with_data(kind, source=changed_at(SITE, 9, to="lonely"))
    kept = run_kind(body).result
    assert "theta_A" not in kept["models"][model]["variances"]
    (reason,) = [n["reason"] for n in kept["not_applicable"] if n["name"] == "theta_A"]
    assert "'lonely' has one" in reason
    assert "small_sources" in reason
    ran = run_kind({**body, "small_sources": "leave_out"}, job=2).result
    expected = run_kind(with_data(kind, [i for i in range(N) if i != 9]), job=2).result
    assert without(ran) == expected
    assert ran["models"][model]["variances"]["theta_A"]["value"] > 0
    assert ran["left_out"] == {
        "n_rows": 1,
        "n_remaining": 39,
        "missing": {},
        "small_sources": {"n": 1, "sources": ["lonely"]},
    }
    (caution,) = [c for c in ran["cautions"] if c["code"] == "small_sources_left_out"]
    assert "source 'lonely'" in caution["message"]


def test_exact_a_source_is_small_after_its_incomplete_rows_are_left_out() -> None:
    source = changed_at(SITE, 9, 13, to=7)
    source = [label if label == 7 else int(label[1:]) for label in source]
    body = with_data("cross_validation", y=changed_at(Y, 13), source=source)
    body = {**body, "missing": "leave_out", "small_sources": "leave_out"}
    result = run_kind(body).result
    assert result["left_out"]["small_sources"] == {"n": 1, "sources": [7]}
    assert result["left_out"]["n_rows"] == 2


@pytest.mark.parametrize("kind", KINDS)
def test_invalid_a_missing_value_is_refused_with_its_place_and_the_option(kind: str) -> None:
    body = with_data(kind, source=changed_at(SITE, 5, 8))
    with pytest.raises(EvaluationError, match="has no value in row 5, nor in 1 other row") as error:
        run_kind(body)
    assert "missing to 'leave_out'" in error.value.message
    assert place_of(error.value) == ("data", "source", 5)


def test_exact_missing_values_of_a_file_are_left_out(tmp_path: Path) -> None:
    columns: dict[str, Any] = {
        "a": [x[0] for x in X],
        "b": [x[1] for x in X],
        "y": changed_at([x[0] * 2 for x in X], 1, 30),
        "site": changed_at(SITE, 2),
        "when": changed_at([float(i) for i in range(N)], 4),
        "w": changed_at([1.0] * N, 6),
    }
    file = parquet_file(tmp_path, columns)
    body = {
        "kind": "cross_validation",
        "task": "regression",
        "dataset": str(file.id),
        "columns": {"target": "y", "source": "site", "time": "when", "weight": "w"},
        "learners": {"line": "ridge"},
        "scheme": {"name": "k_fold", "params": {"n_folds": 5}},
    }
    with pytest.raises(EvaluationError, match="no value in row 1, nor in 1 other row") as error:
        run_kind(body, [file])
    assert place_of(error.value) == ("columns", "target", 1)
    result = run_kind({**body, "missing": "leave_out"}, [file]).result
    assert result["left_out"]["missing"] == {
        "target": {"n": 2, "rows": [1, 30]},
        "source": {"n": 1, "rows": [2]},
        "time": {"n": 1, "rows": [4]},
        "weight": {"n": 1, "rows": [6]},
    }
    assert result["models"]["line"]["n"] == N - 5


def test_exact_a_class_of_rows_left_out_is_no_class() -> None:
    y = changed_at(Y, 11, to="odd")
    body = with_data("cross_validation", y=y, source=changed_at(SITE, 11))
    body = {**body, "missing": "leave_out", "metrics": ["roc_auc"]}  # of two classes
    assert run_kind(body).result["left_out"]["n_rows"] == 1


def test_property_a_row_number_is_found_among_features_with_rows_left_out(tmp_path: Path) -> None:
    target = changed_at([x[0] for x in X], 7)
    file = parquet_file(tmp_path, {"": list(range(N)), "a": [x[1] for x in X], "y": target})
    body = {
        "kind": "cross_validation",
        "task": "regression",
        "dataset": str(file.id),
        "columns": {"target": "y"},
        "learners": {"line": "ridge"},
        "scheme": "k_fold",
        "missing": "leave_out",
    }
    codes = [c["code"] for c in run_kind(body, [file]).result["cautions"]]
    assert "row_numbers" in codes


@pytest.mark.parametrize("kind", KINDS)
def test_invalid_small_sources_without_sources(kind: str) -> None:
    body = with_data(kind)
    body = {**body, "data": {"X": X, "y": Y}, "small_sources": "leave_out"}
    with pytest.raises(EvaluationError, match="names no source") as error:
        run_kind(body)
    assert place_of(error.value) == ("small_sources",)


def test_degenerate_nothing_remains() -> None:
    body = with_data("cross_validation", source=[f"s{i}" for i in range(N)])
    with pytest.raises(EvaluationError, match="All 40 rows would be left out") as error:
        run_kind({**body, "small_sources": "leave_out"})
    assert place_of(error.value) == ("small_sources",)
    body = with_data("cross_validation", y=[None] * N)
    with pytest.raises(EvaluationError, match="target has no value in any of the 40 rows"):
        run_kind({**body, "missing": "leave_out"})
    rest = [i for i, y in enumerate(Y) if y == "no"]
    body = with_data("cross_validation", source=changed_at(SITE, *rest))
    with pytest.raises(EvaluationError, match=r"has class 'yes'; .* after \d+ rows were left out"):
        run_kind({**body, "missing": "leave_out"})


def test_invalid_errors_have_the_row_numbers_of_the_data() -> None:
    body = with_data("cross_validation", y=changed_at(Y, 0), source=changed_at(SITE, 6, to=[1]))
    with pytest.raises(EvaluationError, match="source in row 6") as error:
        run_kind({**body, "missing": "leave_out"})
    assert place_of(error.value) == ("data", "source", 6)


# Losses and predictions ---------------------------------------------------------------------------

BLOCKS = ["a"] * 5 + ["b"] * 4 + ["c"] * 6 + ["lone"]
M = len(BLOCKS)
LOSSES = {m: np.round(RNG.gamma(2.0, size=M), 3).tolist() for m in ("nb", "svm")}


def losses_body(keep: list[int], losses: dict[str, list[Any]], **labels: Any) -> dict[str, Any]:
    """A request in long form over some rows."""
    return {
        "kind": "losses",
        "blocks": "source",
        "losses": {m: [row[i] for i in keep] for m, row in losses.items()},
        **{name: [column[i] for i in keep] for name, column in labels.items()},
    }


def test_exact_long_losses_without_rows() -> None:
    losses = {**LOSSES, "svm": changed_at(LOSSES["svm"], 2, 6)}
    labels = {
        "block": changed_at(BLOCKS, 9),
        "instance": list(range(100, 100 + M)),
        "weights": [1.0 + i % 3 for i in range(M)],
    }
    sizes = {"n_train": {"a": 11, "b": 12, "c": 10, "lone": 15}}
    body = {**losses_body(list(range(M)), losses, **labels), **sizes}
    ran = run_kind({**body, "missing": "leave_out", "small_sources": "leave_out"}, job=3)
    keep = [i for i in range(M - 1) if i not in (2, 6, 9)]
    expected = losses_body(keep, losses, **labels)
    n_train = {block: n for block, n in sizes["n_train"].items() if block != "lone"}
    expected_ran = run_kind({**expected, "n_train": n_train}, job=3)
    assert without(ran.result) == expected_ran.result
    assert ran.losses.equals(expected_ran.losses)
    assert ran.result["left_out"] == {
        "n_rows": 4,
        "n_remaining": M - 4,
        "missing": {"loss of svm": {"n": 2, "rows": [2, 6]}, "block": {"n": 1, "rows": [9]}},
        "small_sources": {"n": 1, "sources": ["lone"]},
    }


def test_exact_a_matrix_of_losses_without_rows() -> None:
    matrix = {m: [v[:5], v[5:9], v[9:15], v[15:]] for m, v in LOSSES.items()}
    matrix["nb"] = [[0.5, None, 0.25, 1.0, 0.1], [None] * 4, *matrix["nb"][2:]]
    body = {
        "kind": "losses",
        "blocks": "source",
        "losses": matrix,
        "block_labels": ["a", "b", "c", "lone"],
        "n_train": {"a": 11, "b": 12, "c": 10, "lone": 15},
    }
    ran = run_kind({**body, "missing": "leave_out", "small_sources": "leave_out"}, job=4).result
    expected = {
        **body,
        "losses": {
            "nb": [[0.5, 0.25, 1.0, 0.1], matrix["nb"][2]],
            "svm": [[v for i, v in enumerate(matrix["svm"][0]) if i != 1], matrix["svm"][2]],
        },
        "block_labels": ["a", "c"],
        "n_train": {"a": 11, "c": 10},
    }
    assert without(ran) == run_kind(expected, job=4).result
    assert ran["left_out"]["missing"] == {"loss of nb": {"n": 5, "rows": [1, 5, 6, 7, 8]}}
    with pytest.raises(EvaluationError, match="set missing to 'leave_out'") as error:
        run_kind(body)
    assert place_of(error.value) == ("losses", "nb", 0, 1)


def test_exact_a_file_of_losses_without_rows(tmp_path: Path) -> None:
    file = parquet_file(
        tmp_path,
        {
            "nb": changed_at(LOSSES["nb"], 1),
            "svm": LOSSES["svm"],
            "site": changed_at(BLOCKS, 7),
            "who": changed_at([float(i // 2) for i in range(M)], 12),
        },
    )
    body: dict[str, Any] = {
        "kind": "losses",
        "blocks": "source",
        "dataset": str(file.id),
        "columns": {"losses": ["nb", "svm"], "block": "site", "cluster": "who"},
    }
    with pytest.raises(EvaluationError, match=r"loss of nb has no value in row 1\. Add") as error:
        run_kind(body, [file])
    assert place_of(error.value) == ("columns", "losses", 0, 1)
    ran = run_kind({**body, "missing": "leave_out"}, [file], job=5).result
    keep = [i for i in range(M) if i not in (1, 7, 12)]
    labels = {"block": BLOCKS, "cluster": [i // 2 for i in range(M)]}
    assert without(ran) == run_kind(losses_body(keep, LOSSES, **labels), job=5).result
    assert {c: v["rows"] for c, v in ran["left_out"]["missing"].items()} == {
        "loss of nb": [1],
        "block": [7],
        "cluster": [12],
    }


def test_exact_a_source_needs_two_rows_in_every_repeat() -> None:
    block = ["a", "a", "b", "b", "c", "c"] * 2
    losses = {"nb": np.round(RNG.gamma(2.0, size=12), 3).tolist()}
    losses["nb"][11] = None
    labels = {"block": block, "repeat": [0] * 6 + [1] * 6, "instance": [*range(6)] * 2}
    body = losses_body(list(range(12)), losses, **labels)
    result = run_kind({**body, "missing": "leave_out", "small_sources": "leave_out"}).result
    assert result["left_out"]["small_sources"] == {"n": 1, "sources": ["c"]}
    assert result["left_out"]["n_rows"] == 4
    assert result["block_labels"] == ["a", "b"]


def predictions_body(keep: list[int], **columns: Any) -> dict[str, Any]:
    taken = {
        name: {m: [v[i] for i in keep] for m, v in column.items()}
        if isinstance(column, dict)
        else [column[i] for i in keep]
        for name, column in columns.items()
    }
    return {"kind": "predictions", "blocks": "source", "loss": "zero_one", **taken}


def test_exact_predictions_without_rows() -> None:
    y = [i % 2 for i in range(M)]
    columns: dict[str, Any] = {
        "y": changed_at(changed_at(y, 3), 8, to=5),
        "predictions": {"nb": changed_at(y, 4), "svm": [1 - v for v in y]},
        "scores": {"nb": changed_at([0.1 * i for i in range(M)], 6), "svm": [-1.0 * v for v in y]},
        "block": changed_at(BLOCKS, 8),
    }
    metrics = {"metrics": ["roc_auc"]}
    body = {**predictions_body(list(range(M)), **columns), **metrics}
    ran = run_kind({**body, "missing": "leave_out", "small_sources": "leave_out"}, job=6).result
    keep = [i for i in range(M - 1) if i not in (3, 4, 6, 8)]
    expected = {**predictions_body(keep, **columns), **metrics}
    assert without(ran) == run_kind(expected, job=6).result
    assert set(ran["left_out"]["missing"]) == {
        "target",
        "prediction of nb",
        "score of nb",
        "block",
    }
    with pytest.raises(EvaluationError, match=r"target has no value in row 3\. Add") as error:
        run_kind(body)
    assert place_of(error.value) == ("y", 3)


def test_invalid_rows_that_are_kept_have_their_own_number() -> None:
    y = [i % 2 for i in range(M)]
    columns: dict[str, Any] = {
        "y": y,
        "predictions": {"nb": changed_at(y, 9, to=0.5)},
        "block": BLOCKS,
    }
    body = predictions_body(list(range(M)), **{**columns, "block": changed_at(BLOCKS, 1, 2)})
    with pytest.raises(EvaluationError, match="whole number or a boolean") as error:
        run_kind({**body, "missing": "leave_out"})
    assert place_of(error.value) == ("predictions", "nb", 9)
    instance = [*range(M)]
    instance[9] = 8
    body = losses_body(list(range(M)), LOSSES, block=changed_at(BLOCKS, 1, 2), instance=instance)
    with pytest.raises(EvaluationError, match="once more in row 9") as error:
        run_kind({**body, "missing": "leave_out"})
    assert place_of(error.value) == ("instance", 9)


def test_invalid_options_without_rows_or_sources() -> None:
    scores: dict[str, Any] = {
        "kind": "losses",
        "split_scores": {"nb": [0.1, 0.2]},
        "better": "lower",
    }
    scores = {**scores, "n_train": 9, "n_test": 1, "blocks": "random"}
    with pytest.raises(EvaluationError, match="split_scores have no rows") as error:
        run_kind({**scores, "missing": "leave_out"})
    assert place_of(error.value) == ("missing",)
    body = {**losses_body(list(range(M)), LOSSES, block=BLOCKS), "blocks": "random"}
    with pytest.raises(EvaluationError, match="Set blocks to 'source'") as error:
        run_kind({**body, "small_sources": "leave_out"})
    assert place_of(error.value) == ("small_sources",)


SHARE = {"repetitions": 20, "share": 0.7}


def test_exact_a_calibration_draws_from_the_rows_that_are_left() -> None:
    body = with_data("cross_validation", y=changed_at(Y, 3, 17))
    body = {**body, "scheme": "k_fold", "calibration": SHARE, "missing": "leave_out"}
    keep = [i for i in range(N) if i not in (3, 17)]
    expected = with_data("cross_validation", keep)
    expected = {**expected, "scheme": "k_fold", "calibration": SHARE}
    assert without(run_kind(body, job=8).result) == run_kind(expected, job=8).result


def test_property_a_study_may_draw_a_row_twice() -> None:
    study = {
        "kind": "study",
        "population": {"data": {"X": X, "y": Y}, "task": "classification"},
        "draw": {"n": 30, "replace": True},
        "estimators": [{"scheme": "k_fold", "learner": "nearest_mean"}],
        "repetitions": 20,
    }
    assert run_kind(study).result["tables"]


# Two samples -------------------------------------------------------------------------------------

SAMPLES: dict[str, dict[str, list[Any]]] = {
    "source": {
        "X": shifted_samples.X.tolist(),
        "y": shifted_samples.Y.tolist(),
        "fold": shifted_samples.FOLD.tolist(),
        "source": [f"s{i % 3}" for i in range(30)],
        "weight": [1.0 + i % 4 for i in range(30)],
    },
    "target": {"X": shifted_samples.Z.tolist(), "y": shifted_samples.U.tolist()},
}
WEIGHTING = {
    "kind": "importance_weighting",
    "learners": {"ridge": "ridge", "near": "nearest_mean"},
    "grids": {"ridge": {"penalty": [0.1, 10.0]}},
    "loss": "zero_one",
    "weighted_fit": False,
}


def of_rows(sample: dict[str, list[Any]], keep: list[int]) -> dict[str, list[Any]]:
    return {field: [column[i] for i in keep] for field, column in sample.items()}


def incomplete_samples() -> tuple[dict[str, Any], dict[str, Any]]:
    """Samples with missing values, and the same samples without these rows."""
    source, target = SAMPLES["source"], SAMPLES["target"]
    X, Z = source["X"], target["X"]
    changed = {
        "source": {
            **source,
            "X": changed_at(X, 4, to=[None, X[4][1]]),
            "y": changed_at(source["y"], 7, 9),
            "fold": changed_at(source["fold"], 9),
            "source": changed_at(source["source"], 12),
            "weight": changed_at(source["weight"], 15),
        },
        "target": {"X": changed_at(Z, 0, to=[1.0, None]), "y": changed_at(target["y"], 3)},
    }
    complete = {
        "source": of_rows(source, [i for i in range(30) if i not in (4, 7, 9, 12, 15)]),
        "target": of_rows(target, [i for i in range(40) if i not in (0, 3)]),
    }
    return changed, complete


LEFT_OUT_OF_SAMPLES = {
    "source": {
        "n_rows": 5,
        "n_remaining": 25,
        "missing": {
            "y": {"n": 2, "rows": [7, 9]},
            "weight": {"n": 1, "rows": [15]},
            "source": {"n": 1, "rows": [12]},
            "fold": {"n": 1, "rows": [9]},
            "features": {"n": 1, "rows": [4]},
        },
    },
    "target": {
        "n_rows": 2,
        "n_remaining": 38,
        "missing": {"y": {"n": 1, "rows": [3]}, "features": {"n": 1, "rows": [0]}},
    },
}


def test_exact_incomplete_rows_of_two_samples_are_left_out() -> None:
    changed, complete = incomplete_samples()
    ran = run_kind({**WEIGHTING, **changed, "missing": "leave_out"}, job=9)
    expected = run_kind({**WEIGHTING, **complete}, job=9)

    assert without(ran.result) == expected.result
    assert "left_out" not in expected.result
    assert ran.result["left_out"] == LEFT_OUT_OF_SAMPLES
    source, target = (
        c["message"] for c in ran.result["cautions"] if c["code"] == "sample_rows_left_out"
    )
    assert "Rows of the source with a missing value are left out: no y in rows 7, 9;" in source
    assert "incomplete features in row 4" in source
    assert "other 25 rows" in source
    assert "no y in row 3; incomplete features in row 0" in target
    rows = [i for i in range(30) if i not in (4, 7, 9, 12, 15)]
    assert ran.losses.column("instance").to_pylist() == rows
    columns = [name for name in ran.losses.column_names if name != "instance"]
    assert ran.losses.select(columns).equals(expected.losses.select(columns))


def test_exact_incomplete_rows_of_two_samples_get_no_weight() -> None:
    changed, complete = incomplete_samples()
    source_fields, target_fields = ("X", "y", "weight"), ("X", "y")

    def body(samples: dict[str, Any]) -> dict[str, Any]:
        return {
            "kind": "weights",
            "source": {k: samples["source"][k] for k in source_fields},
            "target": {k: samples["target"][k] for k in target_fields},
        }

    ran = run_kind({**body(changed), "missing": "leave_out"}, job=10).result
    rows = [i for i in range(30) if i not in (4, 7, 9, 15)]
    complete["source"] = of_rows(SAMPLES["source"], rows)
    assert without(ran) == run_kind(body(complete), job=10).result
    assert len(ran["weights"]["values"]) == 26
    assert ran["left_out"]["source"]["n_rows"] == 4
    assert [c["code"] for c in ran["cautions"]] == ["sample_rows_left_out"] * 2


def test_exact_incomplete_rows_of_a_file_are_left_out(tmp_path: Path) -> None:
    source, target = SAMPLES["source"], SAMPLES["target"]
    table = {
        "a": changed_at([x[0] for x in source["X"]], 2),
        "b": [x[1] for x in source["X"]],
        "y": changed_at([str(y) for y in source["y"]], 5),
    }
    files = [
        parquet_file(tmp_path, table),
        parquet_file(
            tmp_path, {"b": [x[1] for x in target["X"]], "a": [x[0] for x in target["X"]]}
        ),
    ]
    body = {
        **WEIGHTING,
        "source": {"dataset": str(files[0].id), "columns": {"target": "y"}},
        "target": {"dataset": str(files[1].id)},
    }
    with pytest.raises(EvaluationError, match="'a' has no value in row 2") as error:
        run_kind(body, files)
    assert "set missing to 'leave_out'" in error.value.message
    ran = run_kind({**body, "missing": "leave_out"}, files)
    assert ran.result["left_out"] == {
        "source": {
            "n_rows": 2,
            "n_remaining": 28,
            "missing": {"y": {"n": 1, "rows": [5]}, "features": {"n": 1, "rows": [2]}},
        }
    }
    assert ran.losses.column("instance").to_pylist() == [i for i in range(30) if i not in (2, 5)]


@pytest.mark.parametrize(
    ("sample", "field", "row", "place"),
    [
        ("source", "y", 7, ("source", "y", 7)),
        ("source", "weight", 15, ("source", "weight", 15)),
        ("source", "source", 12, ("source", "source", 12)),
        ("source", "fold", 9, ("source", "fold", 9)),
        ("target", "y", 3, ("target", "y", 3)),
    ],
)
def test_invalid_a_missing_value_of_a_sample_is_refused_with_the_option(
    sample: str, field: str, row: int, place: tuple[object, ...]
) -> None:
    samples = {k: dict(v) for k, v in SAMPLES.items()}
    samples[sample][field] = changed_at(samples[sample][field], row)
    with pytest.raises(EvaluationError, match=f"has no value in row {row}") as error:
        run_kind({**WEIGHTING, **samples})
    assert "missing to 'leave_out'" in error.value.message
    assert place_of(error.value) == place


def test_invalid_a_row_of_a_sample_that_is_kept_has_its_own_number() -> None:
    changed, _ = incomplete_samples()
    changed["target"]["y"] = changed_at(changed["target"]["y"], 8, to=5)
    with pytest.raises(EvaluationError, match="The label in row 8 is 5") as error:
        run_kind({**WEIGHTING, **changed, "missing": "leave_out"})
    assert place_of(error.value) == ("target", "y", 8)
    changed, _ = incomplete_samples()
    changed["source"]["weight"] = changed_at(changed["source"]["weight"], 20, to=-1)
    body = {**changed, "weights": "given", "missing": "leave_out"}
    for kind in (WEIGHTING, {"kind": "weights"}):
        if kind["kind"] == "weights":
            body["source"] = {k: body["source"][k] for k in ("X", "y", "weight")}
        with pytest.raises(EvaluationError, match="The weight in row 20 is -1") as error:
            run_kind({**kind, **body})
        assert place_of(error.value) == ("source", "weight", 20)


def test_degenerate_nothing_remains_of_a_sample() -> None:
    source = SAMPLES["source"]
    empty = {**source, "X": [[None, x[1]] for x in source["X"]]}
    with pytest.raises(EvaluationError, match="All 30 rows would be left out") as error:
        run_kind({**WEIGHTING, **SAMPLES, "source": empty, "missing": "leave_out"})
    assert place_of(error.value) == ("missing",)
    rest = [i for i, y in enumerate(source["y"]) if y == -1]
    one_class = {**source, "fold": changed_at(source["fold"], *rest)}
    with pytest.raises(EvaluationError, match=r"needs two classes.* Rows were left out: no fold"):
        run_kind({**WEIGHTING, **SAMPLES, "source": one_class, "missing": "leave_out"})
