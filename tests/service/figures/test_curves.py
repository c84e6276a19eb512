"""Figures of curves, choices, weights and tests: their numbers are those of the result."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import stats

from tests.service.figures.results import evaluation
from thetahat_service.figures.catalogue import list_figures
from thetahat_service.figures.covariance import centre
from thetahat_service.figures.ladder_scores import build_ladder_scores
from thetahat_service.figures.posterior import compute_student_density
from thetahat_service.figures.style import Json, Style
from thetahat_service.figures.weights import count_weights
from thetahat_service.kinds.examples import RESULT, read_examples

EXAMPLES = read_examples(RESULT)


def spec_of(result: dict[str, Any], name: str) -> Json:
    """Return the specification of one figure."""
    return next(figure for figure in list_figures(result) if figure.name == name).build_spec(
        Style()
    )


def test_naive_the_shares_of_the_histogram_are_those_of_the_weights() -> None:
    weights = [0.0, 0.51, 0.93, 1.05, 3.07, 6.0]  # none on the edge of a bin but the ends

    rows = count_weights(weights)

    for row in rows:
        last = row["to"] == pytest.approx(6.0)
        inside = [w for w in weights if row["from"] <= w < row["to"] or (last and w == 6.0)]
        expected = len(inside) / 6 if row["series"] == "share of the rows" else sum(inside) / 11.56
        assert row["share"] == pytest.approx(expected)


def test_exact_risks_are_those_of_the_result_and_the_ring_is_the_selection() -> None:
    result = EXAMPLES["importance_weighting"]

    rows = spec_of(result, "risks")["data"]["values"]

    for name, risk in result["risks"].items():
        drawn = [row for row in rows if row["series"] == name]
        assert [row["y"] for row in drawn] == risk["curve"]
        assert [row["lower"] for row in drawn] == risk["curve_intervals"]["lower"]
        assert [row["x"] for row in drawn] == result["grid"]["values"]
        assert [place for place, row in enumerate(drawn) if row["ringed"]] == [
            risk["selected_index"]
        ]


def test_exact_a_learning_curve_has_the_points_and_the_law_of_the_result() -> None:
    result = EXAMPLES["learning_curve"]
    drawn = result["curves"]["ridge"]["figure"]

    rows = spec_of(result, "learning_curve")["data"]["values"]
    points = [row for row in rows if row["series"] == "ridge"]

    assert [row["x"] for row in points] == drawn["x"]
    assert [row["y"] for row in points] == drawn["y"]
    assert [row["upper"] for row in points] == drawn["upper"]
    sizes = result["curves"]["ridge"]["saturation"]["sizes"]
    rows = spec_of(result, "saturation")["data"]["values"]
    assert [(row["difference"], row["upper"]) for row in rows] == [
        (size["difference"], size["upper"]) for size in sizes
    ]


def test_exact_candidates_are_sorted_and_the_chosen_one_is_marked() -> None:
    result = EXAMPLES["selection"]
    internal = result["internal"]

    rows = spec_of(result, "candidates")["data"]["values"]

    assert [row["candidate"] for row in rows] == sorted(
        internal, key=lambda name: internal[name]["mean"]
    )
    assert [row["candidate"] for row in rows if row["chosen"] == "chosen"] == [
        result["chosen"]["name"]
    ]
    pairs = spec_of(result, "nested_selection")["data"]["values"]
    splits = result["external"]["splits"]
    assert [row["value"] for row in pairs] == [
        value for split in splits for value in (split["internal"], split["external"])
    ]


def test_against_scipy_the_density_of_the_posterior() -> None:
    x = np.linspace(-3, 4, 50)

    density = compute_student_density(x, 0.3, 0.7, 6.5)

    assert_allclose(density, stats.t.pdf(x, 6.5, loc=0.3, scale=0.7), rtol=1e-12)


def test_exact_the_areas_of_the_posterior_are_its_probabilities() -> None:
    result = evaluation(2)
    posterior = stats.t(12.0, loc=-0.03, scale=0.02)
    rope = 0.02
    result["comparisons"][0]["tests"]["bayesian_correlated_t"] = {
        "p_left": float(posterior.cdf(-rope)),
        "p_rope": float(posterior.cdf(rope) - posterior.cdf(-rope)),
        "p_right": float(posterior.sf(rope)),
        "rope": rope,
        "location": -0.03,
        "scale": 0.02,
        "degrees_of_freedom": 12.0,
        "credible_interval": {"level": 0.95, "lower": -0.07, "upper": 0.01},
    }

    values = spec_of(result, "posterior")["layer"][0]["data"]["values"]

    expected = {
        "model 0 is better": posterior.cdf(-rope),
        "practically equivalent": posterior.cdf(rope) - posterior.cdf(-rope),
        "model 1 is better": posterior.sf(rope),
    }
    for region, probability in expected.items():
        x = [row["difference"] for row in values if row["region"] == region]
        y = [row["density"] for row in values if row["region"] == region]
        # the tails beyond 4.5 scales hold 0.0004 each
        assert np.trapezoid(y, x) == pytest.approx(probability, abs=1e-3)
    bars = spec_of(result, "posterior_probabilities")["data"]["values"]
    assert [row["share"] for row in bars] == pytest.approx(list(expected.values()))
    higher = {**result, "summary": {**result["summary"], "better": "higher"}}
    bars = spec_of(higher, "posterior_probabilities")["data"]["values"]
    assert [row["share"] for row in bars] == pytest.approx(list(expected.values())[::-1])


def test_exact_the_diagram_has_the_scores_and_groups_of_the_test() -> None:
    result = evaluation(4)
    names = list(result["models"])
    result["omnibus"]["nemenyi"] = {
        "unit": "block",
        "rows": 20,
        "diagram": {
            "score": "mean_ranks",
            "values": dict(zip(names, [2.5, 1.5, 3.9, 2.1], strict=True)),
            "alpha": 0.05,
            "critical_difference": 1.05,
            "groups": [[names[1], names[3], names[0]], [names[2]]],
        },
    }

    scores, groups = spec_of(result, "critical_differences_nemenyi")["hconcat"]

    assert [row["model"] for row in scores["data"]["values"]] == [names[i] for i in (1, 3, 0, 2)]
    assert [row["score"] for row in scores["data"]["values"]] == [1.5, 2.1, 2.5, 3.9]
    assert [(row["first"], row["last"]) for row in groups["data"]["values"]] == [
        (names[1], names[0])
    ]


def test_naive_the_cells_of_the_covariance_are_products_of_deviations() -> None:
    means, within, sizes = np.array([0.2, 0.5, 0.8]), np.array([0.1, 0.2, 0.3]), 10
    moments = np.outer(means, means)
    np.fill_diagonal(moments, means**2 - within / sizes)

    cells = centre(
        {
            "blocks": ["x", "y", "z"],
            "mean": means.tolist(),
            "moments": moments.tolist(),
            "within_variance": within.tolist(),
        }
    )

    deviations = means - means.mean()
    expected = np.outer(deviations, deviations)
    expected[np.diag_indices(3)] -= within / sizes
    assert_allclose(cells.products, expected, atol=1e-15)


def test_exact_a_bootstrap_shows_every_replicate_and_interval() -> None:
    result = EXAMPLES["bootstrap"]

    spec = spec_of(result, "replicates")

    bins = spec["layer"][0]["data"]["values"]
    assert sum(row["count"] for row in bins) == result["n_resamples"]
    bars = [row for layer in spec["layer"][1:] for row in layer["data"]["values"]]
    ends = {(row.get("lower"), row.get("upper")) for row in bars}
    assert {(interval["lower"], interval["upper"]) for interval in result["intervals"]} <= ends


def test_exact_roc_and_reliability_have_the_points_of_the_result() -> None:
    example = EXAMPLES["predictions"]
    # With probabilities, steps and band are drawn: see test_probabilities.py.
    models = {
        name: {key: part for key, part in model.items() if key != "probabilities"}
        for name, model in example["models"].items()
    }
    result = {**example, "models": models}

    roc = spec_of(result, "roc")["data"]["values"]
    reliability = spec_of(result, "reliability")["data"]["values"]

    for name, model in result["models"].items():
        curves = model["score_curves"]
        drawn = [row for row in roc if row["series"] == name]
        assert [row["x"] for row in drawn] == curves["roc"]["false_positive_rate"]
        assert [row["y"] for row in drawn] == curves["roc"]["true_positive_rate"]
        drawn = [row for row in reliability if row["series"] == name]
        assert [(row["x"], row["y"], row["lower"], row["upper"]) for row in drawn] == [
            (group["mean_score"], group["share"], group["lower"], group["upper"])
            for group in curves["reliability"]
        ]


def test_exact_submissions_are_counted_in_whole_numbers() -> None:
    ladder = {"submissions": 3, "loss": {"name": "squared"}, "sentence": "", "target": "price"}
    scores = [{"submission": 1, "score": 0.9}, {"submission": 2, "score": 0.2}]

    spec = json.dumps(build_ladder_scores(ladder, scores, 2).build_spec(Style()))

    assert '"tickMinStep": 1' in spec
