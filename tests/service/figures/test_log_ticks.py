"""Numbers beside logarithmic axes."""

from __future__ import annotations

import pytest

from thetahat_service.figures.log_ticks import ENOUGH, MOST, SHORT, log_ticks, thin_ticks

NARROW_ENDS = [(0.63, 1.77), (0.98, 1.02), (0.5, 1.05), (9.5, 26.0), (0.0031, 0.0032)]
WIDE_ENDS = [(0.32, 5.9), (1.0, 10.0), (3.1, 9.4), (2.0, 40.0), (10.0, 999.0), (1.7e-5, 1e-3)]


# By hand: round numbers between two ends.
def test_by_hand_ticks_of_axes_of_the_kept_results() -> None:
    assert log_ticks(0.63, 1.77) == pytest.approx([0.8, 1, 1.2, 1.4, 1.6])
    assert log_ticks(0.32, 5.9) == [0.5, 1.0, 2.0, 5.0]
    assert log_ticks(1.7, 46.0) == [2.0, 5.0, 10.0, 20.0]
    assert log_ticks(9.0, 880.0) == [10.0, 30.0, 100.0, 300.0]


@pytest.mark.parametrize(("low", "high"), [*NARROW_ENDS, *WIDE_ENDS])
def test_property_some_plain_numbers_between_the_ends(low: float, high: float) -> None:
    ticks = log_ticks(low, high)

    assert ticks == sorted(set(ticks))
    assert ENOUGH - 1 <= len(ticks) <= MOST
    assert low <= ticks[0] < ticks[-1] <= high
    assert all(float(f"{value:.6g}") == pytest.approx(value, rel=1e-12) for value in ticks)


# By hand: over many decades powers of ten, every fifth one of thirty-one.
def test_by_hand_powers_of_ten_over_many_decades() -> None:
    assert log_ticks(1.0, SHORT) == [1.0, 3.0, 10.0, 30.0, 100.0]
    assert log_ticks(1.0, 1e4) == [1.0, 10.0, 100.0, 1000.0, 10000.0]
    assert log_ticks(1e-30, 1.0) == [1e-30, 1e-25, 1e-20, 1e-15, 1e-10, 1e-5, 1.0]


@pytest.mark.parametrize(("width", "n_ticks"), [(320, 4), (390, 4), (720, 7)])
def test_exact_a_narrow_axis_has_fewer_ticks(width: int, n_ticks: int) -> None:
    ticks = log_ticks(20, 44_000)
    kept = thin_ticks(ticks, width)

    assert len(ticks) == 7
    assert len(kept) == n_ticks
    assert kept == ticks[:: 7 // n_ticks + (7 % n_ticks > 0)]
