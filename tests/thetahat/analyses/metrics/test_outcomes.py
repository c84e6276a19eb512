from __future__ import annotations

import numpy as np
import pytest

from thetahat.analyses.metrics.predictions import scores_from
from thetahat.cross_validation import SplitOutcome
from thetahat.values.types import FloatArray


def split(*, scores: FloatArray | None = None, shares: FloatArray | None = None) -> SplitOutcome:
    return SplitOutcome(
        repeat=0,
        block=0,
        label=0,
        n_train=5,
        test=np.arange(2),
        losses=np.zeros(2),
        output=np.zeros(2, dtype=np.intp),
        scores=scores,
        probabilities=shares,
    )


VALUES = np.array([-1.0, 2.0])
SHARES = np.array([[0.9, 0.1], [0.3, 0.7]])


def test_exact_decision_values_come_before_probabilities() -> None:
    both = split(scores=VALUES, shares=SHARES)

    found = scores_from([both, both], 2)
    assert found is not None
    assert found.tolist() == [-1, 2, -1, 2]


def test_exact_probabilities_where_there_is_nothing_else() -> None:
    found = scores_from([split(shares=SHARES)] * 2, 2)

    assert found is not None
    assert np.array_equal(found, np.concatenate([SHARES, SHARES]))


def test_exact_each_split_has_what_it_has() -> None:
    found = scores_from([split(scores=VALUES), split(shares=SHARES)], 2)

    assert found is not None
    assert found.tolist() == [-1, 2, 0.1, 0.7]


@pytest.mark.parametrize("n_classes", [2, 3])
def test_degenerate_a_split_with_neither_leaves_none(n_classes: int) -> None:
    assert scores_from([split(scores=VALUES), split()], n_classes) is None
    assert scores_from([split(shares=SHARES), split()], n_classes) is None


def test_degenerate_decision_values_are_of_two_classes() -> None:
    assert scores_from([split(scores=VALUES)], 3) is None
