from __future__ import annotations

import json
from typing import ClassVar

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.special import ndtri

from tests.thetahat.analyses.metrics.readings import codes, folds, holdout, noisy, sources, tree
from tests.thetahat.metrics.judged import binary, labelled, values
from tests.thetahat.metrics.published import NDKA, POOR_OUTCOME, S100B, WFNS
from thetahat.metrics.base import TruthAndPredictions
from thetahat.metrics.f1 import F1
from thetahat.metrics.matthews import Matthews
from thetahat.metrics.r2 import RSquared
from thetahat.metrics.roc_auc import RocAuc
from thetahat.values.types import Alternative

PROC = "R package pROC, tests/testthat/test-roc.test.R, on its data set aSAH"
AUC = RocAuc(n_resamples=0)
MARKERS = {
    "wfns": binary(POOR_OUTCOME, WFNS),
    "s100b": binary(POOR_OUTCOME, S100B),
    "ndka": binary(POOR_OUTCOME, NDKA),
}


@pytest.mark.outside(PROC)
@pytest.mark.about("metrics/roc_auc")
def test_golden_result_of_the_aneurysm_patients() -> None:
    # vector delong_aSAH
    result = tree(AUC, MARKERS, holdout(113))

    wfns = result["models"]["wfns"]["metrics"]["roc_auc"]
    assert_allclose(wfns["estimate"]["pooled"], 0.8236788617886179, rtol=1e-15)
    assert wfns["method"] == "delong"
    assert wfns["target"] == "these_models"
    assert_allclose(wfns["standard_error"] ** 2, wfns["variance"])
    pairs = [pair["metrics"]["roc_auc"] for pair in result["comparisons"]]
    assert_allclose(
        [pair["statistic"] for pair in pairs],
        [2.20898359144091, 2.79777591868904, 1.39077002573558],
        rtol=1e-12,
    )
    p_values = [0.0271757822291882, 0.00514557970691098, 0.164295175223054]
    assert_allclose([pair["p_value"] for pair in pairs], p_values, rtol=1e-11)
    # Holm: the least times 3, the next times 2, the largest as it is
    assert_allclose(
        [pair["p_value_adjusted"] for pair in pairs],
        [2 * p_values[0], 3 * p_values[1], p_values[2]],
        rtol=1e-11,
    )
    assert pairs[0]["interval"] == pairs[0]["intervals"][0]
    assert "difference_in_metric_units" in codes(pairs[0]["cautions"])


def test_exact_intervals_of_several_pairs_hold_together() -> None:
    three = tree(AUC, MARKERS, holdout(113))["comparisons"]
    two = tree(AUC, {name: MARKERS[name] for name in ("wfns", "s100b")}, holdout(113))[
        "comparisons"
    ]

    for pairs, tail in ((three, 0.05 / 6), (two, 0.05 / 2)):
        for pair in pairs:
            metric = pair["metrics"]["roc_auc"]
            interval = metric["interval"]
            reach = ndtri(1 - tail) * metric["standard_error"]
            assert metric["degrees_of_freedom"] is None
            assert interval["level"] == 0.95
            assert interval.get("simultaneous_pairs") == (3 if pairs is three else None)
            assert_allclose(interval["upper"], metric["difference"] + reach, rtol=1e-12)
            assert_allclose(interval["lower"], metric["difference"] - reach, rtol=1e-12)


@pytest.mark.outside(PROC)
@pytest.mark.about("metrics/roc_auc")
def test_golden_one_sided() -> None:
    """``less`` asks whether a is better; pROC calls that "greater"."""
    two = {name: MARKERS[name] for name in ("wfns", "s100b")}

    less, greater = (
        tree(AUC, two, holdout(113), alternative=a)["comparisons"][0]["metrics"]["roc_auc"]
        for a in (Alternative.LESS, Alternative.GREATER)
    )

    assert_allclose(less["p_value"], 0.0135878911145941, rtol=1e-11)
    assert_allclose(greater["p_value"], 1 - 0.0135878911145941, rtol=1e-11)
    assert less["alternative"] == "greater"
    assert less["interval"]["upper"] is None
    assert less["p_value_adjusted"] is None


class Backwards(RocAuc):
    """An area that one would want small."""

    higher_is_better: ClassVar[bool] = False


@pytest.mark.about("metrics/roc_auc")
def test_exact_metrics_where_lower_is_better_keep_their_sign() -> None:
    two = {name: MARKERS[name] for name in ("wfns", "s100b")}

    result = tree(Backwards(n_resamples=0), two, holdout(113), alternative=Alternative.LESS)

    pair = result["comparisons"][0]["metrics"]["roc_auc"]
    assert_allclose(pair["p_value"], 1 - 0.0135878911145941, rtol=1e-11)
    assert pair["alternative"] == "less"
    assert pair["interval"]["lower"] is None
    assert pair["higher_is_better"] is False
    assert "difference_in_metric_units" not in codes(pair["cautions"])


@pytest.mark.about("metrics/roc_auc")
def test_exact_every_value_is_plain_json() -> None:
    judged = {"a": noisy(1, 60), "b": noisy(2, 60)}
    for layout in (holdout(60), folds(np.arange(60) // 2 % 5), sources(np.arange(60) // 2 % 5)):
        for metric in (RocAuc(n_resamples=100), F1(n_resamples=100), Matthews(n_resamples=100)):
            result = tree(metric, judged, layout)
            json.dumps(result, allow_nan=False)
            recommended = [
                i["target"]
                for i in result["models"]["a"]["metrics"][metric.info.name]["intervals"]
                if i["recommended"]
            ]
            assert len(recommended) == len(set(recommended)) > 0


@pytest.mark.about("metrics/r2")
def test_exact_blocks_and_repeats() -> None:
    rng = np.random.default_rng(1)
    truth = rng.normal(size=40)
    judged = values(np.tile(truth, 2), np.tile(truth, 2) + rng.normal(size=80) / 2)
    block = np.r_[np.arange(40) % 4, np.arange(40) // 10]
    layout = folds(block, repeat=np.repeat([0, 1], 40), instance=np.tile(np.arange(40), 2))

    metric = tree(RSquared(n_resamples=0), {"m": judged}, layout)["models"]["m"]["metrics"]["r2"]

    def of(rows: np.ndarray) -> float:
        return RSquared().statistic(judged.rows(np.flatnonzero(rows))).value()

    first = np.arange(80) < 40
    each = [[of((block == k) & half) for k in range(4)] for half in (first, ~first)]
    assert_allclose(metric["estimate"]["splits"], np.ravel(each))
    assert_allclose(metric["estimate"]["blocks"], np.mean(each, axis=0))
    assert_allclose(metric["estimate"]["macro"], np.mean(each))
    assert_allclose(metric["estimate"]["pooled"], (of(first) + of(~first)) / 2)
    assert metric["mean"] == "pooled"


@pytest.mark.about("metrics/roc_auc")
def test_exact_cases_needed_count_each_instance_once() -> None:
    judged = noisy(1, 60)
    index = np.tile(np.arange(60), 2)
    layout = folds(
        np.r_[np.arange(60) // 2 % 5, np.arange(60) // 12],
        repeat=np.repeat([0, 1], 60),
        instance=index,
    )

    once = tree(AUC, {"m": judged}, holdout(60))["models"]["m"]["metrics"]["roc_auc"]
    twice = tree(AUC, {"m": judged.rows(index)}, layout)["models"]["m"]["metrics"]["roc_auc"]

    assert once["against_chance"] == twice["against_chance"]
    assert once["against_chance"]["positives"] == 30
    assert once["against_chance"]["power_asked"] == 0.8


@pytest.mark.about("metrics/matthews", "metrics/roc_auc")
def test_degenerate_undefined_values_are_null_with_a_caution() -> None:
    constant = labelled([0, 1, 0, 1], [1, 1, 1, 1])
    result = tree(Matthews(), {"a": constant, "b": constant}, holdout(4))

    metric = result["models"]["a"]["metrics"]["matthews"]
    assert metric["estimate"] == {"pooled": None, "macro": None, "blocks": [None]}
    assert (metric["variance"], metric["method"], metric["intervals"]) == (None, None, [])
    assert codes(metric["cautions"]) == {"undefined_blocks"}
    pair = result["comparisons"][0]["metrics"]["matthews"]
    assert (pair["difference"], pair["p_value"], pair["interval"]) == (None, None, None)

    lacking = binary([1, 0, 1, 0, 1, 1], [3, 1, 2, 4, 5, 6])
    metric = tree(AUC, {"m": lacking}, sources([0, 0, 1, 1, 2, 2]))["models"]["m"]["metrics"][
        "roc_auc"
    ]
    assert metric["estimate"]["blocks"] == [1.0, 0.0, None]
    assert "undefined for 1 of 3 splits" in metric["cautions"][0]["message"]


@pytest.mark.about("metrics/roc_auc")
@pytest.mark.parametrize(
    ("b", "alternative", "p_value"),
    [
        # of two units a side limits of 1 - sqrt(t) from 1 and from 0 meet at t = (1 - 1/sqrt(2))^2
        ([4, 3, 2, 1], "two_sided", 2 * (1 - 0.5**0.5) ** 2),
        ([4, 3, 2, 1], "less", (1 - 0.5**0.5) ** 2),
        ([4, 3, 2, 1], "greater", 1 - (1 - 0.5**0.5) ** 2),
        ([1, 2, 3, 4], "two_sided", 1.0),
        ([1, 1, 1, 1], "two_sided", None),
    ],
)
def test_by_hand_differences_without_variance(
    b: list[int], alternative: str, p_value: float | None
) -> None:
    a = binary([0, 0, 1, 1], [1, 2, 3, 4])
    other = binary([0, 0, 1, 1], b)

    result = tree(AUC, {"a": a, "b": other}, holdout(4), alternative=Alternative(alternative))

    pair = result["comparisons"][0]["metrics"]["roc_auc"]
    assert pair["statistic"] is None
    assert pair["p_value"] == (p_value if p_value is None else pytest.approx(p_value))
    assert ("zero_variance" in codes(pair["cautions"])) == (p_value is None)


@pytest.mark.about("metrics/roc_auc")
def test_degenerate_one_positive_has_no_p_value() -> None:
    a, b = binary([0, 0, 1], [1, 3, 2]), binary([0, 0, 1], [1, 2, 3])

    result = tree(AUC, {"a": a, "b": b}, holdout(3))

    pair = result["comparisons"][0]["metrics"]["roc_auc"]
    assert (pair["statistic"], pair["p_value"], pair["variance"]) == (None, None, None)
    assert pair["difference"] == -0.5


@pytest.mark.about("metrics/roc_auc")
def test_property_pooled_scores_of_models_fitted_elsewhere_compare() -> None:
    judged: dict[str, TruthAndPredictions] = {"m": noisy(1, 60)}
    block = np.arange(60) // 2 % 5

    fitted = tree(AUC, judged, folds(block))["models"]["m"]["metrics"]["roc_auc"]
    fixed = tree(AUC, judged, holdout(60))["models"]["m"]["metrics"]["roc_auc"]

    assert "pooled_across_models" in codes(fitted["cautions"])
    assert fixed["cautions"] == []
