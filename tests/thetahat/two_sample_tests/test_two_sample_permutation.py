from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import stats

from thetahat.errors import InsufficientData, InvalidParameter
from thetahat.references import REFERENCES
from thetahat.statistics import Sample
from thetahat.two_sample_tests import TWO_SAMPLE_TESTS, TwoSampleOutcome
from thetahat.two_sample_tests.two_sample_permutation import TwoSamplePermutation
from thetahat.values.types import Alternative

# Efron and Tibshirani (1993), Table 2.1: days that mice survived.
TREATED = (94, 197, 16, 38, 99, 141, 23)
CONTROL = (52, 104, 146, 10, 51, 30, 40, 27, 46)
TWO, LESS, GREATER = Alternative.TWO_SIDED, Alternative.LESS, Alternative.GREATER
WORDS: dict[Alternative, Any] = {TWO: "two-sided", LESS: "less", GREATER: "greater"}


def outcome_of(
    x: Any, y: Any, alternative: Alternative = TWO, *, seed: int = 0, **parameters: Any
) -> TwoSampleOutcome:
    sample = Sample(np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64))
    method = TwoSamplePermutation(**parameters)
    return method.test(sample, alternative, np.random.default_rng(seed))


def test_property_describes_itself() -> None:
    info = TwoSamplePermutation.info

    assert TWO_SAMPLE_TESTS["two_sample_permutation"] is TwoSamplePermutation
    assert set(info.references) <= set(REFERENCES)
    assert "equal variances" in info.errs


@pytest.mark.outside("efron1993, section 15.2: ASL 0.132 from 1000 permutations")
def test_golden_mice_of_efron_and_tibshirani() -> None:
    outcome = outcome_of(TREATED, CONTROL, GREATER, variant="plain")

    assert (outcome.method, outcome.n_permutations) == ("exact", math.comb(16, 7))
    assert_allclose(outcome.difference, 30.63, atol=0.005)  # printed there
    # theirs is of 1000 permutations: four of its standard errors
    assert abs(outcome.p_value - 0.132) < 4 * math.sqrt(0.132 * 0.868 / 1000)


@pytest.mark.parametrize("alternative", [TWO, LESS, GREATER])
def test_against_scipy_permutations_of_welch_s_t(alternative: Alternative) -> None:
    def welch(x: Any, y: Any, axis: int) -> Any:
        error = x.var(axis=axis, ddof=1) / x.shape[axis] + y.var(axis=axis, ddof=1) / y.shape[axis]
        return (x.mean(axis=axis) - y.mean(axis=axis)) / np.sqrt(error)

    def two_sided(x: Any, y: Any, axis: int) -> Any:
        return np.abs(welch(x, y, axis))

    theirs = stats.permutation_test(
        (TREATED, CONTROL),
        two_sided if alternative is TWO else welch,
        n_resamples=10**6,
        alternative="greater" if alternative is TWO else WORDS[alternative],
        vectorized=True,
    )
    ours = outcome_of(TREATED, CONTROL, alternative)

    assert_allclose(ours.p_value, theirs.pvalue, rtol=1e-12)
    expected = stats.ttest_ind(TREATED, CONTROL, equal_var=False).statistic
    assert_allclose(ours.statistic or 0.0, expected, rtol=1e-12)
    assert ours.monte_carlo_error == 0


def test_by_hand_two_values_and_three() -> None:
    # (1, 2) against (3, 4, 8): of the 10 divisions none has a smaller sum than 3, one has the same
    less, greater = (outcome_of([1, 2], [3, 4, 8], a, variant="plain") for a in (LESS, GREATER))

    assert (less.p_value, greater.p_value) == (0.1, 1.0)
    assert less.difference == 1.5 - 5


def test_naive_every_division() -> None:
    x, y = [0.5, 2.0, 2.0, 7.0], [1.0, 2.0, 3.0]
    pooled = np.array(x + y)

    def statistic(first: tuple[int, ...]) -> float:
        a = pooled[list(first)]
        b = np.delete(pooled, list(first))
        return float((a.mean() - b.mean()) / math.sqrt(a.var(ddof=1) / 4 + b.var(ddof=1) / 3))

    every = [statistic(first) for first in itertools.combinations(range(7), 4)]
    share = np.mean([abs(t) >= abs(every[0]) - 1e-9 for t in every])

    assert_allclose(outcome_of(x, y).p_value, share, rtol=1e-12)


def test_limit_drawn_permutations_approach_all_of_them() -> None:
    x, y = np.arange(10.0) + 2, np.arange(10.0) ** 1.1
    drawn = outcome_of(x, y, n_resamples=40_000)
    exact = stats.permutation_test(
        (x, y), lambda a, b, axis: np.abs(stats.ttest_ind(a, b, axis=axis, equal_var=False)[0]),
        n_resamples=10**6, alternative="greater", vectorized=True, batch=50_000,
    )  # fmt: skip

    assert drawn.method == "random"
    assert 0 < drawn.monte_carlo_error < 0.003
    # four Monte-Carlo errors: correct code fails once in 16 000
    assert abs(drawn.p_value - exact.pvalue) < 4 * drawn.monte_carlo_error
    assert_allclose(
        drawn.monte_carlo_error, math.sqrt(drawn.p_value * (1 - drawn.p_value) / 40_000)
    )


def test_exact_smallest_p_value_of_drawn_permutations() -> None:
    outcome = outcome_of(np.arange(30), np.arange(30) + 1000, n_resamples=999)

    assert outcome.p_value == 1 / 1000


def test_exact_the_seed_decides() -> None:
    x, y = np.random.default_rng(1).normal(size=(2, 40))
    first, same, other = (outcome_of(x, y, seed=seed, n_resamples=199) for seed in (1, 1, 2))

    assert first == same
    assert first.p_value != other.p_value


@pytest.mark.parametrize("scale", [1e-6, 1e6])
def test_exact_level_and_scale_do_not_matter(scale: float) -> None:
    x, y = np.array(TREATED) / 64, np.array(CONTROL) / 64

    assert outcome_of(scale * (x + 8), scale * (y + 8)).p_value == outcome_of(x, y).p_value


def test_calibrated_level_with_unequal_variances() -> None:
    """The small sample varies more: the studentised form keeps 5 %, the plain one does not.

    500 tables; four Monte-Carlo errors and 0.01 for what 12 rows leave of the approximation.
    """
    rng = np.random.default_rng(20_261_122)
    rejected = {"welch": 0, "plain": 0}
    for i in range(500):
        x, y = 4 * rng.normal(size=12), rng.normal(size=48)
        for variant in rejected:
            p = outcome_of(x, y, seed=i, variant=variant, n_resamples=199).p_value
            rejected[variant] += p <= 0.05

    error = math.sqrt(0.05 * 0.95 / 500)
    assert abs(rejected["welch"] / 500 - 0.05) < 4 * error + 0.01
    assert rejected["plain"] / 500 > 0.15


@pytest.mark.parametrize("variant", ["welch", "plain"])
def test_degenerate_equal_values(variant: str) -> None:
    outcome = outcome_of([0.1 + 0.2, 0.3, 0.3], [0.3, 0.3, 0.3], variant=variant)

    assert outcome.p_value == 1
    assert outcome.statistic == 0 or variant == "plain"


def test_degenerate_two_constants() -> None:
    outcome = outcome_of([1, 1, 1], [2, 2, 2])

    assert outcome.statistic is None
    assert outcome.p_value == 2 / 20
    assert [c.code for c in outcome.cautions] == ["few_units"]


def test_invalid_samples_and_parameters() -> None:
    with pytest.raises(InsufficientData, match="2 values or more in each"):
        outcome_of([1], [1, 2, 3])
    with pytest.raises(InvalidParameter, match="second sample"):
        TwoSamplePermutation().test(Sample(np.ones(3)), TWO, np.random.default_rng(0))
    with pytest.raises(InvalidParameter, match="variant"):
        TwoSamplePermutation(variant="other")  # type: ignore[arg-type]
    with pytest.raises(InvalidParameter, match="more than 4000000000 draws"):
        outcome_of(np.ones(3000), np.arange(3000), n_resamples=1_000_000)
