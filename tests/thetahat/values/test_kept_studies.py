"""The studied interval nearest to another one, and how far away it may be."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

from thetahat.values.clusters import compute_imbalance
from thetahat.values.coverage import ExpectedCoverage
from thetahat.values.kept_studies import (
    INTERVAL_NOT_STUDIED,
    MOST_UNEQUAL,
    NOT_STUDIED,
    StudiedInterval,
    count_units,
    explain_imbalance,
    find_expected_coverage,
)


def make_studied(coverage: float, **numbers: float) -> StudiedInterval:
    return StudiedInterval(
        interval="i",
        data="numbers",
        numbers=numbers,
        expected=ExpectedCoverage(
            level=0.95,
            coverage=coverage,
            standard_error=0.01,
            least=coverage,
            largest=coverage,
            design="d",
            table="/studies/d",
        ),
    )


STUDIED = (
    make_studied(0.9, rows=30),
    make_studied(0.94, rows=120),
    make_studied(0.8, rows=30, k=4),
)


@pytest.mark.parametrize(("rows", "coverage"), [(10, 0.9), (59, 0.9), (61, 0.94), (360, 0.94)])
def test_hand_the_nearest_number_is_taken_up_to_a_factor_of_three(
    rows: int, coverage: float
) -> None:
    expected, missing = find_expected_coverage(STUDIED, "numbers", {"rows": rows})

    assert expected is not None
    assert expected.coverage == coverage
    assert missing is None


@pytest.mark.parametrize(("rows", "studied"), [(9, 30), (361, 120), (0, 30)])
def test_exact_beyond_a_factor_of_three_the_number_is_named(rows: int, studied: int) -> None:
    expected, missing = find_expected_coverage(STUDIED, "numbers", {"rows": rows})

    assert expected is None
    assert missing == (
        f"No studied design is like this one: it has {rows} rows, and the nearest study has "
        f"{studied}."
    )


def test_exact_the_number_that_is_farthest_away_is_named() -> None:
    _, missing = find_expected_coverage(STUDIED, "numbers", {"rows": 60, "k": 20})

    assert missing == (
        "No studied design is like this one: it has 20 k, and the nearest study has 4."
    )


def test_hand_imbalance_is_the_number_for_each_equal_one() -> None:
    assert compute_imbalance(np.array([7, 7, 7])) == 1
    # 30 (29 * 25 + 145^2) / (290)^2: half of the rows in one of 30
    assert_allclose(compute_imbalance(np.array([5] * 29 + [145])), 30 * 21750 / 84100)
    # three sizes of 1 for each of 3: the most unequal ones within a factor of three
    assert_allclose(compute_imbalance(np.array([1, 1, 1, 3])), MOST_UNEQUAL)


def test_exact_sizes_beyond_those_of_the_study_are_named() -> None:
    assert explain_imbalance("clusters", 30, MOST_UNEQUAL) is None
    assert explain_imbalance("clusters", 30, 1.9, studied=1.9 / MOST_UNEQUAL) is None
    assert explain_imbalance("schools", 30, 2.0) == (
        "No studied design is like this one: its 30 schools are of such unequal size that they "
        "weigh like 15 equal ones."
    )


def test_exact_other_data_or_other_numbers_are_not_alike() -> None:
    assert find_expected_coverage(STUDIED, "rates", {"rows": 30}) == (None, NOT_STUDIED)
    assert find_expected_coverage(STUDIED, "numbers", {"k": 4}) == (None, NOT_STUDIED)
    assert find_expected_coverage((), "numbers", {"rows": 30}) == (None, INTERVAL_NOT_STUDIED)


@pytest.mark.parametrize("noun", ["instance", "source", "cluster", "row of the rarer value"])
def test_exact_one_of_a_number_is_in_the_singular(noun: str) -> None:
    first, _, rest = noun.partition(" ")
    plural = f"{first}s {rest}".rstrip()

    assert count_units(1, plural) == f"1 {noun}"
    assert count_units(2, plural) == f"2 {plural}"
