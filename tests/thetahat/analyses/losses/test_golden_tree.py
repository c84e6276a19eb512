"""The 5 x 9 matrix of two models, by hand.

nb has 15 ones of 45, its block means are (2, 3, 4, 3, 3)/9; svm has 20. The differences' block
means are (-2, -2, 0, -2, 1)/9: mean -1/9, deviations (-1, -1, 1, -1, 2)/9, so B = 8/(81 * 4) =
2/81.
"""

from __future__ import annotations

import dataclasses
import json
import math
from typing import Any

import pytest
from numpy.testing import assert_allclose
from scipy import stats

from tests.thetahat.analyses.losses.tables import five_by_nine, result_of, table_of
from thetahat.analyses.losses.result import EvaluationResult
from thetahat.values.layout import build_layout
from thetahat.values.types import BlockKind

FIELDS = {
    field.name
    for field in dataclasses.fields(EvaluationResult)
    if field.default is dataclasses.MISSING and not field.metadata.get("omit")
}
"""The fields that every result has."""
T_4 = 2.7764451051977987  # t quantile, .975, 4 degrees of freedom (tables)


def _two_sided_p_of_t4(t_squared: float) -> float:
    """P(|T| > t) with 4 degrees of freedom, in closed form."""
    sine_squared = t_squared / (t_squared + 4)
    return 1 - math.sqrt(sine_squared) * (1 + (1 - sine_squared) / 2)


def _interval(intervals: list[dict[str, Any]], method: str, variance: str | None) -> dict[str, Any]:
    (interval,) = [i for i in intervals if (i["method"], i["variance"]) == (method, variance)]
    return interval


def test_exact_fields_of_the_tree() -> None:
    result = result_of(five_by_nine(BlockKind.SOURCE))

    assert set(result) == {*FIELDS, "block_labels", "covariance", "omnibus"}
    assert list(result["models"]) == ["nb", "svm"]
    model = result["models"]["nb"]
    parts = {"mean", "n", "blocks", "recommended", "prediction", "variances", "intervals"}
    assert set(model) == parts
    assert model["prediction"]["method"] == "prediction"
    assert {"value", "target", "cautions"} <= set(model["variances"]["theta_B"])
    assert {
        "method",
        "target",
        "variance",
        "level",
        "lower",
        "upper",
        "degrees_of_freedom",
        "recommended",
        "cautions",
    } <= set(model["intervals"][0])
    (comparison,) = result["comparisons"]
    assert {"a", "b", "difference", "interval", "variances", "tests", "verdict"} <= set(comparison)
    for test in comparison["tests"].values():
        assert {
            "statistic",
            "degrees_of_freedom",
            "p_value",
            "p_value_adjusted",
            "cautions",
        } <= set(test)
    assert {"decision", "margin", "reason", "plan", "also"} <= set(comparison["verdict"])
    assert all(set(e) >= {"name", "reason"} for e in result["not_applicable"])
    assert result["block_labels"] == [0, 1, 2, 3, 4]
    assert result["omnibus"] == {}


def test_by_hand_means_and_sizes() -> None:
    model = result_of(five_by_nine(BlockKind.SOURCE))["models"]["nb"]

    assert (model["n"], model["blocks"]) == (45, 5)
    assert_allclose(model["mean"]["macro"], 1 / 3, rtol=1e-14)
    assert_allclose(model["mean"]["pooled"], 1 / 3, rtol=1e-14)
    assert_allclose(model["mean"]["blocks"], [2 / 9, 3 / 9, 4 / 9, 3 / 9, 3 / 9], rtol=1e-14)
    assert "splits" not in model["mean"]


def test_by_hand_source_variances_and_intervals() -> None:
    model = result_of(five_by_nine(BlockKind.SOURCE))["models"]["nb"]
    variances, intervals = model["variances"], model["intervals"]

    # B = 2/(81 * 4) = 1/162; sum of V_k = (14 + 18 + 20 + 18 + 18)/72 = 88/72
    assert_allclose(variances["theta_gamma"]["value"], 1 / 810, rtol=1e-13)
    assert_allclose(variances["theta_A"]["value"], 11 / 2025, rtol=1e-13)
    assert_allclose(variances["theta_B"]["value"], 22 / 2025, rtol=1e-13)
    assert_allclose(variances["theta_B"]["standard_error"], math.sqrt(22 / 2025), rtol=1e-13)
    new_source = _interval(intervals, "student_t", "theta_gamma")
    assert (new_source["target"], new_source["degrees_of_freedom"]) == ("new_source", 4)
    assert_allclose(new_source["lower"], 1 / 3 - T_4 / math.sqrt(810), rtol=1e-10)
    assert_allclose(new_source["upper"], 1 / 3 + T_4 / math.sqrt(810), rtol=1e-10)
    recommended = [(i["method"], i["variance"]) for i in intervals if i["recommended"]]
    assert sorted(recommended) == [("student_t", "nadeau_bengio"), ("student_t", "theta_B")]
    # (1/5 + 9/36)/162 = 1/360: training sources in common are allowed for
    corrected = _interval(intervals, "student_t", "nadeau_bengio")
    assert_allclose(corrected["upper"], 1 / 3 + T_4 / math.sqrt(360), rtol=1e-10)
    prediction = _interval(intervals, "prediction", "theta_gamma")
    assert_allclose(prediction["upper"], 1 / 3 + T_4 * math.sqrt(6 / 810), rtol=1e-10)


def test_by_hand_source_comparison() -> None:
    (comparison,) = result_of(five_by_nine(BlockKind.SOURCE))["comparisons"]
    p_value = _two_sided_p_of_t4(10 / 9)  # (1/81) / ((1/5 + 9/36) 2/81)
    of_means = _two_sided_p_of_t4(2.5)  # (1/81) / (2/405)

    assert (comparison["a"], comparison["b"]) == ("nb", "svm")
    assert_allclose(comparison["difference"], -1 / 9, rtol=1e-14)
    assert_allclose(comparison["difference_pooled"], -1 / 9, rtol=1e-14)
    interval = comparison["interval"]
    assert (interval["method"], interval["variance"]) == ("student_t", "nadeau_bengio")
    assert_allclose(interval["lower"], -1 / 9 - T_4 / math.sqrt(90), rtol=1e-10)
    # block means over their standard deviation: (-1/9) / sqrt(2/81)
    assert comparison["effect_size"]["unit"] == "block"
    assert_allclose(comparison["effect_size"]["value"], -1 / math.sqrt(2), rtol=1e-13)
    verdict = comparison["verdict"]
    assert verdict["decision"] == "undecided"
    assert verdict["target"] == "new_source"
    assert_allclose(verdict["p_value"], p_value, rtol=1e-12)
    assert verdict["p_value_adjusted"] is None
    assert_allclose(comparison["tests"]["paired_t_blocks"]["p_value"], of_means, rtol=1e-12)
    assert verdict["reason"] == (
        "For a new source, it is not clear which of nb and svm is better: the difference is "
        "-0.11 (95 % interval -0.40 to 0.18, p = 0.35)."
    )
    assert verdict["plan"]["unit"] == "sources"


def test_by_hand_random_comparison() -> None:
    (comparison,) = result_of(five_by_nine(BlockKind.RANDOM))["comparisons"]

    # (1/5 + 9/36) 2/81 = 1/90, and (1/81) * 90 = 10/9
    assert_allclose(comparison["variances"]["nadeau_bengio"]["value"], 1 / 90, rtol=1e-13)
    p_value = _two_sided_p_of_t4(10 / 9)
    assert_allclose(comparison["tests"]["nadeau_bengio_t"]["p_value"], p_value, rtol=1e-12)
    # 9 differences of -1 or 1 (2 + 2 + 2 are -1, 1 is 1) of 45, mean -5/45; ddof 1
    sd = math.sqrt((7 - 45 * (5 / 45) ** 2) / 44)
    error = math.sqrt(1 / 45 + 0.6 / 44) * sd
    assert comparison["interval"]["target"] == "these_sources"
    assert comparison["interval"]["variance"] == "instances_with_allowance"
    assert_allclose(comparison["interval"]["standard_error"], error, rtol=1e-13)
    verdict_p = 2 * stats.t.sf(5 / 45 / error, 44)
    assert_allclose(comparison["verdict"]["p_value"], verdict_p, rtol=1e-12)
    assert comparison["effect_size"]["unit"] == "instance"
    assert_allclose(comparison["effect_size"]["value"], -5 / 45 / sd, rtol=1e-13)


def test_exact_random_recommendations() -> None:
    model = result_of(five_by_nine(BlockKind.RANDOM))["models"]["svm"]

    recommended = {
        i["target"]: (i["method"], i["variance"]) for i in model["intervals"] if i["recommended"]
    }
    assert recommended == {
        "these_sources": ("skewness_corrected", "instances_with_allowance"),
        "these_models": ("skewness_corrected", "bayle_within_calibrated"),
    }


def test_by_hand_holdout_takes_wilson_for_a_model_and_tango_for_a_difference() -> None:
    result = result_of(five_by_nine(BlockKind.HOLDOUT))
    (best,) = [i for i in result["models"]["nb"]["intervals"] if i["recommended"]]

    # Wilson: 15 of 45, z^2 = 3.8414588: (1/3 + z^2/90 -+ z sqrt(2/405 + z^2/8100)) / (1 + z^2/45)
    assert (best["method"], best["variance"]) == ("wilson", None)
    z = 1.959963984540054
    root = z * math.sqrt(2 / 405 + z * z / 8100)
    assert_allclose(best["lower"], (1 / 3 + z * z / 90 - root) / (1 + z * z / 45), rtol=1e-12)
    (comparison,) = result["comparisons"]
    assert (comparison["interval"]["method"], comparison["interval"]["variance"]) == ("tango", None)
    on_iid = {i["method"] for i in comparison["intervals"] if i["variance"] is not None}
    assert on_iid == {"student_t", "normal"}
    # of each nine rows the errors are the first ones, so neighbours are alike
    codes = [c["code"] for c in result["cautions"]]
    assert codes == ["no_training_variance", "neighbours_alike", "neighbours_alike"]
    assert result["covariance"]["models"] == {}


def test_exact_clusters_come_before_wilson() -> None:
    table = five_by_nine(BlockKind.HOLDOUT)
    layout = build_layout(BlockKind.HOLDOUT, [0] * 45, cluster=[i // 3 for i in range(45)])
    clustered = table_of(layout, {n: m.rows for n, m in table.models.items()})

    result = result_of(clustered)
    (best,) = [i for i in result["models"]["nb"]["intervals"] if i["recommended"]]
    assert (best["method"], best["variance"]) == ("skewness_corrected", "cluster_robust")
    assert result["comparisons"][0]["interval"]["method"] == "tango_clusters"


def test_by_hand_block_moments() -> None:
    picture = result_of(five_by_nine(BlockKind.SOURCE))["covariance"]["models"]["nb"]

    assert picture["blocks"] == [0, 1, 2, 3, 4]
    assert_allclose(picture["mean"], [2 / 9, 3 / 9, 4 / 9, 3 / 9, 3 / 9], rtol=1e-14)
    assert_allclose(picture["within_variance"], [14 / 72, 18 / 72, 20 / 72, 18 / 72, 18 / 72])
    # two ones among nine: 2 of the 72 ordered pairs have product 1; blocks 0 and 2: 2/9 * 4/9
    assert_allclose(picture["moments"][0][0], 2 / 72, rtol=1e-12)
    assert_allclose(picture["moments"][0][2], 8 / 81, rtol=1e-14)
    assert picture["moments"][2][0] == picture["moments"][0][2]


def test_exact_same_seed_same_bytes() -> None:
    table = five_by_nine(BlockKind.SOURCE)

    assert json.dumps(result_of(table, seed=5)) == json.dumps(result_of(table, seed=5))


@pytest.mark.parametrize("kind", BlockKind)
def test_exact_interval_is_centred_on_its_estimate(kind: BlockKind) -> None:
    result = result_of(five_by_nine(kind), clip=False)
    everything = [i for m in result["models"].values() for i in m["intervals"]]
    everything += [i for c in result["comparisons"] for i in c["intervals"]]

    symmetric = [i for i in everything if i["method"] in {"student_t", "normal", "prediction"}]
    assert symmetric
    for interval in symmetric:
        centre = (interval["lower"] + interval["upper"]) / 2
        assert_allclose(centre, interval["estimate"], rtol=1e-12)


def test_exact_one_sided_intervals_leave_the_verdict_alone() -> None:
    table = five_by_nine(BlockKind.SOURCE)
    two_sided = result_of(table)["comparisons"][0]
    less = result_of(table, alternative="less")["comparisons"][0]
    greater = result_of(table, alternative="greater")["comparisons"][0]

    assert less["interval"]["lower"] is None
    assert greater["interval"]["upper"] is None
    assert less["verdict"] == two_sided["verdict"] == greater["verdict"]
    assert less["tests"]["paired_t_blocks"]["p_value"] == pytest.approx(
        two_sided["tests"]["paired_t_blocks"]["p_value"] / 2, rel=1e-12
    )
