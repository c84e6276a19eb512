from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from tests.thetahat.importance_weights.samples import SOURCE, TARGET, rng
from thetahat.errors import InvalidParameter
from thetahat.importance_weights import Samples
from thetahat.importance_weights.given import Given

OWN = np.array([0.5, 0, 1, 1, 2, 0.25, 3, 11.0])


def test_by_hand_the_column_as_it_is() -> None:
    estimate = Given().estimate(Samples(SOURCE, TARGET, OWN), rng())

    assert_array_equal(estimate.values, [0.5, 0, 1, 1, 2, 0.25, 3, 11])
    assert estimate.target_values is None


def test_exact_the_samples_do_not_matter() -> None:
    first, other = (Samples(x, TARGET, OWN) for x in (SOURCE, SOURCE + 5))

    assert_array_equal(Given().estimate(first, rng()).values, Given().estimate(other, rng()).values)


@pytest.mark.parametrize("bad", [-1.0, float("nan"), float("inf"), 1e141])
def test_invalid_weight(bad: float) -> None:
    own = OWN.copy()
    own[3] = bad

    with pytest.raises(InvalidParameter, match="The weight in row 3 is") as caught:
        Given().estimate(Samples(SOURCE, TARGET, own), rng())
    assert caught.value.loc == ("source", "weight", 3)


def test_invalid_no_weights() -> None:
    with pytest.raises(InvalidParameter, match="need a weight for each source row"):
        Given().estimate(Samples(SOURCE, TARGET), rng())
    with pytest.raises(InvalidParameter, match="All weights are zero"):
        Given().estimate(Samples(SOURCE, TARGET, np.zeros(8)), rng())
