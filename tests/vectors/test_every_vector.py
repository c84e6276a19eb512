"""Every number of the outside vectors is read, and is ours or has a reason.

``expected`` is what the recommended convention gives; each of its values is compared with what the
library and, where a request exists, the service answers. ``elsewhere`` is what other packages give
for another convention, which must not be matched.
"""

from __future__ import annotations

import math
from functools import cache
from typing import Any

import pytest

from tests.vectors import agreement, groups, judge, order, pairs, probabilities, runs, sequential
from tests.vectors.conventions import AGREED, NO_TRAP, NOT_GIVEN, OTHER_TOLERANCES, TRAPS
from tests.vectors.reading import VECTORS, WAYS, Answer, walk

ANSWERS: dict[str, Answer] = {
    "agreement": agreement.answer_raters,
    "fleiss_kappa": agreement.answer_counts,
    "prediction_powered_mean": judge.answer_mean,
    "prediction_powered_difference": judge.answer_mean,
    "prediction_powered_mean_stratified": judge.answer_strata,
    "prediction_powered_mean_clusters": judge.answer_clusters,
    "prediction_powered_mean_cross_fitted": judge.answer_folds,
    "confidence_sequence_bounded": sequential.answer_bounded,
    "asymptotic_confidence_sequence": sequential.answer_asymptotic,
    "time_uniform_boundary": sequential.answer_boundary,
    "group_sequential": sequential.answer_planned,
    "ladder": pairs.answer_ladder,
    "mean_by_group_simultaneous": groups.answer_means,
    "difference_by_group": groups.answer_differences,
    "metrics_by_group": groups.answer_metrics,
    "probabilities_binary": probabilities.answer_two_classes,
    "probabilities_several_classes": probabilities.answer_three_classes,
    "probabilities_two_models": probabilities.answer_two_models,
    "interval_coverage": probabilities.answer_limits,
    "set_coverage": probabilities.answer_sets,
    "threshold_rates_clustered": probabilities.answer_rates,
    "variance_components_crossed": runs.answer_crossed,
    "variance_components_nested": runs.answer_nested,
    "pass_at_k": runs.answer_pass_at,
    "pass_at_k_benchmark": runs.answer_benchmark,
    "paired_models_with_runs": runs.answer_pair,
    "long_run_variance": order.answer_long_run_variance,
    "diebold_mariano": order.answer_diebold_mariano,
    "relative_difference": pairs.answer_ratio,
    "win_rate": pairs.answer_win_rate,
}
"""By the method of a vector."""


@cache
def answer(name: str, way: str) -> Any:
    vector = VECTORS[name]
    return ANSWERS[vector["method"]](vector["inputs"], WAYS[way])


def get(value: Any, key: str) -> Any:
    for part in key.split("."):
        if isinstance(value, list) and part.isdecimal() and int(part) < len(value):
            value = value[int(part)]
        else:
            value = value.get(part) if isinstance(value, dict) else None
    return value


def find_reason(name: str, path: tuple[str, ...]) -> str | None:
    """Return the key of ``NOT_GIVEN`` that a value of ``expected`` falls under."""
    named = ".".join(path)
    reasons = {**NOT_GIVEN.get(VECTORS[name]["method"], {}), **NOT_GIVEN.get(name, {})}
    return next((key for key in reasons if f".{key}." in f".{named}."), None)


def find_tolerance(name: str, path: tuple[str, ...]) -> float:
    tolerances = {**VECTORS[name].get("tolerances", {}), **OTHER_TOLERANCES}
    of_key = [tolerances[part] for part in path if part in tolerances]
    return float(of_key[0] if of_key else VECTORS[name]["tolerance"])


def is_close(found: Any, expected: Any, tolerance: float) -> bool:
    if isinstance(expected, str | None) or isinstance(found, str | None):
        return bool(found == expected)
    near_zero = tolerance if tolerance > 1e-4 else 1e-9
    return math.isclose(found, expected, rel_tol=tolerance, abs_tol=near_zero)


def list_traps(name: str) -> dict[str, str]:
    method = VECTORS[name]["method"]
    traps = {
        key: ours
        for named, entries in TRAPS.items()
        if {method, name} & set(named)
        for key, ours in entries.items()
    }
    if method == "probabilities_two_models":
        traps = {f"{m}.{key}": f"{m}.{ours}" for m in ("a", "b") for key, ours in traps.items()}
    others = {**VECTORS[name]["expected"], **VECTORS[name].get("elsewhere", {})}
    return {key: ours for key, ours in traps.items() if get(others, key) is not None}


def are_same(theirs: Any, ours: Any) -> bool:
    theirs, ours = dict(walk(theirs)), dict(walk(ours))
    return all(is_close(ours.get(path), value, 1e-8) for path, value in theirs.items())


@pytest.mark.outside("the packages and papers that each vector names in its field source")
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", VECTORS)
def test_golden_every_value(name: str, way: str) -> None:
    found = dict(walk(answer(name, way)))
    wrong = {
        path: (found.get(path, "lacking"), expected)
        for path, expected in walk(VECTORS[name]["expected"])
        if find_reason(name, path) is None
        and not (path in found and is_close(found[path], expected, find_tolerance(name, path)))
    }

    assert wrong == {}


@pytest.mark.parametrize("name", VECTORS)
def test_exact_numbers_of_other_conventions_are_not_matched(name: str) -> None:
    others = {**VECTORS[name]["expected"], **VECTORS[name].get("elsewhere", {})}
    ours, traps = answer(name, "library"), list_traps(name)
    same = {key for key, place in traps.items() if are_same(get(others, key), get(ours, place))}
    known = [*(f".{key}." for key in traps), *(f".{k}." for keys in NO_TRAP.values() for k in keys)]
    paths = [f".{'.'.join(path)}." for path, _ in walk(VECTORS[name].get("elsewhere", {}))]

    assert same == AGREED.get(name, set())
    assert [path for path in paths if not any(key in path for key in known)] == []


def test_exact_every_value_is_counted() -> None:
    """A vector that comes in changes these numbers; each reason is about a value."""
    values = [(name, path) for name in VECTORS for path, _ in walk(VECTORS[name]["expected"])]
    reasons = [find_reason(name, path) for name, path in values]
    used = {
        (place, key)
        for (name, _), key in zip(values, reasons, strict=True)
        for place in (name, VECTORS[name]["method"])
        if key in NOT_GIVEN.get(place, {})
    }

    assert used == {(place, key) for place, keys in NOT_GIVEN.items() for key in keys}
    assert (len(VECTORS), len(values), reasons.count(None)) == (70, 1545, 1414)
