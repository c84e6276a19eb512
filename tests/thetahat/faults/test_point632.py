"""Faults of other packages in the .632+ error."""

from __future__ import annotations

import pytest
from numpy.testing import assert_allclose

from thetahat.refit_estimators._bootstrap_632 import Error632Plus


def unclipped(apparent: float, out_of_bag: float, gamma: float) -> float:
    """Combine as mlxtend and inferGE do, with whatever overfitting comes out."""
    overfitting = (out_of_bag - apparent) / (gamma - apparent)
    weight = 0.632 / (1 - 0.368 * overfitting)
    return (1 - weight) * apparent + weight * out_of_bag


@pytest.mark.outside("R package inferGE, est_632plus: .685 without bounds (vector point632plus)")
def test_golden_mlxtend_and_inferge_clip_neither_the_overfitting_nor_the_error() -> None:
    """mlxtend .632+ and inferGE: .685 for an error of .6 out of the bag, .1 apparent, gamma .5.

    The relative overfitting lies in [0, 1] and the error out of the bag is at most gamma, so that
    the estimate is at most gamma: .5.
    """
    assert_allclose(unclipped(0.1, 0.6, 0.5), 0.6851851851851851, rtol=1e-12)

    assert Error632Plus(0.1, 0.6, 0.5).estimate == 0.5
    # within the bounds the two agree
    assert_allclose(Error632Plus(0.1, 0.3, 0.5).estimate, unclipped(0.1, 0.3, 0.5), rtol=1e-12)
    # an error out of the bag below the apparent one is no overfitting: weight .632
    below = Error632Plus(0.3, 0.2, 0.5).estimate
    assert_allclose(below, 0.368 * 0.3 + 0.632 * 0.2, rtol=1e-12)
    assert abs(below - unclipped(0.3, 0.2, 0.5)) > 0.005
