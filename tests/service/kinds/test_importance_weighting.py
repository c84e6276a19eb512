"""The kind as a worker runs it: the source text's procedure, other learners, other risks."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose

from tests.service.kinds.run_requests import parquet_file, run_kind
from tests.service.kinds.shifted_samples import (
    BODY,
    FOLD,
    PENALTIES,
    SITES,
    U,
    X,
    Y,
    Z,
    losses_by_scikit_learn,
    ratio_of_normals,
    with_,
)
from thetahat.weighted_risks import WEIGHTED_RISKS
from thetahat_service.kinds.registry import JOB_KINDS


def codes(cautions: list[dict[str, str]]) -> list[str]:
    return [caution["code"] for caution in cautions]


@pytest.mark.outside("scipy's normal densities and scikit-learn's Ridge, a fit at a time")
def test_against_sklearn_the_whole_procedure() -> None:
    result = run_kind(BODY).result
    w = ratio_of_normals(X)
    losses, there = losses_by_scikit_learn(PENALTIES, w)
    on_target = there.mean(axis=0)
    products = losses * w[:, None]
    beta = [np.cov(lw, w)[0, 1] / w.var(ddof=1) for lw in products.T]
    terms = {"weighted": products, "controlled": products - np.outer(w - 1, beta)}

    assert_allclose(result["weights"]["values"], w, rtol=1e-9)
    assert result["weights"]["from"] == "all"
    assert result["weights"]["in_fits"] is True
    assert result["grid"] == {"parameter": "penalty", "values": PENALTIES}
    for name, of_one in terms.items():
        risk, at = result["risks"][name], int(np.argmin(of_one.mean(axis=0)))
        assert_allclose(risk["curve"], of_one.mean(axis=0), rtol=1e-8)
        assert_allclose(risk["curve_variances"], of_one.var(axis=0, ddof=1) / 30, rtol=1e-7)
        reach = 1.959963984540054 * np.sqrt(of_one.var(axis=0, ddof=1) / 30)
        assert_allclose(risk["curve_intervals"]["upper"], risk["curve"] + reach, rtol=1e-7)
        assert (risk["selected"], risk["selected_index"]) == (PENALTIES[at], at)
        assert_allclose(risk["estimate"], of_one[:, at].mean(), rtol=1e-8)
        assert_allclose(risk["target_risk"], on_target[at], rtol=1e-9)
        variance = there[:, at].var(ddof=1) / 40
        assert_allclose(risk["target_risk_variance"], variance, rtol=1e-8)
        half = 1.959963984540054 * np.sqrt(variance)
        assert_allclose(risk["target_risk_interval"]["lower"], on_target[at] - half, rtol=1e-8)
        assert_allclose(risk["regret"], on_target[at] - on_target.min(), rtol=1e-8, atol=1e-12)
    for name in ("weighted", "controlled"):
        risk = result["risks"][name]
        A = (X * w[:, None]).T @ X + risk["selected"] * np.eye(2)
        theta = np.linalg.solve(A, (X * w[:, None]).T @ Y)
        assert_allclose(risk["refit"]["coefficients"], theta, rtol=1e-9)
        assert risk["refit"]["intercept"] == 0
    assert result["features"] == ["x0", "x1"]
    assert_allclose(result["risks"]["controlled"]["beta"], beta, rtol=1e-7)
    assert result["oracle"]["selected"] == PENALTIES[int(np.argmin(on_target))]
    assert_allclose(result["oracle"]["curve"], on_target, rtol=1e-9)
    assert_allclose(result["oracle"]["target_risk"], on_target.min(), rtol=1e-9)
    assert codes(result["cautions"]) == ["least_of_many"]


def test_exact_the_defaults_are_those_of_the_source_text() -> None:
    body = with_(grid=None, source={"X": X.tolist(), "y": Y.tolist()}, target={"X": Z.tolist()})
    result = run_kind(body).result
    values = result["grid"]["values"]

    assert result["grid"]["parameter"] == "penalty"
    assert (values[0], values[-1], len(values)) == (1e-3, 1e6, 200)
    assert_allclose(np.diff(np.log(values)), np.full(199, np.log(1e9) / 199), rtol=1e-9)
    assert list(result["risks"]) == ["weighted", "controlled"]
    assert result["n_folds"] == 5
    assert result["oracle"] is None
    assert "target_risk" not in result["risks"]["weighted"]
    assert "target_risk" not in result["comparisons"][0]
    used = {record["family"]: record for record in result["methods"][:3]}
    assert used["weights"]["name"] == "gaussian_ratio"
    assert used["losses"]["name"] == "quadratic_margin"
    assert used["learners"]["params"] == {"intercept": False}


def test_limit_equal_weights_make_every_risk_plain_cross_validation() -> None:
    source = {**BODY["source"], "weight": [1] * 30}
    result = run_kind(with_(source=source, weights="given", risks=list(WEIGHTED_RISKS))).result
    losses, _ = losses_by_scikit_learn(PENALTIES, None)
    at = int(np.argmin(losses.mean(axis=0)))

    for name in WEIGHTED_RISKS:
        risk = result["risks"][name]
        assert_allclose(risk["curve"], losses.mean(axis=0), rtol=1e-9)
        assert risk["selected"] == PENALTIES[at]
    assert all(pair["same_choice"] for pair in result["comparisons"])
    under = [each for pair in result["comparisons"] for each in pair["under"].values()]
    assert all(each["standard_error"] == 0 for each in under)
    assert not any(c["code"] == "zero_variance" for each in under for c in each["cautions"])


def test_exact_a_column_of_weights_is_used_where_it_is_asked_for() -> None:
    source = {**BODY["source"], "weight": list(range(1, 31))}
    with_given_weights = run_kind(with_(source=source, weights="given")).result
    other = run_kind(with_(source=source)).result

    assert with_given_weights["weights"]["values"] == list(range(1, 31))
    assert "weight_column_not_used" not in codes(with_given_weights["cautions"])
    assert "weight_column_not_used" in codes(other["cautions"])
    assert other["risks"] == run_kind(BODY).result["risks"]


def test_exact_risks_alone_are_weighted() -> None:
    result = run_kind(with_(weighted_fit=False)).result
    losses, there = losses_by_scikit_learn(PENALTIES, None)
    on_target = there.mean(axis=0)
    products = losses * ratio_of_normals(X)[:, None]

    assert_allclose(result["risks"]["weighted"]["curve"], products.mean(axis=0), rtol=1e-8)
    assert_allclose(result["oracle"]["curve"], on_target, rtol=1e-9)
    assert result["weights"]["in_fits"] is False


def test_naive_weights_from_each_training_part() -> None:
    result = run_kind(with_(weights_from="training")).result
    expected, w = np.empty((30, 4)), np.empty(30)
    for k in range(5):
        test = np.equal(FOLD, k)
        train = ~test
        w[test] = ratio_of_normals(X[test], X[train])
        own = ratio_of_normals(X[train], X[train])
        for j, penalty in enumerate(PENALTIES):
            A = (X[train] * own[:, None]).T @ X[train] + penalty * np.eye(2)
            theta = np.linalg.solve(A, (X[train] * own[:, None]).T @ Y[train])
            expected[test, j] = (X[test] @ theta - Y[test]) ** 2

    assert_allclose(result["weights"]["validation_values"], w, rtol=1e-8)
    assert_allclose(result["weights"]["values"], ratio_of_normals(X), rtol=1e-8)
    curve = (expected * w[:, None]).mean(axis=0)
    assert_allclose(result["risks"]["weighted"]["curve"], curve, rtol=1e-8)


def test_exact_a_source_column_gives_each_source_its_part() -> None:
    source = {**BODY["source"], "source": SITES}
    single = run_kind(with_(source=source)).result
    several = run_kind(with_(source=source, learners={"a": "ridge", "b": "ridge"})).result
    parts = single["risks"]["weighted"]["by_source"]

    assert [(part["source"], part["n"]) for part in parts] == [("b", 12), ("a", 17), ("c", 1)]
    mean = sum(part["n"] * part["estimate"] for part in parts) / 30
    assert_allclose(mean, single["risks"]["weighted"]["estimate"], rtol=1e-10)
    assert parts[2]["variance"] is None
    assert codes(parts[2]["cautions"]) == ["one_row"]
    pair = several["comparisons"][0]["risks"]["controlled"]["by_source"]
    assert [part["difference"] for part in pair] == [0, 0, 0]


def test_exact_choices_of_two_risks_are_compared() -> None:
    cut = {"name": "truncated", "params": {"cut": 0.05}}
    result = run_kind(with_(risks=["weighted", cut], grid=None)).result
    (pair,) = result["comparisons"]
    a, b = (result["risks"][name] for name in ("weighted", "truncated"))

    for name in ("weighted", "truncated"):
        curve = result["risks"][name]["curve"]
        expected = curve[a["selected_index"]] - curve[b["selected_index"]]
        assert expected != 0
        assert_allclose(pair["under"][name]["difference"], expected, rtol=1e-6)
    at_a = a["curve"][a["selected_index"]] - b["curve"][a["selected_index"]]
    assert_allclose(pair["estimates"]["a"]["difference"], at_a, rtol=1e-9)
    risks = a["target_risk"] - b["target_risk"]
    assert_allclose(pair["target_risk"]["difference"], risks, rtol=1e-8)
    assert pair["same_choice"] is False


def test_against_sklearn_two_learners_side_by_side() -> None:
    body = with_(learners={"weak": "ridge", "strong": "ridge"}, grid=None)
    grids = {"weak": {"penalty": [0.01]}, "strong": {"penalty": [100.0]}}
    (two,) = run_kind({**body, "grids": grids}).result["comparisons"]
    losses, there = losses_by_scikit_learn([0.01, 100.0], ratio_of_normals(X))
    apart = there[:, 0] - there[:, 1]
    risk = two["risks"]["weighted"]
    assert_allclose(risk["target_risk"]["difference"], apart.mean(), rtol=1e-8)
    assert_allclose(risk["target_risk"]["variance"], apart.var(ddof=1) / 40, rtol=1e-8)
    terms = (losses[:, 0] - losses[:, 1]) * ratio_of_normals(X)
    assert_allclose(risk["difference"], terms.mean(), rtol=1e-7)
    assert_allclose(risk["variance"], terms.var(ddof=1) / 30, rtol=1e-7)


def test_exact_beta_inside_folds_and_second_names() -> None:
    risks = ["controlled", {"name": "controlled", "params": {"beta_from": "fold"}, "as": "by_fold"}]
    result = run_kind(with_(risks=risks)).result

    assert list(result["risks"]) == ["controlled", "by_fold"]
    assert np.shape(result["risks"]["controlled"]["beta"]) == (4,)
    assert np.shape(result["risks"]["by_fold"]["beta"]) == (4, 5)
    assert {"family": "risks", "name": "controlled", "as": "by_fold"}.items() <= (
        result["methods"][-1].items()
    )


def test_exact_the_second_moment_is_the_mean_over_the_target() -> None:
    source = {**BODY["source"], "X": (0.5 * X + 1).tolist()}
    result = run_kind(with_(source=source, risks=["doubly"], weights="ulsif")).result
    (_, _, _, risk) = result["methods"]

    assert_allclose(risk["params"]["second_moment"], result["weights"]["second_moment"], rtol=1e-14)
    own = {"name": "doubly", "params": {"second_moment": 2.5}}
    named = run_kind(with_(risks=[own])).result
    assert named["methods"][-1]["params"]["second_moment"] == 2.5
    unknown = run_kind(with_(risks=["doubly"], weights="kernel_mean_matching")).result
    assert unknown["weights"]["second_moment"] is None
    assert codes(unknown["risks"]["doubly"]["cautions"])[0] == "second_moment_unknown"


def test_exact_the_losses_are_those_of_the_choices() -> None:
    done = run_kind(BODY)
    assert done.losses is not None
    table = done.losses.to_pydict()

    assert table["block"] == FOLD.tolist()
    assert table["instance"] == list(range(30))
    risk = np.mean(np.array(table["loss:weighted"]) * table["weight"])
    assert_allclose(risk, done.result["risks"]["weighted"]["estimate"], rtol=1e-12)
    several = run_kind({**BODY, "learners": {"r": "ridge"}}).losses
    assert several is not None
    assert several.column_names[3:] == ["loss:r:weighted", "loss:r:controlled"]


def test_exact_stored_data_sets_and_inline_samples_agree(tmp_path: Path) -> None:
    names = np.where(Y > 0, "ill", "well")
    source = parquet_file(
        tmp_path, {"b": X[:, 1], "a": X[:, 0], "y": names, "fold": FOLD, "site": SITES}
    )
    target = parquet_file(
        tmp_path, {"a": Z[:, 0], "truth": np.where(U > 0, "ill", "well"), "b": Z[:, 1]}
    )
    columns = {"target": "y", "fold": "fold", "source": "site"}
    body = with_(
        source={"dataset": str(source.id), "columns": columns},
        target={"dataset": str(target.id), "columns": {"target": "truth"}},
    )
    result = run_kind(body, [source, target]).result
    # the classes in order: ill is the first here, and -1
    inline = run_kind(BODY).result

    for name in ("weighted", "controlled"):
        assert_allclose(result["risks"][name]["curve"], inline["risks"][name]["curve"], rtol=1e-8)
        assert_allclose(
            result["risks"][name]["target_risk"], inline["risks"][name]["target_risk"], rtol=1e-8
        )
    assert len(result["risks"]["weighted"]["by_source"]) == 3
    request = JOB_KINDS["importance_weighting"].request.model_validate(body)
    assert request.list_dataset_ids() == (source.id, target.id)


def test_degenerate_an_estimate_that_no_loss_can_have_is_doubted() -> None:
    source = {**BODY["source"], "weight": [100.0] * 30}
    result = run_kind(with_(source=source, weights="given", loss="zero_one")).result
    doubted = {
        name
        for name, risk in result["risks"].items()
        if "estimate_out_of_range" in codes(risk["cautions"])
    }
    outside = {name for name, risk in result["risks"].items() if not 0 <= risk["estimate"] <= 1}

    assert doubted == outside
    assert "weighted" in doubted


def test_exact_weights_of_unseen_rows_are_described_too() -> None:
    weights = run_kind(with_(weights_from="training")).result["weights"]
    w = np.array(weights["validation_values"])

    assert_allclose(weights["validation"]["largest"], w.max(), rtol=1e-12)
    assert_allclose(
        weights["validation"]["effective_sample_size"], w.sum() ** 2 / (w @ w), rtol=1e-9
    )
    assert {"code", "message"} <= set(weights["validation"]["cautions"][0])
    assert "validation" not in run_kind(BODY).result["weights"]


def test_exact_a_linear_range_and_a_logarithmic_one() -> None:
    linear = {"penalty": {"from": 1, "to": 3, "count": 3, "scale": "linear"}}
    logarithmic = {"penalty": {"from": 1, "to": 100, "count": 3}}

    assert run_kind(with_(grid=linear)).result["grid"]["values"] == [1, 2, 3]
    assert_allclose(run_kind(with_(grid=logarithmic)).result["grid"]["values"], [1, 10, 100])
