"""Importance weights, and the risks that they give, as text."""

from __future__ import annotations

from typing import Final, Literal, TypeAlias

from thetahat_client.results import (
    BestLearnerDict,
    BestOracleDict,
    ImportanceWeightingResultDict,
    OracleDict,
    RiskAlongGridDict,
    WeightsResultDict,
)
from thetahat_client.text.page import Page, format_interval, format_number

Diagnostic: TypeAlias = Literal[
    "mean",
    "variance",
    "largest",
    "largest_share",
    "effective_sample_size",
    "share_above_10",
    "share_zero",
    "coverage",
]

FIELDS: Final[dict[Diagnostic, str]] = {
    "mean": "mean weight (near 1 if the ratio is estimated well)",
    "variance": "variance",
    "largest": "largest",
    "largest_share": "share of the largest in the sum",
    "effective_sample_size": "effective sample size",
    "share_above_10": "share above 10",
    "share_zero": "share of zeros",
    "coverage": "share of target rows with source rows nearby",
}


ChosenValue: TypeAlias = BestLearnerDict | BestOracleDict | OracleDict | RiskAlongGridDict
"""What a risk, or the oracle, selects."""


def write_weights(result: WeightsResultDict, page: Page) -> str:
    """Return the diagnostics of the weights, one a row."""
    weights = result["weights"]
    rows = []
    for key, words in FIELDS.items():
        if key in weights:
            rows.append([words, format_number(weights[key])])
    notes = [f"{weights['n']} source rows, {weights.get('n_target')} target rows"]
    return page.format_table([str(weights.get("method", "weights")), ""], rows, notes)


def build_risks_table(result: ImportanceWeightingResultDict, page: Page) -> str:
    """Return one row per importance-weighted risk: the value it selects, and its true risk."""
    rows = [_build_row(name, risk) for name, risk in result["risks"].items()]
    if oracle := result.get("oracle"):
        rows.append([*_build_row("(oracle)", oracle)[:-1], format_number(0.0)])
    header = ["risk", "selected", "estimate", "interval", "target risk", "above the oracle"]
    weights = result.get("weights", {})
    note = (
        f"{weights.get('n')} source rows; with these weights they are worth "
        f"{format_number(weights.get('effective_sample_size'))} rows of the target (the effective "
        f"sample size). Mean weight {format_number(weights.get('mean'))}"
    )
    return page.format_table(header, rows, [note])


def _build_row(name: str, risk: ChosenValue) -> list[str]:
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
