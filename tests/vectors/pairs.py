"""Answers of ratios, win rates and published scores."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from scipy import stats

from tests.vectors.reading import Ask
from thetahat import compute_ladder
from thetahat.numerics.fieller import MeansOfPair, find_ratios


def ask_about(inputs: Mapping[str, Any], ask: Ask) -> Any:
    """Return the result with the parts about pairs."""
    return ask(
        {
            "kind": "losses",
            "blocks": "holdout",
            "losses": inputs["loss"],
            "level": inputs["level"],
            "include": ["relative", "wins"],
        }
    )


def answer_ratio(inputs: Mapping[str, Any], ask: Ask) -> dict[str, Any]:
    """Answer the ratio of two mean losses."""
    relative = ask_about(inputs, ask)["comparisons"][0]["relative"]
    mean_a, mean_b = relative["mean_a"], relative["mean_b"]
    answer = {"mean_a": mean_a, "mean_b": mean_b}
    a, b = (np.array(inputs["loss"][name], dtype=float) for name in ("a", "b"))
    if min(a.min(), b.min()) >= 0:
        return answer | {
            "ratio": relative["ratio"],
            "relative_difference": relative["change"],
            "fieller_g": relative["g"],
            "fieller": [relative["lower"], relative["upper"]],
        }
    # The result has no ratio of values below 0, whose means may be negative; Fieller's set has one.
    assert (relative["ratio"], relative["change"], relative["shape"]) == (None, None, None)
    (v_a, c), (_, v_b) = (np.cov(a, b) / len(a)).tolist()
    means = MeansOfPair(a=mean_a, b=mean_b, variance_a=v_a, variance_b=v_b, covariance=c)
    found = find_ratios(means, float(stats.t.ppf((1 + inputs["level"]) / 2, len(a) - 1)))
    ends = [found.lower, found.upper]
    answer |= {"ratio": mean_a / mean_b, "relative_difference": mean_a / mean_b - 1}
    if found.shape == "interval":
        return answer | {"fieller_g": found.g, "fieller": ends}
    shape = found.shape.replace("_", " ")
    return answer | {
        "fieller_g": found.g,
        "fieller": None,
        "fieller_shape": shape,
        "fieller_roots": ends,
    }


def answer_win_rate(inputs: Mapping[str, Any], ask: Ask) -> dict[str, Any]:
    """Answer on how many rows a model is better."""
    result = ask_about(inputs, ask)
    wins = result["comparisons"][0]["wins"]
    n, rate, error = wins["a"] + wins["b"] + wins["ties"], wins["win_rate"], wins["standard_error"]
    reach = float(stats.t.ppf((1 + inputs["level"]) / 2, n - 1)) * error
    return {
        **{f"mean_{name}": result["models"][name]["mean"]["pooled"] for name in ("a", "b")},
        "wins_of_a": wins["a"],
        "ties": wins["ties"],
        "losses_of_a": wins["b"],
        "win_rate_ties_half": rate,
        "standard_error": error,
        "sign_test_exact_p": wins["p_value"],
        "net_win_rate": 2 * rate - 1,
        "t_interval_ties_half": [rate - reach, rate + reach],
    }


def answer_ladder(inputs: Mapping[str, Any], ask: Ask) -> dict[str, Any]:
    """Answer the published scores of submissions; tests of the service send them one by one."""
    y = np.array(inputs["y"])
    losses = [(np.array(each) != y).astype(float) for each in inputs["submissions"]]
    return {
        "plain_losses": [float(each.mean()) for each in losses],
        "parameter_free": compute_ladder(losses),
        "fixed_step_rounded_to_step": compute_ladder(losses, inputs["step"]),
    }
