from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from tests.thetahat.statistics.replicating import bootstrap_rows, check_by_hand, drawn, sample
from thetahat.errors import EvaluationError, InvalidParameter
from thetahat.statistics import STATISTICS
from thetahat.statistics.difference import Difference
from thetahat.statistics.mean import MeanStatistic

TREATED = [94, 197, 16, 38, 99, 141, 23]
CONTROL = [52, 104, 146, 10, 51, 30, 40, 27, 46]
BY_HAND: dict[str, Any] = {
    "mean": np.mean,
    "median": np.median,
    "variance": lambda x: np.var(x, ddof=1),
    "standard_deviation": lambda x: np.std(x, ddof=1),
    "quantile": lambda x: np.quantile(x, 0.3),
}
PARAMS: dict[str, Any] = {"quantile": {"q": 0.3}}
ONE_SAMPLE = sorted(BY_HAND)


@pytest.mark.outside("Efron and Tibshirani (1993), Table 2.1: the mouse data, 30.63 (28.93)")
def test_golden_mouse_data() -> None:
    replicates = drawn(Difference(), sample(TREATED, CONTROL), errors=True)

    assert round(replicates.estimate, 2) == 30.63
    assert replicates.sample_standard_error is not None
    assert (
        abs(replicates.sample_standard_error - 28.93) < 0.01
    )  # there from two rounded errors, 25.24 and 14.14


def test_exact_every_statistic_of_one_sample_is_tried() -> None:
    takes = {name: STATISTICS[name](**PARAMS.get(name, {})).takes for name in STATISTICS}

    assert sorted(name for name in takes if takes[name] == "one") == ONE_SAMPLE


@pytest.mark.parametrize("paired", [False, True])
@pytest.mark.parametrize("name", ONE_SAMPLE)
def test_naive_both_statistics_of_the_resamples(name: str, *, paired: bool) -> None:
    rng = np.random.default_rng(len(name))
    x, y = rng.normal(3, 1, 14), rng.normal(-2, 2, 14 if paired else 9)
    statistic = Difference(statistic=name, params=PARAMS.get(name, {}), paired=paired)

    check_by_hand(statistic, sample(x, y), lambda a, b: BY_HAND[name](a) - BY_HAND[name](b))


def test_degenerate_a_quantile_has_no_jackknife_error_and_is_always_defined() -> None:
    for paired in (False, True):
        statistic = Difference(statistic="median", paired=paired)
        assert drawn(statistic, sample([1, 2, 5], [4, 1, 1])).sample_standard_error is None
        assert statistic.undefined() == ""


def test_exact_independent_samples_add_their_variances() -> None:
    rng = np.random.default_rng(4)
    x, y = rng.normal(0, 1, 5), rng.normal(0, 3, 5)
    rows = [[*a, *b] for a in np.ndindex(5, 5) for b in np.ndindex(5, 5)]
    # all pairs of resamples of two draws each would be 5^4: rows repeat to the samples' sizes
    rows = [[a, b, a, b, a, 5 + c, 5 + d, 5 + c, 5 + d, 5 + c] for a, b, c, d in rows]
    replicates = bootstrap_rows(Difference(), sample(x, y), rows)
    alone = [
        bootstrap_rows(MeanStatistic(), sample(v), [[a, b, a, b, a] for a, b in np.ndindex(5, 5)])
        for v in (x, y)
    ]

    assert_allclose(replicates.values.var(), sum(each.values.var() for each in alone), rtol=1e-12)


def test_exact_the_acceleration_is_that_of_several_samples() -> None:
    x, y = np.array(TREATED, dtype=float), np.array(CONTROL, dtype=float)
    replicates = drawn(Difference(), sample(x, y))
    u, v = (x - x.mean()) / len(x), -(y - y.mean()) / len(y)

    expected = ((u**3).sum() + (v**3).sum()) / (6 * ((u**2).sum() + (v**2).sum()) ** 1.5)
    assert replicates.acceleration is not None
    assert_allclose(replicates.acceleration, expected, rtol=1e-12)


def test_exact_variation_that_a_pair_shares_cancels() -> None:
    y = np.random.default_rng(5).normal(0, 1e6, 30)
    x = y + 1.0
    paired, apart = (drawn(Difference(paired=p), sample(x, y)) for p in (True, False))

    assert paired.standard_error is not None
    assert apart.standard_error is not None
    assert paired.standard_error < 1e-9 < apart.standard_error
    swapped = drawn(Difference(paired=True), sample(y, x))
    assert_array_equal(swapped.values, -paired.values)


def test_exact_cautions_are_those_of_both_samples() -> None:
    statistic = Difference(statistic="quantile", params={"q": 0.9})

    assert len(statistic.cautions(sample(range(30), range(200)))) == 1
    assert len(statistic.cautions(sample(range(30), range(20)))) == 2


@pytest.mark.parametrize(
    ("params", "loc", "match"),
    [
        ({"statistic": "mode"}, ("statistic",), "not one of the statistics"),
        ({"statistic": "difference"}, ("statistic",), "not of another difference"),
        ({"statistic": "auc"}, ("statistic",), "auc is of pairs"),
        ({"statistic": "quantile"}, ("params",), "has the parameters: definition, q"),
        ({"params": {"q": 1}}, ("params",), "has the parameters: none"),
        ({"statistic": "quantile", "params": {"q": 2}}, ("params", "q"), "must lie in"),
    ],
)
def test_invalid_parameters(params: dict[str, Any], loc: tuple[str, ...], match: str) -> None:
    with pytest.raises(EvaluationError, match=match) as caught:
        Difference(**params)
    assert caught.value.loc == loc


def test_invalid_samples() -> None:
    with pytest.raises(InvalidParameter, match="needs a second sample"):
        drawn(Difference(), sample([1, 2]))
    with pytest.raises(InvalidParameter, match="2 x and 3 y"):
        drawn(Difference(paired=True), sample([1, 2], [1, 2, 3]))
    with pytest.raises(EvaluationError, match="variance needs at least 2") as caught:
        drawn(Difference(statistic="variance"), sample([1, 2], [1]))
    assert caught.value.loc == ("y",)
