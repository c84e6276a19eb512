from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

from tests.thetahat.importance_weights.samples import (
    SMALL,
    SOURCE,
    TARGET,
    rng,
    shifted,
    true_ratio,
)
from thetahat.errors import InsufficientData
from thetahat.importance_weights import ImportanceWeights, Samples
from thetahat.importance_weights.gaussian_ratio import GaussianRatio
from thetahat.values.types import FloatArray


def weigh(source: FloatArray, target: FloatArray) -> ImportanceWeights:
    return GaussianRatio().estimate(Samples(source, target), rng())


def codes(weights: ImportanceWeights) -> list[str]:
    return [caution.code for caution in weights.cautions]


@pytest.mark.outside(
    "ctrl-iwxval util/iw_Gauss.m and libTLDA, their formula (vector iw_gaussian_ratio)"
)
def test_golden_iw_gaussian_ratio() -> None:
    published = [
        *(0.06102902241204895, 1.0128592364282336, 0.001444943733735502, 2.3408646265764332),
        *(0.14925267768395203, 0.2608299805566538, 0.017566304441594634, 3.6861982463967427),
    ]

    estimate = GaussianRatio().estimate(SMALL, rng())

    assert_allclose(estimate.values, published, rtol=1e-12)
    assert codes(estimate) == []


def test_naive_densities_of_one_feature() -> None:
    source, target = SOURCE[:, :1], TARGET[:, :1]
    expected = []
    for x in source[:, 0]:
        log = [
            -0.5 * (x - rows.mean()) ** 2 / rows.var(ddof=1) - 0.5 * np.log(rows.var(ddof=1))
            for rows in (target, source)
        ]
        expected.append(np.exp(log[0] - log[1]))

    assert_allclose(weigh(source, target).values, expected, rtol=1e-12)


def test_exact_at_the_target_it_is_the_same_function() -> None:
    """A source row that stands in the target too has the same weight in both places."""
    samples = Samples(SOURCE, np.concatenate([TARGET, SOURCE[:2]]))

    estimate = GaussianRatio().estimate(samples, rng())

    assert estimate.target_values is not None
    assert_allclose(estimate.target_values[-2:], estimate.values[:2], rtol=1e-12)


def test_limit_equal_samples_have_weights_of_one() -> None:
    assert_allclose(weigh(SOURCE, SOURCE).values, np.ones(8), rtol=1e-12)


def test_exact_units_and_origin_do_not_matter() -> None:
    plain = weigh(SOURCE, TARGET).values
    mixed = np.array([[3.0, -1.0], [2.0, 0.5]])

    assert_allclose(weigh(SOURCE @ mixed + 7, TARGET @ mixed + 7).values, plain, rtol=1e-11)
    # a spread of 1e-9 beside an origin of 7 leaves 7 digits
    assert_allclose(weigh(7 + 1e-9 * SOURCE, 7 + 1e-9 * TARGET).values, plain, rtol=1e-6)


def test_limit_many_rows_approach_the_true_ratio() -> None:
    samples = shifted(200_000, 200_000, scale=0.9, seed=3)
    near = np.abs(samples.source).max(axis=1) < 2

    estimate = GaussianRatio().estimate(samples, rng()).values

    # means and variances are within some 0.005, which moves a log density by less than 0.1 here
    assert_allclose(estimate[near], true_ratio(samples.source[near], 0.9), rtol=0.1)


@pytest.mark.parametrize("p", [1, 100])
def test_exact_the_mean_log_weight_is_the_difference_of_two_divergences(p: int) -> None:
    """In 100 dimensions, where densities themselves underflow, against traces and determinants."""
    samples = shifted(400, 500, p, seed=4, scale=1.0)
    S, T = (np.atleast_2d(np.cov(x, rowvar=False)) for x in (samples.source, samples.target))
    gap = samples.source.mean(axis=0) - samples.target.mean(axis=0)
    n = samples.n
    to_target = (n - 1) / n * np.trace(np.linalg.solve(T, S)) + gap @ np.linalg.solve(T, gap)
    logdet = np.linalg.slogdet(T)[1] - np.linalg.slogdet(S)[1]

    estimate = GaussianRatio().estimate(samples, rng()).values

    assert_allclose(
        np.log(estimate).mean(), 0.5 * ((n - 1) / n * p - to_target - logdet), rtol=1e-9
    )


def test_degenerate_columns_that_depend_in_both_samples_do_not_enter() -> None:
    plain = weigh(SOURCE, TARGET)
    wide = [
        np.column_stack([rows, rows[:, 0] * 2, np.full(len(rows), 0.3)])
        for rows in (SOURCE, TARGET)
    ]

    weights = weigh(*wide)

    assert_allclose(weights.values, plain.values, rtol=1e-10)
    assert codes(weights) == ["dependent_columns"]
    assert "2 columns are constant or a linear function" in weights.cautions[0].message
    assert weights.details == {"n_dependent_columns": 2}
    reduced = weigh(*(rows[:, [0, 1, 3]] for rows in wide))
    assert "1 column is constant" in reduced.cautions[0].message


@pytest.mark.parametrize(("narrow", "name"), [(0, "source"), (1, "target")])
def test_degenerate_a_covariance_that_is_singular_in_one_sample(narrow: int, name: str) -> None:
    pair = [SOURCE, TARGET]
    pair[narrow] = np.column_stack([pair[narrow], np.full(len(pair[narrow]), 0.1)])
    other = 1 - narrow
    pair[other] = np.column_stack([pair[other], np.arange(len(pair[other])) / 7.0])

    with pytest.raises(InsufficientData, match=f"The {name}'s covariance is singular") as caught:
        weigh(*pair)
    assert caught.value.loc == (name,)


def test_degenerate_two_source_rows() -> None:
    weights = weigh(SOURCE[:2, :1], TARGET[:, :1])

    assert len(weights.values) == 2
    with pytest.raises(InsufficientData, match="2 rows and 2 features that vary"):
        weigh(SOURCE[:2], TARGET)


def test_degenerate_duplicate_rows_weigh_alike() -> None:
    weights = weigh(np.repeat(SOURCE, 3, axis=0), TARGET).values.reshape(8, 3)

    assert_allclose(weights, weights[:, :1] * np.ones(3), rtol=1e-12)


def test_degenerate_a_target_of_twice_the_variance_has_no_weight_variance() -> None:
    narrow, wide = shifted(500, 500, seed=5, scale=0.6), shifted(500, 500, seed=5, scale=0.9)

    assert codes(GaussianRatio().estimate(narrow, rng())) == ["infinite_weight_variance"]
    assert codes(GaussianRatio().estimate(wide, rng())) == []


def test_degenerate_far_apart() -> None:
    with pytest.raises(InsufficientData, match="Every source row would have weight 0"):
        weigh(SOURCE - 1000, TARGET)
    # one source row far out, where the wider target is dense by comparison
    source = np.concatenate([1e-9 * np.arange(8.0), [0.1]])[:, None] * np.ones((9, 1))
    target = np.linspace(-1e4, 1e4, 50)[:, None]
    assert weigh(source, target).values.min() > 0
    with pytest.raises(InsufficientData, match=r"row 0 would be exp\(") as caught:
        weigh(np.concatenate([[40.0], np.repeat([0.0, 1e-2], 500)])[:, None], target)
    assert caught.value.loc == ("source",)


def test_invalid_samples() -> None:
    with pytest.raises(InsufficientData, match="needs two target rows"):
        weigh(SOURCE, TARGET[:1])
    with pytest.raises(InsufficientData, match="No feature varies"):
        weigh(np.ones((3, 2)), np.ones((4, 2)))
