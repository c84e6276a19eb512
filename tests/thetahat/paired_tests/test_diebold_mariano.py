"""The test of Diebold and Mariano."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest

from tests.vectors.reading import VECTORS
from thetahat.errors import InvalidParameter
from thetahat.paired_tests.base import PairedLosses, TestOutcome
from thetahat.paired_tests.diebold_mariano import DieboldMariano
from thetahat.values.block_losses import BlockLosses
from thetahat.values.layout import build_layout
from thetahat.values.types import Alternative, BlockKind

CASES = [vector for vector in VECTORS.values() if vector["method"] == "diebold_mariano"]


def run(a: Any, b: Any, horizon: int, alternative: Alternative) -> TestOutcome:
    layout = build_layout(
        BlockKind.HOLDOUT, np.zeros(len(a), dtype=np.intp), time=np.arange(len(a))
    )
    one, other = (BlockLosses(layout, values=np.asarray(v, dtype=np.float64)) for v in (a, b))
    pair = PairedLosses(one, other, one.minus(other))
    return DieboldMariano(horizon=horizon).test_pair(pair, alternative)


@pytest.mark.outside("R forecast 8.20, dm.test with varestimator acf, or bartlett if negative")
@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
@pytest.mark.parametrize("power", [1, 2])
def test_golden_statistic_and_p_values(case: dict[str, Any], power: int) -> None:
    a, b = (np.abs(case["inputs"]["errors"][name]) ** power for name in ("a", "b"))
    name = {1: "absolute", 2: "squared"}[power]
    plain = case["expected"][f"{name}_acf"]
    expected = plain or case["expected"][f"{name}_bartlett"]

    two_sided = run(a, b, case["inputs"]["horizon"], Alternative.TWO_SIDED)
    less = run(a, b, case["inputs"]["horizon"], Alternative.LESS)
    assert two_sided.statistic == pytest.approx(expected["statistic"], rel=1e-8)
    assert two_sided.p_value == pytest.approx(expected["p_value"], rel=1e-8)
    assert less.p_value == pytest.approx(expected["p_less"], rel=1e-8)
    assert two_sided.details["weights"] == ("equal" if plain else "bartlett")
    codes = {caution.code for caution in two_sided.cautions} - {"few_times_for_horizon"}
    assert codes == (set() if plain else {"bartlett_weights"})


def test_exact_of_one_step_it_is_the_paired_t_test() -> None:
    rng = np.random.default_rng(1)
    a, b = rng.normal(size=(2, 30))
    difference = a - b

    outcome = run(a, b, 1, Alternative.TWO_SIDED)
    t = difference.mean() / (difference.std(ddof=1) / np.sqrt(30))
    assert outcome.statistic == pytest.approx(t)
    assert outcome.degrees_of_freedom == 29


@pytest.mark.parametrize(
    ("n", "horizon", "is_said"), [(10, 1, False), (23, 2, True), (24, 2, False), (35, 3, True)]
)
def test_caution_few_times_for_the_horizon(n: int, horizon: int, *, is_said: bool) -> None:
    a, b = np.random.default_rng(5).normal(size=(2, n))

    codes = [caution.code for caution in run(a, b, horizon, Alternative.TWO_SIDED).cautions]
    assert ("few_times_for_horizon" in codes) is is_said


@pytest.mark.calibration
def test_calibrated_forecasts_over_several_times() -> None:
    rng, rejected = np.random.default_rng(2), 0
    for _ in range(400):
        noise = rng.normal(size=(2, 203))
        a, b = (np.convolve(row, [1, 1, 1], mode="valid") + 5 for row in noise)
        p_value = run(a, b, 3, Alternative.TWO_SIDED).p_value
        assert p_value is not None
        rejected += p_value <= 0.05

    assert 0.025 < rejected / 400 < 0.09


@pytest.mark.parametrize(("shift", "p_value"), [(0.0, 1.0), (1.0, None)])
def test_degenerate_differences_that_do_not_vary(shift: float, p_value: float | None) -> None:
    a = np.random.default_rng(3).integers(0, 9, size=20).astype(np.float64)

    outcome = run(a + shift, a, 2, Alternative.TWO_SIDED)
    assert outcome.statistic is None
    assert outcome.p_value == p_value


@pytest.mark.parametrize(
    ("n", "horizon", "reason"),
    [(9, 1, "at least 10"), (11, 6, "needs 12 times, and there are 11")],
)
def test_invalid_too_few_times(n: int, horizon: int, reason: str) -> None:
    layout = build_layout(BlockKind.HOLDOUT, [0] * n, time=np.arange(n))

    assert reason in str(DieboldMariano(horizon=horizon).inapplicable(layout))


def test_invalid_horizon() -> None:
    with pytest.raises(InvalidParameter, match="horizon must be from 1"):
        DieboldMariano(horizon=0)


def test_exact_every_alternative_has_a_p_value() -> None:
    values = np.random.default_rng(4).normal(size=(2, 16))

    found = [run(values[0], values[1], h, side).p_value for h, side in product((1, 3), Alternative)]
    assert all(p is not None and 0 <= p <= 1 for p in found)
