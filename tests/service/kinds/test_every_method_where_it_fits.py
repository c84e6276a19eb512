"""Every method on every kind of layout: right, or refused with the names of those that fit."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from functools import cache
from typing import Any

import pytest

from tests.cases import case
from tests.service.kinds.layouts import LAYOUTS
from tests.service.kinds.run_requests import place_of, run_kind
from thetahat.errors import EvaluationError, UnsupportedCombination
from thetahat.families import collect_families
from thetahat.intervals import INTERVALS
from thetahat.multiple_tests import MULTIPLE_TESTS
from thetahat.paired_tests import PAIRED_TESTS
from thetahat.references import REFERENCES
from thetahat.refit_estimators import EVERY_INTERVAL, EVERY_VARIANCE, REFIT_ESTIMATORS
from thetahat.registry import MethodInfo
from thetahat.values.types import Needs
from thetahat.variances import VARIANCES
from thetahat_service.api.errors import find_status
from thetahat_service.kinds.registry import JOB_KINDS

NAMED = [
    *(("variances", name) for name in EVERY_VARIANCE),
    *(("intervals", name) for name in EVERY_INTERVAL),
    *(("tests", name) for name in (*PAIRED_TESTS, *MULTIPLE_TESTS)),
]
# One estimator is nothing without its parameter.
PARAMS: dict[str, dict[str, Any]] = {"quadratic": {"bias": [0, 0, -1]}}
EVERY_LAYOUT = pytest.mark.parametrize("layout", LAYOUTS)
EVERY_METHOD = pytest.mark.parametrize(("field", "name"), NAMED)
WHERE_FEW_DIFFER = {"tango_folds"}
"""Intervals that the losses decide about: here more instances differ than they are for."""
INFERENTIAL = {
    "variances",
    "refit_estimators",
    "intervals",
    "paired_tests",
    "multiple_tests",
    "metrics",
    "weighted_risks",
}


def info_of(name: str) -> MethodInfo:
    registries: tuple[Any, ...] = (EVERY_VARIANCE, EVERY_INTERVAL, PAIRED_TESTS, MULTIPLE_TESTS)
    info: MethodInfo = next(r[name].info for r in registries if name in r)
    return info


def asking(layout: str, field: str, name: str) -> dict[str, Any]:
    """Return a request that names one method, and nothing else of its field."""
    nothing_else: dict[str, list[Any]] = {"variances": [], "intervals": [], "tests": []}
    if field == "intervals":
        del nothing_else["variances"]  # what intervals rest on
    params = PARAMS.get(name, {})
    if name == "quadratic" and LAYOUTS[layout]["blocks"] == "source":
        params = {"coefficients": {"a": [0] * 6, "b": [0] * 6, "c": [[0] * 6] * 6}}
    return {
        "kind": "losses",
        **LAYOUTS[layout],
        **nothing_else,
        field: [{"name": name, "params": params}],
    }


@cache
def refusal_of(layout: str, field: str, name: str) -> EvaluationError | None:
    """Return what the check says of a request that names one method."""
    kind = JOB_KINDS["losses"]
    try:
        kind.check(kind.request.model_validate(asking(layout, field, name)), {})
    except EvaluationError as refusal:
        return refusal
    return None


def numbers_in(value: Any) -> Iterator[float]:
    if isinstance(value, dict):
        for item in value.values():
            yield from numbers_in(item)
    elif isinstance(value, list):
        for item in value:
            yield from numbers_in(item)
    elif isinstance(value, float):
        yield value


@EVERY_METHOD
def test_exact_a_named_method_is_right_or_refused(field: str, name: str) -> None:
    for layout in LAYOUTS:
        with case(layout):
            check_request(field, name, layout)


def check_request(field: str, name: str, layout: str) -> None:
    body, info = asking(layout, field, name), info_of(name)
    refusal = refusal_of(layout, field, name)

    if refusal is not None:
        check_refusal(refusal, layout, field, name)
        return
    # what is taken fits by its own description
    assert body["blocks"] in {kind.value for kind in info.blocks}
    assert info.needs is not Needs.REFITS
    if "split_scores" in body:
        assert info.needs in {Needs.SPLITS, Needs.REPEATS}
    if info.needs is Needs.REPEATS:
        assert "repeat" in body or "repeats" in body or body["blocks"] == "subsamples"
    if name in WHERE_FEW_DIFFER:
        with pytest.raises(
            UnsupportedCombination, match=f"{name} does not fit: .* differ on 1 to 4"
        ):
            run_kind(body)
        return
    check_result(run_kind(body).result, field, name)


def check_refusal(refusal: EvaluationError, layout: str, field: str, name: str) -> None:
    assert find_status(type(refusal)) == 422
    assert refusal.message.startswith(f"{name} ")
    assert place_of(refusal)[:2] == (field, 0)
    if name in REFIT_ESTIMATORS:
        assert "cross_validation" in refusal.message  # where a learner can be fitted
        return
    assert isinstance(refusal, UnsupportedCombination)
    # the names of those that fit, and each of them is taken
    match = re.search(r"that fit: (.*?)\.?$", refusal.message)
    assert match is not None
    named = [] if match[1] == "none" else match[1].split(", ")
    assert name not in named
    for other in named:
        assert refusal_of(layout, field, other) is None


def check_result(result: dict[str, Any], field: str, name: str) -> None:
    info, model, pair = info_of(name), result["models"]["a"], result["comparisons"][0]
    targets = {target.value for target in info.targets}
    assert all(math.isfinite(number) for number in numbers_in(result))
    if field == "variances":
        estimates = model["variances"] | model.get("estimates", {})
        assert set(estimates) == set(pair["variances"]) == {name}
        assert estimates[name]["target"] in targets
        assert info.mean is None or estimates[name]["mean"] == info.mean.value
    elif field == "intervals":
        intervals = (pair if info.interval.only_for_pairs else model)["intervals"]
        assert intervals
        assert {interval["method"] for interval in intervals} == {name}
        assert {interval["target"] for interval in intervals} <= targets
    elif name in MULTIPLE_TESTS:
        assert set(result["omnibus"]) == {name}
    else:
        assert set(pair["tests"]) == {name}
        p_value = pair["tests"][name]["p_value"]
        assert p_value is None or 0 <= p_value <= 1


@EVERY_LAYOUT
def test_exact_left_to_default_a_method_is_there_or_listed_with_its_reason(layout: str) -> None:
    """And it is there exactly where naming it is not refused."""
    result = run_kind({"kind": "losses", **LAYOUTS[layout]}).result
    pair = result["comparisons"][0]
    there = {
        "variances": set(result["models"]["a"]["variances"]),
        "intervals": {
            i["method"] for i in (*result["models"]["a"]["intervals"], *pair["intervals"])
        },
        "tests": {*pair["tests"], *result["omnibus"]},
    }
    reasons = {entry["name"]: entry["reason"] for entry in result["not_applicable"]}

    for field, name in NAMED:
        registries: tuple[Any, ...] = (VARIANCES, INTERVALS, PAIRED_TESTS, MULTIPLE_TESTS)
        kind = next((r[name] for r in registries if name in r), None)
        if kind is None or kind.info.by_request_only:
            assert name not in there[field]
            continue
        refusal = refusal_of(layout, field, name)
        if refusal is None and name in WHERE_FEW_DIFFER:
            assert "differ on 1 to 4" in reasons[name]
            continue
        assert (name in there[field]) == (refusal is None)
        if refusal is not None:
            assert reasons[name].strip()
            assert reasons[name] in refusal.message
    assert set(reasons) & set().union(*there.values()) == set()


@pytest.mark.parametrize("family", collect_families())
def test_exact_every_method_says_what_it_takes(family: str) -> None:
    for method in collect_families()[family].values():
        info: MethodInfo = method.info
        assert info.title
        assert info.summary.endswith(".")
        assert info.blocks
        assert set(info.references) <= set(REFERENCES)
        assert not info.assumptions or info.assumptions.endswith(".")
        if family in INFERENTIAL:
            assert info.assumptions.endswith(".")
            assert info.errs.endswith(".")
            assert info.references
            assert info.targets
        if family in {"variances", "refit_estimators"}:
            assert info.mean is not None
            assert info.formula
