"""Which targets of a regression are taken as skewed."""

from __future__ import annotations

import math

import numpy as np
import pytest

from tests.thetahat.metrics.judged import values
from thetahat.analyses.metrics.metric_values import has_skewed_targets
from thetahat.values.types import FloatArray


def two_values(n: int, skewness: float) -> FloatArray:
    """Return n zeros and ones whose skewness, (1 - 2p) / sqrt(p (1 - p)), is nearly this."""
    share = (1 - skewness / math.sqrt(4 + skewness**2)) / 2
    return (np.arange(n) < round(n * share)).astype(np.float64)


@pytest.mark.parametrize(
    ("n", "limit"),
    [
        (20_000, 0.5),
        # 2.58 standard errors of sqrt(6 / n): a normal sample exceeds them in .01
        (80, 2.58 * math.sqrt(6 / 80)),
        (20, 1.0),
    ],
)
@pytest.mark.parametrize("sign", [1, -1])
def test_exact_targets_are_skewed_beyond_the_limit(n: int, limit: float, sign: int) -> None:
    for factor, is_skewed in ((0.94, False), (1.06, True)):
        targets = sign * two_values(n, factor * limit)
        assert has_skewed_targets(values(targets, targets)) == is_skewed
