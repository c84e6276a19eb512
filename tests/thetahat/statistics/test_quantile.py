from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from tests.cases import each
from tests.thetahat.statistics.replicating import check_by_hand, drawn, sample
from thetahat.errors import InvalidParameter
from thetahat.statistics._quantiles import DEFINITIONS
from thetahat.statistics.median import Median
from thetahat.statistics.quantile import Quantile

QUANTILES = [0, 0.05, 0.1, 0.25, 1 / 3, 0.5, 0.7, 0.9, 1]


def by_numpy(q: float, method: Any) -> Any:
    def value(x: np.ndarray) -> float:
        return float(np.quantile(x, q, method=method)) if len(x) else float("nan")

    return value


@pytest.mark.outside(
    "numpy.quantile of each resample, all its definitions but types 2 and 3, run here"
)
@pytest.mark.parametrize("definition", DEFINITIONS)
@each("q", QUANTILES)
@each("n", [1, 2, 10, 21])
def test_against_numpy_quantiles_of_resamples(n: int, q: float, definition: str) -> None:
    x = np.random.default_rng(n).normal(0, 1, n)

    statistic = Quantile(q=q, definition=definition)
    check_by_hand(statistic, sample(x), by_numpy(q, definition), n_resamples=20, compared=20)


@pytest.mark.parametrize("definition", ["linear", "inverted_cdf", "weibull"])
@pytest.mark.parametrize("q", [0, 0.31, 1])
def test_naive_the_compiled_loop(q: float, definition: str) -> None:
    x = np.random.default_rng(4).integers(0, 900, 2100)

    statistic = Quantile(q=q, definition=definition)
    by_hand = partial(np.quantile, q=q, method=definition)
    check_by_hand(statistic, sample(x), by_hand, n_resamples=2000, compared=20)


def test_exact_the_half_is_the_median() -> None:
    x = sample(np.random.default_rng(5).normal(0, 1, 14))

    assert_array_equal(drawn(Quantile(q=0.5), x).values, drawn(Median(), x).values)


def test_degenerate_few_values_beyond() -> None:
    x = sample(np.arange(30.0))

    assert [c.code for c in Quantile(q=0.9).cautions(x)] == ["extreme_quantile"]
    assert Quantile(q=0.8).cautions(x) == ()


@pytest.mark.parametrize(
    ("params", "match"),
    [
        ({"q": 1.1}, "must lie in"),
        ({"q": float("nan")}, "must lie in"),
        ({"q": True}, "must be a number"),
        ({"q": "half"}, "must be a number"),
        ({"q": 0.5, "definition": "nearest"}, "definition is not one of inverted_cdf"),
    ],
)
def test_invalid_parameters(params: dict[str, Any], match: str) -> None:
    with pytest.raises(InvalidParameter, match=match):
        Quantile(**params)
