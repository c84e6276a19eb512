"""The caution about losses of which a few are much larger than the others."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.stats import skew

import thetahat
from thetahat.cautions import HEAVY_TAILED_LOSSES

RNG = np.random.default_rng(12)
N = 60


def codes(values: Any, **options: Any) -> list[str]:
    if not options:
        options = {"block": [i % 10 for i in range(len(values))]}
    return [caution.code for caution in thetahat.evaluate({"a": values}, **options).cautions]


def test_exact_the_message_has_the_skewness_and_the_largest_share() -> None:
    values = np.append(np.linspace(0, 1, 19), 5.0)
    (caution,) = [
        caution
        for caution in thetahat.evaluate({"a": values}, blocks="holdout").cautions
        if caution.code == "heavy_tailed_losses"
    ]

    squares = (values - values.mean()) ** 2
    assert f"a skewness of {skew(values) / 20**0.5:.3f}, and one" in caution.message
    assert f"instance {100 * squares.max() / squares.sum():.3g} % of" in caution.message


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        (RNG.standard_t(3, size=N) ** 2, True),
        (RNG.lognormal(sigma=1.5, size=N), True),
        (RNG.standard_normal(size=N), False),
        (RNG.random(size=N), False),
        (np.append(np.zeros(N - 1), 1.0), False),  # an error rate, for which there is wilson
    ],
)
def test_exact_losses_that_are_heavy_tailed(values: Any, expected: bool) -> None:  # noqa: FBT001
    assert ("heavy_tailed_losses" in codes(values)) == expected


def test_exact_the_threshold_is_that_of_the_catalogue() -> None:
    base = np.linspace(0, 1, 19)

    def skewness(last: float) -> float:
        return float(skew(np.append(base, last))) / 20**0.5

    low, high = 1.0, 5.0
    for _ in range(60):
        middle = (low + high) / 2
        below = skewness(middle) < HEAVY_TAILED_LOSSES.threshold
        low, high = (middle, high) if below else (low, middle)
    assert_allclose(skewness(high), HEAVY_TAILED_LOSSES.threshold)
    assert "heavy_tailed_losses" not in codes(np.append(base, low - 1e-6), blocks="holdout")
    assert "heavy_tailed_losses" in codes(np.append(base, high + 1e-6), blocks="holdout")


def test_exact_repeats_count_an_instance_once() -> None:
    values = np.random.default_rng(13).exponential(size=40)
    five = np.tile(values, 5)
    repeated = thetahat.evaluate(
        {"a": five},
        block=[i % 10 for i in range(40)] * 5,
        repeat=np.repeat(range(5), 40),
        instance=list(range(40)) * 5,
    )

    once = "heavy_tailed_losses" in codes(values)
    assert (abs(skew(values)) / 40**0.5 >= 0.3) == once
    assert ("heavy_tailed_losses" in [c.code for c in repeated.cautions]) == once


def test_exact_sources_and_clusters_have_none() -> None:
    values = RNG.standard_t(3, size=N) ** 2
    blocks = {"block": [i % 10 for i in range(N)]}

    assert "heavy_tailed_losses" not in codes(values, blocks="source", **blocks)
    clusters = [i // 3 for i in range(N)]
    assert "heavy_tailed_losses" not in codes(values, blocks="holdout", cluster=clusters)
