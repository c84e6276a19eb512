"""Sixty results of every kind: few and many models, gates, ties, failures, sources and clusters."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, Final

import numpy as np

from tests.golden.write_shown import EXAM_FILE, NAMES, read_case
from tests.service.kinds.test_examples import compute
from thetahat_service.in_process.evaluation import evaluate_in_process
from thetahat_service.in_process.files import open_file

Json = dict[str, Any]

FOLDER: Final = Path("tests/golden/requests")
RECORDED: Final = (
    "cross_validation_failures",
    "cross_validation_scheme_holdout",
    "cross_validation_target_logistic",
    "importance_weighting_learners",
    "learning_curve_sources",
    "losses_control_less_margin",
    "losses_correction_none",
    "losses_five_by_two",
    "losses_greater_level",
    "losses_holdout_clusters",
    "losses_holdout_one_instance",
    "losses_holdout_paired_rates",
    "losses_leave_one_out",
    "losses_many_models_all_omnibus",
    "losses_many_models_brief",
    "losses_margin_equivalent",
    "losses_one_model",
    "losses_random_clusters",
    "losses_random_repeats",
    "losses_random_two_blocks",
    "losses_source_one_instance_each",
    "losses_source_ragged",
    "losses_source_repeats",
    "losses_split_scores_sources",
    "losses_subsamples",
    "losses_target_new_source",
    "losses_unit_block",
    "losses_weights_source",
    "losses_zero_variance",
    "losses_zero_variance_equal",
    "predictions_holdout_metrics",
    "predictions_source_metrics",
    "selection_by_roc_auc",
    "selection_grids",
    "selection_nested",
    "weights_logistic",
)
"""Requests of the golden numbers."""
GATES: Final[Mapping[str, tuple[str, str, str]]] = {
    "pass": ("a", "c", "better"),
    "fail": ("c", "a", "not_worse"),
    "undecided": ("a", "b", "better"),
}
"""Models and requirement of a gate with each outcome."""
SHAPES: Final[Mapping[str, tuple[int, Json]]] = {
    "two on a holdout": (2, {"blocks": "holdout"}),
    "two in folds": (2, {"blocks": "random", "margin": 0.5}),
    "two scores of schools": (2, {"blocks": "source", "unit": "school", "better": "higher"}),
    "three of hospitals": (3, {"blocks": "source", "unit": "hospital", "margin": 0.2}),
    "three with intervals of one side": (3, {"blocks": "random", "alternative": "less"}),
    "nine in folds": (9, {"blocks": "random"}),
    "nine of sources": (9, {"blocks": "source"}),
    "twenty on a holdout": (20, {"blocks": "holdout", "margin": 0.3}),
    "twenty of sources": (20, {"blocks": "source", "include": ["omnibus"]}),
}
"""Number of models and fields of a request."""
EXAM_GATE: Final = "exam with a gate that fails"


def list_names() -> list[str]:
    """Return the names of all results."""
    gates = [f"gate: {outcome}" for outcome in GATES]
    return [*NAMES, *RECORDED, *SHAPES, *gates, "identical", EXAM_GATE]


@cache
def find_result(name: str) -> tuple[Json, Json]:
    """Return the request and the result of a name."""
    if name in NAMES:
        return read_case(name)
    if name == EXAM_GATE:
        return _gate_exam()
    request = _build_request(name)
    return request, compute(request)


def _build_request(name: str) -> Json:
    if name in RECORDED:
        recorded: Json = json.loads((FOLDER / f"{name}.json").read_text())
        return recorded
    if name in SHAPES:
        n_models, fields = SHAPES[name]
        return _build_losses(n_models, **fields)
    if name == "identical":
        request = _build_losses(1, blocks="random")
        request["losses"]["b"] = request["losses"]["a"]
        return request
    model, against, require = GATES[name.removeprefix("gate: ")]
    gate = {"model": model, "against": against, "require": require}
    return _build_losses(3, blocks="source", unit="clinic", margin=0.05, gate=gate)


def _build_losses(n_models: int, **fields: Any) -> Json:
    """Return a request with models of which ``a`` and ``b`` differ little, and others more."""
    rng = np.random.default_rng(20_261_126)
    base = rng.normal(2.0, 0.4, size=(8, 15))
    losses = {
        chr(ord("a") + place): base
        + 0.2 * max(place - 1, 0)
        + rng.normal(0, 0.2, size=base.shape)
        + rng.normal(0, 0.05, size=(8, 1))
        for place in range(n_models)
    }
    is_flat = fields["blocks"] == "holdout"
    values = {n: (each.ravel() if is_flat else each).tolist() for n, each in losses.items()}
    return {"kind": "losses", "seed": 1, "losses": values, **fields}


def _gate_exam() -> tuple[Json, Json]:
    request, _ = read_case("exam")
    gate = {"model": "neighbours", "against": "ridge", "require": "not_worse"}
    request = {**request, "margin": 0.02, "gate": gate}
    with open_file(EXAM_FILE, "text/csv") as data:
        return request, evaluate_in_process(request, data).result
