"""Answers of means, differences and metrics by groups of rows."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from scipy import stats

from tests.vectors.reading import Ask
from thetahat.analyses.groups.columns import read_groupings
from thetahat.analyses.groups.gaps import find_gaps_to_whole, find_pair_gaps
from thetahat.analyses.groups.intervals import MeanEstimate, compute_group_tail, estimate_rate
from thetahat.analyses.groups.moments import compute_group_moments

NORMAL = 1e9
"""Degrees of freedom of the normal form of gaps, which the vectors have; results have t's."""


def answer_means(inputs: Mapping[str, Any], ask: Ask) -> dict[str, Any]:
    """Answer means by group with intervals that hold for all groups at once."""
    level, loss = inputs["level"], inputs["loss"]
    result = ask(
        {
            "kind": "losses",
            "blocks": "holdout",
            "level": level,
            "losses": {"m": loss},
            "groups": {"g": inputs["group"]},
        }
    )
    groups = result["models"]["m"]["groups"]["g"]
    items, worst = groups["items"], groups["worst"]
    levels = [item["group"]["g"] for item in items]
    values = np.array(loss, dtype=float)
    grouping = read_groupings({"g": inputs["group"]}, None, len(values))[0]
    moments = compute_group_moments(values, grouping.codes, grouping.n_groups)
    are_rates = set(loss) <= {0, 1}
    n_used = int((moments.n > 1).sum())
    quantile = float(stats.norm.ppf((1 + groups["simultaneous"]["level_of_each"]) / 2))
    ends = {
        label: item["interval"] and [item["interval"]["lower"], item["interval"]["upper"]]
        for label, item in zip(levels, items, strict=True)
    }
    answer: dict[str, Any] = {
        "levels": levels,
        "n": [item["n"] for item in items],
        "means": [item["mean"] for item in items],
        "sd": [
            None if n == 1 else math.sqrt(max(variance, 0.0) * n)
            for n, variance in zip(moments.n.tolist(), moments.variances.tolist(), strict=True)
        ],
        "max_normal_critical_value": quantile,
        "worst_mean_upper_bound": {"bound": worst["upper_bound"], "worst": worst["group"]["g"]},
        "sidak_t": ends,
        "lower": [each and each[0] for each in ends.values()],
        "upper": [each and each[1] for each in ends.values()],
    }
    if are_rates:  # the result has Wilson's; t and Clopper and Pearson's are of the same numbers
        tails = [
            compute_group_tail(level, n_used, dependent=False, one_sided=one_sided)
            for one_sided in (False, True)
        ]
        answer["wilson_sidak"] = ends
        answer["worst_rate_upper_bound_clopper_pearson"] = worst["upper_bound"]
        means = [
            MeanEstimate(mean, math.sqrt(variance), degrees) if variance > 0 else None
            for mean, variance, degrees in zip(
                moments.means, moments.variances, moments.degrees, strict=True
            )
        ]
        answer["sidak_t"] = {
            label: mean and list(mean.compute_ends(tails[0]))
            for label, mean in zip(levels, means, strict=True)
        }
        bounds = [mean.compute_bounds(tails[1])[1] if mean else -math.inf for mean in means]
        answer["worst_mean_upper_bound"] = {
            "bound": max(bounds),
            "worst": levels[int(np.argmax(bounds))],
        }
        exact: dict[str, list[float]] = {}
        for code, label in enumerate(levels):
            rate = estimate_rate(values[grouping.codes == code], None, None)
            assert rate is not None
            exact[label] = list(rate.compute_bounds(tails[0]))
        answer["clopper_pearson_sidak"] = exact
    return answer | _answer_tests(groups) | _answer_gaps(moments, level, levels)


def _answer_tests(groups: Any) -> dict[str, Any]:
    equal = groups["equal_means"]
    if equal["p_value"] is None:
        return {}
    numerator, denominator = equal["degrees_of_freedom"]
    return {
        "equal_means_welch": {
            "statistic.F": equal["statistic"],
            "parameter.num df": numerator,
            "parameter.denom df": denominator,
            "p.value": equal["p_value"],
        }
    }


def _answer_gaps(moments: Any, level: float, levels: list[str]) -> dict[str, Any]:
    degrees = np.where(np.isnan(moments.degrees), np.nan, NORMAL)
    large = replace(moments, degrees=degrees)
    answer = {}
    for key, find in (
        ("all_pairs_own_variance", find_pair_gaps),
        ("against_overall_own_variance", find_gaps_to_whole),
    ):
        found = find(large, 1 - level, np.random.default_rng(36))
        if found is None:
            continue
        names = [
            levels[gap.group]
            if gap.against is None
            else f"{levels[gap.group]} - {levels[gap.against]}"
            for gap in found.gaps
        ]
        columns: dict[str, list[Any]] = {
            "names": names,
            "estimate": [gap.estimate for gap in found.gaps],
            "lower": [gap.ends[0] for gap in found.gaps],
            "upper": [gap.ends[1] for gap in found.gaps],
        }
        answer[key] = {k: v[0] if len(v) == 1 else v for k, v in columns.items()}
    return answer


def answer_differences(inputs: Mapping[str, Any], ask: Ask) -> dict[str, Any]:
    """Answer differences of two models by group."""
    result = ask(
        {
            "kind": "losses",
            "blocks": "holdout",
            "level": inputs["level"],
            "losses": inputs["loss"],
            "groups": {"g": inputs["group"]},
        }
    )
    groups = result["comparisons"][0]["groups"]["g"]
    items, equal = groups["items"], groups["depends_on_group"]
    simultaneous = result["models"]["a"]["groups"]["g"]["simultaneous"]
    return {
        "levels": [item["group"]["g"] for item in items],
        "n": [item["n"] for item in items],
        "difference": [item["difference"] for item in items],
        "standard_error": [item["interval"]["standard_error"] for item in items],
        "critical_value_normal": float(stats.norm.ppf((1 + simultaneous["level_of_each"]) / 2)),
        "sidak_t": {
            item["group"]["g"]: [item["interval"]["lower"], item["interval"]["upper"]]
            for item in items
        },
        "equal_differences": {
            "chi_squared": equal["statistic"],
            "df": equal["degrees_of_freedom"],
            "p_value": equal["p_value"],
        },
        "lower": [item["interval"]["lower"] for item in items],
        "upper": [item["interval"]["upper"] for item in items],
    }


def answer_metrics(inputs: Mapping[str, Any], ask: Ask) -> dict[str, Any]:
    """Answer metrics by group; the share of positive predictions is a mean of 0 and 1.

    The difference of equalised odds is the larger one of its two parts, which results have.
    """
    groups = {"g": inputs["group"]}
    predicted = ask(
        {
            "kind": "predictions",
            "blocks": "holdout",
            "y": inputs["y"],
            "predictions": {"m": inputs["prediction"]},
            "loss": "zero_one",
            "metrics": ["recall", "specificity"],
            "groups": groups,
        }
    )["models"]["m"]
    selected = ask(
        {
            "kind": "losses",
            "blocks": "holdout",
            "better": "higher",
            "losses": {"m": inputs["prediction"]},
            "groups": groups,
        }
    )["models"]["m"]
    metrics = predicted["metrics"]
    overall = {
        "accuracy": 1 - predicted["mean"]["pooled"],
        "selection_rate": selected["mean"]["pooled"],
        "sensitivity": metrics["recall"]["estimate"]["pooled"],
        "false_positive_rate": 1 - metrics["specificity"]["estimate"]["pooled"],
    }
    by_group: dict[str, dict[str, float]] = {name: {} for name in overall}
    for item in predicted["groups"]["g"]["items"]:
        label = item["group"]["g"]
        by_group["accuracy"][label] = 1 - item["mean"]
        by_group["sensitivity"][label] = item["metrics"]["recall"]["estimate"]
        specificity = item["metrics"]["specificity"]["estimate"]
        by_group["false_positive_rate"][label] = 1 - specificity
    for item in selected["groups"]["g"]["items"]:
        by_group["selection_rate"][item["group"]["g"]] = item["mean"]
    found = predicted["groups"]["g"]
    largest, to_whole = (
        {
            "accuracy": abs(found[of_means]["largest"]["estimate"]),
            "selection_rate": abs(selected["groups"]["g"][of_means]["largest"]["estimate"]),
            "sensitivity": abs(found[of_metrics]["recall"]["largest"]["estimate"]),
            "false_positive_rate": abs(found[of_metrics]["specificity"]["largest"]["estimate"]),
        }
        for of_means, of_metrics in (
            ("gaps", "metric_gaps"),
            ("against_whole", "metrics_against_whole"),
        )
    )
    return {
        "by_group": by_group,
        "overall": overall,
        "gap_largest_minus_smallest": largest,
        "gap_to_overall": to_whole,
        "demographic_parity_difference": largest["selection_rate"],
        "equalised_odds_difference": max(largest["sensitivity"], largest["false_positive_rate"]),
    }
