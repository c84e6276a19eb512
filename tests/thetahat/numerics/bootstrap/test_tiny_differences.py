"""A difference that is small beside its models keeps its digits in the resamples."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

from thetahat.numerics.bootstrap import SharedResamples
from thetahat.values.block_losses import BlockLosses
from thetahat.values.layout import build_layout
from thetahat.values.types import BlockKind

RNG = np.random.default_rng(9)
LAYOUT = build_layout(BlockKind.RANDOM, np.repeat([0, 1], [7, 9]))
TINY = RNG.normal(size=16)


@pytest.mark.parametrize("merge", [True, False])
@pytest.mark.parametrize("size", [1e-13, 1e-9, 1e-3])
def test_limit_replicates_scale_with_the_difference(size: float, *, merge: bool) -> None:
    """Those of a + size x t and a are size times those of t; below 1e-14 they are rounding."""
    base = RNG.normal(size=16) + 3
    models = {"a": BlockLosses(LAYOUT, values=base + size * TINY)}
    models["b"] = BlockLosses(LAYOUT, values=base)
    difference = models["a"].minus(models["b"])
    alone = {"a": difference, "b": BlockLosses(LAYOUT, values=np.zeros(16))}
    replicates = SharedResamples(models, 4, merge=merge).of_pair(("a", "b"), difference, 200)
    expected = SharedResamples(alone, 4, merge=merge).of_pair(("a", "b"), difference, 200)
    scale = float(np.abs(expected.deviations).max())
    assert scale > 0
    assert_allclose(replicates.deviations, expected.deviations, rtol=0, atol=1e-11 * scale)
    assert_allclose(replicates.errors, expected.errors, rtol=1e-9)
