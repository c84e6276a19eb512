"""Planned looks: boundaries, intervals, p-values and conditional power."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import stats

from tests.thetahat.sequential.vectors import VECTORS, look_at
from thetahat.errors import InvalidParameter
from thetahat.sequential import SequentialQuestion
from thetahat.sequential._boundaries import (
    find_boundaries,
    find_equal_boundaries,
    find_spent,
    spend_obrien_fleming,
    spend_pocock,
)
from thetahat.sequential.planned import Planned

QUESTION = SequentialQuestion(level=0.95)
RPACT = "R rpact 3.3.4, getDesignGroupSequential; Jennison and Turnbull (2000)"


def pairs_of(name: str) -> list[tuple[Any, Any]]:
    vector = VECTORS[name]
    return list(zip(vector["inputs"]["designs"], vector["expected"]["designs"], strict=True))


@pytest.mark.outside(RPACT)
def test_golden_spending_functions_at_unequal_looks() -> None:
    # vector alpha_spending
    for design, expected in pairs_of("alpha_spending"):
        sides, alpha, shares = design["sided"], design["alpha"], design["information"]
        spend = spend_obrien_fleming if design["spending"] == "asOF" else spend_pocock
        spent = [sides * spend(share, alpha / sides) for share in shares]
        assert_allclose(spent, expected["alpha_spent"], rtol=2e-5, atol=1e-7)
        found = find_boundaries(shares, spent, two_sided=sides == 2)
        assert_allclose(found, expected["critical_values"], rtol=2e-6)


@pytest.mark.outside(RPACT)
def test_golden_classical_boundaries() -> None:
    # vector group_sequential_equal_looks
    for design, expected in pairs_of("group_sequential_equal_looks"):
        two_sided = design["sided"] == 2
        found = find_equal_boundaries(
            design["looks"], design["alpha"], two_sided=two_sided, is_pocock=design["type"] == "P"
        )
        assert_allclose(found, expected["critical_values"], rtol=1e-6)
        shares = [(k + 1) / design["looks"] for k in range(design["looks"])]
        spent = find_spent(shares, found, two_sided=two_sided)
        assert_allclose(spent, expected["alpha_spent"], rtol=2e-5)


def test_against_scipy_the_joint_normal_distribution_of_three_looks() -> None:
    shares = np.array([0.2, 0.7, 1.0])
    bounds = np.array([2.9, 2.3, 2.05])
    correlation = np.sqrt(np.minimum.outer(shares, shares) / np.maximum.outer(shares, shares))
    stays = stats.multivariate_normal(cov=correlation).cdf(bounds, lower_limit=-bounds)

    spent = find_spent(shares.tolist(), bounds.tolist(), two_sided=True)
    assert_allclose(spent[-1], 1 - stays, atol=1e-5)  # scipy draws, with an error of 1e-5


def draw(n: int) -> Any:
    return np.random.default_rng(21).normal(0.1, 1.0, n)


@pytest.mark.parametrize("boundary", ["obrien_fleming", "pocock"])
def test_exact_the_interval_is_the_critical_value_times_the_standard_error(boundary: Any) -> None:
    x = draw(1000)
    method = Planned(1000, (0.25, 0.5, 0.75, 1.0), boundary)
    outcomes = look_at(method, x, [250, 400, 500, 750, 1000], QUESTION)
    critical = find_equal_boundaries(4, 0.05, two_sided=True, is_pocock=boundary == "pocock")

    assert outcomes[1].lower is None
    assert "the next planned look is after row 500" in outcomes[1].reason
    for outcome, c in zip([outcomes[0], *outcomes[2:]], critical, strict=True):
        part = x[: outcome.n]
        reach = c * part.std() / math.sqrt(outcome.n)
        ends = [part.mean() - reach, part.mean() + reach]
        assert_allclose([outcome.lower, outcome.upper], ends, rtol=1e-6)


def test_exact_a_look_at_its_boundary_has_the_p_value_of_the_level() -> None:
    x = draw(600)
    method = Planned(600, (0.5, 1.0))
    *_, outcome = look_at(method, x, [300, 600], QUESTION)
    question = SequentialQuestion(level=0.95, reference=outcome.lower)
    *_, at_end = look_at(method, x, [300, 600], question)

    assert_allclose(at_end.p_value, 0.05, rtol=1e-5)


def test_exact_a_late_look_spends_what_the_rows_allow() -> None:
    x = draw(1000)
    late, last = look_at(Planned(1000, (0.5, 1.0)), x, [640, 1000], QUESTION)
    spent = [2 * spend_obrien_fleming(share, 0.025) for share in (0.64, 1.0)]
    critical = find_boundaries([0.64, 1.0], spent, two_sided=True)

    for outcome, c in zip([late, last], critical, strict=True):
        error = x[: outcome.n].std() / math.sqrt(outcome.n)
        assert_allclose((outcome.upper - outcome.lower) / 2 / error, c, rtol=1e-7)


def test_naive_conditional_power_by_drawing_the_rest() -> None:
    x = draw(400)
    method = Planned(1000, (0.4, 1.0), "pocock_spending")
    state, _ = method.advance(method.begin(), x, QUESTION)
    found = method.compute_conditional_power(state, 0.0, None, QUESTION)
    rng, repetitions = np.random.default_rng(22), 50_000
    spread = x.std()
    rest = rng.normal(x.mean(), spread / math.sqrt(600), repetitions)
    means = 0.4 * x.mean() + 0.6 * rest
    spent = [2 * spend_pocock(share, 0.025) for share in (0.4, 1.0)]
    c = find_boundaries([0.4, 1.0], spent, two_sided=True)[-1]
    share = float((means - c * spread / math.sqrt(1000) > 0).mean())

    # A correct value fails for 1 seed in 16 000; this one is fixed.
    assert found is not None
    assert abs(found - share) < 4 * math.sqrt(share * (1 - share) / repetitions)


def test_exact_after_the_last_look_it_is_over() -> None:
    method = Planned(200, (1.0,))
    state, _ = method.advance(method.begin(), draw(199), QUESTION)
    assert not method.is_over(state)
    state, _ = method.advance(state, draw(1), QUESTION)
    assert method.is_over(state)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"rows": 99}, "rows must be from 100"),
        ({"rows": 1000, "looks": (0.5,)}, "the last one 1"),
        ({"rows": 1000, "looks": (0.5, 0.5, 1.0)}, "ascending"),
        ({"rows": 1000, "looks": (0.05, 1.0)}, "must not begin before row 100"),
        ({"rows": 1000, "looks": (0.3, 1.0), "boundary": "pocock"}, "equally spaced"),
    ],
)
def test_invalid_plans(options: Any, message: str) -> None:
    with pytest.raises(InvalidParameter, match=message):
        Planned(**options)


def test_invalid_a_batch_that_passes_a_look_of_a_classical_boundary() -> None:
    method = Planned(1000, (0.5, 1.0), "pocock")
    with pytest.raises(InvalidParameter, match="Send at most 100 now"):
        look_at(method, draw(501), [400, 501], QUESTION)
