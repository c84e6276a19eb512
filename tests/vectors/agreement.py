"""Answers of the agreement of raters."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from tests.vectors.reading import Ask

SCALES = ("nominal", "ordinal", "interval")


def ask_about(ratings: Any, ask: Ask, **fields: Any) -> Any:
    """Return the result about raters, who are the columns of the ratings."""
    columns = {f"r{i}": list(column) for i, column in enumerate(zip(*ratings, strict=True))}
    return ask({"kind": "agreement", "ratings": columns, **fields})


def answer_raters(inputs: Mapping[str, Any], ask: Ask) -> dict[str, Any]:
    """Answer all coefficients of the raters."""
    ratings = inputs["ratings"]
    values = {value for row in ratings for value in row if value is not None}
    results = {scale: ask_about(ratings, ask, scale=scale) for scale in SCALES}
    coefficients = results["nominal"]["coefficients"]
    answer: dict[str, Any] = {
        f"krippendorff_alpha_{scale}": result["coefficients"]["krippendorff_alpha"]["estimate"]
        for scale, result in results.items()
    }
    for key, name in (("gwet_ac1", "gwet_ac1"), ("fleiss_kappa_with_missing", "fleiss_kappa")):
        found = coefficients[name]
        if found["estimate"] is not None:
            answer[key] = {
                "coefficient": found["estimate"],
                "standard_error": found["standard_error"],
            }
    alpha = coefficients["krippendorff_alpha"]
    answer["alpha_standard_error"] = alpha.get("standard_error")
    if len(ratings[0]) == 2:
        answer |= _answer_pair(results, ask, ratings, len(values))
    elif all(value is not None for row in ratings for value in row):
        answer["fleiss"] = coefficients["fleiss_kappa"]["estimate"]
    return answer


def _answer_pair(results: Any, ask: Ask, ratings: Any, n_values: int) -> dict[str, Any]:
    (pair,), (ordered,) = (results[scale]["pairs"] for scale in ("nominal", "ordinal"))
    kappa = pair["kappa"]
    answer = {"observed_agreement": pair["observed"]["estimate"]}
    if kappa["estimate"] is None:
        return {**answer, "kappa": None}
    answer["kappa_unweighted"] = kappa["estimate"]
    for weights in ("linear", "quadratic"):
        answer[f"kappa_{weights}"] = ordered[f"kappa_{weights}"]["estimate"]
    answer["kappa"] = {
        "kappa": kappa["estimate"],
        **{key: kappa[key] for key in ("standard_error", "lower", "upper")},
    }
    if n_values == 2:
        (against,) = ask_about(ratings, ask, truth="r0")["pairs"]
        for rate in ("sensitivity", "specificity"):
            answer[f"judge_{rate}"] = against[rate]["estimate"]
    return answer


def answer_counts(inputs: Mapping[str, Any], ask: Ask) -> dict[str, Any]:
    """Answer ratings that are known as numbers of raters who chose each category."""
    rows = [np.repeat(np.arange(len(row)), row).tolist() for row in inputs["counts"]]
    found = ask_about(rows, ask)["coefficients"]
    return {
        "fleiss_kappa": found["fleiss_kappa"]["estimate"],
        "krippendorff_alpha_nominal": found["krippendorff_alpha"]["estimate"],
    }
