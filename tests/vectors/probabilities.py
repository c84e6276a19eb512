"""Answers of predicted probabilities, prediction sets and prediction limits."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from scipy import stats
from scipy.special import logit

from tests.vectors.reading import Ask
from thetahat.numerics.recalibration import RecalibrationModel, fit_recalibration, profile_ends


def ask_about(inputs: Mapping[str, Any], ask: Ask, **options: Any) -> Any:
    """Return the result about the probabilities of one model or of several."""
    p = inputs["p"]
    return ask(
        {
            "kind": "predictions",
            "blocks": "holdout",
            "loss": "brier",
            "y": inputs["y"],
            "scores": p if isinstance(p, dict) else {"m": p},
            "classes": options.pop("classes", [0, 1]),
            "probabilities": {"bins": inputs.get("n_bins"), **options.pop("probabilities", {})},
            **options,
        }
    )


def answer_two_classes(inputs: Mapping[str, Any], ask: Ask) -> dict[str, Any]:
    """Answer the probabilities of one model."""
    result = ask_about(inputs, ask)
    return describe(result["models"]["m"]["probabilities"], inputs["y"], inputs["p"])


def describe(found: Any, y: list[int], p: list[float]) -> dict[str, Any]:
    """Return the numbers of the part about the probabilities of one model."""
    distinct = np.unique(p)
    places = distinct[:: max(1, len(distinct) // 16)]  # at which the vectors have the curve
    parts, curve, binned = found["parts"], found["curve"], found["binned"]
    answer: dict[str, Any] = {
        "brier": parts["brier"]["score"],
        "ece_equal_width_right_closed": binned["expected_calibration_error"],
        "calibration_in_the_large": found["in_the_large"]["estimate"],
        "spiegelhalter_z": found["spiegelhalter"]["statistic"],
        "corp_curve": {
            "predicted": places.tolist(),
            "recalibrated": np.interp(places, curve["predicted"], curve["recalibrated"]).tolist(),
        },
        "debiased_l2_15_equal_count_bins": binned["debiased_error"],
        "slope": found["recalibration"]["slope"]["estimate"],
    }
    names = ("miscalibration", "discrimination", "uncertainty", "score")
    answer["corp_brier"] = {name: parts["brier"][name] for name in names}
    if parts["log"]["score"] is not None:
        answer["log_loss"] = parts["log"]["score"]
        answer["corp_log"] = {name: parts["log"][name] for name in names}
    line = found["recalibration"]
    slope = line["slope"]
    if slope["estimate"] is not None:
        errors = line["model_standard_errors"]
        reach = float(stats.norm.ppf(0.975)) * errors["slope"]
        answer["calibration_slope_intercept"] = {
            "intercept": line["intercept"]["estimate"],
            "slope": slope["estimate"],
            "se_intercept": errors["intercept"],
            "se_slope": errors["slope"],
            "slope_wald_95": [slope["estimate"] - reach, slope["estimate"] + reach],
            "se_slope_robust": slope["standard_error"],
            "intercept_slope_one": line["intercept_slope_one"]["estimate"],
            "se_intercept_slope_one": errors["intercept_slope_one"],
        }
        ends = [slope["lower"], slope["upper"]]
        if slope["method"] != "profile_likelihood":  # from 200 rows on it is Wald's
            x = logit(p)
            design = np.column_stack([np.ones(len(x)), x])
            fit = fit_recalibration(
                RecalibrationModel(np.array(y, float), design, np.zeros(len(x)))
            )
            assert fit is not None
            profiled = profile_ends(fit, 1, float(stats.norm.ppf(0.975)))
            assert profiled is not None
            ends = list(profiled)
        answer["slope_profile_likelihood_95"] = ends
    return answer


def answer_three_classes(inputs: Mapping[str, Any], ask: Ask) -> dict[str, Any]:
    """Answer probabilities of three classes: of the top class, and of each class."""
    asked = {"each_class": True}
    result = ask_about(inputs, ask, classes=[0, 1, 2], probabilities=asked)
    of_log = ask_about(inputs, ask, classes=[0, 1, 2], loss="log", probabilities=asked)
    found = result["models"]["m"]["probabilities"]
    squares = [part["binned"]["debiased_squared_error"] for part in found["by_class"].values()]
    return {
        "top_label_ece_equal_width": found["binned"]["expected_calibration_error"],
        "uc_marginal_debiased_l2": math.sqrt(sum(squares) / len(squares)),
        "uc_top_label_debiased_l2": found["binned"]["debiased_error"],
        "brier_multi_class": result["models"]["m"]["mean"]["pooled"],
        "log_loss": of_log["models"]["m"]["mean"]["pooled"],
        "accuracy": found["rate"],
        "mean_confidence": found["mean_probability"],
    }


def answer_two_models(inputs: Mapping[str, Any], ask: Ask) -> dict[str, Any]:
    """Answer the probabilities of two models and the difference of their scores."""
    result = ask_about(inputs, ask)
    answer: dict[str, Any] = {
        name: describe(result["models"][name]["probabilities"], inputs["y"], inputs["p"][name])
        for name in ("a", "b")
    }
    score = result["comparisons"][0]["probabilities"]["parts"]["brier"]["score"]
    return {
        **answer,
        "brier_difference": score["estimate"],
        "brier_difference_standard_error": score["standard_error"],
    }


def answer_rates(inputs: Mapping[str, Any], ask: Ask) -> dict[str, Any]:
    """Answer the rates at a threshold, of rows in clusters."""
    asked = {"thresholds": [inputs["threshold"]]}
    result = ask_about(inputs, ask, cluster=inputs["cluster"], probabilities=asked)
    (found,) = result["models"]["m"]["probabilities"]["thresholds"]
    keys = ("estimate", "n", "clusters", "standard_error")
    return {
        rate: {key: found[rate][key] for key in keys}
        for rate in ("sensitivity", "specificity", "ppv", "npv")
    }


def answer_limits(inputs: Mapping[str, Any], ask: Ask) -> dict[str, Any]:
    """Answer prediction limits: how many hold the outcome, their width and their score."""
    width = np.subtract(inputs["upper"], inputs["lower"])
    third = np.empty(len(width), dtype=int)
    for place, rows in enumerate(np.array_split(np.argsort(width, kind="stable"), 3)):
        third[rows] = place
    body = {
        "kind": "predictions",
        "blocks": "holdout",
        "y": inputs["y"],
        "limits": {"m": {"lower": inputs["lower"], "upper": inputs["upper"]}},
        "groups": {"g": inputs["group"], "third": third.tolist()},
    }
    missed, wide = (ask({**body, "loss": loss})["models"]["m"] for loss in ("miscoverage", "size"))
    score = {"name": "interval_score", "params": {"alpha": inputs["alpha"]}}
    scored = ask({**body, "loss": score})["models"]["m"]
    interval = missed["recommended"]["these_models"]
    by = {
        column: {item["group"][column]: 1 - item["mean"] for item in part["items"]}
        for column, part in missed["groups"].items()
    }
    return {
        "coverage": 1 - missed["mean"]["pooled"],
        "mean_width": wide["mean"]["pooled"],
        "winkler_interval_score": scored["mean"]["pooled"],
        "size_stratified_coverage_3_bins": [by["third"][place] for place in range(3)],
        "coverage_by_group": by["g"],
        "coverage_wilson_95": [1 - interval["upper"], 1 - interval["lower"]],
    }


def answer_sets(inputs: Mapping[str, Any], ask: Ask) -> dict[str, Any]:
    """Answer prediction sets: how many hold the outcome, and their size."""
    sets = [[code for code, is_in in enumerate(row) if is_in] for row in inputs["sets"]]
    body = {
        "kind": "predictions",
        "blocks": "holdout",
        "y": inputs["y"],
        "sets": {"m": sets},
        "groups": {"g": inputs["group"], "size": [len(labels) for labels in sets]},
    }
    missed, large = (ask({**body, "loss": loss}) for loss in ("miscoverage", "size"))
    model = missed["models"]["m"]
    by = {
        column: {item["group"][column]: 1 - item["mean"] for item in part["items"]}
        for column, part in model["groups"].items()
    }
    (empty,) = [item for item in model["groups"]["size"]["items"] if item["group"]["size"] == 0]
    return {
        "coverage": 1 - model["mean"]["pooled"],
        "mean_size": large["models"]["m"]["mean"]["pooled"],
        "empty_sets": empty["n"],
        "size_stratified_coverage": [by["size"][size] for size in sorted(by["size"])],
        "coverage_by_group": by["g"],
    }
