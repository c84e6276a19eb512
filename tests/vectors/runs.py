"""Answers of several runs of each item."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from tests.vectors.reading import Ask
from thetahat.analyses.runs.components import split_variance
from thetahat.analyses.runs.pass_at import compute_pass_at
from thetahat.analyses.runs.values import RunValues


def flatten(scores: Any) -> list[float]:
    """Return the values of all runs, item by item."""
    return [value for row in scores for value in row]


def list_items(scores: Any) -> list[int]:
    """Return the item of each value."""
    return [item for item, row in enumerate(scores) for _ in row]


def list_runs(scores: Any) -> list[int]:
    """Return the run of each value."""
    return [run for row in scores for run in range(len(row))]


def ask_about(scores: Any, ask: Ask, **fields: Any) -> Any:
    """Return the result about the values of one model or of two."""
    losses = {m: flatten(rows) for m, rows in scores.items()}
    first = next(iter(scores.values()))
    return ask(
        {
            "kind": "losses",
            "blocks": "holdout",
            "losses": losses,
            "include": ["variances", "intervals"],
            **(fields or {"item": list_items(first)}),
        }
    )


def answer_nested(inputs: Mapping[str, Any], ask: Ask) -> dict[str, Any]:
    """Answer components of runs that have nothing to do with those of other items."""
    scores = inputs["scores"]
    model = ask_about({"m": scores}, ask)["models"]["m"]
    pooled = ask_about({"m": scores}, ask, cluster=list_items(scores))["models"]["m"]
    parts = {name: part["variance"] for name, part in model["runs"]["components"].items()}
    error = model["variances"]["iid"]["standard_error"]
    n = np.array([len(row) for row in scores])
    k0 = (n.sum() - (n**2).sum() / n.sum()) / (len(n) - 1)
    answer = {
        "anova": {
            # the mean square between items is that of its two components
            "between_mean_square": parts["residual"] + k0 * parts["item"],
            "within_mean_square": parts["residual"],
            "k0": k0,
            "item_variance": parts["item"],
            "run_variance": parts["residual"],
        },
        "mean_of_item_means": model["mean"]["pooled"],
        "standard_error_over_items": error,
        "pooled_mean": pooled["mean"]["pooled"],
    }
    if len(set(n.tolist())) == 1:  # CR1 of the vectors is our CR2 where clusters are equal
        clustered = pooled["variances"]["cluster_robust"]["standard_error"]
        answer["cluster_robust_standard_error_of_pooled_mean"] = clustered
    if parts["item"] > 0 and len(set(n.tolist())) == 1:
        answer["reml"] = {"item": parts["item"], "residual": parts["residual"]}
        answer["mean_reml"] = model["mean"]["pooled"]
        answer["standard_error_of_mean_reml"] = error
    if len(set(n.tolist())) == 1:
        answer["icc"] = list_correlations(scores, ask)
    return answer


def list_correlations(scores: Any, ask: Ask) -> dict[str, float]:
    """Return the six intraclass correlations, which are shares of the components."""
    items, run = list_items(scores), list_runs(scores)
    nested, crossed = (
        {
            name: part["variance"]
            for name, part in ask_about({"m": scores}, ask, item=items, **more)["models"]["m"][
                "runs"
            ]["components"].items()
        }
        for more in ({}, {"run": run})
    )
    found = {}
    for suffix, n_runs in (("", 1), ("k", len(scores[0]))):
        one, rest = nested["item"], nested["residual"] / n_runs
        found[f"ICC1{suffix}"] = one / (one + rest)
        one, rest = crossed["item"], crossed["residual"] / n_runs
        found[f"ICC3{suffix}"] = one / (one + rest)
        found[f"ICC2{suffix}"] = one / (one + crossed["run"] / n_runs + rest)
    return found


def answer_crossed(inputs: Mapping[str, Any], ask: Ask) -> dict[str, Any]:
    """Answer components of runs that all items have in common."""
    scores = inputs["scores"]
    columns = {"item": list_items(scores), "run": list_runs(scores)}
    model = ask_about({"m": scores}, ask, **columns)["models"]["m"]
    runs = model["runs"]
    parts = {name: part["variance"] for name, part in runs["components"].items()}
    n_items, n_runs = len(scores), len(scores[0])
    split = split_variance(
        RunValues(np.array(flatten(scores)), *(np.array(column) for column in columns.values()))
    )
    assert split is not None
    sizes = ((2 * n_items, n_runs), (n_items, 2 * n_runs))
    of_runs, noise = (parts[key] / n_runs for key in ("run", "residual"))
    return {
        "anova": {
            "mean_square_items": n_runs * parts["item"] + parts["residual"],
            "mean_square_runs": n_items * parts["run"] + parts["residual"],
            "mean_square_residual": parts["residual"],
            "item_variance": parts["item"],
            "run_variance": parts["run"],
            "residual_variance": parts["residual"],
        },
        "variance_of_mean_both_random": runs["standard_error_of_new_runs"] ** 2,
        "generalizability_coefficient": parts["item"] / (parts["item"] + noise),
        "dependability_coefficient": parts["item"] / (parts["item"] + of_runs + noise),
        "plan_variance_of_mean": {
            f"{items}x{n}": split.compute_variance_of_mean(items, n, new_runs=True)
            for items, n in sizes
        },
        "reml": {key: parts[key] for key in ("item", "run", "residual")},
        "mean_reml": model["mean"]["pooled"],
        "standard_error_of_mean_reml": runs["standard_error_of_new_runs"],
        "icc": list_correlations(scores, ask),
    }


def answer_pass_at(inputs: Mapping[str, Any], ask: Ask) -> dict[str, Any]:
    """Answer the chance that k of n runs hold a success; each item has its own k."""
    found = [
        float(compute_pass_at(np.array([n]), np.array([c]), k)[0])
        for n, c, k in zip(inputs["n"], inputs["c"], inputs["k"], strict=True)
    ]
    return {"per_item": [None if math.isnan(value) else value for value in found]}


def answer_benchmark(inputs: Mapping[str, Any], ask: Ask) -> dict[str, Any]:
    """Answer the mean of that chance over items."""
    wrong = [[0] * c + [1] * (n - c) for n, c in zip(inputs["n"], inputs["c"], strict=True)]
    fields = {"item": list_items(wrong), "pass_at": inputs["k"]}
    found = ask_about({"m": wrong}, ask, **fields)["models"]["m"]["runs"]["pass_at"]
    return {
        k: {
            "mean": rate["estimate"],
            "standard_error_over_items": rate["standard_error"],
            "t_interval_95": [rate["lower"], rate["upper"]],
        }
        for k, rate in found.items()
    }


def answer_pair(inputs: Mapping[str, Any], ask: Ask) -> dict[str, Any]:
    """Answer the difference of two models over items with runs."""
    (pair,) = ask_about(inputs["scores"], ask)["comparisons"]
    error, share = pair["variances"]["iid"]["standard_error"], pair["runs"]["share_of_runs"]
    n_items = len(inputs["scores"]["a"])
    return {
        "difference": pair["difference"],
        "standard_error_over_items": error,
        "share_of_variance_from_runs": share,
        "variance_of_true_item_differences": (1 - share) * n_items * error**2,
    }
