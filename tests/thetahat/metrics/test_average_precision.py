from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from tests.thetahat.metrics.judged import binary, draw_judged, under
from thetahat.metrics.average_precision import AveragePrecision


@pytest.mark.outside("scikit-learn 1.7, documented example of average_precision_score: 0.83")
def test_golden_documented_example() -> None:
    value = AveragePrecision().statistic(binary([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])).value()

    assert round(value, 2) == 0.83
    assert_allclose(value, (1 + 2 / 3) / 2, rtol=1e-15)


@given(st.integers(0, 2**32))
def test_naive_precision_at_every_positive(seed: int) -> None:
    judged = draw_judged("average_precision", seed)
    scores = judged.scores
    assert scores is not None

    precisions = [
        judged.truth[scores >= s].mean()
        for s, positive in zip(scores, judged.truth, strict=True)
        if positive
    ]

    assert_allclose(AveragePrecision().statistic(judged).value(), np.mean(precisions), rtol=1e-13)


@settings(max_examples=20)  # the peer is slow
@given(st.integers(0, 2**32))
def test_against_sklearn_average_precision_score(seed: int) -> None:
    from sklearn.metrics import average_precision_score

    judged = draw_judged("average_precision", seed)
    weights = np.random.default_rng(seed).integers(1, 4, judged.n)

    statistic = AveragePrecision().statistic(judged)

    assert_allclose(statistic.value(), average_precision_score(judged.truth, judged.scores))
    assert_allclose(
        under(statistic, weights),
        average_precision_score(judged.truth, judged.scores, sample_weight=weights),
    )


def test_degenerate_cases() -> None:
    assert np.isnan(AveragePrecision().statistic(binary([1, 1], [0.1, 0.2])).value())
    assert np.isnan(AveragePrecision().statistic(binary([0, 0], [0.1, 0.2])).value())
    perfect = AveragePrecision().statistic(binary([0, 0, 1], [0.1, 0.2, 0.3]))
    assert perfect.value() == 1.0
    assert not perfect.influence().any()
    assert AveragePrecision().strata(draw_judged("average_precision", 1)) is None
    AveragePrecision().check((0, 1))
