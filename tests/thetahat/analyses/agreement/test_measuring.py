"""The agreement of raters, beside outputs of other packages and hand arithmetic."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import stats

import thetahat
from tests.cases import each
from tests.vectors.reading import VECTORS
from thetahat.analyses.agreement.kappa_differences import _measure
from thetahat.errors import EvaluationError
from thetahat.numerics.agreement import compute_kappa_of_table


def read(name: str) -> dict[str, list[Any]]:
    rows = VECTORS[name]["inputs"]["ratings"]
    return {f"r{i}": list(column) for i, column in enumerate(zip(*rows, strict=True))}


def measure(ratings: Any, **options: Any) -> Any:
    return thetahat.measure_agreement(ratings, **options).to_dict()


@pytest.mark.outside("scikit-learn 1.9.1 and R psych 2.2.9 (agreement_judge_rare_class)")
def test_golden_a_judge_of_a_rare_class() -> None:
    expected = VECTORS["agreement_judge_rare_class"]["expected"]

    found = measure(read("agreement_judge_rare_class"), truth="r0")

    (pair,) = found["pairs"]
    assert (pair["a"], pair["b"]) == ("r1", "r0")
    for key in ("sensitivity", "specificity"):
        assert_allclose(pair[key]["estimate"], expected[f"judge_{key}"])
    assert_allclose(pair["kappa"]["estimate"], expected["kappa_unweighted"])
    codes = [caution["code"] for caution in pair["cautions"]]
    assert codes == ["few_rare_ratings", "agreement_of_common_category"]
    assert "agree on 93 % of 100 items; kappa is 0.33" in found["sentences"][0]


@pytest.mark.parametrize(("n_rare", "is_few"), [(19, True), (20, False)])
def test_limit_twenty_items_of_a_rare_category_are_enough(n_rare: int, *, is_few: bool) -> None:
    first = ["rare"] * n_rare + ["common"] * 80
    second = ["rare"] * (n_rare - 6) + ["common"] * 86
    (pair,) = measure({"a": first, "b": second})["pairs"]
    messages = {caution["code"]: caution["message"] for caution in pair["cautions"]}

    assert ("few_rare_ratings" in messages) is is_few
    assert "fewer than 20" in messages.get("few_rare_ratings", "fewer than 20")


def test_by_hand_the_interval_is_on_the_scale_of_fishers_z() -> None:
    # vector agreement_two_raters: kappa .4541176 with standard error .0809547 and 79 degrees
    z, error = np.arctanh(0.4541176470588), 0.08095471504078 / (1 - 0.4541176470588**2)
    reach = stats.t.ppf(0.95, 79) * error

    (pair,) = measure(read("agreement_two_raters"), level=0.9)["pairs"]

    ends = [pair["kappa"]["lower"], pair["kappa"]["upper"]]
    assert_allclose(ends, np.tanh([z - reach, z + reach]), rtol=1e-9)


def test_degenerate_one_value_has_no_kappa_and_a_reason() -> None:
    found = measure(read("agreement_one_value_only"))

    (pair,) = found["pairs"]
    for key in ("kappa", "krippendorff_alpha", "gwet_ac1"):
        assert pair[key]["estimate"] is None
        assert "all ratings are equal" in pair[key]["reason"]
    assert pair["observed"]["estimate"] == 1
    assert pair["observed"]["lower"] > 0.8
    assert found["coefficients"]["krippendorff_alpha"]["estimate"] is None


def test_degenerate_full_agreement_has_no_interval() -> None:
    found = measure({"a": [0, 1, 0, 1], "b": [0, 1, 0, 1]})

    (pair,) = found["pairs"]
    assert pair["kappa"]["estimate"] == 1
    assert "lower" not in pair["kappa"]
    assert "no item has different ratings" in pair["kappa"]["reason"]
    assert pair["cautions"][0]["code"] == "few_disagreements"


@pytest.mark.parametrize(
    ("b", "kappa"),
    [
        pytest.param([1] * 8, 0, id="one rater gives one category"),
        pytest.param([1, 0, 0, 1, 0, 1, 1, 0], -1, id="no item has equal ratings"),
    ],
)
def test_degenerate_kappa_that_no_item_moves_has_no_interval(b: list[int], kappa: float) -> None:
    found = measure({"a": [0, 1, 1, 0, 1, 0, 0, 1], "b": b})

    (pair,) = found["pairs"]
    assert pair["kappa"]["estimate"] == pytest.approx(kappa, abs=1e-12)
    assert "lower" not in pair["kappa"]
    assert pair["kappa"]["reason"] == "all items count alike in it, so that nothing varies"


def test_degenerate_full_agreement_in_many_categories_has_no_interval_of_rounding() -> None:
    ratings = [0, 1, 2, 3, 4, 4, 3, 3, 1, 0, 2, 4, 4, 3, 3, 1, 1, 1, 2, 0, 0, 4, 3, 1, 2, 2, 0, 1]

    found = measure({"a": ratings, "b": ratings, "c": ratings}, scale="interval")

    shown = [found["pairs"][0][f"kappa{weights}"] for weights in ("", "_linear", "_quadratic")]
    for estimate in (*shown, *found["coefficients"].values()):
        assert estimate["estimate"] == pytest.approx(1, abs=1e-12)
        assert "lower" not in estimate


def test_degenerate_clusters_alike_have_no_interval_of_rounding() -> None:
    a, b = [0, 1, 1, 2, 0] * 6, [0, 1, 2, 2, 1] * 6

    (pair,) = measure({"a": a, "b": b}, cluster=[i // 5 for i in range(30)])["pairs"]

    assert "lower" not in pair["kappa"]
    assert "lower" not in pair["krippendorff_alpha"]


def test_degenerate_raters_without_a_common_item() -> None:
    found = measure({"a": [0, None, 1], "b": [None, 1, None], "c": [0, 1, 0]})

    assert found["pairs"][0]["kappa"] == {
        "estimate": None,
        "n": 0,
        "reason": "no item was rated by both",
    }
    assert [c["code"] for c in found["cautions"]] == []
    assert found["coefficients"]["krippendorff_alpha"]["n"] == 3


def test_exact_items_with_one_rating_are_counted() -> None:
    (caution,) = measure({"a": [0, 1, None, 1], "b": [0, 0, 1, 1]})["cautions"]

    assert caution["code"] == "items_without_two_ratings"
    assert caution["message"].startswith("1 of 4 items")


def test_exact_texts_numbers_and_booleans_give_the_same() -> None:
    a, b = [0, 1, 1, 0, 1, 1], [0, 1, 0, 0, 1, 1]
    numbers = measure({"a": a, "b": b}, truth="a")
    texts = measure(
        {"a": [["no", "yes"][v] for v in a], "b": [["no", "yes"][v] for v in b]}, truth="a"
    )
    booleans = measure({"a": np.array(a, bool), "b": np.array(b, bool)}, truth="a")

    assert numbers["pairs"] == texts["pairs"] == booleans["pairs"]
    assert texts["positive"] == "yes"
    assert booleans["positive"] is True
    other = measure({"a": a, "b": b}, truth="a", positive=0)
    assert other["pairs"][0]["sensitivity"] == numbers["pairs"][0]["specificity"]


def test_limit_clusters_of_one_item_give_the_jackknife_of_items() -> None:
    ratings = read("agreement_five_raters")
    n = len(ratings["r0"])

    rows = measure(ratings)["coefficients"]
    clusters = measure(ratings, cluster=list(range(n)))["coefficients"]

    for key in rows:
        assert_allclose(clusters[key]["standard_error"], rows[key]["standard_error"], rtol=1e-9)


def draw(n: int, errors: list[float], seed: int) -> dict[str, Any]:
    """Draw ratings of a truth of rate .4, and of raters who err independently."""
    rng = np.random.default_rng(seed)
    true = (rng.random(n) < 0.4).astype(int)
    raters = {
        f"r{i}": np.where(rng.random(n) < error, 1 - true, true) for i, error in enumerate(errors)
    }
    return {"truth": true, **raters}


def compute_kappa(a: np.ndarray, b: np.ndarray) -> float:
    """Return (observed - expected) / (1 - expected) agreement of ratings 0 and 1."""
    expected = a.mean() * b.mean() + (1 - a.mean()) * (1 - b.mean())
    return float(((a == b).mean() - expected) / (1 - expected))


def test_naive_the_difference_of_kappas_by_resampled_items() -> None:
    ratings = draw(150, [0.1, 0.25], 5)
    result = measure(ratings, truth="truth", n_resamples=4000)
    (found,) = result["differences"]
    kappas = [compute_kappa(ratings[rater], ratings["truth"]) for rater in ("r0", "r1")]
    assert_allclose([pair["kappa"]["estimate"] for pair in result["pairs"]], kappas)
    rng, differences = np.random.default_rng(6), []
    for _ in range(2000):
        rows = rng.integers(0, 150, size=150)
        r0, r1, truth = (ratings[name][rows] for name in ("r0", "r1", "truth"))
        differences.append(compute_kappa(r0, truth) - compute_kappa(r1, truth))

    # relative error of a standard deviation of B normal values: 1 / sqrt(2 B); z = 5
    error = np.std(differences, ddof=1)
    assert abs(found["standard_error"] / error - 1) < 5 * (1 / 8000 + 1 / 4000) ** 0.5
    # the standard error of a quantile at .025 is 2.67 standard deviations over sqrt B; z = 5
    ends = np.quantile(differences, [0.025, 0.975])
    tolerance = 5 * 2.67 * error * (1 / 4000 + 1 / 2000) ** 0.5
    assert_allclose([found["lower"], found["upper"]], ends, atol=tolerance)


def test_limit_clusters_of_one_item_give_the_same_differences() -> None:
    ratings = draw(150, [0.1, 0.25], 7)
    (items,) = measure(ratings, truth="truth", n_resamples=4000)["differences"]
    (clusters,) = measure(
        ratings, truth="truth", n_resamples=4000, cluster=[f"c{i}" for i in range(150)]
    )["differences"]

    assert clusters["difference"] == items["difference"]
    # two standard deviations over 4000 resamples each; z = 5
    assert abs(clusters["standard_error"] / items["standard_error"] - 1) < 5 / 4000**0.5


def test_exact_differences_of_several_pairs_have_the_level_of_each_by_bonferroni() -> None:
    ratings = draw(150, [0.1, 0.2, 0.25], 7)
    found = measure(ratings, truth="truth")["differences"]

    assert [(pair["a"], pair["b"]) for pair in found] == [("r0", "r1"), ("r0", "r2"), ("r1", "r2")]
    for pair in found:
        two = {name: ratings[name] for name in ("truth", pair["a"], pair["b"])}
        (alone,) = measure(two, truth="truth", level=1 - 0.05 / 3)["differences"]
        assert_allclose([pair["lower"], pair["upper"]], [alone["lower"], alone["upper"]])
        assert (pair["simultaneous_pairs"], pair["n_resamples"]) == (3, 2000)
        assert alone.get("simultaneous_pairs") is None


@each("q", [2, 5])
def test_naive_kappas_of_resamples_are_those_of_their_tables(q: int) -> None:
    rng = np.random.default_rng(q)
    patterns = rng.integers(0, q, (12, 3))
    counts = rng.integers(0, 9, (7, 12)).astype(np.float64)
    counts[6] = np.eye(12)[0]  # one item: chance agrees always if both have its category
    found = _measure(patterns, counts, q)
    for row, of_row in zip(counts, found, strict=True):
        for column, kappa in enumerate(of_row):
            cell = patterns[:, column] * q + patterns[:, 2]
            table = np.bincount(cell, weights=row / row.sum(), minlength=q * q).astype(np.float64)
            expected, _ = compute_kappa_of_table(table, np.eye(q))
            assert_allclose(kappa, expected, rtol=1e-10, atol=1e-14)


def test_limit_ten_resamples_are_beyond_each_end_of_several_pairs() -> None:
    few = measure(draw(60, [0.2] * 3, 3), truth="truth", n_resamples=200)["differences"]
    alone = measure(draw(60, [0.2] * 2, 3), truth="truth", n_resamples=200)["differences"]

    # 10 / (.05 / (2 * 3)); a pair by itself has what the request says
    assert {pair["n_resamples"] for pair in few} == {1200}
    assert {pair["n_resamples"] for pair in alone} == {200}


def test_exact_equal_raters_differ_by_nothing() -> None:
    ratings = draw(60, [0.2], 8)

    (found,) = measure({**ratings, "copy": ratings["r0"]}, truth="truth")["differences"]

    assert (found["difference"], found["lower"]) == (0, None)
    assert found["sentence"].endswith("there is no interval.")


def test_exact_a_seed_gives_the_same_numbers() -> None:
    ratings = draw(60, [0.2, 0.3], 9)

    first, again = (measure(ratings, truth="truth", seed=3) for _ in range(2))

    assert first == again
    assert measure(ratings, truth="truth", seed=4)["differences"] != first["differences"]


@pytest.mark.parametrize(
    ("ratings", "options", "loc", "words"),
    [
        ({"a": [1, 0]}, {}, ("ratings",), "1 raters"),
        ({str(i): [1, 0] for i in range(21)}, {}, ("ratings",), "21 raters"),
        ({"a": [1, 0], "b": [1]}, {}, ("ratings", "b"), "has 1 ratings and 'a' has 2"),
        ({"a": [1, 0], "b": [1, 0]}, {"truth": "c"}, ("truth",), "not one of the raters"),
        ({"a": [1, 0], "b": [1, 0]}, {"scale": "ratio"}, ("scale",), "must be one of"),
        ({"a": [1, 0], "b": ["x", 0]}, {}, ("ratings",), "several kinds: number and text"),
        ({"a": [True, False], "b": [1, 0]}, {}, ("ratings",), "boolean and number"),
        ({"a": ["x", "y"], "b": ["x", "y"]}, {"scale": "ordinal"}, ("categories",), "order"),
        ({"a": ["x", "y"], "b": ["x", "y"]}, {"scale": "interval"}, ("scale",), "are numbers"),
        ({"a": [1, 0], "b": [1, 0]}, {"categories": [0]}, ("categories",), "rating 1 is none"),
        ({"a": [1, 0], "b": [1, 0]}, {"categories": [0, 1, 1]}, ("categories",), "twice"),
        ({"a": [1, 0], "b": [1, 0]}, {"positive": 3}, ("positive",), "none of the categories"),
        ({"a": [1, 0, 2], "b": [1, 0, 2]}, {"positive": 2}, ("positive",), "two categories"),
        ({"a": [1, None], "b": [None, 0]}, {}, ("ratings",), "No item has two ratings"),
        ({"a": [1, float("inf")], "b": [1, 0]}, {}, ("ratings", "a", 1), "finite"),
        ({"a": [1, 0], "b": [1, 0]}, {"cluster": ["x"]}, ("cluster",), "1 entries"),
        ({"a": [1, 0], "b": [1, 0]}, {"n_resamples": 0}, ("n_resamples",), "from 1 to"),
        ({"a": list(range(101)), "b": list(range(101))}, {}, ("scale",), "101 different values"),
    ],
)
def test_invalid_requests(ratings: Any, options: Any, loc: Any, words: str) -> None:
    with pytest.raises(EvaluationError, match=words) as caught:
        thetahat.measure_agreement(ratings, **options)
    assert caught.value.loc == loc


def test_exact_many_values_of_numbers_have_alpha_alone() -> None:
    rng = np.random.default_rng(10)
    a = rng.normal(size=150)

    (pair,) = measure({"a": a, "b": a + 0.3 * rng.normal(size=150)}, scale="interval")["pairs"]

    assert "more than 100 different values" in pair["kappa"]["reason"]
    assert 0.85 < pair["krippendorff_alpha"]["estimate"] < 1


def test_calibrated_sensitivity_of_a_judge_in_clusters() -> None:
    # t on CR1 covered .87 of these and had nothing where the judge found all positives
    rng = np.random.default_rng(20)
    rate, correlation, n_clusters, n_repeats = 0.95, 0.3, 20, 1000
    total = (1 - correlation) / correlation
    covered = 0
    for _ in range(n_repeats):
        cluster = np.repeat(np.arange(n_clusters), rng.integers(1, 7, n_clusters))
        hits = (
            rng.random(len(cluster))
            < rng.beta(rate * total, (1 - rate) * total, n_clusters)[cluster]
        )
        truth = [*np.ones(len(hits), dtype=int).tolist(), 0]
        judge = [*hits.astype(int).tolist(), 0]
        labels = [*cluster.tolist(), n_clusters]
        found = measure({"truth": truth, "judge": judge}, truth="truth", cluster=labels)
        share = found["pairs"][0]["sensitivity"]
        covered += share["lower"] <= rate <= share["upper"]

    # a level of .95 has a Monte-Carlo error of .0069: four of them below, at z = 4
    assert covered / n_repeats > 0.95 - 4 * 0.0069


def draw_ratings(n: int, q: int, seed: int) -> dict[str, list[int]]:
    rng = np.random.default_rng(seed)
    true = rng.integers(0, q, n)
    wrong = (true + rng.integers(1, q, n)) % q
    return {"a": true.tolist(), "b": np.where(rng.random(n) < 0.2, wrong, true).tolist()}


def test_exact_coverage_is_that_of_the_nearest_design_of_the_kept_page() -> None:
    found = measure(draw_ratings(45, 2, seed=5))

    # 7 of 45 items differ: nearest to 9 of 50, "50 items, rate .3, error .1"
    assert found["pairs"][0]["n_disagree"] == 7
    shares = {"kappa": 0.956, "gwet_ac1": 0.961, "krippendorff_alpha": 0.963}
    for key, share in shares.items():
        expected = found["pairs"][0][key]["expected_coverage"]
        assert (expected["coverage"], expected["table"]) == (share, "/studies/agreement_coverage")
    assert found["coefficients"]["fleiss_kappa"]["expected_coverage"]["coverage"] == 0.963


def test_limit_what_was_not_studied_says_so() -> None:
    ordered = measure(draw_ratings(100, 4, seed=6), scale="ordinal")["pairs"][0]
    many = measure(draw_ratings(20_000, 2, seed=7))["pairs"][0]
    clusters = [0] * 150 + list(range(1, 51))
    unequal = measure(draw_ratings(200, 2, seed=8), cluster=clusters)["pairs"][0]

    assert ordered["kappa"]["expected_coverage"]["coverage"] == 0.972
    for key in ("kappa_linear", "kappa_quadratic", "krippendorff_alpha"):
        assert ordered[key]["expected_coverage_missing"].startswith("The coverage of this interval")
    assert "it has 3928 items with different ratings" in many["kappa"]["expected_coverage_missing"]
    assert "weigh like" in unequal["kappa"]["expected_coverage_missing"]


def rate_as_studied() -> dict[str, list[int]]:
    """Return 200 items, of which a truth calls 68 positive, and two raters.

    The first misses 18 of the 68 and has 18 of the others wrong; on 44 items one alone is right.
    """
    truth = np.repeat([1, 0], [68, 132])
    first, second = truth.copy(), truth.copy()
    first[np.r_[:18, 68:86]] ^= 1
    second[np.r_[:18, 18:40, 68:86, 86:108]] ^= 1
    return {"truth": truth.tolist(), "a": first.tolist(), "b": second.tolist()}


def test_hand_rates_and_differences_have_the_coverage_of_their_designs() -> None:
    """.939, .936 and .957 of the rates, and .946 of differences, of 200 items in the kept page."""
    found = measure(rate_as_studied(), truth="truth", n_resamples=200)
    pair, (difference,) = found["pairs"][0], found["differences"]

    shares = {"observed": 0.939, "sensitivity": 0.936, "specificity": 0.957}
    for key, share in shares.items():
        assert pair[key]["expected_coverage"]["coverage"] == share
        assert pair[key]["expected_coverage"]["design"].endswith(
            f"{key}, 200 items, rate .3, error .1"
        )
    assert difference["expected_coverage"]["coverage"] == 0.946
    assert difference["expected_coverage"]["table"] == "/studies/agreement_coverage"


def test_limit_rates_and_differences_far_from_every_design_say_so() -> None:
    ratings = {name: values * 25 for name, values in rate_as_studied().items()}
    many = measure(ratings, truth="truth", n_resamples=200)
    clusters = measure(rate_as_studied(), truth="truth", n_resamples=200, cluster=[*range(100)] * 2)
    alike = measure({"a": [0, 1], "b": [0, 1]})["pairs"][0]
    far = "it has 5000 items, and the nearest study has 1000."

    assert many["pairs"][0]["observed"]["expected_coverage_missing"].endswith(far)
    assert many["differences"][0]["expected_coverage_missing"].endswith(far)
    assert "expected_coverage_missing" not in clusters["pairs"][0]["observed"]
    assert "clusters" in clusters["pairs"][0]["observed"]["expected_coverage"]["design"]
    assert "it has 2 items" in alike["observed"]["expected_coverage_missing"]
