from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from tests.thetahat.metrics.judged import draw_judged, under, values
from thetahat.metrics.r2 import RSquared


@pytest.mark.outside("scikit-learn 1.7, documented example of r2_score: 0.948...")
def test_golden_documented_example() -> None:
    value = RSquared().statistic(values([3, -0.5, 2, 7], [2.5, 0.0, 2, 8])).value()

    # squared errors 1/4, 1/4, 0, 1; targets about 23/8: 467/16
    assert_allclose(value, 1 - 1.5 / (467 / 16), rtol=1e-15)
    assert str(value).startswith("0.948")


@settings(max_examples=20)  # the peer is slow
@given(st.integers(0, 2**32))
def test_against_sklearn_r2_score(seed: int) -> None:
    from sklearn.metrics import r2_score

    judged = draw_judged("r2", seed)
    weights = np.random.default_rng(seed).integers(1, 4, judged.n)
    statistic = RSquared().statistic(judged)

    assert_allclose(statistic.value(), r2_score(judged.truth, judged.output), atol=1e-13)
    assert_allclose(
        under(statistic, weights),
        r2_score(judged.truth, judged.output, sample_weight=weights),
        rtol=1e-10,
        atol=1e-13,
    )


def test_exact_nothing_is_lost_to_a_large_mean() -> None:
    judged = draw_judged("r2", 4)
    far = values(judged.truth + 1e9, judged.output + 1e9)
    near = values((judged.truth + 1e9) - 1e9, (judged.output + 1e9) - 1e9)
    counts = np.random.default_rng(1).integers(0, 3, judged.n)

    for judgement in (far, near):
        assert_allclose(
            under(RSquared().statistic(judgement), counts),
            RSquared().statistic(judgement.rows(np.repeat(np.arange(judged.n), counts))).value(),
            rtol=1e-6,
        )
    assert_allclose(
        RSquared().statistic(far).value(), RSquared().statistic(near).value(), rtol=1e-9
    )


@pytest.mark.parametrize("level", [0.0, 5.0, 0.1, -1e9])
def test_degenerate_targets_that_do_not_vary(level: float) -> None:
    statistic = RSquared().statistic(values([level] * 3, [1.0, 2.0, 3.0]))

    assert np.isnan(statistic.value())
    assert np.isnan(under(statistic, [1, 1, 1]))


def test_degenerate_resample_of_equal_targets() -> None:
    statistic = RSquared().statistic(values([0.1, 0.1, 0.3], [0.1, 0.2, 0.3]))

    assert np.isnan(under(statistic, [2, 1, 0]))
    assert np.isnan(under(statistic, [0, 0, 3]))
    assert RSquared().strata(draw_judged("r2", 1)) is None
    RSquared().check(())
