from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from thetahat.errors import InvalidParameter
from thetahat.tables.instants import parse_times


@pytest.mark.parametrize(
    "texts",
    [
        ["2020-11-05", "2020-12-06", "2021-01-06"],
        ["2020-01-05T10:00:00.000000001", "2020-01-05T10:00:00.000000002"],
        ["2020-Q1", "2020-Q3", "2021-Q1"],
        ["2019-12", "2020-01"],
        ["09:30", "10:00", "11:15"],
        ["week 05", "week 11"],
    ],
)
def test_exact_texts_of_equal_form_stay_as_they_are(texts: list[str]) -> None:
    assert parse_times(texts, "time").tolist() == texts


@pytest.mark.parametrize(
    ("texts", "wanted"),
    [
        # Two o'clock two hours east of Greenwich is midnight there, before one o'clock.
        (
            ["2020-01-01T02:00:00+02:00", "2020-01-01T01:00:00+00:00"],
            ["2020-01-01T00:00", "2020-01-01T01:00"],
        ),
        (["2020-01-01T01:00Z", "2020-01-01T01:30:00Z"], ["2020-01-01T01:00", "2020-01-01T01:30"]),
        (["2020-01-01 12:00", "2020-01-02"], ["2020-01-01T12:00", "2020-01-02T00:00"]),
        (["0001-01-01T00:00+02:00", "2020-01-01T00:00Z"], ["0001-01-01", "2020-01-01"]),
    ],
)
def test_exact_texts_written_in_several_ways_are_moments(
    texts: list[str], wanted: list[str]
) -> None:
    assert_array_equal(parse_times(texts, "time"), np.array(wanted, dtype="datetime64[us]"))


def test_property_the_order_is_that_of_the_moments() -> None:
    rng = np.random.default_rng(3)
    start = datetime(2020, 3, 28, tzinfo=UTC)
    moments = [start + timedelta(minutes=int(m)) for m in rng.permutation(500)]
    zones = [timezone(timedelta(hours=int(hours))) for hours in rng.integers(-5, 6, size=500)]
    texts = [m.astimezone(zone).isoformat() for m, zone in zip(moments, zones, strict=True)]

    order = np.argsort(parse_times(texts, "time"), kind="stable")

    assert order.tolist() == sorted(range(500), key=lambda row: moments[row])


@pytest.mark.parametrize(
    ("texts", "row"),
    [
        (["05.11.2020", "06.01.2021"], 0),  # the day comes first
        (["11/05/20", "01/06/21"], 0),
        (["9:30", "10:00"], 0),
        (["2020-01-02", "2020-1-3"], 1),
        (["2020-01-02", "2020-31-12", "2020-1"], 1),
        (["Jan", "Feb"], 0),
        (["1", "10", "9"], 0),
    ],
)
def test_invalid_texts_in_no_order_of_time(texts: list[str], row: int) -> None:
    with pytest.raises(
        InvalidParameter, match=rf"{texts[row]}' in row {row} is not a date"
    ) as caught:
        parse_times(texts, "time")

    assert (caught.value.loc, caught.value.value) == (("time", row), texts[row])


@pytest.mark.parametrize(
    ("texts", "words"),
    [
        (["2020-01-01T00:00Z", "2020-01-02T00:00"], "has no time zone"),
        (["2020-01-01T00:00", "2020-01-02T00:00Z"], "has a time zone"),
    ],
)
def test_invalid_some_texts_without_a_zone(texts: list[str], words: str) -> None:
    with pytest.raises(InvalidParameter, match=words) as caught:
        parse_times(texts, "time")

    assert caught.value.loc == ("time", 1)
