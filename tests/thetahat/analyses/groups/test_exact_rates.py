"""Error rates of groups have Clopper and Pearson's limits where a request names that interval."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scipy import stats

import thetahat

ERRORS = {"f": (3, 20), "m": (0, 15), "x": (9, 12)}
"""Errors and rows of each group."""


def evaluate(intervals: list[str] | None, **options: Any) -> Any:
    losses, labels = [], []
    for label, (errors, n) in ERRORS.items():
        losses += [1.0] * errors + [0.0] * (n - errors)
        labels += [label] * n
    result: Any = thetahat.evaluate(
        {"m": losses},
        blocks="holdout",
        groups={"g": labels},
        intervals=intervals,
        include=["group_gaps"],
        **options,
    )
    return result.models["m"].groups["g"]


def limit_exactly(errors: int, n: int, tail: float) -> tuple[float, float]:
    lower = 0.0 if errors == 0 else float(stats.beta.ppf(tail, errors, n - errors + 1))
    upper = 1.0 if errors == n else float(stats.beta.ppf(1 - tail, errors + 1, n - errors))
    return lower, upper


@pytest.mark.outside("SciPy's beta quantiles")
def test_hand_the_exact_limits_at_the_level_of_three_groups() -> None:
    groups = evaluate(["clopper_pearson"])
    tail = (1 - 0.95 ** (1 / 3)) / 2

    for item in groups.items:
        interval = item.interval
        expected = limit_exactly(*ERRORS[item.group["g"]], tail)
        assert interval.method == "clopper_pearson"
        assert (interval.lower, interval.upper) == pytest.approx(expected)
    assert groups.simultaneous.expected_coverage is None
    assert groups.simultaneous.expected_coverage_missing is not None


def test_hand_gaps_are_made_of_the_same_limits() -> None:
    groups = evaluate(["clopper_pearson", "student_t"])
    gap = groups.gaps.items[0]
    tail = float(stats.norm.sf(groups.gaps.critical_value))
    (errors_g, n_g), (errors_h, n_h) = (ERRORS[each["g"]] for each in (gap.group, gap.against))
    low_g, _ = limit_exactly(errors_g, n_g, tail)
    _, high_h = limit_exactly(errors_h, n_h, tail)
    p_g, p_h = errors_g / n_g, errors_h / n_h

    assert gap.lower == pytest.approx(p_g - p_h - math.hypot(p_g - low_g, high_h - p_h), abs=1e-6)


@pytest.mark.parametrize("intervals", [None, ["wilson"], ["wilson", "clopper_pearson"]])
def test_exact_otherwise_they_are_those_of_wilson(intervals: list[str] | None) -> None:
    groups = evaluate(intervals)

    assert {item.interval.method for item in groups.items} == {"wilson"}


def test_exact_numbers_keep_t() -> None:
    rng = np.random.default_rng(1)
    result: Any = thetahat.evaluate(
        {"m": rng.normal(size=40)},
        blocks="holdout",
        groups={"g": ["a", "b"] * 20},
        intervals=["student_t"],
    )
    methods = {item.interval.method for item in result.models["m"].groups["g"].items}
    assert methods == {"student_t"}
