from __future__ import annotations

import pytest

from thetahat.analyses.learning_curve.sizes import (
    MAX_SIZES,
    check_sizes,
    convert_to_counts,
    format_size,
)
from thetahat.errors import InsufficientData, InvalidParameter


def test_exact_shares_are_rounded_down_and_counts_are_taken() -> None:
    # 0.29 x 100 is 28.999999999999996 in doubles, and 29 rows
    assert convert_to_counts((0.01, 0.29, 40, 1.0), 100, "row", "here") == (1, 29, 40, 100)
    assert convert_to_counts((0.001,), 10, "row", "here") == (1,)


def test_exact_labels() -> None:
    assert [format_size(size) for size in (0.125, 1.0, 200.0, 123456789.0)] == [
        "0.125",
        "1",
        "200",
        "123456789",
    ]


@pytest.mark.parametrize("size", [0, -1, 1.5, 2.5, float("inf"), float("nan")])
def test_invalid_a_size_that_is_neither(size: float) -> None:
    with pytest.raises(InvalidParameter, match="nor a whole number from 2") as refused:
        check_sizes([0.5, size])

    assert refused.value.loc == ("sizes", 1)


@pytest.mark.parametrize("n", [0, MAX_SIZES + 1])
def test_invalid_no_sizes_or_too_many(n: int) -> None:
    with pytest.raises(InvalidParameter, match=f"the request has {n}"):
        check_sizes([0.5] * n)


def test_invalid_sizes_that_do_not_grow() -> None:
    with pytest.raises(InvalidParameter, match=r"size 0\.55 is 5 of the 10 rows") as refused:
        convert_to_counts((0.5, 0.55, 1.0), 10, "row", "here")

    assert refused.value.loc == ("sizes", 1)


def test_invalid_more_than_there_is() -> None:
    with pytest.raises(
        InsufficientData, match="11 is larger than the training part of here, which has 10 rows"
    ):
        convert_to_counts((5, 11), 10, "row", "here")
