"""Importance weights, and the risks that they give, as text."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from thetahat_client.text.page import Page, format_interval, format_number

FIELDS: Final = {
    "mean": "mean weight (near 1 if the ratio is estimated well)",
    "variance": "variance",
    "largest": "largest",
    "largest_share": "share of the largest in the sum",
    "effective_sample_size": "effective sample size",
    "share_above_10": "share above 10",
    "share_zero": "share of zeros",
    "coverage": "share of target rows with source rows nearby",
}


def write_weights(result: Mapping[str, Any], page: Page) -> str:
    """Return the diagnostics of the weights, one a row."""
    weights: Mapping[str, Any] = result["weights"]
    rows = [[words, format_number(weights[key])] for key, words in FIELDS.items() if key in weights]
    notes = [f"{weights['n']} source rows, {weights.get('n_target')} target rows"]
    return page.format_table([str(weights.get("method", "weights")), ""], rows, notes)


def build_risks_table(result: Mapping[str, Any], page: Page) -> str:
    """Return one row per importance-weighted risk: the value it selects, and its true risk."""
    rows = [_build_row(name, risk) for name, risk in result["risks"].items()]
    if result.get("oracle"):
        rows.append(_build_row("(oracle)", {**result["oracle"], "regret": 0.0}))
    header = ["risk", "selected", "estimate", "interval", "target risk", "above the oracle"]
    weights = result.get("weights", {})
    note = (
        f"{weights.get('n')} source rows; with these weights they are worth "
        f"{format_number(weights.get('effective_sample_size'))} rows of the target (the effective "
        f"sample size). Mean weight {format_number(weights.get('mean'))}"
    )
    return page.format_table(header, rows, [note])


def _build_row(name: str, risk: Mapping[str, Any]) -> list[str]:
    """Return the cells of one risk."""
    selected = risk.get("selected")
    value = format_number(selected) if isinstance(selected, float) else str(selected)
    learner = risk.get("selected_learner")
    return [
        name,
        value if learner is None else f"{learner} {value}",
        format_number(risk["estimate"]) if "estimate" in risk else "",
        format_interval(risk["interval"]) if "interval" in risk else "",
        format_number(risk["target_risk"]) if "target_risk" in risk else "",
        format_number(risk["regret"]) if "regret" in risk else "",
    ]
