"""Losses that people labelled in part and a judge graded as a whole."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import stats

import thetahat
from tests.thetahat.numerics.judged_samples import VECTORS
from thetahat.errors import EvaluationError
from thetahat.intervals.wilson import Wilson
from thetahat.values.json_values import to_json
from thetahat.values.types import Target

FIRST = "ppi_binary_judge"


def read(name: str) -> tuple[list[float | None], list[float]]:
    """Return the labels and grades of a vector of one model, without labels as None."""
    inputs = VECTORS[name]["inputs"]
    others = inputs["judge_on_unlabelled"]
    return [*inputs["labelled"], *[None] * len(others)], [*inputs["judge_on_labelled"], *others]


def evaluate(labels: Any, grades: Any, **fields: Any) -> Any:
    """Return the model's part of a result as JSON values."""
    options = {key: fields.pop(key) for key in ("cluster", "include") if key in fields}
    result = thetahat.evaluate(
        {"m": labels},
        blocks="holdout",
        better="lower",
        judge={"losses": {"m": grades}, **fields},
        **options,
    )
    return to_json(result)["models"]["m"]


def draw(seed: int, n: int, n_others: int, rate: float) -> tuple[Any, Any]:
    rng = np.random.default_rng(seed)
    labels = (rng.random(n + n_others) < rate).astype(np.float64)
    grades = np.abs(labels - (rng.random(n + n_others) < 0.1))
    labels[n:] = np.nan
    return labels, grades


@pytest.mark.outside("ppi-python 0.2.3 and glide 0.10.0 (ppi_binary_judge)")
def test_golden_the_part_about_the_judge() -> None:
    expected = VECTORS[FIRST]["expected"]
    found = evaluate(*read(FIRST))
    judge, interval = found["judge"], found["recommended"]["these_models"]

    tuned = expected["tuned"]
    assert_allclose(
        [interval["lower"], interval["upper"]], tuned["interval_t_n_minus_1"], rtol=1e-8
    )
    assert interval["variance"] == "prediction_powered"
    assert_allclose(judge["lambda"], tuned["lambda"], rtol=1e-9)
    assert_allclose(judge["judge_only"]["estimate"], expected["judge_only"], rtol=1e-9)
    bias = judge["judge_only"]["bias"]["estimate"]
    assert_allclose(bias, expected["bias_of_judge_on_labelled"], rtol=1e-9)
    for key in ("sensitivity", "specificity"):
        rate = judge["agreement"][key]["estimate"]
        assert_allclose(rate, expected[f"judge_{key}"], rtol=1e-9)
    # glide prints an effective sample size of 107
    assert int(judge["effective_labels"]) == 107
    assert judge["sentence"] == "60 labels and the judge are worth 107 labels."


def test_exact_rates_of_the_judge_in_clusters_are_those_of_a_rater() -> None:
    labels, grades = draw(12, 90, 200, 0.4)
    cluster = [f"c{i // 3}" for i in range(290)]

    agreement = evaluate(labels, grades, cluster=cluster)["judge"]["agreement"]

    raters = {"people": labels[:90].tolist(), "judge": grades[:90].tolist()}
    measured = thetahat.measure_agreement(raters, truth="people", cluster=cluster[:90]).to_dict()
    for key in ("sensitivity", "specificity"):
        of_rater = measured["pairs"][0][key]
        assert of_rater.pop("n") < 90
        assert agreement[key] == of_rater
        assert 0 < agreement[key]["lower"] < agreement[key]["upper"] < 1


def get_shares(judge: Any) -> list[float | None]:
    parts = (judge["prediction_powered"], judge["labels_only"], *judge["agreement"].values())
    shares = [part.get("expected_coverage") for part in parts if isinstance(part, dict)]
    return [None if share is None else share["coverage"] for share in shares]


def test_hand_intervals_beside_the_recommended_one_have_the_shares_of_their_designs() -> None:
    """Those of docs/results/edges/judge_labels and agreement for designs of these numbers."""
    labels, grades = draw(3, 100, 1000, 0.3)
    labels[:100], grades[:100] = np.arange(100) < 30, np.arange(100) < 30
    grades[[*range(9), *range(30, 39)]] = 1 - grades[[*range(9), *range(30, 39)]]
    used = evaluate(labels, grades)["judge"]
    rare = labels.copy()
    rare[:100] = np.arange(100) < 5
    unused = evaluate(rare, grades)["judge"]

    # rate .3, n = 100; 18 of 100 items differ (9 of 50 in the study), and of the rates 9 of 30
    # (11.6 of 30.8) and 9 of 70 (9 of 50)
    assert (used["is_used"], unused["is_used"]) == (True, False)
    assert get_shares(used) == [0.946, 0.935, 0.956, 0.951, 0.949]
    # rate .05, n = 100, where the interval from labels and grades is not recommended
    assert get_shares(unused)[:2] == [0.903, 0.895]
    for judge in (used, unused):
        missing = judge["judge_only"]["bias"]["expected_coverage_missing"]
        assert missing == "The coverage of this interval was not studied."


def test_exact_chosen_labels_and_a_fixed_weight_are_like_no_studied_design() -> None:
    labels, grades = draw(3, 100, 1000, 0.3)
    chosen = evaluate(labels, grades, sampled="chosen")["judge"]
    fixed = evaluate(labels, grades, **{"lambda": 0.5})["judge"]

    nothing = "No studied design is like this one."
    assert chosen["labels_only"]["expected_coverage_missing"] == nothing
    assert fixed["prediction_powered"]["expected_coverage_missing"] == nothing
    assert fixed["labels_only"]["expected_coverage"]["coverage"] == 0.935


def test_degenerate_equal_labels_have_the_interval_of_the_labels() -> None:
    found = evaluate([0.0] * 60 + [None] * 100, [0.0] * 100 + [1.0] * 60)

    interval = found["recommended"]["these_models"]
    assert interval["method"] == "wilson"
    upper = 1 - Wilson().compute_lower_end(60, 60, 0.025)
    assert_allclose([interval["lower"], interval["upper"]], [0, upper], rtol=1e-12)
    assert [c["code"] for c in found["judge"]["cautions"]] == ["labels_alone"]
    assert not found["judge"]["is_used"]
    assert "effective_labels" not in found["judge"]


def test_exact_few_labels_recommend_the_interval_of_the_labels() -> None:
    labels, grades = draw(3, 100, 900, 0.05)
    of_labels = to_json(thetahat.evaluate({"m": labels[:100]}, blocks="holdout", better="lower"))

    found = evaluate(labels, grades)

    ours, theirs = (m["recommended"]["these_models"] for m in (found, of_labels["models"]["m"]))
    assert [ours["lower"], ours["upper"]] == [theirs["lower"], theirs["upper"]]
    assert found["judge"]["prediction_powered"]["lower"] is not None
    assert found["judge"]["sentence"].startswith("The 100 labels answer alone")


def test_exact_chosen_rows_leave_the_judge_out() -> None:
    labels, grades = draw(4, 100, 400, 0.3)

    found = evaluate(labels, grades, sampled="chosen")

    assert found["recommended"]["these_models"]["method"] == "wilson"
    assert [c["code"] for c in found["judge"]["cautions"]] == ["labels_chosen"]
    assert "prediction_powered" not in found["judge"]
    assert "lambda" not in found["judge"]


def test_exact_all_rows_labelled_leave_the_judge_out() -> None:
    labels, grades = draw(5, 100, 0, 0.3)

    found = evaluate(labels, grades)

    assert [c["code"] for c in found["judge"]["cautions"]] == ["all_rows_labelled"]
    assert found["judge"]["unlabelled"] == 0


def test_degenerate_judges_that_disagree_or_say_one_thing() -> None:
    labels, grades = draw(6, 100, 400, 0.4)

    against = evaluate(labels, 1 - grades)
    constant = evaluate(labels, np.ones(500))

    assert against["judge"]["cautions"][-1]["code"] == "judge_disagrees"
    assert constant["judge"]["cautions"][-1]["code"] == "judge_has_no_spread"
    assert against["judge"]["lambda"] == constant["judge"]["lambda"] == 0
    assert against["judge"]["sentence"] == "The judge adds nothing to the 100 labels."


def test_exact_an_unrelated_judge_is_no_opponent_and_few_labels_plan_alone() -> None:
    rng = np.random.default_rng(12)
    labels, grades = draw(11, 40, 360, 0.05)
    numbers = np.where(np.arange(300) < 100, rng.normal(size=300), np.nan)

    unrelated = evaluate(numbers, rng.normal(size=300))["judge"]
    few = evaluate(labels, grades, half_width=0.1)["judge"]

    assert unrelated["cautions"] == []
    # labels alone: (1.959964 / .1)^2 s^2 with the variance of the 40 labels
    alone = (1.959964 / 0.1) ** 2 * np.var(labels[:40], ddof=1)
    assert few["plan"]["labels"] == np.ceil(alone)


def test_by_hand_the_plan_of_labels() -> None:
    # 60 labels of 300 rows; s^2 / n = 0.0563734521^2, the tuned variance 0.0420854043^2, so grades
    # explain g = (1 - .5573) * 300 / 240 = .5533 of it. c = (1.959964 / .06)^2 * 60 * 0.003177966
    # = 203.5, and n = c (1 - g) / (1 - c g / 300) = 145.5: 146 labels.
    found = evaluate(*read(FIRST), half_width=0.06)

    plan = found["judge"]["plan"]
    assert (plan["labels"], plan["additional"]) == (146, 86)
    assert plan["sentence"] == (
        "For a half width of 0.06 about 146 labels of these 300 rows are needed, 86 more than "
        "there are."
    )


def test_by_hand_strata_are_weighed_by_all_rows() -> None:
    # strata of 30 and 70 rows; 20 labels of each, all 1 in the first and 10 of 20 in the second;
    # with weight 0 the mean is .3 * 1 + .7 * .5 = .65, and its variance .49 * (5 / 19) / 20.
    labels = np.full(100, np.nan)
    labels[:20], labels[30:50] = 1.0, [0.0, 1.0] * 10
    stratum = ["a"] * 30 + ["b"] * 70

    found = evaluate(labels, np.arange(100) % 2, stratum=stratum, **{"lambda": 0})

    interval = found["recommended"]["these_models"]
    assert interval["estimate"] == pytest.approx(0.65)
    assert interval["standard_error"] == pytest.approx((0.49 * 5 / 19 / 20) ** 0.5)
    assert found["judge"]["lambda_by_stratum"] == {"a": 0, "b": 0}
    assert found["judge"]["sampled"] == "stratified"


def test_exact_strata_with_few_labels_have_a_serious_caution() -> None:
    labels, grades = draw(7, 60, 240, 0.05)
    stratum = np.arange(300) % 2

    found = evaluate(labels, grades, stratum=stratum)

    (caution,) = found["judge"]["cautions"]
    assert (caution["code"], caution["severity"]) == ("strata_of_labels_alone", "serious")
    interval = found["recommended"]["these_models"]
    by_stratum = [np.nanmean(labels[stratum == code]) for code in (0, 1)]
    assert interval["estimate"] == pytest.approx(np.mean(by_stratum))


@pytest.mark.outside("ppi-python 0.2.3 crossppi_mean_pointestimate (ppi_cross_fitted)")
def test_golden_a_judge_trained_in_folds() -> None:
    vector = VECTORS["ppi_cross_fitted"]
    inputs = vector["inputs"]
    own = np.array(inputs["judge_on_labelled"])
    by_fold = [
        np.where(np.array(inputs["fold"]) == k, own, -99.0).tolist() + others
        for k, others in enumerate(inputs["judge_on_unlabelled_by_fold"])
    ]
    result = thetahat.evaluate(
        {"m": [*inputs["labelled"], *[None] * 100]},
        blocks="holdout",
        better="lower",
        judge={"losses_by_fold": {"m": by_fold}, "fold": [*inputs["fold"], *[None] * 100]},
    )

    interval: Any = result.models["m"].recommended[Target.THESE_MODELS]
    assert_allclose(interval.estimate, vector["expected"]["estimate"], rtol=1e-10)
    assert_allclose(interval.standard_error, vector["expected"]["standard_error"], rtol=1e-10)


@pytest.mark.outside("ppi-python 0.2.3 and glide 0.10.0 (ppi_paired_difference)")
def test_golden_a_verdict_on_two_models() -> None:
    vector = VECTORS["ppi_paired_difference"]
    inputs, tuned = vector["inputs"], vector["expected"]["tuned"]
    losses = {m: [*inputs["labelled"][m], *[None] * 210] for m in "ab"}
    grades = {m: inputs["judge_on_labelled"][m] + inputs["judge_on_unlabelled"][m] for m in "ab"}

    result = thetahat.evaluate(
        losses, blocks="holdout", better="lower", judge={"losses": grades}, include="all"
    )

    pair: Any
    (pair,) = result.comparisons
    ends = [pair.interval.lower, pair.interval.upper]
    assert_allclose(ends, tuned["interval_t_n_minus_1"], rtol=1e-8)
    p = 2 * stats.t.cdf(-abs(tuned["estimate"] / tuned["standard_error"]), 69)
    assert_allclose(pair.verdict.p_value, p, rtol=1e-8)
    assert pair.judge is not None
    assert pair.judge.judge_only.estimate == pytest.approx(vector["expected"]["judge_only"])
    assert [c.code for c in result.cautions][-1] == "others_use_labels_alone"


def test_exact_three_models_are_corrected_by_holm() -> None:
    labels, grades = draw(8, 100, 400, 0.4)
    losses = {
        name: np.roll(labels[:100], k).tolist() + [None] * 400 for k, name in enumerate("abc")
    }
    judge = {"losses": dict.fromkeys("abc", grades)}

    result = thetahat.evaluate(losses, blocks="holdout", better="lower", judge=judge, control="a")

    assert result.ranking is not None
    assert result.ranking.correction == "holm"
    with pytest.raises(EvaluationError, match="joint distribution"):
        thetahat.evaluate(losses, blocks="holdout", judge=judge, control="a", correction="max_t")
    with pytest.raises(EvaluationError, match="does not fit the grades"):
        thetahat.evaluate(losses, blocks="holdout", judge=judge, pairs="best")


LABELS: Any = [0.0, 1.0, 0.0, None]


@pytest.mark.parametrize(
    ("fields", "loc", "words"),
    [
        ({"judge": {"losses": {"m": [1, 0, 1]}}}, ("judge", "losses", "m"), "has 3 entries"),
        (
            {"judge": {"losses": {"m": [1, None, 1, np.nan]}}},
            ("judge", "losses", "m", 1),
            "Rows 1, 3 have no finite grade of the judge, which must grade every row",
        ),
        ({"losses": {"m": [1, None, None, None]}}, ("losses", "m"), "1 labelled rows"),
        ({"blocks": "random", "block": [0, 0, 1, 1]}, ("block",), "block does not go"),
        ({"blocks": "source"}, ("blocks",), "one test set"),
        ({"weights": [1, 1, 1, 1]}, ("weights",), "weights does not go"),
        ({"lambda": 1.5}, ("judge", "lambda"), "from 0 to 1"),
        ({"lambda": "best"}, ("judge", "lambda"), "from 0 to 1"),
        ({"sampled": "stratified"}, ("judge", "stratum"), "stratum of each row"),
        ({"sampled": "some"}, ("judge", "sampled"), "random, stratified, chosen"),
        ({"half_width": 0}, ("judge", "half_width"), "above 0"),
        ({"fold": [0, 1, 0, None]}, ("judge", "losses_by_fold"), "go together"),
        ({"stratum": ["a", "a", "b"]}, ("judge", "stratum"), "has 3 entries"),
        ({"stratum": ["a", "a", None, "b"]}, ("judge", "stratum", 2), "no stratum"),
        ({"stratum": ["a", "a", "b", "b"]}, ("judge", "stratum"), "1 labelled rows"),
        ({"judge": {}}, ("judge", "losses"), "exactly one"),
        ({"judge": {"grades": {}}}, ("judge", "grades"), "no field 'grades'"),
        ({"judge": {"losses": {"o": [1, 1, 1, 1]}}}, ("judge", "losses", "m"), "no grades"),
        ({"judge": {"losses": {"m": ["x"] * 4}}}, ("judge", "losses", "m"), "must be numbers"),
    ],
)
def test_invalid_requests(fields: Any, loc: Any, words: str) -> None:
    judge = {"losses": {"m": [1, 0, 1, 1]}}
    arguments: Any = {"losses": {"m": LABELS}, "blocks": "holdout", "judge": judge}
    for key, value in fields.items():
        inside = key in {"lambda", "sampled", "half_width", "fold", "stratum"}
        (judge if inside else arguments)[key] = value
    with pytest.raises(EvaluationError, match=words) as caught:
        thetahat.evaluate(**arguments)
    assert caught.value.loc == loc


def test_invalid_rows_with_a_label_of_one_model() -> None:
    grades = {name: [1, 0, 1, 1] for name in "ab"}
    with pytest.raises(EvaluationError, match="Rows 1, 3 have a label of only one") as caught:
        thetahat.evaluate(
            {"a": LABELS, "b": [1, None, 1, 1]}, blocks="holdout", judge={"losses": grades}
        )
    assert caught.value.loc == ("losses", "b", 1)


@pytest.mark.parametrize(
    ("by_fold", "fold", "words"),
    [
        ([[1, 1, 1, 1]], [0, 0, 0, None], "grades of 1 judges"),
        ([[1, 1, 1, 1]] * 2, [0, 2, 0, None], "fold of the labelled row 1 is 2"),
        ([[1, 1, 1, 1]] * 2, [0, None, 0, None], "fold of the labelled row 1 is None"),
    ],
)
def test_invalid_folds(by_fold: Any, fold: Any, words: str) -> None:
    judge = {"losses_by_fold": {"m": by_fold}, "fold": fold}
    with pytest.raises(EvaluationError, match=words):
        thetahat.evaluate({"m": LABELS}, blocks="holdout", judge=judge)


def test_exact_scores_give_the_mirrored_numbers() -> None:
    labels, grades = draw(9, 100, 400, 0.3)
    judge = {"losses": {"m": grades}}
    of_scores = {"losses": {"m": 1 - grades}}

    cases: Any = (
        (labels, "lower", judge),
        (1 - labels, "higher", of_scores),
    )
    losses, scores = (
        thetahat.evaluate({"m": values}, blocks="holdout", better=better, judge=of_judge)
        for values, better, of_judge in cases
    )

    first: Any
    other: Any
    first, other = (r.models["m"].recommended[Target.THESE_MODELS] for r in (losses, scores))
    assert (first.variance, other.variance) == ("prediction_powered",) * 2
    assert_allclose([1 - first.upper, 1 - first.lower], [other.lower, other.upper], rtol=1e-12)
