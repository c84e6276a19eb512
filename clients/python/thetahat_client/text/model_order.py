"""The order of the models in tables, and how many of them are shown."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

MOST_MODELS: Final = 15
"""Rows of a table of models, unless all are asked for."""


def sort_models(result: Mapping[str, Any]) -> list[str]:
    """Return the names of the models, the best first; those of an undefined mean last."""
    models: Mapping[str, Any] = result["models"]
    ranked = [str(model["name"]) for model in (result.get("summary") or {}).get("models", ())]
    sign = -1.0 if is_higher_better(result) else 1.0
    unranked = [name for name in models if name not in ranked]
    return [name for name in ranked if name in models] + sorted(
        unranked, key=lambda name: _sort_key(models[name], sign)
    )


def find_best_model(result: Mapping[str, Any]) -> str:
    """Return the name of the model with the best mean."""
    summary = result.get("summary") or {}
    return str(summary.get("best_model") or sort_models(result)[0])


def is_higher_better(result: Mapping[str, Any]) -> bool:
    """Return what the summary says; of an older release, whether its models go from high to low."""
    better = (result.get("summary") or {}).get("better")
    if better is not None:
        return bool(better == "higher")
    estimates = [model["estimate"] for model in (result.get("summary") or {}).get("models", ())]
    defined_estimates = [estimate for estimate in estimates if estimate is not None]
    return len(defined_estimates) > 1 and defined_estimates[0] > defined_estimates[-1]


def _sort_key(model: Mapping[str, Any], sign: float) -> float:
    mean = (model.get("mean") or {}).get("macro")
    return float("inf") if mean is None else sign * mean
