from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

from tests.thetahat.importance_weights.samples import rng, shifted
from thetahat.importance_weights import Diagnostics, Samples, diagnose
from thetahat.importance_weights._diagnostics import MAX_ROWS, measure_coverage
from thetahat.values.types import FloatArray

LINE = Samples(np.arange(8.0)[:, None], np.array([[0.5], [3.2], [7.9], [8.5], [9.5]]))


def of(weights: FloatArray, samples: Samples = LINE) -> Diagnostics:
    return diagnose(weights, samples, rng())


def codes(weights: Diagnostics) -> list[str]:
    return [caution.code for caution in weights.cautions]


def test_by_hand_values() -> None:
    # sum 12 + 4 x 1 + 0 = 16 over 8; squares 144 + 4 = 148; deviations from 2: 100 + 4 + 12 = 116
    diagnostics = of(np.array([12.0, 1, 1, 1, 1, 0, 0, 0]))

    assert diagnostics.mean == 2
    assert_allclose(diagnostics.variance, 116 / 7, rtol=1e-14)
    assert diagnostics.largest == 12
    assert_allclose(diagnostics.effective_sample_size, 256 / 148, rtol=1e-14)
    assert diagnostics.share_above_10 == 1 / 8
    assert diagnostics.share_zero == 3 / 8
    assert_allclose(diagnostics.largest_share, 12 / 16, rtol=1e-14)
    # source rows are 1 apart: 9.5 lies 2.5 from the last
    assert diagnostics.coverage == 0.6
    assert codes(diagnostics) == [
        "mean_weight_not_one",
        "one_weight_dominates",
        "large_weights",
        "target_not_covered",
    ]
    assert "Source row 0 alone has 75 %" in diagnostics.cautions[1].message
    assert "1 of 8 weights are larger than 10; the largest is 12" in diagnostics.cautions[2].message
    assert "40 % of the target rows" in diagnostics.cautions[3].message


def test_limit_equal_weights_are_as_good_as_none() -> None:
    samples = shifted(40, 50, scale=1.0)
    diagnostics = of(np.ones(40), Samples(samples.source + np.eye(2)[0], samples.target))

    assert diagnostics.effective_sample_size == 40
    assert diagnostics.variance == 0
    assert codes(diagnostics) == []


def test_degenerate_tiny_and_huge_weights() -> None:
    small, large = (of(np.array([1, 2, 3, 1, 1, 1, 1, 1.0]) * c) for c in (1e-200, 1e139))

    assert_allclose(small.effective_sample_size, large.effective_sample_size, rtol=1e-12)
    assert_allclose(small.effective_sample_size, 121 / 19, rtol=1e-12)


def test_degenerate_few_effective_instances() -> None:
    samples = shifted(100, 100)
    weights = np.full(100, 1e-3)
    weights[:2] = 50

    diagnostics = of(weights, samples)

    assert "few_effective_instances" in codes(diagnostics)
    assert diagnostics.effective_sample_size == pytest.approx(2, abs=0.1)


def test_calibrated_coverage_without_a_shift() -> None:
    """About 95 % of a target from the source's own population are covered."""
    draws = np.random.default_rng(12)
    shares = [
        measure_coverage(Samples(draws.normal(size=(200, 3)), draws.normal(size=(200, 3))), rng())[
            0
        ]
        for _ in range(40)
    ]

    assert abs(np.mean(shares) - 0.95) < 0.02


def test_degenerate_coverage_of_constant_columns_and_of_a_shift() -> None:
    samples = shifted(50, 60)
    wide = [
        np.column_stack([rows, np.full(len(rows), 3.0)])
        for rows in (samples.source, samples.target)
    ]

    assert measure_coverage(Samples(*wide), rng()) == measure_coverage(samples, rng())
    assert measure_coverage(Samples(samples.source - 100, samples.target), rng())[0] == 0


def test_exact_coverage_of_many_rows_is_that_of_some_drawn() -> None:
    samples = shifted(MAX_ROWS + 1, 100)
    share, cautions = measure_coverage(samples, rng())

    assert [c.code for c in cautions] == ["coverage_of_a_sample"]
    assert 0 < share < 1
    assert measure_coverage(samples, rng())[0] == share
