"""What an evaluation or a series does, by the fields of a protocol.

What is missing is not known: before the result is there, or because nothing shows it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from thetahat.schemes import SCHEMES
from thetahat.values.types import BlockKind
from thetahat_service.json_types import JsonObject
from thetahat_service.kinds.fields.analysis import AnalysisRequest
from thetahat_service.protocols.request import SERIES, complete_method

MODEL_FIELDS: Final = ("losses", "split_scores", "predictions", "scores", "learners")
"""Fields of requests, and of their columns, whose keys or items are models."""
TESTS: Final = "tests"
INTERVALS: Final = "intervals"
LOSSES: Final = "losses"
NO_INTERVAL: Final = "none"

Facts = dict[str, Any]


class SoFar(int):
    """Rows of a series, which may become more."""


def read_request_facts(request: AnalysisRequest) -> Facts:
    """Return what the request of an evaluation says."""
    facts: Facts = {
        "kinds": request.kind,
        "margin": request.margin,
        "level": request.level,
        "alternative": request.alternative.value,
        "require": None if request.requirement is None else request.requirement.value,
        "cheaper_by": None if request.gate is None else request.gate.cheaper_by,
        "group_by": _list_groupings(request),
        **_read_roles(request),
        **_read_layout(request),
    }
    models, metric = _list_models(request), _find_metric(request)
    if models is not None:
        facts["models"] = models
    if metric is not None:
        facts["metric"] = metric
    if request.target is not None:
        facts["target"] = request.target.value
    for name in ("better", "seeds"):
        value = getattr(request, name, None)
        if value is not None:
            facts[name] = value
    return facts


def read_result_facts(request: AnalysisRequest, result: Mapping[str, Any]) -> Facts:
    """Return what the request and the result of an evaluation say."""
    facts = read_request_facts(request)
    summary, pairs = result["summary"], result["comparisons"]
    models = [*result["models"], *result.get("failures", ())]
    named = result["provenance"]["methods"]
    losses = [each["name"] for each in named if each["family"] == LOSSES]
    facts |= {
        "models": models,
        "better": summary["better"],
        "target": summary["target"],
        "correction": None if len(pairs) < 2 else request.choices.get_correction(len(models)),
        "test": [each["name"] for each in named if each["family"] == TESTS],
        "rows": max((model["n"] for model in result["models"].values()), default=0),
    }
    if pairs:
        used = (pair["verdict"]["method"] or NO_INTERVAL for pair in pairs)
        facts["interval"] = list(dict.fromkeys(used))
    if losses:
        facts["metric"] = losses[0]
    return facts


def read_series_facts(fixed: JsonObject) -> Facts:
    """Return what the request of a series says, with all its defaults."""
    series: Any = fixed
    models = series["models"]
    facts = {name: series[name] for name in ("models", "better", "margin", "level")}
    facts |= {
        "kinds": SERIES,
        "new": models[0],
        "clusters": series["unit"] == "cluster",
        "rows": SoFar(0),
        "series": {name: series[name] for name in ("method", "stop", "reference")},
    }
    if len(models) > 1:
        facts["old"] = models[1]
    return facts


def _read_roles(request: AnalysisRequest) -> Facts:
    """Return the roles of models, as far as the request gives them."""
    if request.gate is not None:
        return {"new": request.gate.model, "old": request.gate.against}
    return {} if request.control is None else {"old": request.control}


def _list_models(request: AnalysisRequest) -> list[str] | None:
    """Return the models that a request names; None where only the files do."""
    named: dict[str, None] = {}
    for part in (request, getattr(request, "columns", None)):
        for field in MODEL_FIELDS:
            named |= dict.fromkeys(getattr(part, field, None) or ())
    return list(named) or None


def _list_groupings(request: AnalysisRequest) -> list[str | list[str]]:
    """Return the group columns and intersections by which a request describes models."""
    chosen: list[str | list[str]] | None = getattr(request, "group_by", None)
    if chosen is not None:
        return chosen
    parts = (request, *(getattr(request, name, None) for name in ("columns", "data", "logs")))
    return [name for part in parts for name in getattr(part, "groups", None) or ()]


def _find_metric(request: AnalysisRequest) -> str | None:
    loss, logs = getattr(request, "loss", None), getattr(request, "logs", None)
    if logs is not None:
        return str(logs.score)
    return loss if loss is None or isinstance(loss, str) else str(loss.name)


def _read_layout(request: AnalysisRequest) -> Facts:
    """Return the scheme or the blocks, and whether there are clusters."""
    logs, scheme = getattr(request, "logs", None), getattr(request, "scheme", None)
    parts: Sequence[Any] = [
        request,
        *(getattr(request, name, None) for name in ("columns", "data", "logs")),
    ]
    facts: Facts = {"clusters": any(getattr(part, "cluster", None) is not None for part in parts)}
    if scheme is not None and any(getattr(part, "fold", None) is not None for part in parts):
        return facts  # the folds were made elsewhere
    if scheme is not None:
        facts["scheme"] = complete_method(SCHEMES, scheme, "scheme")
    elif logs is None:
        blocks = getattr(request, "blocks", None)
        facts["blocks"] = (blocks or BlockKind.RANDOM).value
    return facts
