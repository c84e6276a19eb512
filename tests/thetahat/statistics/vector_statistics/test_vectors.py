"""Bootstrap of mean vectors, covariance matrices and regression coefficients."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import stats
from sklearn.linear_model import LinearRegression

from thetahat.analyses.bootstrap.vectors import VectorEstimate, bootstrap_vector, estimate_vector
from thetahat.errors import InsufficientData, InvalidParameter
from thetahat.numerics.bootstrap.resamples import HashedResamples
from thetahat.statistics.vector_statistics import VECTOR_STATISTICS, VectorSample
from thetahat.statistics.vector_statistics.covariance_matrix import CovarianceMatrix
from thetahat.statistics.vector_statistics.mean_vector import MeanVector
from thetahat.statistics.vector_statistics.regression_coefficients import RegressionCoefficients
from thetahat.values.types import Alternative, FloatArray

# R's data set mtcars: miles per gallon, weight, gross horsepower
MPG = """21 21 22.8 21.4 18.7 18.1 14.3 24.4 22.8 19.2 17.8 16.4 17.3 15.2 10.4 10.4 14.7 32.4 30.4
33.9 21.5 15.5 15.2 13.3 19.2 27.3 26 30.4 15.8 19.7 15 21.4"""
WEIGHT = """2.62 2.875 2.32 3.215 3.44 3.46 3.57 3.19 3.15 3.44 3.44 4.07 3.73 3.78 5.25 5.424 5.345
2.2 1.615 1.835 2.465 3.52 3.435 3.84 3.845 1.935 2.14 1.513 3.17 2.77 3.57 2.78"""
POWER = """110 110 93 110 175 105 245 62 95 123 123 180 180 180 205 215 230 66 52 65 97 150 150 245
175 66 91 113 264 175 335 109"""


def read(text: str) -> FloatArray:
    return np.array(text.split(), dtype=float)


CARS = VectorSample({"wt": read(WEIGHT), "hp": read(POWER)}, read(MPG))
COLUMNS = VectorSample(CARS.columns)


def resamples(n: int, n_resamples: int = 2000, seed: int = 3) -> HashedResamples:
    return HashedResamples(np.array([0, n], dtype=np.intp), seed, n_resamples)


def estimate(statistic: Any, sample: VectorSample, n_resamples: int = 2000) -> VectorEstimate:
    methods = ("normal", "percentile", "basic", "bca", "studentised")
    drawn = resamples(sample.n, n_resamples)
    return estimate_vector(statistic, sample, drawn, methods, 0.95, Alternative.TWO_SIDED)


@pytest.mark.about("vector_statistics/regression_coefficients")
@pytest.mark.outside("R, lm(mpg ~ wt + hp, mtcars): 37.22727, -3.87783, -0.03177")
def test_golden_coefficients_of_mtcars() -> None:
    found = [one.estimate for one in estimate(RegressionCoefficients(), CARS, 100).components]

    assert_allclose(found, [37.22727, -3.87783, -0.03177], atol=6e-6)


@pytest.mark.about("vector_statistics/covariance_matrix")
@pytest.mark.outside("R, cov(mtcars[c('wt', 'hp')]): 0.957379, 44.19266, 4700.867")
def test_golden_covariances_of_mtcars() -> None:
    estimated = estimate(CovarianceMatrix(), COLUMNS, 100)

    assert [one.columns for one in estimated.components] == [
        ("wt", "wt"),
        ("wt", "hp"),
        ("hp", "hp"),
    ]
    found = [one.estimate for one in estimated.components]
    assert_allclose(found, [0.957379, 44.19266, 4700.867], rtol=2e-7)


@pytest.mark.about("vector_statistics/mean_vector")
@pytest.mark.outside("R, colMeans(mtcars[c('wt', 'hp')]): 3.21725, 146.6875")
def test_golden_means_of_mtcars() -> None:
    found = [one.estimate for one in estimate(MeanVector(), COLUMNS, 100).components]

    assert_allclose(found, [3.21725, 146.6875], rtol=1e-12)


@pytest.mark.about("vector_statistics/mean_vector")
def test_exact_covariance_of_the_means_over_all_resamples() -> None:
    rows = np.array([[1.0, 5.0], [2.0, 3.0], [4.0, 4.0], [8.0, 0.0]])
    sample = VectorSample({"a": rows[:, 0], "b": rows[:, 1]})
    functional = MeanVector().on(sample)
    counts = np.array(
        [np.bincount(which, minlength=4) for which in product(range(4), repeat=4)],
        dtype=float,
    )

    means = functional.evaluate_counts(counts) + functional.shifts

    # the bootstrap's own covariance is (n - 1)/n times the sample covariance over n
    assert_allclose(np.cov(means.T, ddof=0), np.cov(rows.T) * (3 / 4) / 4, rtol=1e-12)


@pytest.mark.about("vector_statistics/mean_vector")
def test_limit_the_covariance_of_drawn_means_is_the_formula() -> None:
    covariance = estimate(MeanVector(), COLUMNS, 20_000).covariance_of_components
    rows = np.stack(list(COLUMNS.columns.values()))

    formula = np.cov(rows) * (31 / 32) / 32
    assert_allclose(covariance, formula, rtol=0.04)


@pytest.mark.parametrize(
    ("statistic", "compute"),
    [
        (MeanVector(), lambda x, _: x.mean(axis=0)),
        (CovarianceMatrix(), lambda x, _: np.cov(x.T)[np.triu_indices(2)]),
        (
            RegressionCoefficients(),
            lambda x, y: np.linalg.lstsq(np.c_[np.ones(len(x)), x], y, rcond=None)[0],
        ),
    ],
)
@pytest.mark.about(
    "vector_statistics/mean_vector",
    "vector_statistics/covariance_matrix",
    "vector_statistics/regression_coefficients",
)
def test_naive_replicates_and_jackknife(statistic: Any, compute: Any) -> None:
    sample = CARS if isinstance(statistic, RegressionCoefficients) else COLUMNS
    x, y = np.stack(list(CARS.columns.values()), axis=1), read(MPG)
    drawn = resamples(32, 40)

    replicates = bootstrap_vector(statistic, sample, drawn, with_errors=True)

    for b, counts in enumerate(drawn.counts(0, 40).astype(int)):
        rows = np.repeat(np.arange(32), counts)
        expected = compute(x[rows], y[rows])
        assert_allclose([one.values[b] for one in replicates], expected, rtol=1e-8)
    rows = np.repeat(np.arange(32), drawn.counts(0, 1)[0].astype(int))
    without = np.array([compute(x[np.delete(rows, i)], y[np.delete(rows, i)]) for i in range(32)])
    variances = (31 / 32) * ((without - without.mean(axis=0)) ** 2).sum(axis=0)
    found = [one.variances[0] for one in replicates if one.variances is not None]
    assert_allclose(found, variances, rtol=1e-7)


@pytest.mark.about("vector_statistics/regression_coefficients")
def test_against_sklearn_on_badly_scaled_columns() -> None:
    rng = np.random.default_rng(2)
    x = np.stack([1e4 + rng.normal(size=50), 1e-3 * rng.normal(size=50)], axis=1)
    y = 3 * (x[:, 0] - 1e4) - 2e3 * x[:, 1] + rng.normal(size=50)
    sample = VectorSample({"a": x[:, 0], "b": x[:, 1]}, y)

    theirs = LinearRegression().fit(x, y)
    found = [one.estimate for one in estimate(RegressionCoefficients(), sample, 50).components]

    assert_allclose(found[1:], theirs.coef_, rtol=1e-6)
    assert_allclose(found[0], theirs.intercept_, rtol=1e-6)


@pytest.mark.about("vector_statistics/covariance_matrix")
def test_against_scipy_stats_bootstrap_standard_errors() -> None:
    x, y = CARS.columns["wt"], CARS.columns["hp"]

    def covariance(a: FloatArray, b: FloatArray, axis: int = -1) -> FloatArray:
        products = (a - a.mean(axis=axis, keepdims=True)) * (b - b.mean(axis=axis, keepdims=True))
        return np.asarray(products.sum(axis=axis) / (a.shape[axis] - 1))

    theirs: Any = stats.bootstrap(
        (x, y), covariance, paired=True, n_resamples=20_000, method="BCa", rng=1
    )
    ours = estimate(CovarianceMatrix(), COLUMNS, 20_000).components[1]

    assert ours.standard_error == pytest.approx(theirs.standard_error, rel=0.03)
    (bca,) = [one for one in ours.intervals if one.method == "bca"]
    width = theirs.confidence_interval.high - theirs.confidence_interval.low
    assert bca.lower == pytest.approx(theirs.confidence_interval.low, abs=0.04 * width)
    assert bca.upper == pytest.approx(theirs.confidence_interval.high, abs=0.04 * width)


def test_exact_the_diagonal_of_the_covariance_is_the_variance_of_each_component() -> None:
    estimated = estimate(RegressionCoefficients(), CARS, 200)

    variances = [one.variance for one in estimated.components]
    assert np.diag(np.array(estimated.covariance_of_components)).tolist() == variances
    assert [one.name for one in estimated.components] == ["intercept", "wt", "hp"]
    assert "intervals_one_by_one" in {caution.code for caution in estimated.cautions}


def test_degenerate_resamples_with_constant_columns_are_drawn_again() -> None:
    x = np.array([0.0, 0.0, 0.0, 0.0, 1.0])
    sample = VectorSample({"a": x}, np.array([1.0, 2.0, 3.0, 4.0, 9.0]))

    estimated = estimate(RegressionCoefficients(), sample, 300)

    assert estimated.drawn_again > 50  # a third of the resamples lack the last row
    assert all(one.standard_error for one in estimated.components)
    assert "resamples_drawn_again" in {caution.code for caution in estimated.cautions}


@pytest.mark.parametrize(
    ("name", "sample", "path"),
    [
        ("regression_coefficients", COLUMNS, ("y",)),
        ("mean_vector", CARS, ("y",)),
        (
            "regression_coefficients",
            VectorSample({"a": np.arange(5.0), "b": 2 * np.arange(5.0)}, np.arange(5.0) ** 2),
            ("x",),
        ),
        (
            "covariance_matrix",
            VectorSample({str(j): np.arange(4.0) for j in range(13)}),
            ("x",),
        ),
    ],
)
def test_invalid_samples_are_named(name: str, sample: VectorSample, path: tuple[str]) -> None:
    method: Any = VECTOR_STATISTICS[name]
    with pytest.raises(InvalidParameter) as refused:
        method().on(sample)

    assert refused.value.loc == path


def test_invalid_columns_of_another_length_or_without_rows() -> None:
    with pytest.raises(InvalidParameter, match="b has 2"):
        VectorSample({"a": np.arange(3.0), "b": np.arange(2.0)})
    with pytest.raises(InvalidParameter, match="Row 1 of a is nan"):
        VectorSample({"a": np.array([1.0, np.nan])})
    with pytest.raises(InsufficientData):
        VectorSample({})
    with pytest.raises(InsufficientData):
        VectorSample({"a": np.array([])})
