from __future__ import annotations

from functools import partial

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from tests.thetahat.statistics.replicating import check_by_hand, drawn, sample
from thetahat.errors import InsufficientData, InvalidParameter
from thetahat.statistics.standard_deviation import StandardDeviation
from thetahat.statistics.variance import Variance


@pytest.mark.outside("numpy.std of each resample, run here")
@pytest.mark.parametrize("ddof", [0, 1])
def test_against_numpy_standard_deviations_of_resamples(ddof: int) -> None:
    x = np.random.default_rng(0).exponential(2, 21)

    check_by_hand(StandardDeviation(ddof=ddof), sample(x), partial(np.std, ddof=ddof))
    replicates = drawn(StandardDeviation(), sample([3, 5, 2, 1, 7]))
    assert_allclose(replicates.estimate, 5.8**0.5, rtol=1e-14)


def test_exact_it_is_the_root_of_the_variance() -> None:
    x = sample(np.random.default_rng(1).normal(5, 2, 15))

    root, square = drawn(StandardDeviation(), x), drawn(Variance(), x)

    assert_allclose(root.values**2, square.values, rtol=1e-13)
    assert_array_equal(root.values.argsort(), square.values.argsort())


def test_invalid_too_few_and_ddof() -> None:
    with pytest.raises(InsufficientData, match="standard_deviation needs at least 2"):
        drawn(StandardDeviation(), sample([1]))
    with pytest.raises(InvalidParameter, match="ddof is 0 or 1"):
        StandardDeviation(ddof=-1)
