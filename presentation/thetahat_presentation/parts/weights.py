"""Importance weights: how far apart they are, and how many rows they are worth."""

from __future__ import annotations

from typing import Final

from thetahat_presentation.document import Json, Number, Table
from thetahat_presentation.numbers import format_number
from thetahat_presentation.wording import name_method

NUMBERS: Final = {
    "mean": "Mean weight (should be near 1)",
    "variance": "Variance of the weights",
    "largest": "Largest weight",
    "largest_share": "Share of the largest in the sum",
    "effective_sample_size": "Effective sample size",
    "n": "Source rows",
    "n_target": "Target rows",
    "share_above_10": "Share of weights above 10",
    "share_zero": "Share of weights that are zero",
    "coverage": "Share of target rows with a source row near them",
}


def tabulate_weights(weights: Json) -> Table:
    """Return the diagnostics of the weights, one a row."""
    method = name_method(weights["method"]) if "method" in weights else "the request"
    return Table(
        caption=f"Importance weights by {method}",
        columns=["Number", "Value"],
        rows=[[words, Number(weights[key])] for key, words in NUMBERS.items() if key in weights],
    )


def describe_sample_size(weights: Json) -> str:
    """Return how many unweighted rows the weighted rows are worth."""
    return (
        f"The {format_number(weights['n'])} weighted source rows are worth about "
        f"{round(weights['effective_sample_size'])} unweighted ones (effective sample size)."
    )
