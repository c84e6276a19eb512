"""Every method under every scheme: taken, or refused with the names of those that fit."""

from __future__ import annotations

import re
from functools import cache
from typing import Any

import pytest

from tests.cases import case
from tests.service.kinds.run_requests import place_of, run_kind
from tests.service.kinds.test_every_method_where_it_fits import NAMED, PARAMS, info_of
from thetahat.errors import EvaluationError, UnsupportedCombination
from thetahat.refit_estimators import REFIT_ESTIMATORS
from thetahat.registry import MethodInfo
from thetahat.schemes import SCHEMES
from thetahat_service.api.errors import find_status
from thetahat_service.kinds.registry import JOB_KINDS

N = 24
ROLES: dict[str, list[Any]] = {
    "source": ["s", "t", "u", "v", "w", "x"] * 4,
    "fold": [i % 3 for i in range(N)],
    "time": list(range(N)),
}
SMALL: dict[str, dict[str, Any]] = {
    "bootstrap": {"n_resamples": 8},
    "complete_subsampling": {"test_size": 2},
    "k_fold": {"n_folds": 4},
    "repeated_k_fold": {"n_folds": 4, "n_repeats": 2},
    "stratified_k_fold": {"n_folds": 4},
    "stratified_repeated_k_fold": {"n_folds": 4, "n_repeats": 2},
    "stratified_source_k_fold": {"n_folds": 3},
}
EVERY_SCHEME = pytest.mark.parametrize("scheme", SCHEMES)


def asking(scheme: str, **fields: Any) -> dict[str, Any]:
    """Return a request with the columns that the scheme needs and no other."""
    made = SCHEMES[scheme](**SMALL.get(scheme, {}))
    learners = {
        "mean": "mean",
        "ridge": "ridge",
        "other": {"name": "ridge", "params": {"penalty": 9.0}},
    }
    classes = {"majority": "majority", "nb": "gaussian_naive_bayes", "wide": "gaussian_naive_bayes"}
    by_class = "y" in made.requires
    return {
        "kind": "cross_validation",
        "data": {
            "X": [[float((7 * i) % 11)] for i in range(N)],
            "y": ["ab"[(i // 6) % 2] for i in range(N)] if by_class else [i % 5 for i in range(N)],
            **{role: column for role, column in ROLES.items() if role in made.requires},
        },
        "task": "classification" if by_class else "regression",
        "learners": classes if by_class else learners,
        "scheme": {"name": scheme, "params": SMALL.get(scheme, {})},
        **fields,
    }


@cache
def refusal_of(scheme: str, field: str, name: str) -> EvaluationError | None:
    """Return what the check says of a request that names one method."""
    kind = JOB_KINDS["cross_validation"]
    try:
        kind.check(kind.request.model_validate(asking(scheme, **{field: [name]})), {})
    except EvaluationError as refusal:
        return refusal
    return None


@pytest.mark.parametrize(("field", "name"), [method for method in NAMED if method[1] not in PARAMS])
def test_exact_a_named_method_fits_the_scheme_or_is_refused(field: str, name: str) -> None:
    for scheme in SCHEMES:
        with case(scheme):
            check_request(field, name, scheme)


def check_request(field: str, name: str, scheme: str) -> None:
    refusal = refusal_of(scheme, field, name)
    info: MethodInfo = info_of(name)

    if refusal is None:
        kind = SCHEMES[scheme](**SMALL.get(scheme, {})).block_kind
        assert kind in info.blocks
        return
    assert find_status(type(refusal)) == 422
    assert isinstance(refusal, UnsupportedCombination)
    assert place_of(refusal)[:2] == (field, 0)
    match = re.search(r"that fit: (.*?)\.?$", refusal.message)
    assert match is not None, refusal.message
    for other in [] if match[1] == "none" else match[1].split(", "):
        assert refusal_of(scheme, field, other) is None


@EVERY_SCHEME
def test_exact_what_is_left_to_default_runs(scheme: str) -> None:
    result = run_kind(asking(scheme)).result

    assert len(result["comparisons"]) == 3
    assert not {entry["name"] for entry in result["not_applicable"]} & {
        *result["models"][next(iter(result["models"]))]["variances"],
        *result["omnibus"],
    }


def test_exact_methods_that_fit_again_are_never_default() -> None:
    assert all(method.info.by_request_only for method in REFIT_ESTIMATORS.values())
    assert PARAMS.keys() == {"quadratic"}
