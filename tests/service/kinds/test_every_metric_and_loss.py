"""Every metric and loss on every kind of block: right, or refused with those that fit."""

from __future__ import annotations

import math
import re
from itertools import product
from typing import Any

import pytest

from tests.cases import case
from tests.service.kinds.run_requests import place_of, run_kind
from tests.service.kinds.test_every_method_where_it_fits import numbers_in
from thetahat.errors import EvaluationError, UnsupportedCombination
from thetahat.losses import LOSSES
from thetahat.losses._regions import OF_REGIONS
from thetahat.metrics import METRICS
from thetahat_service.api.errors import find_status
from thetahat_service.kinds.fields.methods import build_method
from thetahat_service.kinds.registry import JOB_KINDS

N = 48
TRUTH = [(i * i + i // 7) % 2 for i in range(N)]
NOISE = [((37 * i) % 23) / 23 for i in range(N)]
SAID: dict[str, dict[str, Any]] = {
    "classes with scores": {
        "y": TRUTH,
        "predictions": {
            "a": [int(0.25 * t + 0.66 * e > 0.5) for t, e in zip(TRUTH, NOISE, strict=True)],
            "b": [int(e > 0.5) for e in NOISE],
        },
        "scores": {
            "a": [(3 * t + 8 * e) / 12 for t, e in zip(TRUTH, NOISE, strict=True)],
            "b": [min(max(e, 0.05), 0.95) for e in NOISE],
        },
    },
    "classes": {
        "y": TRUTH,
        "predictions": {
            "a": [int(0.25 * t + 0.66 * e > 0.5) for t, e in zip(TRUTH, NOISE, strict=True)],
            "b": [int(e > 0.5) for e in NOISE],
        },
    },
    "values": {
        "y": [t + e for t, e in zip(TRUTH, NOISE, strict=True)],
        "predictions": {"a": [t + 0.5 for t in TRUTH], "b": [0.3 + e for e in NOISE]},
    },
}
REGIONS: dict[str, dict[str, Any]] = {
    "sets": {"y": TRUTH, "sets": {"a": [[0], [0, 1], [], [1]] * 12, "b": [[1]] * N}},
    "limits": {
        "y": [t + e for t, e in zip(TRUTH, NOISE, strict=True)],
        "limits": {
            "a": {"lower": [e - 0.5 for e in NOISE], "upper": [e + 0.5 for e in NOISE]},
            "b": {"lower": [0.2] * N, "upper": [1.2] * N},
        },
    },
}
"""What losses of sets and limits are computed of, and no others."""
BLOCKS: dict[str, dict[str, Any]] = {
    "random": {"blocks": "random", "block": [i % 4 for i in range(N)]},
    "random, clusters": {
        "blocks": "random",
        "block": [i % 4 for i in range(N)],
        "cluster": [i // 4 for i in range(N)],
    },
    "random, repeats": {
        "blocks": "random",
        "block": [i % 4 for i in range(N)],
        "repeat": [i // 24 for i in range(N)],
        "instance": [i % 24 for i in range(N)],
    },
    "leave-one-out": {"blocks": "random", "block": list(range(N))},
    "source": {"blocks": "source", "block": [i % 6 for i in range(N)]},
    "source, one instance each": {"blocks": "source", "block": list(range(N))},
    "holdout": {"blocks": "holdout"},
    "holdout, clusters": {"blocks": "holdout", "cluster": [i // 4 for i in range(N)]},
    "subsamples": {
        "blocks": "subsamples",
        "block": [i // 8 for i in range(N)],
        "instance": [(5 * i) % 30 for i in range(N)],
        "n_train": 22,
    },
}
PARAMS: dict[str, dict[str, Any]] = {"cost_matrix": {"costs": {"0": {"1": 1.0}, "1": {"0": 5.0}}}}
RESAMPLES = {"n_resamples": 200}


def task_of(form: str) -> str:
    return "regression" if form == "values" else "classification"


def asking(form: str, blocks: str, **fields: Any) -> dict[str, Any]:
    loss = "squared" if form == "values" else "zero_one"
    nothing: dict[str, list[Any]] = {"variances": [], "intervals": [], "tests": []}
    of_form = {**SAID, **REGIONS}[form]
    body = {"kind": "predictions", **of_form, **BLOCKS[blocks], **nothing, "loss": loss}
    return {**body, **fields}


def refusal_of(body: dict[str, Any]) -> EvaluationError | None:
    kind = JOB_KINDS["predictions"]
    try:
        kind.check(kind.request.model_validate(body), {})
    except EvaluationError as refusal:
        return refusal
    return None


@pytest.mark.parametrize("name", METRICS)
def test_exact_a_metric_is_right_or_refused(name: str) -> None:
    for form, blocks in product(SAID, BLOCKS):
        with case(form, blocks):
            check_metric(name, blocks, form)


def check_metric(name: str, blocks: str, form: str) -> None:
    metric = METRICS[name]
    body = asking(form, blocks, metrics=[{"name": name, "params": RESAMPLES}])
    fits = metric.task == task_of(form) and (metric.uses != "scores" or "scores" in body)
    refusal = refusal_of(body)

    assert (refusal is None) == fits
    if refusal is not None:
        assert find_status(type(refusal)) == 422
        assert isinstance(refusal, UnsupportedCombination)
        assert place_of(refusal)[:2] == ("metrics", 0)
        match = re.search(r"Metrics that fit: (.*)\.$", refusal.message)
        assert match is not None
        for other in match[1].split(", "):
            assert refusal_of({**body, "metrics": [other]}) is None
        return
    result = run_kind(body).result
    assert all(math.isfinite(number) for number in numbers_in(result))
    for model in result["models"].values():
        values = model["metrics"][name]
        targets = {i["target"] for i in values["intervals"]}
        assert targets <= {target.value for target in metric.info.targets}
        low, high = metric.value_range
        value = values["estimate"][values["mean"]]
        assert value is None or low <= value <= high
        assert value is not None or values["cautions"]
        best = [i["target"] for i in values["intervals"] if i["recommended"]]
        assert len(best) == len(set(best))
        # The other intervals of r2 cover too rarely: with few rows none is recommended.
        is_without = name == "r2" and "it would rest on" in str(values["cautions"])
        assert (values["target"] in best) == (values["target"] in targets and not is_without)


@pytest.mark.parametrize("name", LOSSES)
def test_exact_a_loss_is_right_or_refused(name: str) -> None:
    for form in (*SAID, *REGIONS):
        with case(form):
            check_loss(name, form)


def check_loss(name: str, form: str) -> None:
    params = PARAMS.get(name, {})
    loss: Any = build_method(LOSSES, name, params, ("loss",))
    body = asking(form, "holdout", loss={"name": name, "params": params})
    # classes 0 and 1 are numbers too; values of a regression are no classes
    fits = (loss.task == "regression" or task_of(form) == "classification") and (
        loss.uses == "output" or "scores" in body
    )
    if form in REGIONS or loss.uses in OF_REGIONS:
        fits = form in REGIONS and loss.uses in {"regions", form}
    if name == "poisson_deviance" and form != "values":
        fits = False  # a prediction of 0 has no deviance

    refusal = refusal_of(body)

    assert (refusal is None) == fits, refusal
    if refusal is not None:
        assert find_status(type(refusal)) == 422
        return
    result = run_kind(body).result
    low, high = loss.value_range
    for model in result["models"].values():
        assert low <= model["mean"]["pooled"] <= high
