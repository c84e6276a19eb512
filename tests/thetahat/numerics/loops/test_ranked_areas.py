from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from tests.thetahat.analyses.metrics.readings import folds, holdout, measured, noisy
from tests.thetahat.metrics.judged import draw_judged
from thetahat.analyses.metrics import bootstrap as resamples
from thetahat.metrics._ranking import Ranking, compute_average_precisions, compute_roc_areas
from thetahat.metrics.average_precision import AveragePrecision
from thetahat.metrics.roc_auc import RocAuc
from thetahat.numerics.loops.ranked_areas import precision_areas, roc_areas
from thetahat.values.layout import Layout
from thetahat.values.types import FloatArray

BY_NUMPY = {roc_areas: compute_roc_areas, precision_areas: compute_average_precisions}
Kernel = Callable[..., None]


def ranking_of(seed: int) -> Ranking:
    judged = draw_judged("roc_auc", seed)
    assert judged.scores is not None
    return Ranking(judged.scores, judged.truth == 1)


def uncompiled(kernel: Kernel, ranking: Ranking, counts: FloatArray) -> FloatArray:
    last = np.append(np.diff(ranking.group) > 0, True)
    out = np.empty(len(counts))
    kernel(counts, ranking.order.astype(np.uint32), ranking.positive, last, out)
    return out


@pytest.mark.about("metrics/roc_auc", "metrics/average_precision")
@pytest.mark.parametrize("kernel", [roc_areas, precision_areas])
@given(st.integers(0, 2**32))
def test_naive_kernel_and_numpy_agree(kernel: Kernel, seed: int) -> None:
    ranking = ranking_of(seed)
    counts = np.random.default_rng(seed).integers(0, 3, (4, 40)).astype(np.float64)
    counts[0] = 0  # nothing was drawn
    counts[1, ranking.order[ranking.positive > 0]] = 0  # no positives

    by_loop = uncompiled(kernel, ranking, counts)
    compiled = ranking.compute_by_kernel(kernel, counts)
    by_numpy = BY_NUMPY[kernel](*ranking.sum_by_class(counts))

    assert_array_equal(compiled, by_loop)
    # sums of whole and half numbers are exact; those of precisions differ in their last bits
    assert_allclose(by_loop, by_numpy, rtol=0 if kernel is roc_areas else 1e-13)
    assert np.isnan(by_loop[:2]).all()


@pytest.mark.about("metrics/roc_auc", "metrics/average_precision")
@pytest.mark.parametrize("kernel", [roc_areas, precision_areas])
@pytest.mark.parametrize("n", [2, 7, 40])
@pytest.mark.parametrize("ties", [False, True])
def test_naive_kernel_with_and_without_ties(kernel: Kernel, n: int, *, ties: bool) -> None:
    rng = np.random.default_rng(n)
    scores = rng.permutation(n).astype(np.float64)
    ranking = Ranking(scores // 2 if ties else scores, np.arange(n) % 2 == 0)
    counts = rng.integers(0, 3, (5, n)).astype(np.float64)
    counts[0] = 0

    by_loop = uncompiled(kernel, ranking, counts)
    assert_array_equal(ranking.compute_by_kernel(kernel, counts), by_loop)
    by_numpy = BY_NUMPY[kernel](*ranking.sum_by_class(counts))
    assert_allclose(by_loop, by_numpy, rtol=0 if kernel is roc_areas else 1e-13)


@pytest.mark.about("metrics/roc_auc", "metrics/average_precision")
@pytest.mark.parametrize("layout", [holdout(60), folds(np.arange(60) // 2 % 5)])
@pytest.mark.parametrize("metric", [RocAuc(n_resamples=100), AveragePrecision(n_resamples=100)])
def test_exact_large_and_small_give_the_same_replicates(
    metric: RocAuc | AveragePrecision, layout: Layout, monkeypatch: pytest.MonkeyPatch
) -> None:
    small = measured(metric, noisy(1, 60), layout).replicates
    monkeypatch.setattr(resamples, "MANY_DRAWS", 1)
    monkeypatch.setattr(resamples, "CELLS_AT_ONCE", 7 * 60)
    large = measured(metric, noisy(1, 60), layout).replicates
    assert small is not None
    assert large is not None

    assert_allclose(large.values, small.values, rtol=1e-13)
