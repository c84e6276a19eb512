"""Two packages give nested cross-validation two formulas under one name."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

from thetahat.errors import InvalidParameter
from thetahat.refit_estimators.bates_nested_cv import BatesNestedCv
from thetahat.values.types import FloatArray

K, R, N = 4, 2, 24


def losses() -> tuple[list[list[FloatArray]], list[list[list[FloatArray]]]]:
    """Outer and inner losses whose mean squared error lies between the two bounds."""
    rng = np.random.default_rng(77)
    outer = [[rng.gamma(2.0, size=N // K) + 0.6 * rng.normal() for _ in range(K)] for _ in range(R)]
    inner = [
        [[rng.gamma(2.0, size=N // K) + 0.3 for _ in range(K - 1)] for _ in range(K)]
        for _ in range(R)
    ]
    return outer, inner


def test_exact_nestedcv_vs_mlr3inferr_the_convention_is_a_named_parameter() -> None:
    """nestedcv: bias factor 1 + ((K - 2)/K)^1.5 against cross-validations of their own.

    mlr3inferr: 1 + (K - 2)/K against the outer losses. Neither stands in for the other unseen:
    ``variant`` names it, and anything else is refused.
    """
    outer, inner = losses()
    plain = 1.75
    inner_mean = np.concatenate([e for r in inner for f in r for e in f]).mean()
    outer_mean = np.mean([np.concatenate(r).mean() for r in outer])

    theirs = BatesNestedCv(n_folds=K, n_repeats=R, variant="nestedcv").estimate_from_losses(
        outer, inner, plain
    )
    other = BatesNestedCv(n_folds=K, n_repeats=R, variant="mlr3inferr").estimate_from_losses(
        outer, inner
    )

    assert_allclose(theirs.details["bias"], (1 + 0.5**1.5) * (inner_mean - plain), rtol=1e-12)
    assert_allclose(other.details["bias"], (1 + 0.5) * (inner_mean - outer_mean), rtol=1e-12)
    assert_allclose(theirs.estimate, inner_mean - theirs.details["bias"], rtol=1e-12)
    assert_allclose(other.estimate, inner_mean - other.details["bias"], rtol=1e-12)
    with pytest.raises(InvalidParameter, match="mlr3inferr"):
        BatesNestedCv(variant="bates")  # type: ignore[arg-type] # what is tested


def test_exact_nestedcv_and_mlr3inferr_rescale_the_error_equally() -> None:
    """sd / sqrt(n_sub) in the one, (K - 1)/K in the other: the same number where K divides n."""
    outer, inner = losses()

    theirs = BatesNestedCv(n_folds=K, n_repeats=R, variant="nestedcv").estimate_from_losses(
        outer, inner, 1.0
    )
    other = BatesNestedCv(n_folds=K, n_repeats=R).estimate_from_losses(outer, inner)

    inflation = theirs.details["inflation"]
    assert 1 < inflation < K**0.5  # neither bound hides a difference
    assert_allclose(theirs.value, other.value, rtol=1e-12)
    assert_allclose(theirs.details["mean_squared_error"] * (K - 1) / K, theirs.value, rtol=1e-12)
