"""Answers of labels with the grades of a judge."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from scipy import stats

from tests.vectors.reading import Ask


def ask_about(inputs: Mapping[str, Any], ask: Ask, weight: Any = "tuned", **fields: Any) -> Any:
    """Return the part of the result about the model, or about the pair."""
    labels, grades, others = (
        inputs[key] for key in ("labelled", "judge_on_labelled", "judge_on_unlabelled")
    )
    is_pair = isinstance(labels, dict)
    named = labels if is_pair else {"m": labels}
    body = {
        "kind": "losses",
        "blocks": "holdout",
        "better": "lower",
        "level": inputs["level"],
        "include": ["variances"],
        "losses": {
            m: [*values, *[None] * len(others[m] if is_pair else others)]
            for m, values in named.items()
        },
        "judge": {
            "losses": {m: [*grades[m], *others[m]] for m in named}
            if is_pair
            else {"m": [*grades, *others]},
            "lambda": weight,
            **fields.pop("judge", {}),
        },
        **fields,
    }
    result = ask(body)
    return result["comparisons"][0] if is_pair else result["models"]["m"]


def answer_mean(inputs: Mapping[str, Any], ask: Ask) -> dict[str, Any]:
    """Answer a mean, or a difference of two models, with three weights of the judge."""
    tuned, plain = ask_about(inputs, ask), ask_about(inputs, ask, 1.0)
    judge = tuned["judge"]
    alone = judge["labels_only"]

    def describe(found: Any) -> dict[str, Any]:
        # where labels are few the estimate is there, and another interval is recommended
        estimate = found["variances"]["prediction_powered"]
        error, degrees = estimate["standard_error"], estimate["degrees_of_freedom"]
        reach = float(stats.t.ppf((1 + inputs["level"]) / 2, degrees)) * error
        part = found["judge"]["prediction_powered"]
        ends = [estimate["estimate"] - reach, estimate["estimate"] + reach]
        if part is not None:
            ends = [part["lower"], part["upper"]]
        return {
            "lambda": found["judge"]["lambda"],
            "estimate": estimate["estimate"],
            "standard_error": error,
            "interval_t_n_minus_1": ends,
        }

    answer = {
        "labels_only": {key: alone[key] for key in ("estimate", "standard_error")},
        "judge_only": judge["judge_only"]["estimate"],
        "bias_of_judge_on_labelled": judge["judge_only"]["bias"]["estimate"],
        "lambda_1": describe(plain),
        "tuned": describe(tuned),
        "labels_only_interval": [alone["lower"], alone["upper"]],
    }
    for rate in ("sensitivity", "specificity"):
        if rate in judge.get("agreement", {}):
            answer[f"judge_{rate}"] = judge["agreement"][rate]["estimate"]
    return answer


def answer_strata(inputs: Mapping[str, Any], ask: Ask) -> dict[str, Any]:
    """Answer a mean over strata."""
    stratum = [*inputs["stratum"], *inputs["stratum_of_unlabelled"]]
    answer: dict[str, Any] = {}
    for key, weight in (("lambda_1", 1.0), ("tuned", "tuned")):
        judge = {"stratum": stratum, "sampled": "stratified"}
        found = ask_about(inputs, ask, weight, judge=judge)
        estimate = found["variances"]["prediction_powered"]
        answer[key] = {name: estimate[name] for name in ("estimate", "standard_error")}
    answer["tuned"]["lambda_by_stratum"] = found["judge"]["lambda_by_stratum"]
    return answer


def answer_clusters(inputs: Mapping[str, Any], ask: Ask) -> dict[str, Any]:
    """Answer a mean over rows of whole clusters that were labelled or not."""
    cluster = [*inputs["cluster"], *inputs["cluster_of_unlabelled"]]
    answer: dict[str, Any] = {}
    for key, weight in (("lambda_1", 1.0), ("given_lambda", 0.4622762324727), ("tuned", "tuned")):
        found = ask_about(inputs, ask, weight, cluster=cluster)
        estimate = found["variances"]["prediction_powered_clusters"]
        answer[key] = {
            "estimate_pooled": estimate["estimate"],
            "standard_error": estimate["standard_error"],
            "lambda": found["judge"]["lambda"],
        }
    return answer


def answer_folds(inputs: Mapping[str, Any], ask: Ask) -> dict[str, Any]:
    """Answer a mean whose judge was trained on the labels in folds."""
    n = len(inputs["judge_on_unlabelled_by_fold"][0])
    by_fold = [
        [*inputs["judge_on_labelled"], *others] for others in inputs["judge_on_unlabelled_by_fold"]
    ]
    result = ask(
        {
            "kind": "losses",
            "blocks": "holdout",
            "better": "lower",
            "level": inputs["level"],
            "include": ["variances"],
            "losses": {"m": [*inputs["labelled"], *[None] * n]},
            "judge": {
                "losses_by_fold": {"m": by_fold},
                "fold": [*inputs["fold"], *[None] * n],
                "lambda": 1.0,
            },
        }
    )
    model = result["models"]["m"]
    found, interval = model["variances"]["prediction_powered"], model["recommended"]["these_models"]
    return {
        "estimate": found["estimate"],
        "standard_error": found["standard_error"],
        "interval": [interval["lower"], interval["upper"]],
    }
