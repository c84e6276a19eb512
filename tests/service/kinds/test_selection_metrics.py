"""Selections that choose by a metric, metrics of what is selected, and its predictions."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

from tests.service.kinds.run_requests import place_of, run_kind
from tests.service.kinds.test_selection import BODY, X
from thetahat.analyses.selection.nested_splits import derive_seed_on_all_rows, split_training_part
from thetahat.errors import EvaluationError
from thetahat.schemes.base import Rows
from thetahat.schemes.stratified_k_fold import StratifiedKFold
from thetahat_service.kinds.fitting import engine

LABEL = np.where(X[:, 0] + np.random.default_rng(8).normal(size=48) > 0, "yes", "no")
SMOOTHING = [0.1, 1.0, 10.0]
AREA: dict[str, Any] = {
    **BODY,
    "data": {"X": np.round(np.exp(X)).tolist(), "y": LABEL.tolist()},
    "task": "classification",
    "candidates": {"nb": {"name": "multinomial_naive_bayes", "grid": {"smoothing": SMOOTHING}}},
    "internal": {"name": "stratified_k_fold", "params": {"n_folds": 3}},
    "external": {"name": "stratified_k_fold", "params": {"n_folds": 4}},
    "select_by": "roc_auc",
    "metrics": ["roc_auc", "balanced_accuracy"],
}


def _searched(rows: np.ndarray, splits: list[Any], scoring: str) -> Any:
    from sklearn.model_selection import GridSearchCV
    from sklearn.naive_bayes import MultinomialNB

    place = {row: i for i, row in enumerate(rows.tolist())}
    cv = [([place[r] for r in s.train], [place[r] for r in s.test]) for s in splits]
    search = GridSearchCV(MultinomialNB(), {"alpha": SMOOTHING}, cv=cv, scoring=scoring)
    return search.fit(np.array(AREA["data"]["X"])[rows], LABEL[rows])


@pytest.mark.outside("sklearn GridSearchCV with scoring roc_auc inside the same external splits")
def test_against_sklearn_nested_grid_search_by_area() -> None:
    result = run_kind(AREA).result
    _, codes = np.unique(LABEL, return_inverse=True)
    rows, inner = Rows(n=48, y=codes), StratifiedKFold(n_folds=3)
    values = np.array(AREA["data"]["X"])
    names = [f"nb[smoothing={value:g}]" for value in SMOOTHING]

    splits = result["external"]["splits"]
    for split, caution in zip(StratifiedKFold(n_folds=4).splits(rows, 7), splits, strict=True):
        inside = list(split_training_part(inner, rows, split, 7))
        best = _searched(split.train, inside, "roc_auc")
        assert caution["winner"] == names[best.best_index_]
        assert_allclose(caution["internal"], best.best_score_, rtol=1e-12)
        assert_allclose(caution["external"], best.score(values[split.test], LABEL[split.test]))
    best = _searched(np.arange(48), list(inner.splits(rows, derive_seed_on_all_rows(7))), "roc_auc")
    assert result["chosen"]["name"] == names[best.best_index_]
    assert (result["chosen"]["by"], result["chosen"]["higher_is_better"]) == ("roc_auc", True)
    curve = result["grids"]["nb"]["parameters"]["smoothing"]
    assert_allclose(curve["mean"], best.cv_results_["mean_test_score"], rtol=1e-12)
    areas = [caution["external"] for caution in splits]
    measured = result["models"]["selected"]["metrics"]["roc_auc"]["estimate"]
    assert_allclose(measured["blocks"], areas, rtol=1e-12)
    gaps = [caution["external"] - caution["internal"] for caution in splits]
    assert_allclose(result["bias"]["estimate"], np.mean(gaps), rtol=1e-12)
    assert result["bias"]["interval"] is None
    caution = next(c for c in result["cautions"] if c["code"] == "internal_is_optimistic")
    assert "The internal area under the ROC curve of" in caution["message"]
    assert "is therefore usually too large" in caution["message"]


@pytest.mark.outside("sklearn.metrics.balanced_accuracy_score of the rows of all internal splits")
def test_against_sklearn_a_metric_of_decisions_is_read_over_all_rows() -> None:
    from sklearn.metrics import balanced_accuracy_score
    from sklearn.model_selection import cross_val_predict
    from sklearn.naive_bayes import MultinomialNB

    result = run_kind({**AREA, "select_by": "balanced_accuracy"}).result
    _, codes = np.unique(LABEL, return_inverse=True)
    splits = StratifiedKFold(n_folds=3).splits(Rows(n=48, y=codes), derive_seed_on_all_rows(7))
    cv = [(split.train, split.test) for split in splits]
    for value in SMOOTHING:
        predictions = cross_val_predict(MultinomialNB(alpha=value), AREA["data"]["X"], LABEL, cv=cv)
        mean = result["internal"][f"nb[smoothing={value:g}]"]["mean"]
        assert mean == pytest.approx(balanced_accuracy_score(LABEL, predictions), rel=1e-12)
    assert result["bias"]["of_minima"] is None


@pytest.mark.parametrize("by", ["roc_auc", "balanced_accuracy"])
@pytest.mark.parametrize("external", [AREA["external"], None])
def test_exact_the_number_of_chunks_changes_no_bit(
    by: str, external: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    tree = {"name": "DecisionTreeClassifier", "params": {"max_depth": 2, "max_features": 2}}
    candidates = {**AREA["candidates"], "tree": tree, "lda": "linear_discriminant"}
    body = {**AREA, "select_by": by, "external": external, "candidates": candidates}
    monkeypatch.setattr(engine, "SMALL", 0)
    results = []
    for most in (1, 64):
        monkeypatch.setattr(engine, "MOST_CHUNKS", most)
        monkeypatch.setattr(engine, "WORTH_A_CHUNK", 1)
        results.append(run_kind(body, job=most))

    assert results[0].result == results[1].result
    assert results[0].losses == results[1].losses


def test_exact_predictions_and_the_chosen_can_be_downloaded() -> None:
    outcome = run_kind({**AREA, "compare": True})
    table, names = outcome.losses, list(outcome.result["internal"])
    assert table.num_rows == 48
    truth = LABEL[table.column("instance").to_numpy()]
    for name in ("selected", *names):
        wrong = np.array(table.column(f"prediction:{name}")) != truth
        assert (table.column(name).to_numpy() == wrong).all()
    chosen = table.column("chosen:selected").to_pylist()
    for at, name in enumerate(chosen):
        predictions, other = (table.column(f"prediction:{m}")[at] for m in ("selected", name))
        assert predictions == other
    winners = {s["block"]: s["winner"] for s in outcome.result["external"]["splits"]}
    assert chosen == [winners[block] for block in table.column("block").to_pylist()]
    without = run_kind({**AREA, "external": None})
    assert without.losses.num_rows == 48
    assert {f"prediction:{name}" for name in names} <= set(without.losses.column_names)
    assert set(without.result["models"][names[0]]["metrics"]) == {"roc_auc", "balanced_accuracy"}


def test_degenerate_probabilities_in_one_split_and_decision_values_in_another() -> None:
    """Each split's area is its own; the candidates' own are not mixed."""
    two = {"nb": "MultinomialNB", "ridge": "RidgeClassifier"}
    result = run_kind({**AREA, "candidates": two, "compare": True}).result
    splits = result["external"]["splits"]
    assert {split["winner"] for split in splits} == {"nb", "ridge"}
    areas = result["models"]["selected"]["metrics"]["roc_auc"]["estimate"]["blocks"]
    for at, split in enumerate(splits):
        of_winner = result["models"][split["winner"]]["metrics"]["roc_auc"]["estimate"]
        assert areas[at] == of_winner["blocks"][at] == split["external"]


@pytest.mark.parametrize("change", [{}, {"select_by": None}])
def test_degenerate_a_candidate_without_probabilities_of_three_classes_fails_alone(
    change: dict[str, Any],
) -> None:
    three = {**AREA["data"], "y": np.digitize(X[:, 0], [-0.5, 0.5]).tolist()}
    two = {"nb": "multinomial_naive_bayes", "svm": "LinearSVC"}
    body = {**AREA, "data": three, "candidates": two, "metrics": ["roc_auc"], **change}
    result = run_kind(body).result

    assert (
        "roc_auc needs scores, and the learner 'svm' returned none"
        in (result["failures"]["svm"]["message"])
    )
    assert list(result["internal"]) == ["nb"]


def test_degenerate_an_area_inside_single_rows_is_undefined() -> None:
    with pytest.raises(EvaluationError, match="roc_auc has no value in any internal split"):
        run_kind({**AREA, "internal": "leave_one_out"})
    with pytest.raises(EvaluationError, match="roc_auc has no value in any internal split"):
        run_kind({**AREA, "internal": "leave_one_out", "external": None})


@pytest.mark.parametrize(
    ("change", "loc", "words"),
    [
        ({"select_by": "r2"}, ("select_by",), "is for regression"),
        ({"select_by": "no_such"}, ("select_by", "name"), "no_such"),
        ({"metrics": ["r2"]}, ("metrics", 0), "is for regression"),
        ({"intervals": ["bates_nested_cv"]}, ("intervals", 0), "the learner is the whole"),
        ({"variances": ["out_of_bag"]}, ("variances", 0), "choose among all candidates again"),
    ],
)
def test_invalid_is_refused_in_place(
    change: dict[str, Any], loc: tuple[str | int, ...], words: str
) -> None:
    with pytest.raises(EvaluationError, match=words) as refused:
        run_kind({**AREA, **change})

    assert place_of(refused.value) == loc
