"""Faults of the Python package confidenceinterval, which are not made here."""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

from tests.thetahat.analyses.metrics.readings import codes, holdout, tree
from tests.thetahat.metrics.judged import binary, labelled
from tests.thetahat.metrics.published import SEPARATED, SEPARATING
from thetahat.metrics.f1 import F1
from thetahat.metrics.roc_auc import RocAuc

TRUTH = [0, 1, 2, 2, 2, 1, 1, 1, 0, 2, 2, 1, 0, 2, 2, 1, 2, 2, 1, 1]
SAID = [0, 1, 0, 0, 2, 1, 1, 1, 0, 2, 2, 1, 0, 1, 2, 1, 2, 2, 1, 1]
README = labelled(TRUTH, SAID, 3)


def f1_told(metric: F1, **choices: Any) -> dict[str, Any]:
    evaluation: dict[str, Any] = tree(metric, {"m": README}, holdout(20), **choices)
    json.dumps(evaluation, allow_nan=False)
    return dict(evaluation["models"]["m"]["metrics"]["f1"])


@pytest.mark.about("metrics/f1")
def test_exact_macro_averages_take_the_outer_product() -> None:
    """Its variance of macro precision has diag(p) - p*p.T with p of one dimension.

    That is a row of squares taken off every row, and no outer product; macro F1 has the same
    delta method over the table's shares.
    """
    p = np.bincount(3 * np.array(TRUTH) + np.array(SAID), minlength=9) / 20

    def macro_f1(cells: np.ndarray) -> float:
        t = cells.reshape(3, 3)
        return float(np.mean([2 * t[c, c] / (t[c].sum() + t[:, c].sum()) for c in range(3)]))

    step = 1e-6
    slopes = np.array(
        [(macro_f1(p + step * e) - macro_f1(p - step * e)) / (2 * step) for e in np.eye(9)]
    )
    right = slopes @ (np.diag(p) - np.outer(p, p)) @ slopes / 20
    wrong = slopes @ (np.diag(p) - p * p.T) @ slopes / 20

    metric = f1_told(F1(average="macro"))

    assert_allclose(metric["variance"], right * 20 / 19, rtol=1e-7)  # ddof 1
    assert abs(metric["variance"] / (wrong * 20 / 19) - 1) > 0.01


@pytest.mark.outside(
    "README of the Python package confidenceinterval: F1 limits 1.092, 1.086, 1.038"
)
@pytest.mark.about("metrics/f1")
@pytest.mark.parametrize(("positive", "value"), [(0, 0.75), (1, 0.941), (2, 0.8)])
def test_golden_f1_limits_beyond_1_have_a_caution(positive: int, value: float) -> None:
    """It prints F1 intervals beyond 1 without a word."""
    metric = f1_told(F1(positive=positive))
    cut = f1_told(F1(positive=positive), clip=True)

    assert_allclose(metric["estimate"]["pooled"], value, atol=6e-4)
    for interval in metric["intervals"]:
        beyond = interval["upper"] > 1
        assert beyond == ("interval_beyond_range" in codes(interval["cautions"]))
        assert not (beyond and interval["method"] in {"logit", "percentile", "bca"})
    assert all(interval["upper"] <= 1 for interval in cut["intervals"])
    assert any(interval["method"] == "logit" for interval in metric["intervals"])


@pytest.mark.outside("issue 15 of the Python package confidenceinterval: an AUC of 1.0000001")
@pytest.mark.about("metrics/roc_auc")
def test_golden_auc_of_perfect_separation_is_one() -> None:
    """Its AUC is 1.0000001: its midranks are of single precision."""
    judged = binary(SEPARATED, SEPARATING)

    metric = tree(RocAuc(), {"m": judged}, holdout(50))["models"]["m"]["metrics"]["roc_auc"]

    assert metric["estimate"]["pooled"] == 1.0
    assert metric["variance"] == 0.0
    assert [interval["method"] for interval in metric["intervals"]] == ["no_error_bound"]
    assert "zero_variance" in codes(metric["variances"]["delong"]["cautions"])
    assert math.isclose(metric["standard_error"], 0.0, abs_tol=0.0)
