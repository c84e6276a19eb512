"""Logarithms that are looked up, beside those that are computed."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from thetahat.learners.fast.naive_bayes.smoothed_logs import SmoothedLogs


@pytest.mark.parametrize("smoothing", [1.0, 0.3, 1e-200])
def test_exact_what_is_listed_has_the_bits_of_what_is_computed(smoothing: float) -> None:
    counts = np.random.default_rng(20_261_121).integers(0, 5000, (2, 301))
    listed, computed = SmoothedLogs(smoothing, int(counts.max())), SmoothedLogs(smoothing)

    assert listed.listed is not None
    assert_array_equal(listed.of(counts), computed.of(counts))
    assert_array_equal(listed.of(counts.astype(float)), computed.of(counts))


def test_by_hand_logarithms() -> None:
    logs = SmoothedLogs(1.0, 9)

    assert logs.of(np.array([0, 9])).tolist() == [0.0, np.log(10)]


def test_limit_large_counts_are_computed() -> None:
    logs = SmoothedLogs(0.5, 65_536)

    assert logs.listed is None
    assert logs.of(np.array([65_536])).tolist() == [np.log(65_536.5)]
