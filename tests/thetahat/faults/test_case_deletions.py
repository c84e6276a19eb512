"""Faults of other packages in the bootstrap of case cross-validation."""

from __future__ import annotations

import numpy as np
from numpy.testing import assert_allclose

from thetahat.refit_estimators.base import RefitLosses
from thetahat.refit_estimators.bccv_percentile import BccvPercentile
from thetahat.schemes.base import Rows
from thetahat.values.types import Alternative


def test_exact_inferge_centres_on_the_run_beside() -> None:
    """inferGE infer_bootstrap_ccv: given a leave-one-out run, its centre is of the other table.

    Here the centre is the leave-one-out error of the data themselves, 3 from losses 1, 2 and 6,
    whatever the resamples give (here .5 and less), and only ``correct_bias`` moves the ends, by
    the resamples' mean minus that 3.
    """
    method = BccvPercentile(n_resamples=10)
    rows = Rows(n=3)
    tests = [len(split.test) for split in method.design.splits(rows, 5)]
    alone = [np.array([loss]) for loss in (1.0, 2.0, 6.0)]
    resampled = [np.full(size, 0.5 / (1 + i % 4)) for i, size in enumerate(tests[3:])]
    fits = RefitLosses(rows=rows, seed=5, losses=tuple(alone + resampled))
    plain = method.interval(fits, 0.9, Alternative.TWO_SIDED)
    moved = BccvPercentile(n_resamples=10, correct_bias=True).interval(
        fits, 0.9, Alternative.TWO_SIDED
    )

    assert plain is not None
    assert moved is not None
    assert (plain.estimate, moved.estimate) == (3.0, 3.0)
    assert plain.upper is not None
    assert moved.upper is not None
    assert plain.upper <= 0.5
    _, means = method.design.means(fits)
    assert_allclose(moved.upper - plain.upper, 3.0 - means.mean(), rtol=1e-12)
