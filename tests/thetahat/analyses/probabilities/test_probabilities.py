"""Whether predicted probabilities come true, and which model's do."""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import stats
from scipy.special import logit
from sklearn.linear_model import Perceptron

import thetahat as untyped
from tests.cases import case
from tests.thetahat.analyses.probabilities import naive_probabilities as naive
from tests.vectors.reading import VECTORS
from thetahat.errors import EvaluationError, InvalidParameter, UnsupportedCombination

thetahat: Any = untyped  # fields of results are read without a check for None
RNG = np.random.default_rng(36)
N = 120
P = np.round(np.clip(RNG.beta(1.5, 2.5, N), 0.01, 0.99), 3)
Y = (RNG.random(N) < P**1.3).astype(int)
CLUSTER = np.arange(N) // 3


def describe(y: Any, p: Any, **options: Any) -> Any:
    asked = options.pop("probabilities", True)
    result = thetahat.evaluate_predictions(
        np.asarray(y).tolist(),
        scores={"m": p},
        loss="brier",
        blocks="holdout",
        classes=options.pop("classes", [0, 1]),
        probabilities=asked,
        **options,
    )
    return result.models["m"].probabilities


def compare(y: Any, p: dict[str, Any], **options: Any) -> Any:
    return thetahat.evaluate_predictions(
        np.asarray(y).tolist(),
        scores=p,
        loss="brier",
        blocks="holdout",
        classes=[0, 1],
        **{"probabilities": True, **options},
    )


def test_naive_parts_of_scores() -> None:
    y, p = Y[:40].tolist(), P[:40].tolist()
    r, rate = naive.recalibrate(y, p), [sum(y) / 40] * 40
    found = describe(y, p).parts

    for name, score in (("brier", naive.compute_brier), ("log", naive.compute_log_loss)):
        safe = [min(max(each, 1e-300), 1 - 1e-16) for each in r]
        of_p, of_r, of_rate = score(y, p), score(y, safe), score(y, rate)
        parts = found[name]
        assert_allclose(parts.score, of_p, rtol=1e-12)
        assert_allclose(parts.miscalibration, of_p - of_r, rtol=1e-9)
        assert_allclose(parts.discrimination, of_rate - of_r, rtol=1e-9)
        total = parts.miscalibration - parts.discrimination + parts.uncertainty
        assert_allclose(parts.score, total, rtol=1e-12)


def test_against_sklearn_isotonic_regression() -> None:
    from sklearn.isotonic import IsotonicRegression

    curve = describe(Y, P).curve
    fitted = IsotonicRegression().fit(P, Y)

    assert_allclose(curve.recalibrated, fitted.predict(curve.predicted), rtol=1e-12)
    whole = np.interp(P, curve.predicted, curve.recalibrated)
    assert_allclose(whole, fitted.predict(P), rtol=1e-12)


@pytest.mark.parametrize("n_bins", [1, 3, 10, 40])
def test_naive_expected_calibration_error(n_bins: int) -> None:
    p = np.round(20 * P) / 20  # on the edges of bins, and between them
    found = describe(Y, p, probabilities={"bins": n_bins}).binned

    assert_allclose(
        found.expected_calibration_error,
        naive.compute_ece(Y.tolist(), p.tolist(), n_bins),
        rtol=1e-10,
    )


@pytest.mark.parametrize("n_bins", [1, 4, 15, 60])
@pytest.mark.parametrize("digits", [1, 2, 3])
def test_naive_bins_of_equal_count(n_bins: int, digits: int) -> None:
    """Edges are midway between parts of sorted rows; a row is in the first bin that holds it."""
    p = np.round(P, digits)
    asked = {"bins": n_bins, "binning": "equal_count", "slope": False}
    found = describe(Y, p, probabilities=asked).binned
    ordered, edges, start = sorted(p.tolist()), [], 0
    for part in range(n_bins - 1):
        start += N // n_bins + (part < N % n_bins)
        edges.append((ordered[start - 1] + ordered[start]) / 2)
    gaps = [0.0] * n_bins
    for of_row, y in zip(p.tolist(), Y.tolist(), strict=True):
        gaps[sum(edge < of_row for edge in edges)] += of_row - y

    assert (found.n_bins, found.binning) == (n_bins, "equal_count")
    assert_allclose(found.expected_calibration_error, sum(map(abs, gaps)) / N, rtol=1e-10)


def test_naive_slope_and_intercepts() -> None:
    """Against Nelder and Mead's method and a sandwich that is added up cluster by cluster."""
    x = logit(P)
    b, _ = naive.fit_by_minimisation(Y, x)
    shift, _ = naive.fit_by_minimisation(Y, x, slope=1.0)
    found = describe(Y, P, cluster=CLUSTER.tolist()).recalibration
    covariance = naive.compute_sandwich(Y, x, b, CLUSTER.tolist())

    assert_allclose([found.intercept.estimate, found.slope.estimate], b, rtol=1e-5)
    assert_allclose(found.intercept_slope_one.estimate, shift[0], rtol=1e-5)
    assert_allclose(found.slope.standard_error, math.sqrt(covariance[1, 1]), rtol=1e-5)
    assert found.slope.degrees_of_freedom == 39
    q = stats.t.ppf(0.975, 39)
    assert_allclose(found.slope.upper - found.slope.estimate, q * found.slope.standard_error)


def test_naive_profile_ends() -> None:
    """At each end the likelihood has fallen by half of the chi-squared quantile."""
    x = logit(P)
    slope = describe(Y, P).recalibration.slope
    _, greatest = naive.fit_by_minimisation(Y, x)

    for end in (slope.lower, slope.upper):
        _, reached = naive.fit_by_minimisation(Y, x, slope=end)
        assert_allclose(2 * (greatest - reached), stats.chi2.ppf(0.95, 1), rtol=1e-5)


def test_exact_interval_in_the_large_is_that_of_paired_differences() -> None:
    p = np.linspace(0.2, 0.8, N)
    y = (np.arange(N) * 7 % 12 < 12 * p).astype(int)
    found = describe(y, p).in_the_large
    by_scipy: Any = stats.ttest_1samp(y - p, 0).confidence_interval(0.95)

    assert found.method == "student_t"
    assert_allclose([found.lower, found.upper], by_scipy, rtol=1e-10)


def test_exact_few_events_take_wilson_and_t() -> None:
    p = np.linspace(0.01, 0.2, 60)
    y = np.arange(60) >= 57
    found = describe(y.astype(int), p)
    estimate = found.in_the_large
    wilson = stats.binomtest(3, 60).proportion_ci(method="wilson")
    t = stats.ttest_1samp(p, 0).confidence_interval(0.95)
    below = math.hypot(0.05 - wilson.low, t.high - p.mean())

    assert estimate.method == "wilson_and_t"
    assert_allclose(estimate.estimate - estimate.lower, below, rtol=1e-9)
    assert [each.code for each in found.cautions] == ["few_events"]


def test_exact_intervals_name_the_coverage_of_the_nearest_design() -> None:
    """Every interval has its coverage, or says that no design comes near, or that none was."""
    found = describe(Y, P, probabilities={"thresholds": [0.4]})
    slope = found.recalibration.slope.expected_coverage
    few = describe([0, 1, 1, 0], [0.2, 0.6, 0.4, 0.5]).in_the_large

    assert slope.table == "/studies/probability_coverage"
    assert slope.least <= slope.coverage <= slope.largest
    assert "rows" in slope.design
    assert found.in_the_large.expected_coverage.level == 0.95
    pair = compare(Y, {"a": P, "b": P**2}, probabilities={"thresholds": [0.4]}).comparisons[0]
    for rate in ("sensitivity", "specificity", "ppv", "npv"):
        of_model = getattr(found.thresholds[0], rate).expected_coverage
        of_pair = getattr(pair.probabilities.thresholds[0], rate).expected_coverage
        assert 0.94 <= of_model.coverage <= 0.97
        assert 0.92 <= of_pair.least <= of_pair.coverage
        assert "calibrated against noisy" in of_pair.design
    assert few.expected_coverage is None
    assert few.expected_coverage_missing.startswith(
        "No studied design is like this one: it has 4 rows, and the nearest study has 50."
    )


def test_exact_few_of_the_rarer_outcome_have_the_profile_likelihood() -> None:
    p = np.linspace(0.01, 0.2, 300)
    rare = (np.arange(300) % 40 == 0).astype(int)
    common = (np.arange(300) % 3 == 0).astype(int)

    assert describe(rare, p).recalibration.slope.method == "profile_likelihood"
    assert describe(common, p).recalibration.slope.method == "wald"


def test_exact_difference_of_sensitivities_is_tangos() -> None:
    other = np.clip(P + RNG.normal(0, 0.2, N), 0.01, 0.99)
    asked = {"thresholds": [0.4]}
    result = compare(Y, {"a": P, "b": other}, probabilities=asked)
    found = result.comparisons[0].probabilities.thresholds[0]
    losses = {name: (p < 0.4)[Y == 1].astype(float) for name, p in (("a", P), ("b", other))}
    of_losses = thetahat.evaluate(losses, blocks="holdout", intervals=["tango"], include="all")
    tango = next(each for each in of_losses.comparisons[0].intervals if each.method == "tango")

    assert_allclose(-found.sensitivity.estimate, tango.estimate, rtol=1e-12)
    ends = (-found.sensitivity.upper, -found.sensitivity.lower)
    assert_allclose(ends, (tango.lower, tango.upper), rtol=1e-9)
    for rate in ("specificity", "ppv", "npv"):
        a, b = (getattr(result.models[m].probabilities.thresholds[0], rate) for m in "ab")
        assert_allclose(getattr(found, rate).estimate, a.estimate - b.estimate, rtol=1e-12)


def test_naive_bootstrap_error_of_predictive_values() -> None:
    """The error of a difference of two ratios is near that of 4000 resamples."""
    other = np.clip(P + RNG.normal(0, 0.2, N), 0.01, 0.99)
    result = compare(Y, {"a": P, "b": other}, probabilities={"thresholds": [0.4]})
    found = result.comparisons[0].probabilities.thresholds[0].ppv
    rng = np.random.default_rng(7)
    drawn = []
    for _ in range(4000):
        rows = rng.integers(0, N, N)
        y, a, b = Y[rows], P[rows] >= 0.4, other[rows] >= 0.4
        drawn.append(y[a].mean() - y[b].mean())

    assert found.standard_error == pytest.approx(np.std(drawn), rel=0.1)


def test_calibrated_p_values_and_band_of_calibrated_probabilities() -> None:
    """In 250 samples; the standard error of a share of .05 is .014."""
    rng = np.random.default_rng(8)
    p = rng.beta(2, 3, 60)
    asked = {"band_resamples": 199, "slope": False, "parts": ["brier"]}
    rejected, inside = 0, []
    for _ in range(250):
        y = (rng.random(60) < p).astype(int)
        found = describe(y, p, probabilities=asked)
        rejected += found.parts["brier"].p_value <= 0.05
        curve = found.curve
        inside.append(
            ((curve.lower <= curve.recalibrated) & (curve.recalibrated <= curve.upper)).mean()
        )

    assert 0.01 <= rejected / 250 <= 0.09
    assert np.mean(inside) > 0.94


def test_limit_expected_error_of_bins_falls_with_rows() -> None:
    """Calibrated probabilities have an error above 0, as METHODS says: .099, .044 and .022."""
    rng = np.random.default_rng(9)
    for n, expected in ((100, 0.099), (500, 0.044), (2000, 0.022)):
        p = rng.random(n)
        y = (rng.random(n) < p).astype(int)
        found = describe(y, p, probabilities={"bins": 10, "slope": False}).binned
        assert found.if_calibrated == pytest.approx(expected, rel=0.15)


def test_property_order_of_rows_changes_nothing_but_draws() -> None:
    order = RNG.permutation(N)
    a, b = describe(Y, P), describe(Y[order], P[order])

    assert_allclose(a.recalibration.slope.lower, b.recalibration.slope.lower, rtol=1e-7)
    assert_allclose(a.parts["log"].miscalibration, b.parts["log"].miscalibration, rtol=1e-9)
    assert_allclose(a.in_the_large.lower, b.in_the_large.lower, rtol=1e-9)


def test_exact_the_same_seed_draws_the_same() -> None:
    assert describe(Y, P, seed=3).parts == describe(Y, P, seed=3).parts
    assert describe(Y, P, seed=3).parts != describe(Y, P, seed=4).parts


def test_exact_clusters_have_no_samples_of_independent_rows() -> None:
    found = describe(Y, P, cluster=CLUSTER.tolist(), probabilities={"bins": 5})

    assert (found.clusters, found.resamples) == (40, 0)
    for part in (found.parts["brier"], found.spiegelhalter, found.binned):
        assert part.p_value is None
        assert "depend on each other" in part.reason
    assert found.curve.lower is None
    assert "depend on each other" in found.curve.reason
    assert found.in_the_large.degrees_of_freedom < 40


def test_exact_folds_are_pooled_and_repeats_are_not() -> None:
    folds = [i % 4 for i in range(N)] * 2
    p = np.concatenate([P, np.clip(P + 0.1, 0, 0.99)])
    options = {
        "block": folds,
        "repeat": [0] * N + [1] * N,
        "instance": list(range(N)) * 2,
        "blocks": "random",
    }
    result = thetahat.evaluate_predictions(
        [*Y.tolist(), *Y.tolist()],
        scores={"m": p},
        loss="brier",
        classes=[0, 1],
        probabilities=True,
        **options,
    )
    found = result.models["m"].probabilities

    assert found.n == N
    assert_allclose(found.mean_probability, P.mean(), rtol=1e-12)
    assert found.cautions[0].code == "probabilities_of_first_repeat"


@pytest.mark.parametrize(
    ("options", "code"),
    [
        ({"blocks": "source", "block": (np.arange(N) % 6).tolist()}, "probabilities_of_dependent"),
        ({"blocks": "holdout", "time": list(range(N))}, "probabilities_of_dependent"),
        ({"blocks": "holdout", "cluster": (np.arange(N) % 6).tolist()}, "few_clusters_of"),
    ],
)
def test_exact_cautions_on_dependent_rows(options: dict[str, Any], code: str) -> None:
    result = thetahat.evaluate_predictions(
        Y.tolist(), scores={"m": P}, loss="brier", classes=[0, 1], probabilities=True, **options
    )

    assert any(each.code.startswith(code) for each in result.models["m"].probabilities.cautions)


def test_degenerate_probabilities_of_zero_and_one() -> None:
    inputs = VECTORS["prob_zero_and_one"]["inputs"]
    found = describe(inputs["y"], inputs["p"])
    log = found.parts["log"]

    assert found.n == len(inputs["y"])
    assert (log.score, log.miscalibration) == (None, None)
    assert log.reason == "1 of 12 rows had an outcome of probability 0."
    assert found.recalibration.slope.reason.startswith("7 of 12 rows have a probability of 0 or 1")
    assert [each.code for each in found.cautions] == [
        *("certain_probabilities", "surely_wrong", "few_events")
    ]
    pair = compare(inputs["y"], {"a": inputs["p"], "b": [0.5] * 12}).comparisons[0].probabilities
    assert pair.parts["log"].score.estimate is None
    assert pair.parts["log"].score.reason == log.reason
    assert pair.parts["brier"].score.lower is not None


@pytest.mark.parametrize("clustered", [False, True])
@pytest.mark.parametrize("score", ["brier", "log"])
def test_a_difference_of_scores_has_the_interval_of_the_compared_losses(
    score: str, *, clustered: bool
) -> None:
    """A few rows with large losses make the differences skewed, where two rules would be seen."""
    rng = np.random.default_rng(7)
    for n in (20, 45, 90):
        p = rng.beta(0.6, 0.9, n).clip(0.002, 0.998)
        y = [0, 1, *(rng.random(n - 2) < 0.2 + 0.6 * p[2:])]
        q = np.clip(p**1.5 + 0.05 * rng.random(n), 0.001, 0.999)
        result = thetahat.evaluate_predictions(
            np.asarray(y, dtype=int).tolist(),
            scores={"a": p, "b": q},
            loss=score,
            blocks="holdout",
            classes=[0, 1],
            probabilities={"parts": [score], "band_resamples": 100},
            cluster=(np.arange(n) // 3).tolist() if clustered else None,
        )
        compared = result.comparisons[0].interval
        found = result.comparisons[0].probabilities.parts[score].score
        scale = 2 if score == "brier" else 1  # the loss is the sum over both classes

        for name in ("estimate", "standard_error", "lower", "upper"):
            assert_allclose(
                scale * getattr(found, name), getattr(compared, name), rtol=1e-9, err_msg=name
            )
        assert (found.method, found.degrees_of_freedom) == (
            compared.method,
            pytest.approx(compared.degrees_of_freedom, rel=1e-9),
        )


def test_degenerate_one_class_and_one_probability() -> None:
    of_one_class = describe([1] * 30, P[:30])
    constant = describe(Y, [0.4] * N)

    assert of_one_class.recalibration.intercept_slope_one.estimate is None
    assert of_one_class.recalibration.slope.reason == "All rows have the same outcome."
    assert of_one_class.parts["brier"].discrimination == 0
    assert of_one_class.in_the_large.method == "wilson_and_t"
    assert constant.recalibration.slope.reason == "All rows have the same probability."
    assert constant.recalibration.intercept_slope_one.lower is not None
    gap = constant.in_the_large.estimate
    assert_allclose(constant.parts["brier"].miscalibration, gap**2, rtol=1e-9)


def test_degenerate_separated_outcomes_have_no_slope() -> None:
    p = np.linspace(0.05, 0.95, 20)
    for y in ((p > 0.5).astype(int), (p < 0.5).astype(int)):
        slope = describe(y, p).recalibration.slope
        assert (slope.estimate, slope.lower) == (None, None)
        assert "separates the outcomes" in slope.reason


def test_degenerate_equal_models() -> None:
    found = compare(Y, {"a": P, "b": P}, probabilities={"thresholds": [0.4]})
    pair = found.comparisons[0].probabilities

    for part in ("score", "miscalibration", "discrimination"):
        estimate = getattr(pair.parts["brier"], part)
        assert (estimate.estimate, estimate.lower) == (0, None)
        assert estimate.reason is not None
    tango = pair.thresholds[0].ppv
    assert_allclose([tango.estimate, -tango.lower], [0, tango.upper], rtol=1e-9)


def test_degenerate_models_that_both_separate_the_outcomes_discriminate_alike() -> None:
    """The difference of log losses had the interval -3.8e-16 to -6.6e-17 by rounding alone."""
    rng = np.random.default_rng(10)
    y = rng.integers(0, 2, 250)
    pair = compare(y, {"a": y.astype(float), "b": (y + rng.random(250)) / 2}).comparisons[0]

    for name in ("brier", "log"):
        estimate = pair.probabilities.parts[name].discrimination
        assert (estimate.estimate, estimate.lower) == (0, None)
        assert estimate.reason == "The two models have the same parts in every resample."


def test_degenerate_smallest_layouts() -> None:
    """Every number is there, or None with a reason; nothing warns."""
    layouts: tuple[dict[str, Any], ...]
    for n in (1, 2, 3):
        layouts = ({}, {"cluster": list(range(n))}, {"cluster": [0] * (n - 1) + [1]})
        for options in layouts[: 2 if n < 3 else 3]:  # of one and two rows the last two are alike
            for p in ([0.3] * n, [0.0] * n, [1.0] * n, [0.1, 0.9, 0.5][:n]):
                for y in ([0] * n, [1] * n, [i % 2 for i in range(n)])[: 2 if n < 2 else 3]:
                    asked = {"thresholds": [0.35], "bins": 5, "band_resamples": 100}
                    with case(n, options, p, y):
                        result = compare(
                            y, {"a": p, "b": [0.4] * n}, probabilities=asked, **options
                        )
                        json.dumps(result.to_dict(), allow_nan=False)


@pytest.mark.parametrize(
    ("asked", "place"),
    [
        ({"bin": 3}, ("bin",)),
        ({"bins": 0}, ("bins",)),
        ({"bins": True}, ("bins",)),
        ({"parts": ["brier", "x"]}, ("parts", 1)),
        ({"thresholds": [0.5, 1.5]}, ("thresholds", 1)),
        ({"thresholds": [math.nan]}, ("thresholds", 0)),
        ({"thresholds": [0.5] * 21}, ("thresholds",)),
        ({"binning": "width"}, ("binning",)),
        ({"band_resamples": 10}, ("band_resamples",)),
    ],
)
def test_invalid_fields(asked: dict[str, Any], place: tuple[Any, ...]) -> None:
    with pytest.raises(InvalidParameter) as caught:
        describe(Y, P, probabilities=asked)

    assert caught.value.loc == ("probabilities", *place)


@pytest.mark.parametrize(
    ("changes", "error", "place"),
    [
        ({"loss": "hinge"}, UnsupportedCombination, ("probabilities",)),
        ({"scores": {}}, UnsupportedCombination, ("scores", "m")),
        ({"loss": "squared"}, UnsupportedCombination, ("probabilities",)),
        ({"scores": {"m": [1.7, *P[1:]]}}, InvalidParameter, ("scores", "m", 0)),
        ({"blocks": "subsamples", "block": [0, 1] * 60}, EvaluationError, ("probabilities",)),
        ({"probabilities": "yes"}, InvalidParameter, ("probabilities",)),
    ],
)
def test_invalid_combinations(
    changes: dict[str, Any], error: type[Exception], place: tuple[Any, ...]
) -> None:
    given = {"y_true": Y.tolist(), "predictions": {"m": Y.tolist()}, "scores": {"m": P}}
    options = {"loss": "zero_one", "blocks": "holdout", "probabilities": True, "classes": [0, 1]}
    with pytest.raises(error) as caught:
        thetahat.evaluate_predictions(**{**given, **options, **changes})

    assert caught.value.loc == place  # type: ignore[attr-defined]


def test_exact_cross_validation_has_the_probabilities_of_its_folds() -> None:
    x = np.column_stack([P, RNG.normal(size=N)])
    learners = {"logistic": "logistic_regression", "lda": "linear_discriminant"}
    result = thetahat.cross_validate(
        x, Y.tolist(), learners, task="classification", cv=5, loss="brier", probabilities=True
    )

    for model in result.models.values():
        found = model.probabilities
        assert found.n == N
        # the loss of two classes is the sum over both, so twice the score of one event
        assert_allclose(model.mean.pooled, 2 * found.parts["brier"].score, rtol=1e-10)
        assert "ignores_training_variance" in [each.code for each in found.cautions]
    assert result.comparisons[0].probabilities.parts["brier"].score.lower is not None


@pytest.mark.parametrize(
    ("options", "place"),
    [
        ({"learners": {"m": Perceptron()}}, ("learners", "m")),
        ({"task": "regression", "learners": {"m": "ridge"}}, ("probabilities",)),
        ({"scheme": "random_subsampling"}, ("scheme",)),
    ],
)
def test_invalid_cross_validations(options: dict[str, Any], place: tuple[Any, ...]) -> None:
    given = {"learners": {"m": "logistic_regression"}, "task": "classification", **options}
    with pytest.raises(UnsupportedCombination) as caught:
        thetahat.cross_validate({"x": P}, Y.tolist(), probabilities=True, **given)

    assert caught.value.loc == place
