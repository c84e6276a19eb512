from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from thetahat.numerics.loops.compiling import compiled
from thetahat.numerics.loops.order_statistics import neighbours, neighbours_by_numpy


@pytest.mark.parametrize("n", [1, 2, 7])
def test_naive_the_loop_compiled_or_not_and_whole_arrays(n: int) -> None:
    rng = np.random.default_rng(n)
    order = rng.permutation(n)
    counts = rng.multinomial(n, np.full(n, 1 / n), size=40).astype(float)
    for k in range(n):
        slow = np.empty((40, 2), dtype=np.intp)
        fast = np.empty_like(slow)
        neighbours(counts, order, k, slow)
        compiled(neighbours)(counts, order, k, fast)
        drawn = [np.repeat(np.arange(n), row[order].astype(int)) for row in counts]
        expected = [[places[k], places[min(k + 1, n - 1)]] for places in drawn]

        assert_array_equal(slow, expected)
        assert_array_equal(fast, expected)
        assert_array_equal(neighbours_by_numpy(counts, order, k), expected)
