from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import special, stats

from thetahat.distributions import LEAST_P_VALUE
from thetahat.multiple_tests.nemenyi import compute_range_quantile, compute_range_tail


@pytest.mark.parametrize("k", [2, 3, 10, 100])
@pytest.mark.parametrize("q", [0.5, 2.0, 4.0])
def test_against_scipy_studentized_range(q: float, k: int) -> None:
    theirs = stats.studentized_range.sf(q, k, np.inf)

    # scipy takes one minus the integral of the other side, to about 1e-14
    assert_allclose(compute_range_tail(q, k), theirs, rtol=1e-11, atol=1e-13)


@pytest.mark.parametrize("q", [1e-12, 0.1, 1.0, 7.0, 20.0, 50.0])
def test_exact_two_normals(q: float) -> None:
    # their difference is normal with variance 2
    assert_allclose(compute_range_tail(q, 2), special.erfc(q / 2), rtol=1e-12)


@pytest.mark.outside("demsar2006, table 5: critical values of the Nemenyi test for 2 to 10 models")
def test_golden_table_of_demsar_2006() -> None:
    printed = (1.960, 2.343, 2.569, 2.728, 2.850, 2.949, 3.031, 3.102, 3.164)  # k = 2 ... 10

    ours = [compute_range_quantile(0.05, k) / math.sqrt(2) for k in range(2, 11)]

    assert_allclose(ours, printed, atol=0.0011)  # printed to three digits, the last not always so


@pytest.mark.parametrize("tail", [0.999, 0.5, 0.05, 1e-6, 1e-12])
@pytest.mark.parametrize("k", [3, 200])
def test_exact_quantile_undoes_the_tail(tail: float, k: int) -> None:
    assert_allclose(compute_range_tail(compute_range_quantile(tail, k), k), tail, rtol=1e-10)


def test_degenerate_ends() -> None:
    assert compute_range_tail(0.0, 5) == 1
    assert compute_range_tail(1e-300, 200) == pytest.approx(1, rel=1e-12)
    assert compute_range_tail(61.0, 5) == LEAST_P_VALUE
