"""Metrics and extra fits of learning curves and selections, and what can be downloaded of them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

from tests.service.kinds.run_requests import parquet_file, place_of, run_kind
from tests.service.kinds.test_learning_curve import BODY, X
from thetahat.errors import EvaluationError
from thetahat_service.kinds.fitting import engine
from thetahat_service.outcomes import spilled_arrays

LABEL = np.where(X[:, 0] + np.random.default_rng(5).normal(size=60) > 0.3, "yes", "no")
CLASSES: dict[str, Any] = {
    **BODY,
    "data": {"X": X.tolist(), "y": LABEL.tolist()},
    "task": "classification",
    "learners": {"lda": "linear_discriminant", "nb": "gaussian_naive_bayes"},
    "sizes": [15, 1],
    "metrics": ["roc_auc", {"name": "f1", "params": {"positive": "yes"}}],
}
PLAIN = {k: v for k, v in CLASSES.items() if k != "sizes"} | {"kind": "cross_validation"}


@pytest.mark.outside("sklearn.metrics on the same splits and training parts")
def test_against_sklearn_the_metrics_at_a_smaller_size() -> None:
    from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
    from sklearn.metrics import f1_score, roc_auc_score

    from thetahat.analyses.learning_curve.growth import Growth, grow_splits
    from thetahat.schemes.base import Rows
    from thetahat.schemes.k_fold import KFold

    _, codes = np.unique(LABEL, return_inverse=True)
    rows = Rows(n=60, y=codes)
    growth = Growth(sizes=(15.0, 1.0), grow_by="instance", stratified=True)
    areas, predictions = [], np.empty(60, dtype=LABEL.dtype)
    for split in grow_splits(KFold(n_folds=5).splits(rows, 7), growth, rows, 7, 0):
        lda = LinearDiscriminantAnalysis(solver="lsqr").fit(X[split.train], LABEL[split.train])
        areas.append(
            roc_auc_score(LABEL[split.test] == "yes", lda.decision_function(X[split.test]))
        )
        predictions[split.test] = lda.predict(X[split.test])

    points = run_kind(CLASSES).result["curves"]["lda"]["points"]
    metrics = points[0]["metrics"]
    assert_allclose(metrics["roc_auc"]["estimate"]["blocks"], areas, rtol=1e-12)
    assert_allclose(
        metrics["f1"]["estimate"]["pooled"],
        f1_score(LABEL, predictions, pos_label="yes"),
        rtol=1e-12,
    )


def test_exact_at_the_largest_size_metrics_and_extra_fits_are_those_of_a_cross_validation() -> None:
    again = {"name": "out_of_bag", "params": {"n_resamples": 20}}
    more = {"variances": [again, "nadeau_bengio"]}
    result = run_kind({**CLASSES, **more}).result
    whole = run_kind({**PLAIN, **more}).result

    assert result["models"] == whole["models"]
    assert result["comparisons"] == whole["comparisons"]
    assert "out_of_bag" in result["models"]["nb"]["estimates"]
    last = result["curves"]["nb"]["points"][-1]
    assert (
        last["metrics"]["roc_auc"]["estimate"]
        == (whole["models"]["nb"]["metrics"]["roc_auc"]["estimate"])
    )
    figure = result["curves"]["nb"]["figure"]["metrics"]["roc_auc"]
    assert figure["y"][-1] == last["metrics"]["roc_auc"]["estimate"]["macro"]
    used = {(m["family"], m["name"]) for m in result["methods"]}
    assert {("metrics", "roc_auc"), ("variances", "out_of_bag")} <= used


def test_exact_classes_of_a_stored_data_set_and_inline_ones_agree(tmp_path: Path) -> None:
    file = parquet_file(tmp_path, {f"x{j}": X[:, j] for j in range(3)} | {"y": LABEL})
    stored = {k: v for k, v in CLASSES.items() if k != "data"}
    stored |= {"dataset": str(file.id), "columns": {"target": "y"}}

    assert run_kind(stored, [file]).result["curves"] == run_kind(CLASSES).result["curves"]


def test_exact_extra_fits_cut_in_chunks_change_no_bit(monkeypatch: pytest.MonkeyPatch) -> None:
    body = {**CLASSES, "variances": [{"name": "out_of_bag", "params": {"n_resamples": 20}}]}
    whole = run_kind(body)
    monkeypatch.setattr(engine, "SMALL", 0)
    cut = run_kind(body, job=1)

    assert cut.result == whole.result
    assert cut.losses == whole.losses


def test_exact_predictions_and_losses_of_every_size_can_be_downloaded(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    table = run_kind(CLASSES).losses
    monkeypatch.setattr(spilled_arrays, "IN_MEMORY", 0)
    assert run_kind(CLASSES, job=1).losses == table

    for name in ("lda @ 15", "lda @ 1", "nb @ 15", "nb @ 1"):
        rows = table.column("instance").to_numpy()
        wrong = np.array(table.column(f"prediction:{name}")) != LABEL[rows]
        assert (table.column(name).to_numpy() == wrong).all()
    assert table.num_rows == 60
    values = run_kind(BODY).losses
    truth = np.array(BODY["data"]["y"])[values.column("instance").to_numpy()]
    error = values.column("prediction:ridge @ 5").to_numpy() - truth
    assert_allclose(values.column("ridge @ 5").to_numpy(), error**2, rtol=1e-12)


@pytest.mark.parametrize(
    ("change", "loc", "words"),
    [
        ({"metrics": ["r2"]}, ("metrics", 0), "is for regression"),
        ({"sizes": [0.5], "variances": ["out_of_bag"]}, ("variances", 0), "End the sizes with 1"),
        (
            {
                "data": BODY["data"],
                "task": "regression",
                "metrics": [],
                "learners": BODY["learners"],
                "variances": ["out_of_bag"],
            },
            ("variances", 0),
            "sources",
        ),
        ({"variances": ["no_such"]}, ("variances", 0, "name"), "no_such"),
    ],
)
def test_invalid_is_refused_in_place(
    change: dict[str, Any], loc: tuple[str | int, ...], words: str
) -> None:
    with pytest.raises(EvaluationError, match=words) as refused:
        run_kind({**CLASSES, **change})

    assert place_of(refused.value) == loc
