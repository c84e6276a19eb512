from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.special import ndtri

import thetahat
from thetahat.errors import EvaluationError
from thetahat.intervals.base import Interval
from thetahat.intervals.price_bonett import compute_ends
from thetahat.values.types import Alternative, Target

RNG = np.random.default_rng(36)
BLOCKS = ["x"] * 3 + ["y"] * 500


def evaluate(losses: list[int], block: list[str], **options: Any) -> Interval:
    """The recommended interval of the mean over these sources of a model trained elsewhere."""
    result = thetahat.evaluate({"a": losses}, block=block, blocks="source", n_train=0, **options)
    recommended = result.models["a"].recommended
    assert recommended is not None
    interval: Interval = recommended[Target.THESE_SOURCES]
    return interval


def test_by_hand_sources_of_3_and_500_losses() -> None:
    # One error and one correct prediction more in each: 1 of 5 and 51 of 502. The centre is
    # (.2 + .101594)/2 = .150797 and the variance (.16/4 + .101594 x .898406/501)/4 = .0100455.
    interval = evaluate([0] * 453 + [1] * 50, BLOCKS, clip=False)

    assert (interval.method, interval.variance, interval.estimate) == ("price_bonett", None, 0.05)
    assert interval.lower is not None
    assert interval.upper is not None
    assert_allclose([interval.lower, interval.upper], [-0.045645, 0.347239], atol=1e-6)


def test_naive_rows_in_any_order() -> None:
    sizes, rates = [4, 30, 2, 9], [0.5, 0.1, 0.0, 0.4]
    losses = [(RNG.random(n) < p).astype(int).tolist() for n, p in zip(sizes, rates, strict=True)]
    block = np.repeat(list("abcd"), sizes)
    order = RNG.permutation(len(block))
    rows = np.array([loss for of_source in losses for loss in of_source])[order]

    interval = evaluate(rows.tolist(), block[order].tolist(), clip=False, level=0.9)

    centre = variance = 0.0
    for of_source in losses:
        n, x = len(of_source) + 1.0, sum(of_source) + 0.5
        centre += x / n / 4
        variance += x / n * (1 - x / n) / (n - 1) / 16
    reach = ndtri(0.95) * variance**0.5
    assert interval.lower is not None
    assert interval.upper is not None
    assert_allclose([interval.lower, interval.upper], [centre - reach, centre + reach], rtol=1e-12)


def test_exact_correct_predictions_mirror_errors() -> None:
    errors, sizes = np.array([0, 3, 7]), np.array([2, 9, 40])

    ends = compute_ends(errors, sizes, 1.7)

    mirrored = compute_ends(sizes - errors, sizes, 1.7)
    assert_allclose(ends, [1 - mirrored[1], 1 - mirrored[0]], rtol=1e-12)


def test_degenerate_without_errors_the_interval_begins_at_zero() -> None:
    for level in (0.5, 0.95):  # at .5 the centre lies further from 0 than it reaches
        interval = evaluate([0] * 503, BLOCKS, level=level)
        assert interval.lower == interval.estimate == 0.0
        assert interval.upper is not None
        assert interval.upper > 0.05
    one_sided = evaluate([0] * 503, BLOCKS, alternative=Alternative.GREATER)
    assert (one_sided.lower, one_sided.upper) == (0.0, None)


def test_degenerate_other_losses_and_trained_models_keep_their_interval() -> None:
    losses = [0.5, *[0] * 452, *[1] * 50]

    assert evaluate(losses, BLOCKS).method == "student_t"  # type: ignore[arg-type]
    trained = thetahat.evaluate({"a": [0] * 453 + [1] * 50}, block=BLOCKS, blocks="source")
    recommended = trained.models["a"].recommended
    assert recommended is not None
    assert recommended[Target.THESE_SOURCES].method == "student_t"


def test_invalid_it_is_named_for_losses_that_are_not_all_0_or_1() -> None:
    with pytest.raises(EvaluationError, match="all 0 or 1"):
        evaluate([0.5, *[0] * 502], BLOCKS, intervals=["price_bonett"])  # type: ignore[list-item]
