"""Importance weights of which one row has about all: no interval collapses to a point."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.service.kinds.run_requests import run_kind

N = 24
RNG = np.random.default_rng(8)
X = np.round(RNG.normal(size=(N, 1)), 3)
Y = np.where(X[:, 0] + RNG.normal(size=N) > 0, 1, -1)
SOURCE = ["north"] * 12 + ["south"] * 12


def body_with(weights: np.ndarray, **more: Any) -> dict[str, Any]:
    source = {"X": X.tolist(), "y": Y.tolist(), "weight": weights.tolist(), "source": SOURCE}
    return {
        "kind": "importance_weighting",
        "source": source,
        "target": {"X": [[0.1], [0.5], [0.9]]},
        "weights": "given",
        "n_folds": 3,
        "grid": {"penalty": [0.1, 1.0]},
        **more,
    }


def codes_of(risk: dict[str, Any]) -> list[str]:
    return [caution["code"] for caution in risk["cautions"]]


ONE_ROW = np.full(N, 1e-20)
ONE_ROW[7] = 1.0


def test_degenerate_one_effective_row_has_no_interval() -> None:
    risks = ["weighted", "controlled", "self_normalised", "truncated", "doubly"]
    result = run_kind(body_with(ONE_ROW, risks=risks)).result
    assert set(result["risks"]) >= set(risks)
    for risk in result["risks"].values():
        assert risk["interval"] is None
        assert risk["curve_intervals"] is None
        assert "one_effective_row" in codes_of(risk)
        assert risk["estimate"] is not None
        for source in risk["by_source"]:
            assert source["interval"] is None or source["source"] == "south"
    for comparison in result["comparisons"]:
        for under in comparison["under"].values():
            assert under["interval"] is None
            assert "one_effective_row" in codes_of(under)
        assert comparison["estimates"]["a"]["interval"] is None


def test_degenerate_one_effective_row_among_learners() -> None:
    body = body_with(ONE_ROW, learners={"near": "nearest_mean", "all": "majority"}, loss="zero_one")
    body = {key: value for key, value in body.items() if key != "grid"}
    result = run_kind(body).result
    for risk in result["risks"].values():
        assert risk["interval"] is None
        assert "one_effective_row" in codes_of(risk)
    for comparison in result["comparisons"]:
        for difference in comparison["risks"].values():
            assert difference["interval"] is None


def test_exact_two_effective_rows_keep_their_intervals() -> None:
    two = np.full(N, 1e-20)
    two[[7, 19]] = 1.0
    result = run_kind(body_with(two)).result
    for risk in result["risks"].values():
        assert risk["interval"] is not None
        assert risk["curve_intervals"] is not None
        assert "one_effective_row" not in codes_of(risk)
        for source in risk["by_source"]:  # of each source one row counts
            assert source["interval"] is None
            assert codes_of(source) == ["one_effective_row"]


def test_degenerate_a_source_without_weight() -> None:
    weights = np.where(np.arange(N) < 12, 1.0, 0.0)
    result = run_kind(body_with(weights)).result
    north, south = result["risks"]["weighted"]["by_source"]
    assert north["interval"] is not None
    assert south["interval"] is None
    assert codes_of(south) == ["source_without_weight"]
    assert "'south'" in south["cautions"][0]["message"]


@pytest.mark.parametrize("kind", ["losses", "cross_validation"])
def test_degenerate_the_same_in_the_other_kinds(kind: str) -> None:
    if kind == "losses":
        losses = np.abs(X[:, 0]).tolist()
        body: dict[str, Any] = {"kind": kind, "losses": {"m": losses}, "weights": ONE_ROW.tolist()}
        body |= {"block": SOURCE, "blocks": "source"}
    else:
        data = {"X": X.tolist(), "y": X[:, 0].tolist(), "weight": ONE_ROW.tolist()}
        body = {"kind": kind, "data": data, "task": "regression", "learners": {"m": "mean"}}
        body |= {"scheme": "k_fold", "target_sample": {"X": [[0.1], [0.5]]}, "weights": "given"}
    if kind == "cross_validation":
        body["data"]["weight"] = np.where(ONE_ROW == 1, 1.0, 1e-20).tolist()
    risks = run_kind(body).result["models"]["m"]["risks"]
    for risk in risks.values():
        assert risk["interval"] is None
        assert "one_effective_row" in codes_of(risk)
