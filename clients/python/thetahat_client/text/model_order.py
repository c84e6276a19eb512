"""The order of the models in tables, and how many of them are shown."""

from __future__ import annotations

from typing import Final

from thetahat_client.result_types import ModelsResult, find_summary, list_best_models
from thetahat_client.results import ModelResultDict

MOST_MODELS: Final = 15
"""Rows of a table of models, unless all are asked for."""


def sort_models(result: ModelsResult) -> list[str]:
    """Return the names of the models, the best first; those of an undefined mean last."""
    models = result["models"]
    ranked = [model["name"] for model in list_best_models(result)]
    sign = -1.0 if is_higher_better(result) else 1.0
    unranked = [name for name in models if name not in ranked]
    return [name for name in ranked if name in models] + sorted(
        unranked, key=lambda name: _sort_key(models[name], sign)
    )


def find_best_model(result: ModelsResult) -> str:
    """Return the name of the model with the best mean."""
    summary = find_summary(result)
    return sort_models(result)[0] if summary is None else summary["best_model"]


def is_higher_better(result: ModelsResult) -> bool:
    """Return what the summary says; of an older release, whether its models go from high to low."""
    summary = find_summary(result)
    if summary is None:
        return False
    if "better" in summary:
        return summary["better"] == "higher"
    estimates: list[float | None] = [model["estimate"] for model in summary["models"]]
    defined_estimates = [estimate for estimate in estimates if estimate is not None]
    return len(defined_estimates) > 1 and defined_estimates[0] > defined_estimates[-1]


def _sort_key(model: ModelResultDict, sign: float) -> float:
    if "mean" not in model:
        return float("inf")
    mean: float | None = model["mean"]["macro"]
    return float("inf") if mean is None else sign * mean
