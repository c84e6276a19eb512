from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

from tests.service.kinds.run_requests import parquet_file, run_kind
from thetahat.errors import InvalidParameter, UnsupportedCombination
from thetahat.refit_estimators import EVERY_INTERVAL, EVERY_VARIANCE, REFIT_ESTIMATORS
from thetahat_service.api.catalogue import read_family
from thetahat_service.json_encoding import encode_json
from thetahat_service.kinds.base import Chunk
from thetahat_service.kinds.fitting import engine

RNG = np.random.default_rng(20_261_121)
X = RNG.normal(size=(40, 2))
Y = X @ [1.0, -1.0] + RNG.normal(size=40)
SMALL = [
    {"name": "bates_nested_cv", "params": {"n_folds": 3, "n_repeats": 2}},
    {"name": "conservative_z", "params": {"n_halvings": 2, "n_subsamples": 3}},
    {"name": "austern_zhou", "params": {"n_folds": 2}},
    {"name": "out_of_bag", "params": {"n_resamples": 10}},
    {"name": "bootstrap_632", "params": {"n_resamples": 10}},
    {"name": "bootstrap_632_plus", "params": {"n_resamples": 10}},
]
OWN = {"out_of_bag", "bootstrap_632", "bootstrap_632_plus"}
BODY: dict[str, Any] = {
    "kind": "cross_validation",
    "data": {"X": X.tolist(), "y": Y.tolist()},
    "task": "regression",
    "learners": {"ridge": {"name": "ridge", "params": {"penalty": 2.0}}, "mean": "mean"},
    "scheme": {"name": "k_fold", "params": {"n_folds": 5}},
    "variances": ["nadeau_bengio", *SMALL],
    "intervals": ["student_t", "normal", SMALL[0]],
    "tests": ["nadeau_bengio_t"],
}
# K (K + 1)/2 pairs and folds x 2; 3 (1 + 2 x 2); 2 x 2 + 20; 10 + 1 for the bootstrap's three
FITS = 12 + 15 + 24 + 11


def test_exact_refit_estimates_are_with_their_models() -> None:
    result = run_kind(BODY).result
    ridge = result["models"]["ridge"]

    assert set(ridge["variances"]) == {"nadeau_bengio", *(s["name"] for s in SMALL)} - OWN
    assert set(ridge["estimates"]) == OWN
    for estimate in ridge["estimates"].values():
        assert {"estimate", "variance", "standard_error", "target", "intervals"} <= set(estimate)
        assert [i["method"] for i in estimate["intervals"]] == ["normal"]
    built = {(i["method"], i["variance"]): i["target"] for i in ridge["intervals"]}
    assert built["bates_nested_cv", "bates_nested_cv"] == "these_models"
    assert built["normal", "conservative_z"] == "these_sources"
    (pair,) = result["comparisons"]
    assert {"bates_nested_cv", "conservative_z", "austern_zhou"} <= set(pair["variances"])
    differences = {i["variance"]: i["estimate"] for i in pair["intervals"]}
    assert "bootstrap_632_plus" not in differences
    assert_allclose(
        differences["out_of_bag"],
        ridge["estimates"]["out_of_bag"]["estimate"]
        - result["models"]["mean"]["estimates"]["out_of_bag"]["estimate"],
        rtol=1e-10,
    )
    not_of_pairs = [n for n in result["not_applicable"] if n["name"] == "bootstrap_632_plus"]
    assert "no-information error of one model" in not_of_pairs[0]["reason"]
    used = {m["name"]: m["params"] for m in result["methods"] if m["family"] == "variances"}
    assert used["conservative_z"] == {"n_halvings": 2, "n_subsamples": 3, "test_size": 0.1}
    assert used["out_of_bag"] == {
        "n_resamples": 10,
        "correct_noise": False,
        "average": "instance",
    }


def test_exact_the_number_of_parts_changes_no_bit(monkeypatch: pytest.MonkeyPatch) -> None:
    drawn = {"name": "DecisionTreeRegressor", "params": {"splitter": "random"}}
    body = {**BODY, "learners": {"mean": "mean", "drawn": drawn}}
    results = []
    for most in (2, 4, 8):  # one part for each learner (and design), two, four
        monkeypatch.setattr(engine, "MOST_CHUNKS", most)
        results.append(encode_json(run_kind(body, job=most).result))

    assert len(set(results)) == 1


def test_exact_bootstrap_intervals_do_not_depend_on_the_parts(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    intervals = [
        {"name": "location_shifted_bootstrap", "params": {"n_resamples": 10}},
        {"name": "two_stage_bootstrap", "params": {"n_outer": 10, "n_inner": 2}},
        {"name": "bccv_percentile", "params": {"n_resamples": 10}},
    ]
    body = {**BODY, "intervals": intervals, "variances": []}
    results = [run_kind(body)]
    monkeypatch.setattr(engine, "SMALL", 0)
    for most in (2, 4, 64):
        monkeypatch.setattr(engine, "MOST_CHUNKS", most)
        results.append(run_kind(body, job=most))

    assert len({encode_json(finished.result) for finished in results}) == 1
    built = results[0].result["models"]["ridge"]["intervals"]
    assert [i["method"] for i in built] == [i["name"] for i in intervals]
    (pair,) = results[0].result["comparisons"]
    assert [i["method"] for i in pair["intervals"]] == ["bccv_percentile"]


def test_exact_one_unit_and_many_agree(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = run_kind(BODY)
    monkeypatch.setattr(engine, "SMALL", 0)

    assert encode_json(run_kind(BODY, job=1).result) == encode_json(whole.result)


def test_exact_the_fits_are_counted_and_each_design_is_made_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    sizes: list[int] = []

    def counted(payload: dict[str, Any], size: int, **rest: Any) -> Chunk:
        sizes.append(size)
        return Chunk(payload, size, **rest)

    monkeypatch.setattr(engine, "SMALL", 0)
    monkeypatch.setattr(engine, "Chunk", counted)
    run_kind(BODY, job=2)

    assert sum(sizes) == 2 * (5 + FITS)


def test_exact_an_interval_by_itself_leaves_the_other_lists_as_they_are() -> None:
    body = {**BODY, "intervals": [{**SMALL[0], "as": "nested"}]}
    del body["variances"]
    result = run_kind(body).result

    assert "nadeau_bengio" in result["models"]["ridge"]["variances"]
    assert "bates_nested_cv" not in result["models"]["ridge"]["variances"]
    (interval,) = result["models"]["ridge"]["intervals"]
    assert (interval["method"], interval["variance"]) == ("nested", "bates_nested_cv")
    assert "estimates" not in result["models"]["ridge"]
    used = [m for m in result["methods"] if m["family"] == "intervals"]
    # Differences have no such interval, so their verdict rests on intervals of the variances.
    assert (used[-1]["name"], used[-1].get("as")) == ("bates_nested_cv", "nested")
    assert {m["name"] for m in used[:-1]} == {"student_t", "normal"}


def test_exact_a_verdict_can_be_about_a_target_that_only_a_refit_has() -> None:
    body = {**BODY, "variances": [SMALL[0]], "target": "these_models"}
    (pair,) = run_kind(body).result["comparisons"]

    assert (pair["verdict"]["target"], pair["verdict"]["variance"]) == (
        "these_models",
        "bates_nested_cv",
    )
    with pytest.raises(UnsupportedCombination, match="No variance here is for new_source"):
        run_kind({**body, "target": "new_source"})


def test_exact_a_control_is_compared_with_every_other() -> None:
    learners = {**BODY["learners"], "weak": {"name": "ridge", "params": {"penalty": 500.0}}}
    result = run_kind({**BODY, "learners": learners, "control": "mean"}).result

    assert [(p["a"], p["b"]) for p in result["comparisons"]] == [
        ("ridge", "mean"),
        ("weak", "mean"),
    ]
    assert all("conservative_z" in p["variances"] for p in result["comparisons"])


def test_exact_weights_count_in_the_fits() -> None:
    weight = np.where(np.arange(40) < 20, 1.0, 3.0)
    data = {**BODY["data"], "weight": weight.tolist()}
    of_weights = run_kind({**BODY, "data": data}).result
    plain = run_kind(BODY).result

    a, b = (r["models"]["mean"]["estimates"]["out_of_bag"] for r in (of_weights, plain))
    assert a["estimate"] != b["estimate"]


def test_exact_a_stored_data_set_is_checked_by_its_size(tmp_path: Any) -> None:
    file = parquet_file(tmp_path, {"x": X[:, 0], "y": Y})
    body = {k: v for k, v in BODY.items() if k != "data"} | {
        "dataset": str(file.id),
        "columns": {"target": "y"},
    }

    assert "conservative_z" in run_kind(body, [file]).result["models"]["mean"]["variances"]
    many = [{"name": "bates_nested_cv", "params": {"n_folds": 30, "n_repeats": 100}}]
    with pytest.raises(InvalidParameter, match=r"would need 93000 extra fits \(46500 for each"):
        run_kind({**body, "variances": many, "intervals": ["normal"]}, [file])


def test_degenerate_a_learner_that_fails_when_fitted_again_is_left_out() -> None:
    # Stratified halves have a row of the rare class each; some resamples have none, and then the
    # three prior probabilities do not fit the two classes.
    y = ["a", "b"] * 19 + ["rare"] * 2
    priors = {"name": "LinearDiscriminantAnalysis", "params": {"priors": [0.4, 0.4, 0.2]}}
    body = {
        **BODY,
        "data": {"X": X.tolist(), "y": y},
        "task": "classification",
        "learners": {"majority": "majority", "priors": priors},
        "scheme": {"name": "stratified_k_fold", "params": {"n_folds": 2}},
        "variances": [{"name": "out_of_bag", "params": {"n_resamples": 30}}],
        "intervals": ["normal"],
        "tests": [],
    }
    result = run_kind(body).result

    assert list(result["models"]) == ["majority"]
    assert "In an extra fit: Learner 'priors'" in result["failures"]["priors"]["message"]


def test_degenerate_losses_that_do_not_vary_have_no_interval() -> None:
    body = {
        **BODY,
        "data": {"X": X.tolist(), "y": [1.0] * 40},
        "learners": {"mean": "mean", "again": "mean"},
        "intervals": [SMALL[0]],
        "variances": [],
    }
    result = run_kind(body).result
    messages = [c["message"] for c in result["cautions"] if c["code"] == "no_interval"]

    assert result["models"]["mean"]["intervals"] == []
    assert [m.split(",")[0] for m in messages] == [
        "There is no interval of 'mean' by Bates nested CV",
        "There is no interval of 'again' by Bates nested CV",
        "There is no interval of 'mean' against 'again' by Bates nested CV",
    ]


def test_degenerate_a_warning_in_extra_fits_is_one_caution() -> None:
    logistic = {"name": "LogisticRegression", "params": {"max_iter": 1}}
    body = {
        **BODY,
        "data": {"X": X.tolist(), "y": (Y > 0).astype(int).tolist()},
        "task": "classification",
        "learners": {"logistic": logistic},
    }
    cautions = [c for c in run_kind(body).result["cautions"] if "in extra fits" in c["message"]]

    assert len(cautions) == 1


def test_exact_the_lists_hold_what_a_request_may_name() -> None:
    listed = {
        field: [item["name"] for item in read_family(field)["items"]]
        for field in ("variances", "intervals")
    }
    assert listed == {"variances": list(EVERY_VARIANCE), "intervals": list(EVERY_INTERVAL)}
    for name in REFIT_ESTIMATORS:
        assert (name in EVERY_VARIANCE) == ("variances" in REFIT_ESTIMATORS[name].gives)
        assert (name in EVERY_INTERVAL) == ("intervals" in REFIT_ESTIMATORS[name].gives)
    assert {"theta_B", "bates_nested_cv"} <= set(EVERY_VARIANCE)
    assert {"student_t", "bates_nested_cv"} <= set(EVERY_INTERVAL)
