"""The study of skewed losses in clusters has the ends of the library."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

from thetahat.intervals.skewness_corrected import LARGEST_IMBALANCE, SkewnessCorrected
from thetahat.intervals.student_t import StudentT
from thetahat.values.block_losses import BlockLosses
from thetahat.values.clusters import compute_imbalance
from thetahat.values.layout import build_layout
from thetahat.values.types import Alternative, BlockKind
from thetahat.variances.cluster_robust import ClusterRobust
from thetahat_replications.edges.skewed_clusters import (
    CHOSEN_ON,
    JUDGED_ON,
    LOSSES,
    compute_ends,
    draw_gamma,
)


@pytest.mark.parametrize("name", [*CHOSEN_ON, *JUDGED_ON])
def test_exact_the_ends_are_those_of_the_library(name: str) -> None:
    sizes = (CHOSEN_ON | JUDGED_ON)[name]
    cluster = np.repeat(np.arange(len(sizes)), sizes)
    layout = build_layout(BlockKind.HOLDOUT, np.zeros_like(cluster), cluster=cluster)
    values = LOSSES["squared"](np.random.default_rng(5), cluster, 0.3)
    losses = BlockLosses(layout, values=values)
    deviations = np.bincount(cluster, weights=values - values.mean())
    sums = np.asarray(deviations, dtype=np.float64)

    plain, hall, farther = compute_ends(np.array([values.mean()]), sums[None], sizes)

    is_unequal = compute_imbalance(sizes) > LARGEST_IMBALANCE
    studied = {StudentT(): plain, SkewnessCorrected(): farther if is_unequal else hall}
    variance = ClusterRobust().estimate(losses)
    for method, ends in studied.items():
        interval = method.build(losses, ClusterRobust.info, variance, 0.95, Alternative.TWO_SIDED)
        assert interval is not None
        assert interval.lower is not None
        assert interval.upper is not None
        assert_allclose((interval.lower, interval.upper), np.ravel(ends), rtol=1e-9)


def test_calibrated_gamma_losses_have_the_moments_that_the_table_divides_by() -> None:
    rng, cluster = np.random.default_rng(6), np.repeat(np.arange(50_000), 2)
    values = draw_gamma(rng, cluster, 0.3)
    first, second = values.reshape(-1, 2).T

    assert abs(values.mean()) < 0.03
    assert values.var() == pytest.approx(1, abs=0.05)
    assert float((first * second).mean()) == pytest.approx(0.3, abs=0.03)
