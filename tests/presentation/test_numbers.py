"""The one number format."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from thetahat.values import number_text
from thetahat_presentation.document import (
    Interval,
    Name,
    Number,
    Pair,
    Percent,
    PercentRange,
    PValue,
)
from thetahat_presentation.numbers import format_ends, format_interval, format_number, set_minus
from thetahat_presentation.renderers.cells import cell_text
from thetahat_presentation.renderers.html import typeset, typeset_cell

SPACE = "\N{NO-BREAK SPACE}"


@given(st.lists(st.floats(-1e13, 1e13), min_size=3, max_size=3), st.floats(0, 1e6))
def test_exact_as_in_the_library_intervals_are_those_of_its_sentences(
    numbers: list[float], error: float
) -> None:
    estimate, lower, upper = numbers[0], min(numbers[1:]), max(numbers[1:])
    used = number_text.find_error(error, lower, upper)
    alike = number_text.format_alike([estimate, lower, upper], used)

    assert format_interval(estimate, lower, upper, error) == (alike[0], f"{alike[1]} to {alike[2]}")


@given(
    st.floats(-1e5, 1e5), st.floats(1e-4, 1e4), st.floats(1e-4, 1e4), st.sampled_from([None, 0.03])
)
def test_property_ends_and_estimate_have_the_same_decimals(
    estimate: float, below: float, above: float, error: float | None
) -> None:
    text, ends = format_interval(estimate, estimate - below, estimate + above, error)
    decimals = {len(part.partition(".")[2]) for part in (text, *ends.split(" to "))}

    assert len(decimals) == 1


@pytest.mark.parametrize(
    ("estimate", "lower", "upper", "text"),
    [
        # reported: 0.335 (0.2732 to 0.403) and 0.04 (0.02477 to 0.06398)
        (0.335, 0.2732, 0.403, "0.335: 0.273 to 0.403"),
        (0.04, 0.02477, 0.06398, "0.0400: 0.0248 to 0.0640"),
        (0.2, -0.004, 0.404, "0.200: -0.004 to 0.404"),
    ],
)
def test_gh_33_an_interval_without_a_standard_error_has_the_same_digits(
    estimate: float, lower: float, upper: float, text: str
) -> None:
    assert cell_text(Interval(lower, upper, None, estimate)) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.25, "0.25"),
        (0.0, "0"),
        (12.3456, "12.35"),
        (123456.0, "123 456"),
        (-0.00012345, "-0.0001234"),
        (1e-9, "1e-09"),
        (None, "–"),
        (math.inf, "–"),
        (12_345, "12 345"),
        (True, "yes"),
    ],
)
def test_exact_numbers_have_at_most_four_digits(value: float | None, text: str) -> None:
    assert format_number(value) == text


def test_exact_open_and_undefined_ends_are_words() -> None:
    assert format_ends(None, 0.5) == "at most 0.5"
    assert format_ends(0.5, None) == "at least 0.5"
    assert format_ends(None, None) == "–"


def test_exact_ends_that_differ_are_written_differently() -> None:
    assert format_ends(100_000.384, 100_000.59) == "100 000.384 to 100 000.590"
    assert format_ends(1234.41, 1234.58) == "1234.410 to 1234.580"
    assert format_ends(384_120.0, 589_480.0) == "384 000 to 589 000"


@pytest.mark.parametrize(
    ("cell", "text"),
    [
        (Number(-0.12345, 0.02), "-0.123"),
        (Number(0.12345, 0.02, shows_error=True), "0.123 (± 0.02)"),
        (Number(0.1, 4.2e-18, shows_error=True), "0.1"),
        (Number("0.5 or so"), "0.5 or so"),
        (Interval(0.2, 0.4, 0.05), "0.200 to 0.400"),
        (Interval(0.2, 0.4, 0.05, 0.3), "0.300: 0.200 to 0.400"),
        (Interval(None, None), "–"),
        (PValue(0.0004), "< 0.001"),
        (PValue(0.013), "0.013"),
        (PValue(None), "–"),
        (Percent(0.9038, 0.0096), "90.4 % (± 1 %)"),
        (PercentRange(0.882, 0.94), "88.2 % to 94 %"),
        (PercentRange(0.921, 0.921), "92.1 %"),
        (PercentRange(None, None), "–"),
        (Name("new source -1"), "new source -1"),
        (Pair("a", "b"), "a − b"),
        ("words", "words"),
    ],
)
def test_exact_every_cell_has_one_text(cell: Number, text: str) -> None:
    assert cell_text(cell) == text


def test_exact_hyphens_become_minus_signs_in_numbers_alone() -> None:
    assert set_minus("-0.4 to -0.1") == "−0.4 to −0.1"
    assert set_minus("1e-05") == "1e-05"
    assert typeset_cell(Interval(-0.4, -0.1, 0.1)) == "−0.40 to −0.10"
    assert typeset_cell(Name("model -2")) == "model -2"
    assert typeset_cell(Percent(0.9, 0.01)) == f"90{SPACE}% (± 1{SPACE}%)"


@pytest.mark.parametrize(
    ("sentence", "shown"),
    [
        (
            "the difference is -0.1 (95 % interval -2 to -1)",
            "the difference is −0.1 (95~% interval −2 to −1)",
        ),
        ("the median -0.05; it would be -1.", "the median −0.05; it would be −1."),
        ("lr -3 is better than x-2.", "lr -3 is better than x-2."),
    ],
)
def test_exact_negative_numbers_of_sentences_have_minus_signs(sentence: str, shown: str) -> None:
    assert typeset(sentence) == shown.replace("~", SPACE)
